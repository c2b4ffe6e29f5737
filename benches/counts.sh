# Counts of a build on a program, for the scripts of the folders beside this. Sourced.

# Prints the reductions, the bytes allocated and the instructions of G-code that a program takes at -O2. What it
# reads is beside it, if it reads something.
counts() {
  local input=${2%.core}.in
  [ -f "$input" ] || input=/dev/null
  "$1" run --stats=json "$2" <"$input" 2>&1 >/dev/null |
    sed -n 's/.*"allocated_bytes":\([0-9]*\).*"reductions":\([0-9]*\).*/\2 \1/p' | tr '\n' ' '
  "$1" dump "$2" | grep -cE '^ *[0-9]+  '
}
