module Main where
import Data.List (find)

clauses :: Integer -> Integer -> Integer -> [[Integer]]
clauses 0 _ _ = []
clauses k n seed = [literal n a, literal n b, literal n c] : clauses (k - 1) n c
  where a = random seed
        b = random a
        c = random b

literal :: Integer -> Integer -> Integer
literal n seed = if seed `quot` 8 `rem` 2 == 0 then v else negate v
  where v = 1 + seed `quot` 16 `rem` n

random :: Integer -> Integer
random seed = (seed * 16807 + 11) `rem` 2147483647

satisfiable :: [[Integer]] -> Bool
satisfiable [] = True
satisfiable cs
  | any null cs = False
  | otherwise = case find single cs of
      Just c -> satisfiable (assume (head c) cs)
      Nothing -> let l = head (head cs) in
        satisfiable (assume l cs) || satisfiable (assume (negate l) cs)

single :: [Integer] -> Bool
single [_] = True
single _ = False

assume :: Integer -> [[Integer]] -> [[Integer]]
assume l cs = map (filter (/= negate l)) (filter (notElem l) cs)

root :: Integer -> Integer
root n = if satisfiable (clauses (4 * n) n 42) then 1 else 0

main :: IO ()
main = print (root 80)
