-- Part of gmachine-haskell. MicroHs is built with this module in place of its own of this name: the
-- same expressions, printed on one line, and each variable with the place that it has in its
-- source, `{LINE COLUMN}` before the name. A text that is a byte string has `^` before it, an
-- expression of C whose value is imported `^=`.
module MicroHs.Exp(
  Exp(..),
  PrimOp,
  substExp,
  app2, app3,
  allVarsExp, freeVars,
  lams, apps,
  mkForExp, getForExp,
  ) where
import qualified Prelude(); import MHSPrelude
import Data.List
import MicroHs.Expr(ImpEnt(..), ImpVal(..), Lit(..), showLit, CType(..))
import MicroHs.Ident
import Text.PrettyPrint.HughesPJLiteClass

type PrimOp = String

data Exp
  = Var Ident
  | App Exp Exp
  | Lam Ident Exp
  | Lit Lit
  deriving (Eq, Show)

instance NFData Exp where
  rnf (Var i) = rnf i
  rnf (App f e) = rnf f `seq` rnf e
  rnf (Lam i e) = rnf i `seq` rnf e
  rnf (Lit l) = rnf l

instance Pretty Exp where
  pPrintPrec _ _ e = text (printed e "")

printed :: Exp -> ShowS
printed (App (Lam i body) e) =
  showString "(let " . name i . showString " = " . printed e . showString " in " . printed body .
  showChar ')'
printed (App f e) = showChar '(' . printed f . showChar ' ' . printed e . showChar ')'
printed (Lam i e) = showString "(\\" . name i . showString ". " . printed e . showChar ')'
printed (Var i) = place (slocIdent i) . name i
printed (Lit l@(LBStr _)) = showChar '^' . showString (showLit l)
printed (Lit (LForImp _ (ImpStatic _ IValue value) _ _)) =
  showString "^=" . showString (filter (/= ' ') value)
printed (Lit l) = showString (showLit l)

name :: Ident -> ShowS
name i = showString (showIdent i)

place :: SLoc -> ShowS
place (SLoc _ line column)
  | line > 0 = showChar '{' . shows line . showChar ' ' . shows column . showChar '}'
  | otherwise = id

app2 :: Exp -> Exp -> Exp -> Exp
app2 f x y = App (App f x) y

app3 :: Exp -> Exp -> Exp -> Exp -> Exp
app3 f x y z = App (app2 f x y) z

apps :: Exp -> [Exp] -> Exp
apps = foldl App

lams :: [Ident] -> Exp -> Exp
lams is e = foldr Lam e is

-- All occurrences of variables that are free, as often as they occur.
freeVars :: Exp -> [Ident]
freeVars e = free [] e []

free :: [Ident] -> Exp -> [Ident] -> [Ident]
free bound (Var i) rest = if i `elem` bound then rest else i : rest
free bound (App f e) rest = free bound f (free bound e rest)
free bound (Lam i e) rest = free (i : bound) e rest
free _ (Lit _) rest = rest

-- All variables, those that are bound included.
allVarsExp :: Exp -> [Ident]
allVarsExp e = every e []
  where
    every (Var i) rest = i : rest
    every (App f x) rest = every f (every x rest)
    every (Lam i x) rest = i : every x rest
    every (Lit _) rest = rest

-- Substitutes for a variable, without capture.
substExp :: Ident -> Exp -> Exp -> Exp
substExp x by = go
  where
    captured = freeVars by
    go e@(Var i) = if i == x then by else e
    go (App f e) = App (go f) (go e)
    go e@(Lam i body)
      | i == x = e
      | i `elem` captured =
          let j = fresh (x : allVarsExp by ++ allVarsExp body)
          in  Lam j (go (substExp i (Var j) body))
      | otherwise = Lam i (go body)
    go e@(Lit _) = e

fresh :: [Ident] -> Ident
fresh used = head [ i | n <- enumFrom (0::Int), let { i = mkIdent ("r" ++ show n) }, i `notElem` used ]

mkForExp :: Exp -> CType -> Exp
mkForExp e t = app2 (Lit (LPrim "FE")) e (Lit (LCType t))

getForExp :: Exp -> Maybe (Exp, CType)
getForExp (App (App (Lit (LPrim "FE")) e) (Lit (LCType t))) = Just (e, t)
getForExp _ = Nothing
