module Main where
import Data.List (genericLength)

main :: IO ()
main = getContents >>= \text -> print (genericLength (lines text) :: Integer)
