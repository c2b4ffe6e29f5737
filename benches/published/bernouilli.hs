module Main where

data Fraction = Over Integer Integer

root :: Integer -> Integer
root n = case bernoulli n of Over a b -> a + b

bernoulli :: Integer -> Fraction
bernoulli n = foldl plus (Over 0 1) (zipWith (term n) [0..n] (take (fromInteger n + 1) triangle))

term :: Integer -> Integer -> [Integer] -> Fraction
term n k row = reduce (sum (zipWith (*) (zipWith (*) signs row) (map (^ n) [0..k]))) (k + 1)

signs :: [Integer]
signs = cycle [1, -1]

triangle :: [[Integer]]
triangle = iterate (\row -> zipWith (+) (0 : row) (row ++ [0])) [1]

plus :: Fraction -> Fraction -> Fraction
plus (Over a b) (Over c d) = reduce (a * d + c * b) (b * d)

reduce :: Integer -> Integer -> Fraction
reduce a b = let g = gcd a b in Over (a `quot` g) (b `quot` g)

main :: IO ()
main = print (root 120)
