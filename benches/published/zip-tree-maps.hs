module Main where

data Tree = Leaf Integer | Branch Tree Tree

root :: Integer -> Integer
root depth = total (zipTree (*) (mapTree square (built depth 1)) (mapTree (1 +) (built depth 2)))

built :: Integer -> Integer -> Tree
built depth n =
  if depth == 0
    then Leaf n
    else Branch (built (depth - 1) n) (built (depth - 1) (n + 1))

mapTree :: (Integer -> Integer) -> Tree -> Tree
mapTree f (Leaf n) = Leaf (f n)
mapTree f (Branch l r) = Branch (mapTree f l) (mapTree f r)

zipTree :: (Integer -> Integer -> Integer) -> Tree -> Tree -> Tree
zipTree f (Leaf m) (Leaf n) = Leaf (f m n)
zipTree _ s@(Leaf _) (Branch _ _) = s
zipTree _ (Branch _ _) t@(Leaf _) = t
zipTree f (Branch a b) (Branch c d) = Branch (zipTree f a c) (zipTree f b d)

total :: Tree -> Integer
total (Leaf n) = n
total (Branch l r) = total l + total r

square :: Integer -> Integer
square x = x * x

main :: IO ()
main = print (root 16)
