module Main where
import Numeric (showFFloat)

data Body = Body Double Double Double Double Double Double Double
data Five = Five Body Body Body Body Body

nBody :: Int -> String
nBody n = unwords (map (\e -> showFFloat (Just 9) e "") [energy planets, energy (steps n planets)])

solarMass :: Double
solarMass = 4.0 * (pi * pi)

planet :: Double -> Double -> Double -> Double -> Double -> Double -> Double -> Body
planet x y z vx vy vz m = body x y z (vx * 365.24) (vy * 365.24) (vz * 365.24) (m * solarMass)

body :: Double -> Double -> Double -> Double -> Double -> Double -> Double -> Body
body x y z vx vy vz m =
  x `seq` y `seq` z `seq` vx `seq` vy `seq` vz `seq` m `seq` Body x y z vx vy vz m

planets :: Five
planets = Five sun b c d e
  where
    b = planet 4.84143144246472090e+00 (-1.16032004402742839e+00) (-1.03622044471123109e-01)
               1.66007664274403694e-03 7.69901118419740425e-03 (-6.90460016972063023e-05)
               9.54791938424326609e-04
    c = planet 8.34336671824457987e+00 4.12479856412430479e+00 (-4.03523417114321381e-01)
               (-2.76742510726411265e-03) 4.99852801234917238e-03 2.30417297573763929e-05
               2.85885980666130812e-04
    d = planet 1.28943695621391310e+01 (-1.51111514016986312e+01) (-2.23307578892655734e-01)
               2.96460137564761618e-03 2.37847173959480950e-03 (-2.96589568540237556e-05)
               4.36624404335156298e-05
    e = planet 1.53796971148509165e+01 (-2.59193146099879641e+01) 1.79258772950371181e-01
               2.68067772490389322e-03 1.62824170038242295e-03 (-9.51592254519715870e-05)
               5.15138902046611451e-05
    momentum of' = negate (sum (map of' [b, c, d, e]) / solarMass)
    sun = body 0.0 0.0 0.0
               (momentum (\(Body _ _ _ v _ _ m) -> v * m))
               (momentum (\(Body _ _ _ _ v _ m) -> v * m))
               (momentum (\(Body _ _ _ _ _ v m) -> v * m))
               solarMass

steps :: Int -> Five -> Five
steps 0 bodies = bodies
steps n (Five a b c d e) =
  a' `seq` b' `seq` c' `seq` d' `seq` e' `seq` steps (n - 1) (Five a' b' c' d' e')
  where
    a' = moved a b c d e
    b' = moved b a c d e
    c' = moved c a b d e
    d' = moved d a b c e
    e' = moved e a b c d

moved :: Body -> Body -> Body -> Body -> Body -> Body
moved p q r s t = case pulled (pulled (pulled (pulled p q) r) s) t of
  Body x y z vx vy vz m -> body (x + 0.01 * vx) (y + 0.01 * vy) (z + 0.01 * vz) vx vy vz m

pulled :: Body -> Body -> Body
pulled (Body x y z vx vy vz m) (Body x2 y2 z2 _ _ _ m2) =
  body x y z (vx - dx * pull) (vy - dy * pull) (vz - dz * pull) m
  where
    dx = x - x2
    dy = y - y2
    dz = z - z2
    square = dx * dx + dy * dy + dz * dz
    pull = m2 * 0.01 / (square * sqrt square)

energy :: Five -> Double
energy (Five a b c d e) = energyOf [a, b, c, d, e]

energyOf :: [Body] -> Double
energyOf [] = 0.0
energyOf (p : rest) = kinetic p - sum (map (potential p) rest) + energyOf rest

kinetic :: Body -> Double
kinetic (Body _ _ _ vx vy vz m) = 0.5 * m * (vx * vx + vy * vy + vz * vz)

potential :: Body -> Body -> Double
potential (Body x y z _ _ _ m) (Body x2 y2 z2 _ _ _ m2) =
  m * m2 / sqrt (square (x - x2) + square (y - y2) + square (z - z2))
  where square a = a * a

main :: IO ()
main = putStrLn (nBody 5000000)
