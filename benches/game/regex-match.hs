module Main where
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Word (Word8)

data Regex = Letter Word8 | OneOf [Word8] | Then Regex Regex | Or Regex Regex | Many Regex

regexMatch :: Int -> String
regexMatch n = unwords (map (\r -> show (places r 0 text 0)) expressions)
  where text = letters n

-- (agg|c)ta   [cgt]ggta|tacc[acg]   a(c|g)*t   t(ca|cg)*a[gt]
expressions :: [Regex]
expressions =
  [ Then (Or (word "agg") (word "c")) (word "ta")
  , Or (Then (oneOf "cgt") (word "ggta")) (Then (word "tacc") (oneOf "acg"))
  , Then (word "a") (Then (Many (Or (word "c") (word "g"))) (word "t"))
  , Then (word "t") (Then (Many (Or (word "ca") (word "cg"))) (Then (word "a") (oneOf "gt"))) ]

word :: String -> Regex
word s = foldr1 Then (map Letter (B.unpack (C.pack s)))

oneOf :: String -> Regex
oneOf s = OneOf (B.unpack (C.pack s))

places :: Regex -> Int -> B.ByteString -> Int -> Int
places r i text count
  | i == B.length text = count
  | otherwise = let next = count + (if matches r text i (const True) then 1 else 0)
                in next `seq` places r (i + 1) text next

matches :: Regex -> B.ByteString -> Int -> (Int -> Bool) -> Bool
matches r text i next = case r of
  Letter c -> i < B.length text && B.index text i == c && next (i + 1)
  OneOf cs -> i < B.length text && B.index text i `elem` cs && next (i + 1)
  Then a b -> matches a text i (\j -> matches b text j next)
  Or a b -> matches a text i next || matches b text i next
  Many a -> matches a text i (\j -> j > i && matches r text j next) || next i

-- A sequence of n letters, by chance but always the same.
letters :: Int -> B.ByteString
letters n = B.pack (draw n 42)

draw :: Int -> Int -> [Word8]
draw 0 _ = []
draw n seed = next `seq` (B.index acgt (next * 4 `quot` 139968) : draw (n - 1) next)
  where next = (seed * 3877 + 29573) `rem` 139968

acgt :: B.ByteString
acgt = B.pack [97, 99, 103, 116]

main :: IO ()
main = putStrLn (regexMatch 500000)
