-- Part of gmachine-haskell. MicroHs is built with this module in place of its own of this name, so
-- that constructors and cases stay visible in the dump, as primitives of this front end:
--
--   $con:I:N:FLAGS        constructor I of N; a flag for each field, S of a strict one, else L
--   $case:N:K e d a ..    a case with N constructors in the type and K alternatives `a`
--   $alt:I:ARITY:NAME f   the alternative of a constructor, a function of its fields
--   $if c t e, $tuple:N, $sel:M:N, $nil, $cons
module MicroHs.EncodeData(
  SPat(..),
  encConstr,
  encCase,
  encIf,
  encList,
  encTuple,
  encTupleSel,
  ) where
import qualified Prelude(); import MHSPrelude
import MicroHs.Exp
import MicroHs.Expr(Con(..), Lit(..))
import MicroHs.Ident

-- A constructor and the names of its fields.
data SPat = SPat Con [Ident]

mark :: String -> Exp
mark s = Lit (LPrim s)

encConstr :: Int -> Int -> [Bool] -> Exp
encConstr i n strict = mark ("$con:" ++ show i ++ ":" ++ show n ++ ":" ++ map flag strict)
  where flag s = if s then 'S' else 'L'

encCase :: Exp -> [(SPat, Exp)] -> Exp -> Exp
encCase scrutinee alternatives other =
  apps (mark ("$case:" ++ show (total alternatives) ++ ":" ++ show (length alternatives)))
       (scrutinee : other : map alternative alternatives)
  where
    total ((SPat (ConData cons _ _) _, _) : _) = length cons
    total _ = 0
    alternative (SPat con fields, e) = App (mark (name con fields)) (lams fields e)
    name con fields =
      "$alt:" ++ show (position con) ++ ":" ++ show (length fields) ++ ":" ++ shown con
    position (ConData cons c _) = length (takeWhile ((/= c) . fst) cons)
    position _ = 0
    shown (ConData _ c _) = showIdent c
    shown _ = "?"

encIf :: Exp -> Exp -> Exp -> Exp
encIf c t e = apps (mark "$if") [c, t, e]

encList :: [Exp] -> Exp
encList = foldr (app2 (mark "$cons")) (mark "$nil")

encTuple :: [Exp] -> Exp
encTuple es = apps (mark ("$tuple:" ++ show (length es))) es

encTupleSel :: Int -> Int -> Exp -> Exp
encTupleSel m n tuple = App (mark ("$sel:" ++ show m ++ ":" ++ show n)) tuple
