#!/usr/bin/env bash
# Install, move the installed tree elsewhere, and build consumers against it: by CMake and by pkg-config, shared and
# static, in C and in C++. Then run them, and the installed command.
#     run.sh BUILD VERSION
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 version=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "== $*"; }

step "install into a staging folder, then move it"
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/stiction >/dev/null
mv "$work/stage/opt/stiction" "$work/root"
libdir=$(dirname "$(find "$work/root" -name libstiction.a)")
for file in "$libdir/libstiction.so" "$libdir/pkgconfig/stiction.pc" "$work/root/bin/stiction" \
    "$work/root/include/stiction/stiction.h" "$work/root/share/stiction/problems/README.md"; do
    [ -e "$file" ] || { echo "not installed: $file"; exit 1; }
done
if grep -rlF "$build" "$work/root"; then
    echo "the files above still name the build folder"
    exit 1
fi

step "CMake: find_package(stiction)"
cmake -S "$here" -B "$work/cmake" --log-level=WARNING -DCMAKE_PREFIX_PATH="$work/root" -DEXPECTED_VERSION="$version"
cmake --build "$work/cmake" >/dev/null
"$work/cmake/c_shared" "$version"
"$work/cmake/c_static" "$version"
"$work/cmake/cpp_shared"

step "pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion stiction)" = "$version" ]
mkdir "$work/pc"
cd "$work/pc"
read -ra flags <<<"$(pkg-config --cflags --libs stiction)"
cc -o c_shared "$here/main.c" "${flags[@]}" -lm
c++ -o cpp_shared "$here/main.cpp" "${flags[@]}"
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$here/../../README.md" > readme.c
cc -Wall -Wextra -Werror -o readme readme.c "${flags[@]}"
read -ra flags <<<"$(pkg-config --static --cflags --libs stiction)"
cc -o c_static "$here/main.c" "${flags[@]/#-lstiction/-l:libstiction.a}"
LD_LIBRARY_PATH=$libdir ./c_shared "$version"
LD_LIBRARY_PATH=$libdir ./cpp_shared
LD_LIBRARY_PATH=$libdir ./readme
./c_static "$version"

step "the static ones do without libstiction.so"
for program in "$work/cmake/c_static" ./c_static; do
    if ldd "$program" | grep libstiction; then exit 1; fi
done

step "the installed command"
"$work/root/bin/stiction" --version | grep -qF "$version"
"$work/root/bin/stiction" solve "$work/root/share/stiction/problems/murty_8.json" --json >/dev/null
echo ok
