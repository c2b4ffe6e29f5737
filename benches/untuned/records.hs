module Main where

data State = State Integer Integer Integer Integer Integer Integer Integer Integer

run :: Integer -> State -> State
run 0 s = s
run n s = run (n - 1) (step (n `rem` 4) s)

step :: Integer -> State -> State
step k (State a b c d e f g h) = case k of
  0 -> State ((a + b) `rem` 999983) b c d e f g h
  1 -> State a ((b + c * 3) `rem` 999979) c d e f g h
  2 -> State a b ((c + d) `rem` 1009) (e + 1) e f g h
  _ -> State a b c ((d + f) `rem` 1013) ((e + g) `rem` 1019) g f ((h + a) `rem` 499979)

root :: Integer -> Integer
root n = case run n (State 1 2 3 4 5 6 7 8) of State a b _ _ _ _ _ h -> a + b + h

main :: IO ()
main = print (root 4000000)
