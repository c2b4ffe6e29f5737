module Main where

root :: Integer -> Integer
root n = occurrences "AAB" (concat (replicate (fromInteger n) "AAACAAAB")) 0

occurrences :: String -> String -> Integer -> Integer
occurrences _ [] count = count
occurrences pattern text@(_ : rest) count =
  occurrences pattern rest (if begins pattern text then count + 1 else count)

begins :: String -> String -> Bool
begins [] _ = True
begins _ [] = False
begins (p : ps) (t : ts) = p == t && begins ps ts

main :: IO ()
main = print (root 40000)
