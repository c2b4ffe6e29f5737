module Main where

import Data.Array
import Data.List (genericLength, tails)

data Radical = Hydrogen | Carbon Radical Radical Radical

root :: Integer -> Integer
root n = genericLength (bondCentred n (radicals (n `quot` 2)) ++ carbonCentred n (radicals (n `quot` 2)))

radicals :: Integer -> Array Integer [Radical]
radicals n = known
  where
    known = listArray (0, n) ([Hydrogen] : map made [1..n])
    made size = concatMap (combined known) (three (size - 1))

combined :: Array Integer [Radical] -> (Integer, Integer, Integer) -> [Radical]
combined known (i, j, k) =
  concatMap
    (\as -> concatMap (\bs -> map (Carbon (head as) (head bs)) (if j == k then bs else known ! k))
                      (choices (if i == j then as else known ! j)))
    (choices (known ! i))

choices :: [a] -> [[a]]
choices xs = init (tails xs)

three :: Integer -> [(Integer, Integer, Integer)]
three total =
  concatMap (\i -> map (\j -> (i, j, total - (i + j))) [i..(total - i) `quot` 2]) [0..total `quot` 3]

data Molecule = Bond Radical Radical | Centre Radical Radical Radical Radical

bondCentred :: Integer -> Array Integer [Radical] -> [Molecule]
bondCentred n known =
  if odd n
    then []
    else concatMap (\as -> map (Bond (head as)) as) (choices (known ! (n `quot` 2)))

carbonCentred :: Integer -> Array Integer [Radical] -> [Molecule]
carbonCentred n known =
  concatMap (\i -> concatMap (around known i) (filter (balanced i n) (three (n - 1 - i))))
            [0..(n - 1) `quot` 4]

balanced :: Integer -> Integer -> (Integer, Integer, Integer) -> Bool
balanced i n (j, _, l) = i <= j && l <= (n - 1) `quot` 2

around :: Array Integer [Radical] -> Integer -> (Integer, Integer, Integer) -> [Molecule]
around known i (j, k, l) =
  concatMap
    (\as -> concatMap
      (\bs -> concatMap
        (\cs -> map (Centre (head as) (head bs) (head cs)) (if k == l then cs else known ! l))
        (choices (if j == k then bs else known ! k)))
      (choices (if i == j then as else known ! j)))
    (choices (known ! i))

main :: IO ()
main = print (root 16)
