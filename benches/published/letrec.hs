module Main where

root :: Integer -> Integer
root n = up 0 0
  where
    up i total = if i > n then total else down (i + 1) (total + i)
    down i total = if i > n then total else up (i + 1) (total - 1)

main :: IO ()
main = print (root 700000)
