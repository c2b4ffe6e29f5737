module Main where
import Data.Char (isDigit, ord)
import Data.List (foldl', intercalate)

type Parser a = String -> Maybe (a, String)

text :: Integer -> String
text n = intercalate "+" [concat [show (k `rem` 3), "+2*(3+", show (k `rem` 2), ")"] | k <- [1 .. n]]

pure' :: a -> Parser a
pure' x s = Just (x, s)

andThen :: Parser a -> (a -> Parser b) -> Parser b
andThen p f s = case p s of { Nothing -> Nothing; Just (x, t) -> f x t }

orElse' :: Parser a -> Parser a -> Parser a
orElse' p q s = case p s of { Nothing -> q s; found -> found }

satisfy :: (Char -> Bool) -> Parser Char
satisfy ok (c:t) | ok c = Just (c, t)
satisfy _ _ = Nothing

char :: Char -> Parser Char
char c = satisfy (== c)

many, some :: Parser a -> Parser [a]
many p = orElse' (andThen p (\x -> andThen (many p) (\xs -> pure' (x : xs)))) (pure' [])
some p = andThen p (\x -> andThen (many p) (\xs -> pure' (x : xs)))

expression, term, factor, number :: Parser Integer
expression = andThen term (\x -> andThen (many (andThen (char '+') (\_ -> term))) (\xs -> pure' (foldl' (+) x xs)))
term = andThen factor (\x -> andThen (many (andThen (char '*') (\_ -> factor))) (\xs -> pure' (foldl' (*) x xs)))
factor = orElse' number (andThen (char '(') (\_ -> andThen expression (\x -> andThen (char ')') (\_ -> pure' x))))
number = andThen (some (satisfy isDigit)) (\ds -> pure' (foldl' (\n d -> n * 10 + toInteger (ord d - 48)) 0 ds))

root :: Integer -> Integer
root n = case expression (text n) of Just (x, _) -> x

main :: IO ()
main = print (root 60000)
