module Main where

data Op = Num Integer | Pick Integer | Put Integer | Plus | Minus
        | JumpIfZero Integer | Jump Integer | Halt

root :: Integer -> Integer
root n =
  start
    [ Pick 0, JumpIfZero 11
    , Pick 1, Pick 1, Plus, Put 1
    , Pick 0, Num 1, Minus, Put 0
    , Jump 0
    , Halt ]
    [n, 0]

start :: [Op] -> [Integer] -> Integer
start program stack = run program program stack

run :: [Op] -> [Op] -> [Integer] -> Integer
run _ [] _ = error "the end of the program"
run program (op : rest) stack = case op of
  Num n -> run program rest (n : stack)
  Pick place -> run program rest (stack !! fromInteger place : stack)
  Put place -> let s = put place (head stack) (tail stack) in s `seq` run program rest s
  Plus -> binary program rest (\a b -> a + b) stack
  Minus -> binary program rest (\a b -> b - a) stack
  JumpIfZero target
    | head stack == 0 -> run program (drop (fromInteger target) program) (tail stack)
    | otherwise -> run program rest (tail stack)
  Jump target -> run program (drop (fromInteger target) program) stack
  Halt -> stack !! 1

binary :: [Op] -> [Op] -> (Integer -> Integer -> Integer) -> [Integer] -> Integer
binary program rest f (a : b : s) = let c = f a b in c `seq` run program rest (c : s)
binary _ _ _ _ = error "an empty stack"

put :: Integer -> Integer -> [Integer] -> [Integer]
put _ _ [] = []
put place value (x : rest)
  | place == 0 = value : rest
  | otherwise = let s = put (place - 1) value rest in s `seq` (x : s)

main :: IO ()
main = print (root 100000)
