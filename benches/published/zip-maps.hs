module Main where

root :: Integer -> Integer
root n = sum (map (\p -> fst p * snd p) (zip (map (1 +) [1..n]) (map square [1..n])))

square :: Integer -> Integer
square x = x * x

main :: IO ()
main = print (root 300000)
