module Main where

fannkuch :: Int -> String
fannkuch n = flips (permutations n [1 .. n] []) 1 0 0

flips :: [[Int]] -> Int -> Int -> Int -> String
flips [] _ s most = unwords [show s, show most]
flips (p : ps) sign s most = t `seq` m `seq` flips ps (negate sign) t m
  where
    k = count p 0
    t = s + sign * k
    m = max most k

count :: [Int] -> Int -> Int
count p@(x : _) k = if x == 1 then k else count (reversed x p []) (k + 1)
count [] k = k

reversed :: Int -> [Int] -> [Int] -> [Int]
reversed 0 xs done = done ++ xs
reversed n (x : xs) done = reversed (n - 1) xs (x : done)
reversed _ [] done = done

permutations :: Int -> [Int] -> [[Int]] -> [[Int]]
permutations 1 p others = p : others
permutations r p others = turns r r p others

turns :: Int -> Int -> [Int] -> [[Int]] -> [[Int]]
turns 0 _ _ others = others
turns k r p others = permutations (r - 1) p (turns (k - 1) r (rotated r p) others)

rotated :: Int -> [Int] -> [Int]
rotated r (x : xs) = insertAt (r - 1) x xs
rotated _ [] = []

insertAt :: Int -> Int -> [Int] -> [Int]
insertAt n x (y : ys) | n > 0 = y : insertAt (n - 1) x ys
insertAt _ x xs = x : xs

main :: IO ()
main = putStrLn (fannkuch 11)
