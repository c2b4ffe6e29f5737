module Main where
import qualified Data.Set as S
import Data.List (foldl')

reach :: Integer -> [Integer] -> S.Set Integer -> S.Set Integer
reach n frontier seen
  | null frontier = seen
  | otherwise = case foldl' visit ([], seen) (concatMap (moves n) frontier) of
      (new, seen') -> reach n new seen'

visit :: ([Integer], S.Set Integer) -> Integer -> ([Integer], S.Set Integer)
visit acc@(new, seen) state = if S.member state seen then acc else (state : new, S.insert state seen)

moves :: Integer -> Integer -> [Integer]
moves n state =
  [ pack n b c, pack a (n - 1) c, pack a b (n - 3), pack 0 b c, pack a 0 c, pack a b 0
  , pour a b (n - 1) (\x y -> pack x y c), pour b a n (\x y -> pack y x c)
  , pour a c (n - 3) (\x y -> pack x b y), pour c a n (\x y -> pack y b x)
  , pour b c (n - 3) (\x y -> pack a x y), pour c b (n - 1) (\x y -> pack a y x) ]
  where a = state `quot` 10000
        b = state `quot` 100 `rem` 100
        c = state `rem` 100

pour :: Integer -> Integer -> Integer -> (Integer -> Integer -> Integer) -> Integer
pour x y room k = k (x - d) (y + d)
  where d = min x (room - y)

pack :: Integer -> Integer -> Integer -> Integer
pack a b c = a * 10000 + b * 100 + c

root :: Integer -> Integer
root n = toInteger (S.size (reach n [0] (S.singleton 0)))

main :: IO ()
main = print (root 60)
