data List = Nil/0 Cons/2
data Pair = Pair/2
data Triple = Triple/3
data Maybe = Nothing/0 Just/1
data Either = Left/1 Right/1
main main

supercombinator main/1 [!input]
   0  Push 0
   1  Eval
   2  CaseJump Cons:3 _:36
   3  Split 2
   4  Push 0
   5  Eval
   6  LitJump 'a':7 'x':30 _:34
   7  Push 1
   8  Eval
   9  CaseJump Cons:10 _:27
  10  Split 2
  11  Push 0
  12  Eval
  13  LitJump 'λ':14 _:25
  14  Push 1
  15  Eval
  16  CaseJump Nil:17 _:22
  17  Split 0
  18  PushChar 'b'
  19  Update 5
  20  Pop 5
  21  Unwind
  22  Pop 1
  23  Pop 4
  24  Jump 38
  25  Pop 4
  26  Jump 38
  27  Pop 1
  28  Pop 2
  29  Jump 38
  30  Push 1
  31  Update 3
  32  Pop 3
  33  Unwind
  34  Pop 2
  35  Jump 38
  36  Pop 1
  37  Jump 38
  38  Push 0
  39  PushGlobal take$s1
  40  MkApp
  41  PushGlobal append$s1
  42  MkApp
  43  PushChar 'λ'
  44  Pack 1 2 Cons
  45  Update 1
  46  Pop 1
  47  Unwind

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

supercombinator append$s1/1 [ys] as append
   0  Push 0
   1  PushChar '\n'
   2  Pack 1 2 Cons
   3  Update 1
   4  Pop 1
   5  Unwind

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
   9  Pack 0 0 Nil
  10  Push 1
  11  Pack 1 2 Cons
  12  Update 3
  13  Pop 3
  14  Unwind
