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
   6  PushGlobal map$s1
   7  MkApp
   8  PushInt 2
   9  Pack 1 2 Cons
  10  Update 0
  11  Push 1
  12  PushGlobal snd$s1
  13  MkApp
  14  Push 1
  15  PushGlobal take$s1
  16  MkApp
  17  Pack 0 2 Pair
  18  Update 2
  19  Pop 2
  20  Unwind

supercombinator map$s1/1 [!xs] as map
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal map$s1
  11  MkApp
  12  Push 1
  13  PushInt 1
  14  PushGlobal add
  15  MkApp
  16  MkApp
  17  Pack 1 2 Cons
  18  Update 3
  19  Pop 3
  20  Unwind

supercombinator snd$s1/1 [!_] as snd
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 0
  10  Eval
  11  PushInt 3
  12  Gt
  13  Cond 14 25
  14  Push 1
  15  Eval
  16  PushGlobal span$s3
  17  MkApp
  18  Eval
  19  CaseJump Pair:20
  20  Split 2
  21  Push 1
  22  Update 5
  23  Pop 5
  24  Unwind
  25  Push 2
  26  Update 3
  27  Pop 3
  28  Unwind

supercombinator take$s1/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal take$s2
  11  MkApp
  12  Push 1
  13  Pack 1 2 Cons
  14  Update 3
  15  Pop 3
  16  Unwind

primitive add/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Add
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator span$s3/1 [!xs] as span
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:10
   3  Split 0
   4  Pack 0 0 Nil
   5  Pack 0 0 Nil
   6  Pack 0 2 Pair
   7  Update 1
   8  Pop 1
   9  Unwind
  10  Split 2
  11  Push 0
  12  Eval
  13  PushInt 3
  14  Gt
  15  Cond 16 31
  16  Push 1
  17  PushGlobal span$s3
  18  MkApp
  19  Push 0
  20  PushGlobal snd
  21  MkApp
  22  Push 1
  23  PushGlobal fst
  24  MkApp
  25  Push 3
  26  Pack 1 2 Cons
  27  Pack 0 2 Pair
  28  Update 4
  29  Pop 4
  30  Unwind
  31  Push 2
  32  Pack 0 0 Nil
  33  Pack 0 2 Pair
  34  Update 3
  35  Pop 3
  36  Unwind

supercombinator take$s2/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal take$s3
  11  MkApp
  12  Push 1
  13  Pack 1 2 Cons
  14  Update 3
  15  Pop 3
  16  Unwind

supercombinator snd/1 [!p]
   0  Push 0
   1  Eval
   2  CaseJump Pair:3
   3  Split 2
   4  Push 1
   5  Update 3
   6  Pop 3
   7  Unwind

supercombinator fst/1 [!p]
   0  Push 0
   1  Eval
   2  CaseJump Pair:3
   3  Split 2
   4  Push 0
   5  Update 3
   6  Pop 3
   7  Unwind

supercombinator take$s3/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal take$s4
  11  MkApp
  12  Push 1
  13  Pack 1 2 Cons
  14  Update 3
  15  Pop 3
  16  Unwind

supercombinator take$s4/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal take$s5
  11  MkApp
  12  Push 1
  13  Pack 1 2 Cons
  14  Update 3
  15  Pop 3
  16  Unwind

supercombinator take$s5/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal take$s6
  11  MkApp
  12  Push 1
  13  Pack 1 2 Cons
  14  Update 3
  15  Pop 3
  16  Unwind

supercombinator take$s6/1 [!xs] as take
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  Pack 0 0 Nil
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Pack 0 0 Nil
  10  Push 1
  11  Pack 1 2 Cons
  12  Update 3
  13  Pop 3
  14  Unwind
