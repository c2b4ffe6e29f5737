module Main where

mandelbrot :: Int -> Int
mandelbrot n = lines' 0 n 0

lines' :: Int -> Int -> Int -> Int
lines' y n count
  | y == n = count
  | otherwise = lines' (y + 1) n (points 0 (2.0 * fromIntegral y / fromIntegral n - 1.0) n count)

points :: Int -> Double -> Int -> Int -> Int
points x ci n count
  | x == n = count
  | otherwise =
      let here = inside (50 :: Int) (2.0 * fromIntegral x / fromIntegral n - 1.5) ci 0.0 0.0
          next = count + here
      in next `seq` points (x + 1) ci n next

inside :: Int -> Double -> Double -> Double -> Double -> Int
inside k cr ci zr zi
  | rr + ii > 4.0 = 0
  | k == 0 = 1
  | otherwise = inside (k - 1) cr ci (rr - ii + cr) (2.0 * zr * zi + ci)
  where
    rr = zr * zr
    ii = zi * zi

main :: IO ()
main = print (mandelbrot 4000)
