module Main where
import qualified Data.Map as M
import Data.List (foldl')

data Heap = Empty | Heap Integer Integer Integer Heap Heap

search :: Integer -> Heap -> M.Map Integer Integer -> Integer
search n (Heap _ cost node l r) seen
  | node == n * n - 1 = cost
  | M.member node seen = search n rest seen
  | otherwise = search n (foldl' (relax cost) rest (neighbours n node)) (M.insert node cost seen)
  where rest = merge l r

relax :: Integer -> Heap -> Integer -> Heap
relax cost heap node = merge (Heap 1 (cost + weight node) node Empty Empty) heap

weight :: Integer -> Integer
weight node = 1 + node * 7919 `rem` 10

neighbours :: Integer -> Integer -> [Integer]
neighbours n node = [node - 1 | x > 0] ++ [node + 1 | x < n - 1] ++ [node - n | y > 0] ++ [node + n | y < n - 1]
  where (y, x) = node `quotRem` n

merge :: Heap -> Heap -> Heap
merge Empty h = h
merge g Empty = g
merge g@(Heap _ c x l r) h@(Heap _ d y l' r')
  | c <= d = node' c x l (merge r h)
  | otherwise = node' d y l' (merge g r')

node' :: Integer -> Integer -> Heap -> Heap -> Heap
node' c x l r
  | rank l >= rank r = Heap (rank r + 1) c x l r
  | otherwise = Heap (rank l + 1) c x r l

rank :: Heap -> Integer
rank Empty = 0
rank (Heap k _ _ _ _) = k

root :: Integer -> Integer
root n = search n (Heap 1 0 0 Empty Empty) M.empty

main :: IO ()
main = print (root 150)
