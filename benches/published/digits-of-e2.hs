module Main where

root :: Integer -> Integer
root n = sum (take (fromInteger n) (map head (iterate shift (2 : repeat 1))))

shift :: [Integer] -> [Integer]
shift places = carry 2 (map (10 *) (tail places))

carry :: Integer -> [Integer] -> [Integer]
carry base (place : rest)
  | guess == (place + 9) `quot` base =
      guess : (let others = carry (base + 1) rest
               in place `rem` base + head others : tail others)
  | otherwise =
      let others = carry (base + 1) rest
          whole = place + head others
      in whole `quot` base : whole `rem` base : tail others
  where guess = place `quot` base

main :: IO ()
main = print (root 300)
