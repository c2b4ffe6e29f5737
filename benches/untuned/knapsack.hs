module Main where
import Data.Array
import Data.List (foldl')

item :: Int -> (Int, Integer)
item k = (3 + k * 37 `rem` 29, toInteger (1 + k * 61 `rem` 83))

with :: Int -> Array Int Integer -> (Int, Integer) -> Array Int Integer
with capacity best (weight, worth) = listArray (0, capacity) (map cell [0 .. capacity])
  where cell c = let without = best ! c in
          if c < weight then without else max without (worth + best ! (c - weight))

root :: Int -> Integer
root n = foldl' (with capacity) (listArray (0, capacity) (replicate (capacity + 1) 0)) (map item [1 .. n]) ! capacity
  where capacity = n * 10

main :: IO ()
main = print (root 600)
