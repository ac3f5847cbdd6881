#!/usr/bin/env bash
# l1.sh COMMAND: least sums of absolute values, and the optical flows of S3 as such problems.
set -u
source "$(dirname "$0")/lib/tools.sh"

echo '{"kind": "l1", "A": [[1], [1], [1], [1], [1]], "b": [-3, -10, 4, -1, -100]}' >median.json
run solve median.json --output answer.json
expect "a median" 0 "solved by ipm"
run verify median.json answer.json
expect "is accepted" 0 "accepted: x is within"
run solve median.json --json
expect "as JSON" 0 '"certificate": {"type": "dual"}'
cp out answer.json
run verify median.json answer.json --json
expect "which is an answer too" 0 '"accepted": true'
sed 's/"x": \[[^]]*\]/"x": [4]/' answer.json >moved.json
run verify median.json moved.json
expect "another point is not accepted" 1 "above the least value"
sed 's/"y": \[[^]]*\]/"y": [1, -1, 1, 1, -1]/' answer.json >forged.json
run verify median.json forged.json
expect "nor a dual vector that is none" 1 "and not zero"
sed 's/"y": \[[^]]*\]/"y": [2, -1, 1, -1, -1]/' answer.json >forged.json
run verify median.json forged.json
expect "nor one beyond 1" 1 "only -1 to 1 gives a bound"
run solve median.json --norm largest --output largest.json
expect "the middle of the range" 0 "the largest"
run verify median.json largest.json
expect "is accepted too" 0 "of the least largest value"
run solve median.json --norm max
refused "a norm that is none" "--norm: max: sum or largest is expected"
run solve median.json --max-iterations 1
expect "a limit leaves a bound" 1 "limit by ipm"
run inspect median.json
expect "inspection" 0 "n = 1 unknowns, m = 5 rows, A dense"
run inspect median.json --json
expect "inspection as JSON" 0 '"objective_at_zero": 118'
run solve - --json <median.json
python3 - >curve.json <<'P'
import json, math
n = 400  # a curve that is smooth but for a few steps, and rows that reach far
entries = [[i, i, 1] for i in range(n)] + [[n + i, (i + k * k) % n, 1 - 2 * (k % 2)] for i in range(n) for k in range(8)]
b = [math.sin(i / 20) + (i > 200) + .1 * math.sin(7 * i * i) for i in range(n)] + [0] * n
print(json.dumps({"kind": "l1", "A": {"rows": 2 * n, "cols": n, "entries": entries}, "b": b}))
P
run solve curve.json --memory 0.3 --output answer.json
expect "without memory for factors" 0 "steps of conjugate gradients in place of factors"
run verify curve.json answer.json
expect "is accepted as well" 0 "accepted: x is within"
run solve curve.json --memory 1e300 --json
expect "more memory than can be addressed" 0 '"cg_count": 0'
run solve curve.json --memory 0.01
refused "too little memory" "memory: 0.01 MB for factors of order 400: at least"
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 1\n2 2 1\n3 1 1\n3 2 1\n' >A.mtx
echo '{"kind": "l1", "A": {"file": "A.mtx"}, "b": [-1, -2, -3]}' >market.json
run solve market.json
expect "Matrix Market" 0 "x = (1, 2)"

# ---- one Newton step
echo '{"kind": "l1", "A": [[1, 0], [0, 1], [1, 1]], "b": [1, 2, 3]}' >three.json
echo '{"D": [1, 0.5, 2], "rhs": [1, -1]}' >step.json
run solve three.json --newton step.json --json
expect "a step" 0 '"kind": "l1-step"'
# [1.5 .5; .5 2.5] dx = (1, -1)
python3 - <<'P' && ok "is the solution of its system" || not_ok "is the solution of its system" "$(cat out)"
import json
dx = json.load(open("out"))["dx"]
assert abs(1.5 * dx[0] + .5 * dx[1] - 1) < 1e-15 and abs(.5 * dx[0] + 2.5 * dx[1] + 1) < 1e-15
P
run solve three.json --newton step.json
expect "in words" 0 "one Newton step, n = 2 unknowns, m = 3 rows"
echo '{"D": [1, 0, 2], "rhs": [1, -1]}' >step.json
run solve three.json --newton step.json
refused "a D that is not positive" "step.json" "D[1]: 0: a positive number is expected"
echo '{"kind": "lcp", "M": [[1]], "q": [1]}' >lcp.json
run solve lcp.json --newton step.json
refused "of an LCP" '--newton: lcp.json: kind: lcp: an option of "l1" and "stochastic" alone'

# ---- refused
run solve median.json --solver lemke
refused "a solver of LCPs" "--solver: lemke: no such solver of l1 problems"
run solve median.json --all
refused "all solutions" "--all"
run solve median.json --covering 1
refused "a covering vector" "--covering"
run solve median.json --omega 1
refused "relaxation" "--omega"
run verify median.json lcp.json
expect "a problem is no answer" 1 "nothing that could be checked"
echo '{"kind": "l1", "A": [[1, 2]], "b": [1, 2]}' >bad.json
run solve bad.json
refused "rows that do not fit" "bad.json: A: 1 x 2: 2 x 2 is expected, as many rows as b has entries"

# ---- S3, 2.5.1: flows of the reference cases, posed here by other code
if [ -f "$reference_dir/thesis/cases.json" ]; then
    python3 - "$reference_dir/thesis/cases.json" <<'P' >cases
import json, math, sys
def image(x, y): return .5 + .25 * math.sin(.5 * x + .3 * y) + .25 * math.cos(.2 * x - .45 * y)
def flow(text, x, y, size):
    if text.startswith("u=0.3"): return .3, -.2
    if text.startswith("u=0.4"): return (.4 if x <= size / 2 else -.1), .1
    if text.startswith("u=-0.02"): return -.02 * (y - (size + 1) / 2), .02 * (x - (size + 1) / 2)
stencil = [(-2, 1), (-1, -8), (1, 8), (2, -1)]
def row(k, size):  # the derivative at k of 0 .. size-1, clamped
    entries = {}
    for off, c in stencil:
        at = min(max(k + off, 0), size - 1)
        entries[at] = entries.get(at, 0) + c / 12
    return {at: c for at, c in entries.items() if c != 0}
found = json.load(open(sys.argv[1]))
for case in found["cases"] if isinstance(found, dict) else found:
    given = case["inputs"]
    if not case["id"].startswith("OFL") or "lambda" not in given: continue
    size, lam, N = given["size"], given["lambda"], given["size"] ** 2
    frame = [[image(x, y) for x in range(1, size + 1)] for y in range(1, size + 1)]
    entries, b = [], [0] * (5 * N)
    for j in range(size):
        for i in range(size):
            k = j * size + i
            f = flow(given["flow"], i + 1, j + 1, size)
            if f is None: continue
            b[k] = image(i + 1 - f[0], j + 1 - f[1]) - frame[j][i]
            entries.append([k, k, sum(c * frame[j][a] for a, c in row(i, size).items())])
            entries.append([k, N + k, sum(c * frame[a][i] for a, c in row(j, size).items())])
            for at, c in row(i, size).items():
                entries.append([N + k, j * size + at, lam * c])
                entries.append([2 * N + k, N + j * size + at, lam * c])
            for at, c in row(j, size).items():
                entries.append([3 * N + k, at * size + i, lam * c])
                entries.append([4 * N + k, N + at * size + i, lam * c])
    json.dump({"kind": "l1", "A": {"rows": 5 * N, "cols": 2 * N, "entries": entries}, "b": b}, open(case["id"] + ".json", "w"))
    print(case["id"], repr(case["expected"]["objective"]))
P
    [ -s cases ] || not_ok "flows of S3" "no case was found"
    while read -r id objective; do
        run solve "$id.json" --tol 1e-9 --output "$id.answer" --json
        expect "$id is solved" 0 '"outcome": "solved"'
        python3 -c 'import json, sys; a = json.load(open("out")); sys.exit(abs(a["objective"] / float(sys.argv[1]) - 1) > 1.1e-9)' \
            "$objective" && ok "$id has the value $objective" || not_ok "$id has the value $objective" "$(head -c 200 out)"
        run verify "$id.json" "$id.answer" --tol 1e-9
        expect "$id is accepted" 0 "accepted"
    done <cases
else
    echo "skip  flows of S3: the reference cases are not there"
fi
finish
