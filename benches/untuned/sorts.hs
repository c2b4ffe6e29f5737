module Main where

numbers :: Integer -> Integer -> [Integer]
numbers 0 _ = []
numbers n seed = next : numbers (n - 1) next
  where next = (seed * 16807 + 11) `rem` 2147483647

ordered :: [Integer] -> Integer
ordered xs = if and (zipWith (<=) xs (tail xs)) then 1 else 0

quick :: [Integer] -> [Integer]
quick [] = []
quick (p:t) = quick (filter (< p) t) ++ p : quick (filter (>= p) t)

mergeSort :: [Integer] -> [Integer]
mergeSort [] = []
mergeSort [x] = [x]
mergeSort xs = case halves xs of (a, b) -> merge (mergeSort a) (mergeSort b)

halves :: [Integer] -> ([Integer], [Integer])
halves (x:y:t) = (x : fst p, y : snd p)
  where p = halves t
halves xs = (xs, [])

merge :: [Integer] -> [Integer] -> [Integer]
merge [] ys = ys
merge xs [] = xs
merge xs@(x:xt) ys@(y:yt) = if x <= y then x : merge xt ys else y : merge xs yt

data Tree = Tip | Fork Integer Tree Tree

heapSort :: [Integer] -> [Integer]
heapSort xs = drain (foldl (flip push) Tip xs)

push :: Integer -> Tree -> Tree
push x Tip = Fork x Tip Tip
push x (Fork y l r) = if x <= y then Fork x (push y r) l else Fork y (push x r) l

drain :: Tree -> [Integer]
drain Tip = []
drain (Fork x l r) = x : drain (join l r)

join :: Tree -> Tree -> Tree
join Tip t = t
join s Tip = s
join s@(Fork x l r) t@(Fork y l' r') = if x <= y then Fork x (join l r) t else Fork y s (join l' r')

root :: Integer -> Integer
root n = ordered (quick xs) + ordered (mergeSort xs) + ordered (heapSort xs)
  where xs = numbers n 42

main :: IO ()
main = print (root 60000)
