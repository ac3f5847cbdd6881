# A thin front: CMake does the building, CTest the testing. `make help` says what there is.
PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 600
MINUTES ?= 30

# Four trees: gcc release, gcc with sanitizers, gcc with the thread sanitizer, clang instrumented for fuzzing.
trees    := $(CURDIR)/build
release  := $(trees)/release
sanitize := $(trees)/sanitize
threads  := $(trees)/threads
clang    := $(trees)/clang

configure := cmake -S . --log-level=WARNING
# CMake runs make again, which should not take itself for a part of this one
build     := env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS cmake --build
ours      := -DSTICTION_TESTS=ON -DSTICTION_WERROR=ON

.PHONY: help build python demo docs test suite bench fuzz attack nightly arm64 install lint format clean
.NOTPARALLEL:

help:
	@echo 'make demo      a tour of what is proved; an arch falls, a robot arm lifts a box, 1600 pebbles come to rest:'
	@echo '               pictures in build/demo-arch, build/demo-arm, build/demo, and a page of all: build/demo.html'
	@echo 'make test      the whole suite; ends with the summary of CTest'
	@echo 'make build     the library and the command, in build/release'
	@echo 'make install   into PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make python    the Python package as a wheel, in build/wheel; ENV=DIR: installed into that virtual environment too,'
	@echo '               which is made, with the packages of Debian, where there is none'
	@echo 'make docs      the documentation as a site with search, in build/docs; links are checked'
	@echo 'make bench     measure, against Siconos too; CSV in bench/results'
	@echo 'make fuzz      each fuzz target for SECONDS ($(SECONDS))'
	@echo 'make attack    the sanitized command against corrupted inputs for MINUTES ($(MINUTES)), and the random studies'
	@echo 'make nightly   what is slow and rarely breaks, hours: fuzz, attack, arm64, in this order'
	@echo 'make arm64     the library for 64-bit ARM, and its tests under qemu'
	@echo 'make lint      warnings as errors with gcc and clang, layout, who includes whom, clang-tidy'
	@echo 'make format    lay out the code by .clang-format'
	@echo 'make clean     remove build/'
	@echo 'What is missing on a Debian machine is installed first (tools/bootstrap).'

build:
	@tools/bootstrap build
	@$(configure) -B $(release)
	@$(build) $(release) -j $(JOBS) --target stiction stiction_static stiction_command

# No network: the wheel is packed from what was built, and what it needs is Debian's. An environment that is not there
# is made.
python:
	@tools/bootstrap build python
	@$(configure) -B $(release)
	@$(build) $(release) -j $(JOBS) --target stiction_python_files
	@rm -rf $(trees)/wheel
	@cd $(release)/python && /usr/bin/python3 setup.py -q bdist_wheel -d $(trees)/wheel 2>$(trees)/wheel.log || { cat $(trees)/wheel.log; exit 1; }
	@ls $(trees)/wheel/*.whl
	@[ -z "$(ENV)" ] || tools/python-env "$(ENV)" $(trees)/wheel/*.whl

# The documentation as a site, by Python alone; links are checked.
docs:
	@tools/docs

demo: build
	@tools/demo $(release)/stiction

# Everything the suite runs, built.
suite:
	@tools/bootstrap test
	@$(configure) -B $(release) $(ours) -DSTICTION_BENCH=ON "-DSTICTION_SUITE_TREES=$(sanitize);$(threads);$(clang)"
	@$(build) $(release) -j $(JOBS)
	@$(configure) -B $(sanitize) $(ours) -DCMAKE_BUILD_TYPE=Debug -DSTICTION_SANITIZE=ON
	@$(build) $(sanitize) -j $(JOBS)
	@$(configure) -B $(threads) $(ours) -DCMAKE_BUILD_TYPE=Debug -DSTICTION_THREADS=ON
	@$(build) $(threads) -j $(JOBS) --target thread_tests
	@$(configure) -B $(clang) $(ours) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DSTICTION_FUZZ=ON -DSTICTION_BENCH=ON
	@$(build) $(clang) -j $(JOBS)

test: suite
	@env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS ctest --test-dir $(release) -j $(JOBS) --output-on-failure

bench:
	@tools/bootstrap build bench
	@$(configure) -B $(release)
	@$(build) $(release) -j $(JOBS) --target bench_programs
	@tools/bench $(release)/bench

fuzz:
	@tools/bootstrap test
	@$(configure) -B $(clang) $(ours) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DSTICTION_FUZZ=ON
	@$(build) $(clang) -j $(JOBS) --target fuzz_programs
	@for program in $(clang)/fuzz/fuzz_*; do tools/fuzz $$program $(SECONDS) || exit 1; done

attack:
	@tools/bootstrap test
	@$(configure) -B $(sanitize) $(ours) -DCMAKE_BUILD_TYPE=Debug -DSTICTION_SANITIZE=ON
	@$(build) $(sanitize) -j $(JOBS) --target attack_server
	@$(configure) -B $(release) $(ours)
	@$(build) $(release) -j $(JOBS) --target study_programs
	@tools/attack $(sanitize)/attack/attack_server --minutes $(MINUTES) --jobs $(JOBS) --studies $(release)/studies

nightly: fuzz attack arm64

install:
	@tools/bootstrap build
	@$(configure) -B $(release) "-DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))"
	@$(build) $(release) -j $(JOBS) --target stiction stiction_static stiction_command
	@DESTDIR="$(DESTDIR)" cmake --install $(release)

arm64:
	@tools/arm64 $(trees)/arm64

lint: suite
	@tools/lint all $(release)

format:
	@tools/bootstrap test
	@tools/lint reformat

clean:
	rm -rf $(trees)
