module Main where

data Expr = Num Integer | Var String | Plus Expr Expr | Times Expr Expr | Less Expr Expr
data Stmt = Set String Expr | While Expr Stmt | Then Stmt Stmt

type Env = [(String, Integer)]

root :: Integer -> Integer
root n =
  valueOf "sum"
    (exec
      (Then (Set "sum" (Num 0))
        (Then (Set "i" (Num 0))
          (While (Less (Var "i") (Var "n"))
            (Then (Set "sum" (Plus (Var "sum") (Times (Var "i") (Var "i"))))
              (Set "i" (Plus (Var "i") (Num 1)))))))
      [("n", n), ("sum", 0), ("i", 0)])

exec :: Stmt -> Env -> Env
exec (Set name e) env = let v = eval e env in v `seq` set name v env
exec (Then a b) env = exec b (exec a env)
exec stmt@(While test body) env = if eval test env == 1 then exec stmt (exec body env) else env

eval :: Expr -> Env -> Integer
eval (Num n) _ = n
eval (Var name) env = valueOf name env
eval (Plus a b) env = eval a env + eval b env
eval (Times a b) env = eval a env * eval b env
eval (Less a b) env = if eval a env < eval b env then 1 else 0

valueOf :: String -> Env -> Integer
valueOf _ [] = error "no such variable"
valueOf name ((own, v) : rest) = if name == own then v else valueOf name rest

set :: String -> Integer -> Env -> Env
set _ _ [] = []
set name v ((own, old) : rest)
  | name == own = (own, v) : rest
  | otherwise = let others = set name v rest in others `seq` ((own, old) : others)

main :: IO ()
main = print (root 20000)
