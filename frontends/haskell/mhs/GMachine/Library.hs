-- Part of gmachine-haskell: all that is dumped once, when MicroHs is set up.
module GMachine.Library(main) where
import AllOfLib()
import GMachine.Top()

main :: IO ()
main = return ()
