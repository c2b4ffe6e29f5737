module Main where

root :: Double -> Integer
root n = truncate (calls n)

calls :: Double -> Double
calls n = if n <= 1 then 1 else calls (n - 1) + calls (n - 2) + 1

main :: IO ()
main = print (root 27.0)
