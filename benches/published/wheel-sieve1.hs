module Main where

data Wheel = Wheel Integer [Integer]

root :: Integer -> Integer
root n = primes !! fromInteger n

primes :: [Integer]
primes = sieve wheels primes

sieve :: [Wheel] -> [Integer] -> [Integer]
sieve (Wheel size spokes : rest) ps =
  concatMap (\turn -> filter (untouched size ps) (map (turn * size +) spokes)) (turns ps)
    ++ sieve rest (tail ps)

turns :: [Integer] -> [Integer]
turns ps = 1 : takeWhile (\t -> t < head ps) [2..]

untouched :: Integer -> [Integer] -> Integer -> Bool
untouched size ps n = size <= 2 || free ps n

free :: [Integer] -> Integer -> Bool
free (p : rest) n = p * p > n || n `rem` p /= 0 && free rest n

wheels :: [Wheel]
wheels = Wheel 1 [1] : zipWith larger wheels primes

larger :: Wheel -> Integer -> Wheel
larger (Wheel size spokes) p =
  Wheel (size * p)
    (concatMap (\turn -> filter (\n -> n `rem` p /= 0) (map (turn * size +) spokes)) [0..p - 1])

main :: IO ()
main = print (root 4000)
