module Main where
import qualified Data.ByteString as B
import Data.Word (Word8)

-- A checksum of the lines that the opposite strand of n letters has.
reverseComplement :: Int -> Int
reverseComplement n = checksum 0 0 (unlines' (lines' (opposite (letters n))))

opposite :: B.ByteString -> B.ByteString
opposite text = B.pack (walk (B.length text - 1) text)

walk :: Int -> B.ByteString -> [Word8]
walk i text = if i < 0 then [] else counterpart (B.index text i) : walk (i - 1) text

counterpart :: Word8 -> Word8
counterpart 97 = 116
counterpart 99 = 103
counterpart 103 = 99
counterpart _ = 97

lines' :: B.ByteString -> [B.ByteString]
lines' text = if B.null text then [] else B.take 60 text : lines' (B.drop 60 text)

unlines' :: [B.ByteString] -> B.ByteString
unlines' bs = B.concat (concatMap (\b -> [b, B.singleton 10]) bs)

checksum :: Int -> Int -> B.ByteString -> Int
checksum i s text
  | i == B.length text = s
  | otherwise =
      let t = (s * 31 + fromIntegral (B.index text i)) `rem` 1000003
      in t `seq` checksum (i + 1) t text

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
main = print (reverseComplement 5000000)
