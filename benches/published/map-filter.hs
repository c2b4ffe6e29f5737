module Main where

root :: Integer -> Integer
root n = sum (filter even (map (3 *) [1..n]))

main :: IO ()
main = print (root 500000)
