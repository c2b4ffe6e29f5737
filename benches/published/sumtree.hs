module Main where

data Tree = Leaf Integer | Branch Tree Tree

root :: Integer -> Integer
root depth = total (squared (built depth 1))

built :: Integer -> Integer -> Tree
built depth n =
  if depth == 0
    then Leaf n
    else Branch (built (depth - 1) n) (built (depth - 1) (n + 1))

squared :: Tree -> Tree
squared (Leaf n) = Leaf (n * n)
squared (Branch l r) = Branch (squared l) (squared r)

total :: Tree -> Integer
total (Leaf n) = n
total (Branch l r) = total l + total r

main :: IO ()
main = print (root 17)
