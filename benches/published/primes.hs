module Main where

root :: Integer -> Integer
root n = map head (iterate sift [2..]) !! fromInteger n

sift :: [Integer] -> [Integer]
sift (p : rest) = filter (\x -> x `rem` p /= 0) rest

main :: IO ()
main = print (root 900)
