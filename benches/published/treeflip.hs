module Main where

data Tree = Leaf Integer | Branch Tree Tree

root :: Integer -> Integer
root depth = total (flipped (flipped (built depth 1)))

built :: Integer -> Integer -> Tree
built depth n =
  if depth == 0
    then Leaf n
    else Branch (built (depth - 1) n) (built (depth - 1) (n + 1))

flipped :: Tree -> Tree
flipped t@(Leaf _) = t
flipped (Branch l r) = Branch (flipped r) (flipped l)

total :: Tree -> Integer
total (Leaf n) = n
total (Branch l r) = total l + total r

main :: IO ()
main = print (root 17)
