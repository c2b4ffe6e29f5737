module Main where

root :: Integer -> Integer
root n = sum (take (fromInteger n) (decimals 1 0 0 1 fraction))

fraction :: [Integer]
fraction = 2 : concatMap (\k -> [1, 2 * k, 1]) [1..]

decimals :: Integer -> Integer -> Integer -> Integer -> [Integer] -> [Integer]
decimals a b c d z
  | settled a b c d =
      let digit = a `quot` c
      in digit : decimals (10 * (a - digit * c)) (10 * (b - digit * d)) c d z
  | otherwise = case z of
      term : rest -> decimals (a * term + b) a (c * term + d) c rest

settled :: Integer -> Integer -> Integer -> Integer -> Bool
settled a b c d = c > 0 && a `quot` c == (a + b) `quot` (c + d)

main :: IO ()
main = print (root 700)
