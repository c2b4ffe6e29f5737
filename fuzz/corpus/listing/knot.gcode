data List = Nil/0 Cons/2
data Pair = Pair/2
data Triple = Triple/3
data Maybe = Nothing/0 Just/1
data Either = Left/1 Right/1
main main

supercombinator main/0
   0  Alloc 2
   1  Push 0
   2  PushInt 1
   3  Pack 1 2 Cons
   4  Update 1
   5  Push 1
   6  PushInt 1
   7  PushGlobal add
   8  MkApp
   9  PushGlobal map
  10  MkApp
  11  MkApp
  12  PushInt 2
  13  Pack 1 2 Cons
  14  Update 0
  15  Push 1
  16  PushInt 3
  17  PushGlobal gt
  18  MkApp
  19  PushGlobal span
  20  MkApp
  21  MkApp
  22  PushGlobal snd
  23  MkApp
  24  Push 1
  25  PushInt 6
  26  PushGlobal take
  27  MkApp
  28  MkApp
  29  Pack 0 2 Pair
  30  Update 2
  31  Pop 2
  32  Unwind

primitive add/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Add
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator map/2 [f xs]
   0  Push 1
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 2
   6  Pop 2
   7  Unwind
   8  Split 2
   9  Push 1
  10  Push 3
  11  PushGlobal map
  12  MkApp
  13  MkApp
  14  Push 1
  15  Push 4
  16  MkApp
  17  Pack 1 2 Cons
  18  Update 4
  19  Pop 4
  20  Unwind

primitive gt/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Gt
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator span/2 [p xs]
   0  Push 1
   1  Eval
   2  CaseJump Nil:3 Cons:10
   3  Split 0
   4  Pack 0 0 Nil
   5  Pack 0 0 Nil
   6  Pack 0 2 Pair
   7  Update 2
   8  Pop 2
   9  Unwind
  10  Split 2
  11  Push 0
  12  Push 3
  13  MkApp
  14  Eval
  15  Cond 16 33
  16  Push 1
  17  Push 3
  18  PushGlobal span
  19  MkApp
  20  MkApp
  21  Push 0
  22  PushGlobal snd
  23  MkApp
  24  Push 1
  25  PushGlobal fst
  26  MkApp
  27  Push 3
  28  Pack 1 2 Cons
  29  Pack 0 2 Pair
  30  Update 5
  31  Pop 5
  32  Unwind
  33  Push 3
  34  Pack 0 0 Nil
  35  Pack 0 2 Pair
  36  Update 4
  37  Pop 4
  38  Unwind

supercombinator snd/1 [p]
   0  Push 0
   1  Eval
   2  CaseJump Pair:3
   3  Split 2
   4  Push 1
   5  Update 3
   6  Pop 3
   7  Unwind

supercombinator take/2 [n xs]
   0  PushInt 0
   1  Push 1
   2  Eval
   3  Le
   4  Cond 5 9
   5  Pack 0 0 Nil
   6  Update 2
   7  Pop 2
   8  Unwind
   9  Push 1
  10  Eval
  11  CaseJump Nil:12 Cons:17
  12  Split 0
  13  Pack 0 0 Nil
  14  Update 2
  15  Pop 2
  16  Unwind
  17  Split 2
  18  Push 1
  19  PushInt 1
  20  Push 4
  21  PushGlobal sub
  22  MkApp
  23  MkApp
  24  PushGlobal take
  25  MkApp
  26  MkApp
  27  Push 1
  28  Pack 1 2 Cons
  29  Update 4
  30  Pop 4
  31  Unwind

supercombinator fst/1 [p]
   0  Push 0
   1  Eval
   2  CaseJump Pair:3
   3  Split 2
   4  Push 0
   5  Update 3
   6  Pop 3
   7  Unwind

primitive sub/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Sub
   5  Update 2
   6  Pop 2
   7  Unwind
