module Main where
import Data.Bits (shiftL)

data Tree = Leaf | Node Tree Tree

binaryTrees :: Int -> Int
binaryTrees n = stretch `seq` long `seq` (stretch + depths 4 n (check long))
  where
    stretch = check (make (n + 1))
    long = make n

depths :: Int -> Int -> Int -> Int
depths d n s
  | d > n = s
  | otherwise = depths (d + 2) n (s + many (shiftL 1 (n - d + 4)) d 0)

many :: Int -> Int -> Int -> Int
many 0 _ s = s
many k d s = let t = s + check (make d) in t `seq` many (k - 1) d t

make :: Int -> Tree
make 0 = Node Leaf Leaf
make d = Node (make (d - 1)) (make (d - 1))

check :: Tree -> Int
check Leaf = 0
check (Node l r) = 1 + check l + check r

main :: IO ()
main = print (binaryTrees 21)
