module Main where

import Data.List (genericLength)

data Part = Char Char | Class Char Char

root :: Integer -> Integer
root n = sum (map genericLength (texts (concat (replicate (fromInteger n) [Class 'a' 'f', Char '-']))))

texts :: [Part] -> [String]
texts [] = [""]
texts (Char c : rest) = map (c :) (texts rest)
texts (Class low high : rest) = concatMap (\c -> map (c :) (texts rest)) [low..high]

main :: IO ()
main = print (root 6)
