{-# LANGUAGE BangPatterns #-}
module Main where

import Data.Array

root :: Integer -> Integer
root rounds = round (repeated rounds (listArray (0, 999) (map fromInteger (take 1000 (randoms 42)))) 0)

repeated :: Integer -> Array Int Double -> Double -> Double
repeated rounds values total =
  if rounds == 0 then total else repeated (rounds - 1) values (compensated values 0 total 0)

compensated :: Array Int Double -> Int -> Double -> Double -> Double
compensated values i !total !lost
  | i > snd (bounds values) = total
  | otherwise =
      let term = values ! i - lost
          next = total + term
      in compensated values (i + 1) next (next - total - term)

randoms :: Integer -> [Integer]
randoms = iterate (\x -> (x * 16807 + 11) `rem` 2147483647)

main :: IO ()
main = print (root 300)
