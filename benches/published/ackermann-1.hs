module Main where

root :: Integer -> Integer
root n = ack 1 n

ack :: Integer -> Integer -> Integer
ack m n
  | m == 0 = n + 1
  | n == 0 = ack (m - 1) 1
  | otherwise = ack (m - 1) (ack m (n - 1))

main :: IO ()
main = print (root 200000)
