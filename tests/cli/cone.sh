#!/usr/bin/env bash
# cone.sh COMMAND: sums, intersections and images of cones whose answers are known.
set -u
source "$(dirname "$0")/lib/tools.sh"

# holds NAME WORDS...: after run: exit code 0, nothing on stderr and every one of these on stdout
holds() {
    local name=$1 why= words
    shift
    [ "$code" = 0 ] || why="exit code $code; $(head -c 300 err)"
    for words in "$@"; do
        grep -qF -- "$words" out || why="${why:-no \"$words\" in $(head -c 1500 out)}"
    done
    [ ! -s err ] || why="${why:-something on stderr: $(head -c 300 err)}"
    if [ -z "$why" ]; then ok "$name"; else not_ok "$name" "$why"; fi
}

echo '{"kind": "cone", "rays": [[1,0,1], [0,1,1], [-1,0,1], [0,-1,1]]}' >a.json
echo '{"kind": "cone", "rays": [[2,0,1]]}' >b.json
echo '{"kind": "cone", "inequalities": [[-1,0,0]]}' >half.json
echo '{"kind": "cone", "rays": [[2,1]]}' >plane.json
echo '{"kind": "matrices", "T": [["1/2",0,0], [0,1,0], [0,0,"2/3"]]}' >t.json
echo '{"kind": "matrices", "T": [[1,0,0], [0,1,0]]}' >shadow.json
echo '{"kind": "matrices", "T": [[0.1,0,0], [0,1,0], [0,0,1]]}' >rounded.json
echo '{"kind": "matrices", "G": [[1]]}' >g.json
printf '%%%%MatrixMarket matrix coordinate real general\n1 3 1\n1 3 2.5\n' >t.mtx

# ---- what becomes of a pyramid
run cone a.json --sum b.json --json
holds "a ray that swallows another" '"sum": "b.json"' '"exact": true' '"rays": [[-1, 0, 1], [0, -1, 1], [0, 1, 1], [2, 0, 1]]' \
    '"inequalities": [[-1, -1, -1], [-1, 1, -1], [1, -2, -2], [1, 2, -2]]' '"pointed_of": "set"'
run cone a.json --intersect half.json --json
holds "half of it" '"rays": [[0, -1, 1], [0, 1, 1], [1, 0, 1]]' '"pointed": true'
run cone a.json --image t.json --json
holds "squeezed, without rounding" '"exact": true' '"rays": [[-3, 0, 4], [0, -3, 2], [0, 3, 2], [3, 0, 4]]'
run cone a.json --image rounded.json --json
holds "decimals are worked with in floating point" '"exact": false' '"image": "rounded.json"'
run cone a.json --image shadow.json
holds "its shadow is the plane" "image of a.json by T of shadow.json: cone in R^2, dimension 2, lineality 2, exact" \
    "not pointed: it contains the lines below"
run cone a.json --image t.mtx
holds "a Matrix Market file" "cone in R^1, dimension 1, lineality 0, floating"
run cone a.json --sum b.json --intersect half.json --image shadow.json --polar --json
holds "all in one go" '"dimension_space": 2' '"rays": [[-1, 0]]' '"inequalities": [[1, 0]]' '"equations": [[0, 1]]'
run cone a.json --sum b.json --contains 1,0,0.6
holds "a point of the sum alone" "is inside"
run cone a.json --contains 1,0,0.6
expect "and not of the cone" 1 "is outside"
run cone a.json --sum a.json --json
holds "a cone plus itself" '"rays": [[-1, 0, 1], [0, -1, 1], [0, 1, 1], [1, 0, 1]]'
run cone --help
expect "--help" 0 "--intersect FILE"

# ---- refused
run cone a.json --sum plane.json
refused "another dimension" "--sum: plane.json: a cone in dimension 2, and the other lives in dimension 3"
run cone plane.json --image t.json
refused "a map from another space" "--image: t.json: T: 3 x 3: 2 columns are expected"
run cone a.json --sum t.json
refused "a matrix is no cone" '--sum: t.json: kind: matrices: "cone" expected'
run cone a.json --image b.json
refused "a cone is no matrix" '--image: b.json: kind: cone: "matrices" with T'
run cone a.json --image g.json
refused "no T" "--image: g.json: T: missing"
run cone a.json --image none.mtx
refused "no such file" "none.mtx"
run cone a.json --image shadow.json --contains 1,2,3
refused "a point of the old space" "--contains: 3 numbers: the cone made here lives in dimension 2"
echo '{"kind": "matrices"}' >e.json
run cone a.json --image e.json
refused "matrices without a matrix" "e.json: no matrix: P, N, G, E, D, n_H, T or mu is expected"
echo '{"kind": "matrices", "G": [[1, 2]]}' >e.json
run cone a.json --image e.json
refused "G that is not square" "e.json: G: 1 x 2: 1 x 1 is expected"
echo '{"kind": "matrices", "T": []}' >e.json
run cone a.json --image e.json
refused "T without rows" "e.json: T: empty"
finish
