# Makes small changes in a copy of the tree. Sourced; `table` is the file that says which, and
# `work` the copy.
#
# A record of the table ends with an empty line:
#   name: what the change is
#   file PATH          what the next lines change
#   - LINE             lines that stand there, whatever their indentation: the first such place
#   + LINE             what comes in their place

# The names of the records.
records() { sed -nE 's/^([a-z-]+): .*/\1/p' "$table"; }

# record NAME: the lines of an edit.
record() { awk -v name="$1:" '$1 == name { on = 1 } on && /^$/ { exit } on' "$table"; }

# plant NAME: makes what its record says.
plant() {
  record "$1" | awk -v work="$work" '
    # Replaces the first place where the lines old[1..n] stand, whatever their indentation.
    function edit(    count, at, k, hit, text, line, out) {
      if (n == 0) return
      count = 0
      while ((getline line < file) > 0) text[++count] = line
      close(file)
      for (at = 1; at <= count - n + 1 && !hit; at++) {
        hit = at
        for (k = 1; k <= n; k++) {
          line = text[at + k - 1]
          sub(/^[ \t]+/, "", line)
          if (line != old[k]) { hit = 0; break }
        }
      }
      if (!hit) { print "not there: " old[1] > "/dev/stderr"; failed = 1; exit 1 }
      out = ""
      for (k = 1; k < hit; k++) out = out text[k] "\n"
      for (k = 1; k <= m; k++) out = out new[k] "\n"
      for (k = hit + n; k <= count; k++) out = out text[k] "\n"
      printf "%s", out > file
      close(file)
      n = m = 0
    }
    /^file / { edit(); file = work "/" $2; next }
    /^- / { if (m > 0) edit(); old[++n] = substr($0, 3); next }
    /^\+ / { new[++m] = substr($0, 3); next }
    END { if (!failed) edit() }
  '
}

# files NAME: what is edited.
files() { record "$1" | sed -n 's/^file //p' | sort -u; }

# keep NAME, restore NAME: these files as they are, and as they were.
keep() { files "$1" | while read -r file; do cp "$work/$file" "$work/$file.kept"; done; }
restore() { files "$1" | while read -r file; do cat "$work/$file.kept" > "$work/$file"; done; }
