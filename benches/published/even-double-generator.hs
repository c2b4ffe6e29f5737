module Main where

data Nat = Z | S Nat

root :: Integer -> Integer
root n = isEven (double (natural n))

double :: Nat -> Nat
double Z = Z
double (S y) = S (S (double y))

natural :: Integer -> Nat
natural n = if n == 0 then Z else S (natural (n - 1))

isEven, isOdd :: Nat -> Integer
isEven Z = 1
isEven (S y) = isOdd y
isOdd Z = 0
isOdd (S y) = isEven y

main :: IO ()
main = print (root 700000)
