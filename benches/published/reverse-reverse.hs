module Main where

root :: Integer -> Integer
root n = sum (reverse (reverse [1..n]))

main :: IO ()
main = print (root 400000)
