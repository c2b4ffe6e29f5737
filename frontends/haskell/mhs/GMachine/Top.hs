-- Part of gmachine-haskell: what a program of Haskell runs in, and parts of the library of MicroHs
-- for which there is something better here than a function of C.
module GMachine.Top(run, hPutStr, hGetContents) where
import qualified Prelude(); import MiniPrelude
import Control.Exception
import Primitives(Ptr)
import System.Exit
import System.IO.Internal(BFILE, withHandleRd, withHandleWr, setHandleState)
import System.IO_Handle(Handle, HandleState(..))

primExit :: Int -> IO a
primExit = _primitive "gmachine.exit"

primFinish :: IO ()
primFinish = _primitive "gmachine.finish"

primError :: String -> IO ()
primError = _primitive "gmachine.error"

primPut :: Ptr BFILE -> String -> IO ()
primPut = _primitive "gmachine.put"

primContents :: Ptr BFILE -> IO String
primContents = _primitive "gmachine.contents"

-- Performs a program; an exception that nothing catches is written as GHC's programs do, and the
-- exit status is 1.
run :: IO a -> IO ()
run program = (program >> primFinish) `catch` failed

failed :: SomeException -> IO ()
failed e =
  case fromException e of
    Just ExitSuccess -> primExit 0
    Just (ExitFailure n) -> primExit n
    Nothing -> primError (displayException e ++ "\n") >> primExit 1

hPutStr :: Handle -> String -> IO ()
hPutStr h s = withHandleWr h (\ p -> primPut p s)

hGetContents :: Handle -> IO String
hGetContents h = withHandleRd h $ \ p -> do
  s <- primContents p
  setHandleState h HSemiClosed
  return s
