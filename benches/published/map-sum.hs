module Main where

root :: Integer -> Integer
root n = foldr (+) 0 (map (3 *) [1..n])

main :: IO ()
main = print (root 400000)
