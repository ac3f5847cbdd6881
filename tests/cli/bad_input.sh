#!/usr/bin/env bash
# bad_input.sh COMMAND: bad input of every kind is answered with exit code 2 and one line that names file, field and
# value.
set -u
source "$(dirname "$0")/lib/tools.sh"

# json NAME TEXT WORDS: TEXT as a problem file
json() {
    printf '%s' "$2" >p.json
    run solve p.json
    refused "$1" "p.json: " "$3"
}

# ---- the file itself
run solve none.json
refused "no such file" "none.json: No such file"
mkdir folder.json
run solve folder.json
refused "a directory" "folder.json: a directory"
run solve /dev/zero
refused "a device" "/dev/zero: neither a regular file nor a pipe"
# nobody writes into these, so who waits for them waits for ever
mkfifo pipe.json pipe.mtx pipe.h5 pipe.urdf
for pipe in pipe.json pipe.h5 pipe.urdf; do
    code=0
    timeout 20 "$command" solve $pipe >out 2>err || code=$?
    refused "a named pipe, $pipe" "$pipe: a named pipe"
done
echo '{"kind": "lcp", "M": {"file": "pipe.mtx"}, "q": [1]}' >p.json
code=0
timeout 20 "$command" solve p.json >out 2>err || code=$?
refused "a named pipe as a matrix" "pipe.mtx: a named pipe"
mkdir piped && mkfifo piped/trajectory.h5
code=0
timeout 20 "$command" verify piped >out 2>err || code=$?
refused "a named pipe as a recording" "trajectory.h5"
cat >instant.json <<'J'
{"kind": "instant", "M": [[1]], "F": [0], "v": [0], "contacts": [{"name": "c", "n": [1]}]}
J
for line in "analyze modes instant.json --path pipe.json" "verify instant.json pipe.json"; do
    code=0
    timeout 20 "$command" $line >out 2>err || code=$?
    refused "a named pipe, $line" "pipe.json"
done
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n' >large.hdf5
cp large.hdf5 large.mtx
run solve large.hdf5
refused "a pointer of Git LFS" "large.hdf5: a pointer of Git LFS" "git lfs pull"
echo '{"kind": "lcp", "M": {"file": "large.mtx"}, "q": [1]}' >p.json
run solve p.json
refused "a pointer of Git LFS as a matrix" "large.mtx: a pointer of Git LFS"
run solve ''
refused "an empty name" "an empty argument"
json "an empty file" '' 'empty'
json "blanks only" '   
  ' 'empty'
head -c 4096 /dev/urandom | tr -d '\000-\037{["/0-9 -' >p.json
run solve p.json
refused "binary junk" "p.json: line 1, column 1"
printf '\177ELF\002\001\001\000\000\000' >p.json
run solve p.json
refused "a program" "not JSON text (a binary file?)"
printf '{"kind":"lcp",\000"M":[[1]],"q":[1]}' >p.json
run solve p.json
refused "a zero byte" "p.json: line 1, column 15"

# ---- JSON
json "a JSON list" '[1, 2]' 'a JSON object'
json "a JSON number" '3' 'a JSON object'
json "a file cut short" '{"kind": "lcp", "M": [[1, 2], [3,' 'line 1, column 34: the text ends'
json "a missing bracket" '{"kind": "lcp", "M": [[1, 2], "q": [1]}' 'a comma or ]'
json "a trailing comma" '{"kind": "lcp", "M": [[1,]], "q": [1]}' 'a comma too many'
json "a missing comma" '{"kind": "lcp" "M": [[1]], "q": [1]}' 'a comma or }'
json "a missing colon" '{"kind" "lcp"}' 'a colon'
json "single quotes" "{'kind': 'lcp'}" 'double quotes'
json "text after the end" '{"kind": "lcp", "M": [[1]], "q": [1]} x' 'text after the end'
json "a comment without end" '{"kind": "lcp" /* }' 'comment has no end'
json "a string without end" '{"kind": "lcp' 'string has no end'
json "a bad escape" '{"kind": "l\qp"}' 'escape'
json "a name twice" '{"kind": "lcp", "q": [1], "M": [[1]], "q": [2]}' 'q: given twice'
{ for _ in $(seq 5000); do printf '[[[[[[[[[['; done; } >p.json
run solve p.json
refused "deep nesting" "p.json: line 1, column 65: more than 64 levels"

# ---- numbers
json "NaN" '{"kind": "lcp", "M": [[NaN]], "q": [1]}' 'line 1, column 24'
json "Infinity" '{"kind": "lcp", "M": [[1]], "q": [-Infinity]}' 'only finite numbers'
json "NaN as text" '{"kind": "lcp", "M": [["nan"]], "q": [1]}' 'M[0][0]: "nan"'
json "a number too large" '{"kind": "lcp", "M": [[1e400]], "q": [1]}' 'M[0][0]: inf'
json "a fraction by zero" '{"kind": "lcp", "M": [["1/0"]], "q": [1]}' 'M[0][0]: "1/0"'
json "a fraction that is none" '{"kind": "lcp", "M": [["2/3/4"]], "q": [1]}' 'M[0][0]: "2/3/4"'
json "a leading zero" '{"kind": "lcp", "M": [[007]], "q": [1]}' 'does not start with 0'
json "a hexadecimal number" '{"kind": "lcp", "M": [[0x7]], "q": [1]}' 'line 1, column 25'
json "a decimal comma" '{"kind": "lcp", "M": [["0,5"]], "q": [1]}' 'M[0][0]: "0,5"'
json "null in a matrix" '{"kind": "lcp", "M": [[1, null], [0, 1]], "q": [1, 1]}' 'M[0][1]: null'
json "true in a vector" '{"kind": "lcp", "M": [[1]], "q": [true]}' 'q[0]: true'

# ---- fields
json "no kind" '{"M": [[1]], "q": [1]}' 'kind: missing'
json "an unknown kind" '{"kind": "lpc", "M": [[1]], "q": [1]}' 'kind: "lpc": no such kind, "lcp", "mlcp", "avi", '
json "a qp without its objective" '{"kind": "qp", "P": [[1]]}' 'c: missing'
json "a qp with too many bounds" '{"kind": "qp", "c": [1], "lb": [0, 0]}' 'lb: 2 entries: 1 are expected, one for each variable'
json "a qp with sides and no rows" '{"kind": "qp", "c": [1], "u": [0]}' 'u: 1 entries: 0 are expected, one for each row of A'
json "null in the objective of a qp" '{"kind": "qp", "c": [null]}' 'c[0]: null'
json "a kind that is no text" '{"kind": ["lcp"]}' 'kind: a list of 1'
json "no matrix" '{"kind": "lcp", "q": [1]}' 'M: missing'
json "no vector" '{"kind": "lcp", "M": [[1]]}' 'q: missing'
json "a flat matrix" '{"kind": "lcp", "M": [1, 2, 3, 4], "q": [1, 2]}' 'M[0]: 1: a row [..] is expected: a matrix is a list of rows, not a flat list'
json "ragged rows" '{"kind": "lcp", "M": [[1, 2], [3]], "q": [1, 2]}' 'M[1]: a list of 1: a row of 2'
json "a matrix too tall" '{"kind": "lcp", "M": [[1, 2], [3, 4], [5, 6]], "q": [1, 2]}' 'M: 3 x 2'
json "a vector too long" '{"kind": "lcp", "M": [[1, 2], [3, 4]], "q": [1, 2, 3]}' 'M: 2 x 2: 3 x 3'
json "a nested vector" '{"kind": "lcp", "M": [[1]], "q": [[1]]}' 'q[0]: a list of 1'
json "a vector that is a number" '{"kind": "lcp", "M": [[1]], "q": 1}' 'q: 1'
json "a matrix that is text" '{"kind": "lcp", "M": "eye", "q": [1]}' 'M: "eye"'
json "an empty problem" '{"kind": "lcp", "M": [], "q": []}' 'q: empty'
json "a wrong n" '{"kind": "lcp", "n": 5, "M": [[1]], "q": [1]}' 'n: 5'
json "a negative n" '{"kind": "lcp", "n": -1, "M": [[1]], "q": [1]}' 'n: -1'
json "a huge n" '{"kind": "lcp", "n": 1e18, "M": [[1]], "q": [1]}' 'n: 1e+18'
json "a block of the wrong size" '{"kind": "mlcp", "A": [[1]], "C": [[1, 2]], "D": [[1]], "B": [[1]], "a": [1], "b": [1]}' 'C: 1 x 2: 1 x 1'
json "a block missing" '{"kind": "mlcp", "A": [[1]], "C": [[1]], "D": [[1]], "a": [1], "b": [1]}' 'B: missing'
json "a wrong m" '{"kind": "mlcp", "m": 3, "A": [[1]], "C": [[1]], "D": [[1]], "B": [[1]], "a": [1], "b": [1]}' 'm: 3: b has 1'
json "an entry outside its matrix" '{"kind": "lcp", "M": {"rows": 1, "cols": 1, "entries": [[0, 1, 5]]}, "q": [1]}' 'M.entries[0][1]: 1'
json "an entry twice" '{"kind": "lcp", "M": {"rows": 1, "cols": 1, "entries": [[0, 0, 5], [0, 0, 6]]}, "q": [1]}' 'given twice'
json "a huge sparse matrix" '{"kind": "lcp", "M": {"rows": 1e12, "cols": 1e12, "entries": []}, "q": [1]}' 'M.rows: 1e+12'
json "a cone where a problem is expected" '{"kind": "cone", "rays": [[1, 2]]}' 'kind: cone'

# ---- Matrix Market
market() { # NAME TEXT WORDS
    printf '%b' "$2" >M.mtx
    printf '{"kind": "lcp", "M": {"file": "M.mtx"}, "q": [1, 2]}' >p.json
    run solve p.json
    refused "$1" "$3"
}
rm -f M.mtx
printf '{"kind": "lcp", "M": {"file": "M.mtx"}, "q": [1, 2]}' >p.json
run solve p.json
refused "a matrix file that is not there" "p.json: M.file: M.mtx: No such file"
market "a matrix file without its first line" '2 2\n1\n2\n3\n4\n' 'p.json: M.file: M.mtx: line 1'
market "a complex matrix" '%%MatrixMarket matrix array complex general\n1 1\n1 2\n' 'complex'
market "a matrix of places only" '%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n' 'pattern'
market "a matrix index out of range" '%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n' 'M.mtx: line 3: row: 3'
market "a matrix cut short" '%%MatrixMarket matrix array real general\n2 2\n1\n2.25\n3\n' 'ends before entry (2, 2)'
market "a matrix with nan" '%%MatrixMarket matrix array real general\n2 2\n1\nnan\n3\n4\n' 'line 4: value: nan'
market "a matrix that promises too much" '%%MatrixMarket matrix coordinate real general\n2 2 999999999\n1 1 5\n' 'more than the rest of the file can hold'
market "a matrix of another size" '%%MatrixMarket matrix array real general\n1 1\n5\n' 'M: 1 x 1: 2 x 2'
run solve M.mtx
refused "a matrix instead of a problem" "M.mtx: a matrix, not a problem"

# ---- HDF5
seed=$source_dir/fuzz/corpus/hdf5/lcp.h5
size=$(stat -c %s "$seed")
: >p.h5
run solve p.h5
refused "an empty HDF5 file" "p.h5: not an HDF5 file"
for keep in 8 20 96 500 $((size / 2)) $((size - 1)); do
    head -c "$keep" "$seed" >p.h5
    run solve p.h5
    refused "an HDF5 file cut after $keep bytes" "p.h5: "
done
{ head -c 8 "$seed"; head -c 4000 /dev/zero; } >p.h5
run solve p.h5
refused "an HDF5 file of zeros" "p.h5: "
{ head -c 8 "$seed"; head -c 4000 /dev/urandom; } >p.h5
run solve p.h5
refused "an HDF5 file of noise" "p.h5: "
sed 's/kind/kynd/g' "$seed" >p.h5
run solve p.h5
refused "an HDF5 file without a kind" "p.h5: kind: missing"
LC_ALL=C sed 's/q\x00\x00\x00\x00\x00\x00\x00/Q\x00\x00\x00\x00\x00\x00\x00/' "$seed" >p.h5
run solve p.h5
refused "an HDF5 file without q" "p.h5: q: missing"

# ---- FCLIB
seed=$source_dir/problems/siconos_rover.hdf5
size=$(stat -c %s "$seed")
for keep in 96 500 $((size / 2)) $((size - 1)); do
    head -c "$keep" "$seed" >p.hdf5
    run solve p.hdf5
    refused "a contact problem cut after $keep bytes" "p.hdf5: "
done
LC_ALL=C sed 's/spacedim/spacedom/' "$seed" >p.hdf5
run solve p.hdf5
refused "a contact problem without a dimension" "p.hdf5: "

# ---- answers
printf '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >p.json
answer() { # NAME TEXT WORDS
    printf '%s' "$2" >a.json
    run verify p.json a.json
    refused "$1" "a.json: " "$3"
}
answer "an empty answer" '' 'empty'
answer "an answer without a point" '{"kind": "lcp"}' 'z: missing'
answer "an answer with text in it" '{"z": [1, "one"]}' 'z[1]: "one"'
answer "an answer with an unknown outcome" '{"z": [1, 2], "outcome": "maybe"}' 'outcome: "maybe"'
answer "an answer with an index out of range" '{"z": [1, 2], "alpha": [2]}' 'alpha[0]: 2'
answer "a certificate of the wrong size" '{"z": [1, 2], "certificate": {"type": "farkas", "leaves": [{"y": [1]}]}}' 'certificate.leaves[0].y'
run verify p.json none.json
refused "an answer that is not there" "none.json: No such file"

# ---- other verbs meet the same reader
printf '{"kind": "cone", "rays": [[1, 2], [3]]}' >c.json
run cone c.json
refused "a ragged cone" "c.json: rays[1]"
run inspect none.json
refused "nothing to inspect" "none.json: No such file"
printf '{"kind": "lcp", "M": [[1, 2]], "q": [1]}' >p.json
run inspect p.json --json
expect "bad input with --json" 2 '{"kind": "error", "code": 2, "message": "p.json: M: 1 x 2' "p.json: M: 1 x 2"
[ "$(wc -l <out)" = 1 ] && ok "one object" || not_ok "one object" "$(cat out)"
run inspect --no-such --json
expect "a bad option before --json" 2 '{"kind": "error", "code": 2, "message": "--no-such: no such option' "--no-such"
run bench none
refused "nothing to measure" "none: No such file"

# nothing may be left behind
printf '{"kind": "lcp", "M": [[NaN]], "q": [1]}' >p.json
run solve p.json --output never.json
refused "no answer file after bad input" "p.json"
if compgen -G 'never.json*' >/dev/null; then not_ok "no half files" "never.json is there"; else ok "no half files"; fi
finish
