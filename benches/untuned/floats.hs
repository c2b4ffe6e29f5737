module Main where

simpson :: (Double -> Double) -> Double -> Double -> Integer -> Double
simpson f a b n = h / 6 * panels f a h 0 n 0
  where h = (b - a) / fromInteger n

panels :: (Double -> Double) -> Double -> Double -> Integer -> Integer -> Double -> Double
panels f a h k n total
  | k == n = total
  | otherwise = panels f a h (k + 1) n (total + (f x + (4 * f (x + h / 2) + f (x + h))))
  where x = a + h * fromInteger k

newton :: Integer -> Double -> Double
newton 0 total = total
newton n total = newton (n - 1) (total + squareRoot (fromInteger n) (fromInteger n) 6)

squareRoot :: Double -> Double -> Integer -> Double
squareRoot _ guess 0 = guess
squareRoot x guess k = squareRoot x ((guess + x / guess) / 2) (k - 1)

logistic :: Integer -> Double -> Double
logistic 0 x = x
logistic n x = logistic (n - 1) (3.7 * (x * (1 - x)))

root :: Integer -> Integer
root n = truncate (1e6 * (area + (0 * newton n 0 + 0 * logistic n 0.5)))
  where area = simpson (\x -> 4 / (1 + x * x)) 0 1 n

main :: IO ()
main = print (root 1000000)
