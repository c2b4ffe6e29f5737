module Main where
import Data.Char (chr)

letters :: Integer -> Integer -> String
letters 0 _ = []
letters n seed = chr (fromIntegral (97 + seed `quot` 16 `rem` 4)) : letters (n - 1) ((seed * 3877 + 29573) `rem` 139968)

distance :: String -> String -> Integer
distance s t = last (foldl (row s) [0 .. fromIntegral (length s)] t)

row :: String -> [Integer] -> Char -> [Integer]
row s (x:xt) c = first : cells s c x xt first
  where first = x + 1

cells :: String -> Char -> Integer -> [Integer] -> Integer -> [Integer]
cells [] _ _ _ _ = []
cells (d:st) c corner (up:ut) left = here : cells st c up ut here
  where here = if c == d then corner else 1 + min left (min corner up)

root :: Integer -> Integer
root n = distance (letters n 1) (letters n 7)

main :: IO ()
main = print (root 1200)
