module Main where

value :: [Integer] -> Integer -> Integer
value board player = case winner board of
  0 | null free -> 0
    | otherwise -> best player (map (\k -> value (place k player board) (negate player)) free)
  w -> w
  where free = holes 0 board

best :: Integer -> [Integer] -> Integer
best player vs = if player == 1 then maximum vs else minimum vs

holes :: Integer -> [Integer] -> [Integer]
holes _ [] = []
holes k (x:t) = if x == 0 then k : holes (k + 1) t else holes (k + 1) t

place :: Integer -> Integer -> [Integer] -> [Integer]
place k player (x:t) = if k == 0 then player : t else x : place (k - 1) player t

winner :: [Integer] -> Integer
winner [a, b, c, d, e, f, g, h, i]
  | 3 `elem` sums = 1
  | (-3) `elem` sums = -1
  | otherwise = 0
  where sums = [line a b c, line d e f, line g h i, line a d g, line b e h, line c f i, line a e i, line c e g]

line :: Integer -> Integer -> Integer -> Integer
line x y z = x + y + z

root :: Integer -> Integer
root l = sum (map (\k -> value (place k 1 (replicate 9 0)) (-1)) [0 .. l])

main :: IO ()
main = print (root 8)
