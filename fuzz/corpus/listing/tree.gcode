data List = Nil/0 Cons/2
data Pair = Pair/2
data Triple = Triple/3
data Maybe = Nothing/0 Just/1
data Either = Left/1 Right/1
data Tree = Leaf/0 Node/3
main main

supercombinator main/0
   0  PushInt 3
   1  PushGlobal grow
   2  MkApp
   3  PushGlobal walk
   4  MkApp
   5  Update 0
   6  Pop 0
   7  Unwind

supercombinator grow/1 [n]
   0  PushInt 0
   1  Push 1
   2  Eval
   3  Le
   4  Cond 5 9
   5  Pack 0 0 Leaf
   6  Update 1
   7  Pop 1
   8  Unwind
   9  PushInt 2
  10  Push 1
  11  PushGlobal sub
  12  MkApp
  13  MkApp
  14  PushGlobal grow
  15  MkApp
  16  Push 1
  17  PushInt 1
  18  Push 3
  19  PushGlobal sub
  20  MkApp
  21  MkApp
  22  PushGlobal grow
  23  MkApp
  24  Pack 1 3 Node
  25  Update 1
  26  Pop 1
  27  Unwind

supercombinator walk/1 [t]
   0  Push 0
   1  Eval
   2  CaseJump Leaf:3 Node:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 3
   9  Push 2
  10  PushGlobal walk
  11  MkApp
  12  Push 2
  13  Pack 1 2 Cons
  14  Push 1
  15  PushGlobal walk
  16  MkApp
  17  PushGlobal append
  18  MkApp
  19  MkApp
  20  Update 4
  21  Pop 4
  22  Unwind

primitive sub/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Sub
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator append/2 [xs ys]
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Push 1
   5  Update 2
   6  Pop 2
   7  Unwind
   8  Split 2
   9  Push 3
  10  Push 2
  11  PushGlobal append
  12  MkApp
  13  MkApp
  14  Push 1
  15  Pack 1 2 Cons
  16  Update 4
  17  Pop 4
  18  Unwind
