module Main where

root :: Integer -> Integer
root n = summed (doubled [1..n] []) 0

doubled :: [Integer] -> [Integer] -> [Integer]
doubled [] done = done
doubled (x : rest) done = doubled rest (2 * x : done)

summed :: [Integer] -> Integer -> Integer
summed [] total = total
summed (x : rest) total = summed rest (total + x)

main :: IO ()
main = print (root 600000)
