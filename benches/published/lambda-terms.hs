module Main where

data Term = Num Integer | Var Char | Plus Term Term | Times Term Term | Let Char Term Term

root :: Integer -> Integer
root n = sum (map (\x -> eval polynomial [('x', x)]) [1..n])

polynomial :: Term
polynomial =
  Let 'y' (Times (Var 'x') (Var 'x'))
    (Let 'z' (Plus (Times (Num 3) (Var 'y')) (Num 7))
      (Plus (Times (Var 'z') (Var 'y')) (Plus (Var 'x') (Num 1))))

eval :: Term -> [(Char, Integer)] -> Integer
eval (Num n) _ = n
eval (Var name) env = valueOf name env
eval (Plus a b) env = eval a env + eval b env
eval (Times a b) env = eval a env * eval b env
eval (Let name value body) env = eval body ((name, eval value env) : env)

valueOf :: Char -> [(Char, Integer)] -> Integer
valueOf _ [] = error "no such variable"
valueOf name ((own, v) : rest) = if name == own then v else valueOf name rest

main :: IO ()
main = print (root 30000)
