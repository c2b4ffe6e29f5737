data List = Nil/0 Cons/2
data Pair = Pair/2
data Triple = Triple/3
data Maybe = Nothing/0 Just/1
data Either = Left/1 Right/1
data Tree = Leaf/0 Node/3
main main

supercombinator main/0
   0  Pack 0 0 Leaf
   1  PushInt 1
   2  Pack 0 0 Leaf
   3  Pack 1 3 Node
   4  PushGlobal walk
   5  MkApp
   6  PushInt 3
   7  Pack 1 2 Cons
   8  PushGlobal append$s1
   9  MkApp
  10  PushInt 1
  11  Pack 1 2 Cons
  12  Update 0
  13  Pop 0
  14  Unwind

supercombinator walk/1 [!t]
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
  15  Eval
  16  PushGlobal walk
  17  MkApp
  18  Eval
  19  PushGlobal append
  20  MkApp
  21  MkApp
  22  Update 4
  23  Pop 4
  24  Unwind

supercombinator append$s1/1 [ys] as append
   0  Push 0
   1  PushInt 2
   2  Pack 1 2 Cons
   3  Update 1
   4  Pop 1
   5  Unwind

supercombinator append/2 [!xs ys]
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
