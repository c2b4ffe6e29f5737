module Main where
import Data.Char (ord)
import Data.List (foldl')

table :: Integer -> String
table n = unlines (map (\k -> unwords (map (cell k) [1 .. 4])) [1 .. n])

cell :: Integer -> Integer -> String
cell k j = padLeft 8 ' ' (show (k * (j + 1) + j * j))

padLeft :: Int -> Char -> String -> String
padLeft n c s = replicate (n - length s) c ++ s

total :: String -> Integer
total line = sum (map number (words line))

number :: String -> Integer
number = foldl' (\n d -> n * 10 + toInteger (ord d - 48)) 0

root :: Integer -> Integer
root n = sum (map total (lines (table n)))

main :: IO ()
main = print (root 30000)
