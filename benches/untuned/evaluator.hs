module Main where

data Term = Lit Integer | Name String | Lam String Term | App Term Term | Plus Term Term
  | Minus Term Term | Less Term Term | If Term Term Term | Rec String String Term Term
data Value = Num Integer | Closure String Term Env | Recursive String String Term Env
type Env = [(String, Value)]

fib :: Integer -> Term
fib n = Rec "fib" "n"
  (If (Less (Name "n") (Lit 2)) (Lit 1)
    (Plus (App (Name "fib") (Minus (Name "n") (Lit 1)))
          (App (Name "fib") (Minus (Name "n") (Lit 2)))))
  (App (Name "fib") (Lit n))

eval :: Term -> Env -> Value
eval e env = case e of
  Lit n -> Num n
  Name x -> find' x env
  Lam x b -> Closure x b env
  App f a -> apply' (eval f env) (eval a env)
  Plus a b -> arith (+) (eval a env) (eval b env)
  Minus a b -> arith (-) (eval a env) (eval b env)
  Less a b -> arith (\x y -> if x < y then 1 else 0) (eval a env) (eval b env)
  If c t f -> case eval c env of { Num 0 -> eval f env; _ -> eval t env }
  Rec f x b body -> eval body ((f, Recursive f x b env) : env)

arith :: (Integer -> Integer -> Integer) -> Value -> Value -> Value
arith op (Num a) (Num b) = Num (op a b)

apply' :: Value -> Value -> Value
apply' f v = case f of
  Closure x b env -> eval b ((x, v) : env)
  Recursive g x b env -> eval b ((x, v) : (g, f) : env)
  Num _ -> error "a number is applied"

find' :: String -> Env -> Value
find' x ((y, v) : t) = if x == y then v else find' x t

root :: Integer -> Integer
root n = case eval (fib n) [] of Num k -> k

main :: IO ()
main = print (root 27)
