data List = Nil/0 Cons/2
data Pair = prelude.Pair/2 as Pair
data Triple = Triple/3
data Maybe = Nothing/0 Just/1
data Either = Left/1 Right/1
data P = Pair/2
main main

supercombinator main/0
   0  PushInt 40
   1  PushGlobal upto
   2  MkApp
   3  PushInt 9
   4  PushGlobal power
   5  MkApp
   6  Push 1
   7  PushGlobal total
   8  MkApp
   9  Pack 0 2 Pair
  10  Alloc 2
  11  Push 0
  12  PushInt 1
  13  Pack 1 2 Cons
  14  Update 1
  15  Push 1
  16  PushInt 2
  17  Pack 1 2 Cons
  18  Update 0
  19  PushInt 3
  20  PushGlobal power
  21  MkApp
  22  Eval
  23  PushInt 20
  24  PushGlobal power
  25  MkApp
  26  Eval
  27  Rem
  28  Push 2
  29  PushInt 5
  30  PushGlobal take2
  31  MkApp
  32  MkApp
  33  PushGlobal total
  34  MkApp
  35  Eval
  36  Add
  37  PushInt 4
  38  PushInt 3
  39  PushGlobal add
  40  MkApp
  41  PushGlobal apply2
  42  MkApp
  43  MkApp
  44  Eval
  45  Add
  46  Push 3
  47  PushGlobal pick
  48  MkApp
  49  Eval
  50  Add
  51  Update 4
  52  Pop 4
  53  Unwind

supercombinator upto/1 [n]
   0  PushInt 0
   1  Push 1
   2  Eval
   3  Eq
   4  Cond 5 9
   5  Pack 0 0 Nil
   6  Update 1
   7  Pop 1
   8  Unwind
   9  PushInt 1
  10  Push 1
  11  PushGlobal sub
  12  MkApp
  13  MkApp
  14  PushGlobal upto
  15  MkApp
  16  Push 1
  17  Pack 1 2 Cons
  18  Update 1
  19  Pop 1
  20  Unwind

supercombinator power/1 [n]
   0  PushInt 0
   1  Push 1
   2  Eval
   3  Eq
   4  Cond 5 9
   5  PushInt 1
   6  Update 1
   7  Pop 1
   8  Unwind
   9  PushInt 1
  10  Push 1
  11  PushGlobal sub
  12  MkApp
  13  MkApp
  14  PushGlobal power
  15  MkApp
  16  Eval
  17  PushInt 12345678901
  18  Mul
  19  Update 1
  20  Pop 1
  21  Unwind

supercombinator total/1 [l]
   0  Push 0
   1  Eval
   2  CaseJump Nil:3 Cons:8
   3  Split 0
   4  PushInt 0
   5  Update 1
   6  Pop 1
   7  Unwind
   8  Split 2
   9  Push 1
  10  PushGlobal total
  11  MkApp
  12  Eval
  13  Push 1
  14  Eval
  15  Add
  16  Update 3
  17  Pop 3
  18  Unwind

supercombinator take2/2 [n l]
   0  PushInt 0
   1  Push 1
   2  Eval
   3  Eq
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
  24  PushGlobal take2
  25  MkApp
  26  MkApp
  27  Push 1
  28  Pack 1 2 Cons
  29  Update 4
  30  Pop 4
  31  Unwind

primitive add/2
   0  Push 1
   1  Eval
   2  Push 1
   3  Eval
   4  Add
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator apply2/2 [f x]
   0  Push 1
   1  Push 1
   2  MkApp
   3  Push 1
   4  MkApp
   5  Update 2
   6  Pop 2
   7  Unwind

supercombinator pick/1 [p]
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
