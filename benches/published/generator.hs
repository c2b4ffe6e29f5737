module Main where

root :: Integer -> Integer
root n = sum (takeWhile (< n) (map succ (iterate succ 0)))

main :: IO ()
main = print (root 600000)
