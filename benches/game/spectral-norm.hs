module Main where
import Numeric (showFFloat)

spectralNorm :: Int -> String
spectralNorm n = showFFloat (Just 9) (rounds n (10 :: Int) (replicate n 1.0) []) ""

rounds :: Int -> Int -> [Double] -> [Double] -> Double
rounds _ 0 u v = sqrt (dot u v 0.0 / dot v v 0.0)
rounds n k u _ = rounds n (k - 1) (both n w) w
  where w = both n u

dot :: [Double] -> [Double] -> Double -> Double
dot (x : xs) (y : ys) s = let t = s + x * y in t `seq` dot xs ys t
dot _ _ s = s

both :: Int -> [Double] -> [Double]
both n v = forced (columns 0 n (forced (rows 0 n v)))

rows, columns :: Int -> Int -> [Double] -> [Double]
rows i n v = if i == n then [] else row i 0 v 0.0 : rows (i + 1) n v
columns i n v = if i == n then [] else column i 0 v 0.0 : columns (i + 1) n v

row, column :: Int -> Int -> [Double] -> Double -> Double
row _ _ [] s = s
row i j (x : xs) s = let t = s + element i j * x in t `seq` row i (j + 1) xs t
column _ _ [] s = s
column i j (x : xs) s = let t = s + element j i * x in t `seq` column i (j + 1) xs t

element :: Int -> Int -> Double
element i j = 1.0 / fromIntegral (d * (d + 1) `quot` 2 + i + 1)
  where d = i + j

forced :: [Double] -> [Double]
forced = foldr (\x rest -> x `seq` rest `seq` (x : rest)) []

main :: IO ()
main = putStrLn (spectralNorm 5500)
