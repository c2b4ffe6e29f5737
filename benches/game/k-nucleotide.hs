module Main where
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.Map.Strict as M
import Data.Word (Word8)

kNucleotide :: Int -> String
kNucleotide n = unwords (map show
    [ M.size (counts 2 text), M.size (counts 6 text)
    , found "a" text, found "ggt" text, found "ggta" text, found "ggtatt" text ])
  where text = letters n

found :: String -> B.ByteString -> Int
found part text = M.findWithDefault 0 key (counts (B.length key) text)
  where key = C.pack part

counts :: Int -> B.ByteString -> M.Map B.ByteString Int
counts k text = count 0 (B.length text - k) k text M.empty

count :: Int -> Int -> Int -> B.ByteString -> M.Map B.ByteString Int -> M.Map B.ByteString Int
count i end k text m
  | i > end = m
  | otherwise = count (i + 1) end k text (M.insertWith (+) (B.take k (B.drop i text)) 1 m)

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
main = putStrLn (kNucleotide 1000000)
