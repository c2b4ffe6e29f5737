module Main where

data Formula = Var Integer | Not Formula | And Formula Formula | Or Formula Formula | Implies Formula Formula

prove :: [Integer] -> [Integer] -> [Formula] -> Bool
prove _ _ [] = False
prove true false (f:fs) = holds true false f fs

holds, fails :: [Integer] -> [Integer] -> Formula -> [Formula] -> Bool
holds true false f fs = case f of
  Var n -> n `elem` true || prove true (n : false) fs
  Not g -> fails true false g fs
  And g h -> holds true false g fs && holds true false h fs
  Or g h -> holds true false g (h : fs)
  Implies g h -> fails true false g (h : fs)
fails true false f fs = case f of
  Var n -> n `elem` false || prove (n : true) false fs
  Not g -> holds true false g fs
  And g h -> fails true false g (Not h : fs)
  Or g h -> fails true false g fs && fails true false h fs
  Implies g h -> holds true false g fs && fails true false h fs

pigeons :: Integer -> Integer -> Formula
pigeons n k = Implies
  (foldr1 And [foldr1 Or [at n k p h | h <- [1 .. n]] | p <- [0 .. n]])
  (foldr1 Or [And (at n k p h) (at n k q h) | h <- [1 .. n], p <- [0 .. n], q <- [p + 1 .. n]])

at :: Integer -> Integer -> Integer -> Integer -> Formula
at n k pigeon hole = Var (k + (pigeon * (n + 1) + hole))

root :: Integer -> Integer
root n = sum [if prove [] [] [pigeons 3 k] then 1 else 0 | k <- [1 .. n]]

main :: IO ()
main = print (root 300)
