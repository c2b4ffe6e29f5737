module Main where
import Control.Monad.ST
import Control.Monad (when)
import Data.Array.ST

root :: Int -> Integer
root n = runST (do
  a <- newArray (0, n) 1 :: ST s (STArray s Int Integer)
  cross 2 n a
  tally 2 n 0 a)

cross :: Int -> Int -> STArray s Int Integer -> ST s ()
cross p n a
  | p * p > n = return ()
  | otherwise = do
      prime <- readArray a p
      when (prime == 1) (strike (p * p) p n a)
      cross (p + 1) n a

strike :: Int -> Int -> Int -> STArray s Int Integer -> ST s ()
strike i p n a
  | i > n = return ()
  | otherwise = writeArray a i 0 >> strike (i + p) p n a

tally :: Int -> Int -> Integer -> STArray s Int Integer -> ST s Integer
tally i n count a
  | i > n = return count
  | otherwise = do
      prime <- readArray a i
      let next = count + prime
      next `seq` tally (i + 1) n next a

main :: IO ()
main = print (root 3000000)
