module Main where

root :: Integer -> Integer
root n = last (map (1 +) (map (2 *) [1..n]))

main :: IO ()
main = print (root 500000)
