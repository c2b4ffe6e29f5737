data List = Nil/0 Cons/2
main main

supercombinator main/0
   0  PushInt 20
   1  PushGlobal square
   2  MkApp
   3  Update 0
   4  Unwind

supercombinator square/1 [x]
   0  Push 0
   1  Eval
   2  Push 1
   3  Eval
   4  Mul
   5  Update 1
   6  Pop 1
   7  Unwind
