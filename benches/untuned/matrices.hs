module Main where
import Data.List (transpose)

product' :: [[Integer]] -> [[Integer]] -> [[Integer]]
product' a b = map (\row -> map (\column -> dot row column) columns) a
  where columns = transpose b

dot :: [Integer] -> [Integer] -> Integer
dot xs ys = sum (zipWith (*) xs ys)

root :: Integer -> Integer
root n = sum (map sum (product' m m))
  where m = [[(i * 3 + j) `rem` 7 | j <- [1 .. n]] | i <- [1 .. n]]

main :: IO ()
main = print (root 250)
