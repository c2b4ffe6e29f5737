module Main where

root :: Integer -> Integer
root n = sum (map (\i -> fac (i `rem` 20) `rem` 1000) [1..n])

fac :: Integer -> Integer
fac n = if n == 0 then 1 else n * fac (n - 1)

main :: IO ()
main = print (root 60000)
