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

primRun :: IO () -> (SomeException -> IO String) -> IO ()
primRun = _primitive "gmachine.run"

primPut :: Ptr BFILE -> String -> IO ()
primPut = _primitive "gmachine.put"

primContents :: Ptr BFILE -> IO String
primContents = _primitive "gmachine.contents"

-- Performs a program. With an exception that nothing catches it fails, where that was thrown, and
-- says what `uncaught` says of it.
run :: IO a -> IO ()
run program = primRun (program >> primFinish) uncaught

uncaught :: SomeException -> IO String
uncaught e =
  case fromException e of
    Just ExitSuccess -> primExit 0
    Just (ExitFailure n) -> primExit n
    Nothing -> return (displayException e)

hPutStr :: Handle -> String -> IO ()
hPutStr h s = withHandleWr h (\ p -> primPut p s)

hGetContents :: Handle -> IO String
hGetContents h = withHandleRd h $ \ p -> do
  s <- primContents p
  setHandleState h HSemiClosed
  return s
