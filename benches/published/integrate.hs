module Main where

import Data.List (foldl')

root :: Integer -> Integer
root n = truncate (foldl' (+) 0 (map (\i -> square2 (fromInteger i)) [1..n]))

square2 :: Double -> Double
square2 u = integral (\x -> integral (\y -> x * y) u) u

integral :: (Double -> Double) -> Double -> Double
integral f u = d * foldl' (+) 0 ([0.5 * f 0, 0.5 * f u] ++ map (\k -> f (d * fromInteger k)) [1..7])
  where d = u / 8

main :: IO ()
main = print (root 500)
