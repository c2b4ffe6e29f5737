module Main where

data Tree = Leaf | Node Colour Tree Integer Tree
data Colour = Red | Black

numbers :: Integer -> Integer -> [Integer]
numbers 0 _ = []
numbers n seed = next : numbers (n - 1) next
  where next = (seed * 1103515245 + 12345) `rem` 2147483648

member :: Integer -> Tree -> Bool
member _ Leaf = False
member x (Node _ l y r)
  | x < y = member x l
  | x > y = member x r
  | otherwise = True

insert' :: Integer -> Tree -> Tree
insert' x t = case ins x t of Node _ l y r -> Node Black l y r

ins :: Integer -> Tree -> Tree
ins x Leaf = Node Red Leaf x Leaf
ins x t@(Node c l y r)
  | x < y = balance c (ins x l) y r
  | x > y = balance c l y (ins x r)
  | otherwise = t

balance :: Colour -> Tree -> Integer -> Tree -> Tree
balance Black (Node Red (Node Red a x b) y c) z d = Node Red (Node Black a x b) y (Node Black c z d)
balance Black (Node Red a x (Node Red b y c)) z d = Node Red (Node Black a x b) y (Node Black c z d)
balance Black a x (Node Red (Node Red b y c) z d) = Node Red (Node Black a x b) y (Node Black c z d)
balance Black a x (Node Red b y (Node Red c z d)) = Node Red (Node Black a x b) y (Node Black c z d)
balance c l x r = Node c l x r

root :: Integer -> Integer
root n = fromIntegral (length (filter (`member` t) xs))
  where xs = numbers n 42
        t = foldl (flip insert') Leaf xs

main :: IO ()
main = print (root 200000)
