module Main where

root :: Integer -> Integer
root n = sum (map square [1..n])

square :: Integer -> Integer
square x = x * x

main :: IO ()
main = print (root 1000000)
