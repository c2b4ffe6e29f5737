module Main where

root :: Integer -> Integer
root n = light [1..n] [2..n] [3..n]

light :: [Integer] -> [Integer] -> [Integer] -> Integer
light xs ys zs = sum (zipWith3 reflected (map square xs) (map square ys) (map square zs))

reflected :: Integer -> Integer -> Integer -> Integer
reflected x y z = x + (2 * y + 3 * z)

square :: Integer -> Integer
square x = x * x

main :: IO ()
main = print (root 200000)
