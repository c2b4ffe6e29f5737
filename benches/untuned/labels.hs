module Main where

data Tree = Leaf Integer | Fork Tree Tree
type State a = Integer -> (a, Integer)

complete :: Integer -> Tree
complete 0 = Leaf 0
complete d = Fork (complete (d - 1)) (complete (d - 1))

unit :: a -> State a
unit x = \s -> (x, s)

next :: State a -> (a -> State b) -> State b
next m f = \s -> case m s of (x, t) -> f x t

fresh :: State Integer
fresh = \s -> (s, s + 1)

label :: Tree -> State Tree
label (Leaf _) = next fresh (\k -> unit (Leaf k))
label (Fork l r) = next (label l) (\l' -> next (label r) (\r' -> unit (Fork l' r')))

total :: Tree -> Integer
total (Leaf x) = x
total (Fork l r) = total l + total r

root :: Integer -> Integer
root depth = total (fst (label (complete depth) 0))

main :: IO ()
main = print (root 19)
