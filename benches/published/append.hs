module Main where

root :: Integer -> Integer
root n = last (app (app [1..n] [2..n]) [3..n])

app :: [a] -> [a] -> [a]
app [] ys = ys
app (x:rest) ys = x : app rest ys

main :: IO ()
main = print (root 300000)
