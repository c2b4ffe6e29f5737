module Main where

data Nat = Z | S Nat

root :: Integer -> Integer
root n = number (ack (S Z) (natural n)) 0

ack :: Nat -> Nat -> Nat
ack Z y = S y
ack (S a) Z = ack a (S Z)
ack x@(S a) (S b) = ack a (ack x b)

natural :: Integer -> Nat
natural n = if n == 0 then Z else S (natural (n - 1))

number :: Nat -> Integer -> Integer
number Z count = count
number (S y) count = number y (count + 1)

main :: IO ()
main = print (root 100000)
