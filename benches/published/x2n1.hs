module Main where

data Complex = At Double Double

root :: Integer -> Integer
root n = round (real (foldl plus (At 0 0) (map (\k -> raised (unit k) k) [1..n])))

real :: Complex -> Double
real (At re _) = re

unit :: Integer -> Complex
unit n = let angle = 6.283185307179586 / fromInteger n in At (cos angle) (sin angle)

plus :: Complex -> Complex -> Complex
plus (At a b) (At c d) = At (a + c) (b + d)

times :: Complex -> Complex -> Complex
times (At a b) (At c d) = At (a * c - b * d) (a * d + b * c)

raised :: Complex -> Integer -> Complex
raised z n =
  if n == 0
    then At 1 0
    else let half = raised (times z z) (n `quot` 2) in if even n then half else times z half

main :: IO ()
main = print (root 20000)
