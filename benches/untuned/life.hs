module Main where

board :: Integer -> [[Integer]]
board size = [[if (x, y) `elem` [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)] then 1 else 0 | x <- [0 .. size - 1]] | y <- [0 .. size - 1]]

generations :: Integer -> [[Integer]] -> [[Integer]]
generations 0 rows = rows
generations n rows = generations (n - 1) (step rows)

step :: [[Integer]] -> [[Integer]]
step rows = zipWith3 row (rotateRight rows) rows (rotateLeft rows)

row :: [Integer] -> [Integer] -> [Integer] -> [Integer]
row above here below = zipWith (\n x -> rule (n - x) x)
    (zipWith3 (\a b c -> a + b + c) (rotateRight sums) sums (rotateLeft sums)) here
  where sums = zipWith3 (\a b c -> a + b + c) above here below

rule :: Integer -> Integer -> Integer
rule 3 _ = 1
rule 2 x = x
rule _ _ = 0

rotateLeft, rotateRight :: [a] -> [a]
rotateLeft xs = tail xs ++ [head xs]
rotateRight xs = last xs : init xs

root :: Integer -> Integer
root n = sum (map sum (generations n (board 32)))

main :: IO ()
main = print (root 300)
