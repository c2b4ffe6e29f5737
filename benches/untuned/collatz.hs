module Main where
import qualified Data.Map as M

longest :: Integer -> Integer -> Integer -> Integer -> M.Map Integer Integer -> Integer
longest k n best len memo
  | k > n = best
  | otherwise = case chain k memo of
      (l, memo') | l > len -> longest (k + 1) n k l memo'
                 | otherwise -> longest (k + 1) n best len memo'

chain :: Integer -> M.Map Integer Integer -> (Integer, M.Map Integer Integer)
chain k memo = case M.lookup k memo of
  Just l -> (l, memo)
  Nothing -> case chain (if even k then k `quot` 2 else 3 * k + 1) memo of
    (l, memo') -> let own = l + 1 in (own, M.insert k own memo')

root :: Integer -> Integer
root n = longest 1 n 0 0 (M.fromList [(1, 1)])

main :: IO ()
main = print (root 80000)
