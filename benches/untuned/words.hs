module Main where
import Data.Char (chr)
import Data.List (foldl')
import qualified Data.Map.Strict as M

tally :: [String] -> M.Map String Integer
tally ws = foldl' (\m w -> M.insertWith (+) w 1 m) M.empty ws

top :: [(String, Integer)] -> Integer
top pairs = foldl' (\m p -> max m (snd p)) 0 pairs

text :: Integer -> Integer -> String
text 0 _ = []
text n seed = letters (1 + a `quot` 8 `rem` 4) a ++ ' ' : text (n - 1) (random (random a))
  where a = random seed

letters :: Integer -> Integer -> String
letters 0 _ = []
letters k seed = chr (fromIntegral (97 + seed `quot` 64 `rem` 5)) : letters (k - 1) (random seed)

random :: Integer -> Integer
random seed = (seed * 3877 + 29573) `rem` 139968

root :: Integer -> Integer
root n = top (M.toList (tally (words (text n 42))))

main :: IO ()
main = print (root 150000)
