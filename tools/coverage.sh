#!/bin/bash
# Which lines of src/ the tests run, per folder and file, and which errors no
# test provokes.
#
#   tools/coverage.sh [unit] [regress] [isolation] [tap]     (default: all)
#
# Builds a copy of the checkout in build/coverage/ with gcov's counters and runs
# the suites there against the mock.  Lines that inlining or a killed backend
# hides are counted as not run.  The lines themselves: build/coverage/lines.txt.
source "$(dirname "$0")/testbed.sh"

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(unit regress isolation tap)
copy=$root/build/coverage/tree
clean_up_at_exit
make_workdir coverage

rm -rf "$root/build/coverage"
mkdir -p "$copy"
(cd "$root" && git ls-files -z | tar -c --null -T - -f -) | tar -x -C "$copy"
make -s -C "$root" mock
export ITABLE_MOCK=$root/mock-tablestore/mock-tablestore
# the cluster's user writes counters, too, beside those of the unit tests
find "$copy/src" -type d -printf "$workdir/counters%p\0" | xargs -0 install -d -m 1777
export COPT="-O0 --coverage" GCOV_PREFIX=$workdir/counters
make -s -C "$copy" -j"$(nproc)" all >"$root/build/coverage/make.log"

rc=0
for suite in "${suites[@]}"; do
	case $suite in
		unit)
			make -s -C "$copy" -j"$(nproc)" build/unit/unit \
				UNIT_CFLAGS='-std=gnu11 -g -O0 --coverage' >>"$root/build/coverage/make.log"
			command=(tools/with-store.sh --mock -- bash -c 'export TSTORE_TEST_ENDPOINT=$ITABLE_TEST_ENDPOINT
				export TSTORE_TEST_ACCOUNT=$ITABLE_TEST_ACCOUNT TSTORE_TEST_KEY=$ITABLE_TEST_KEY
				export TSTORE_TEST_STORE=mock; build/unit/unit') ;;
		regress) command=(tools/run-regress.sh --mock) ;;
		isolation) command=(tools/run-regress.sh --isolation --mock) ;;
		tap) command=(tools/run-tap.sh --mock) ;;
		*) die "no suite '$suite'; there are: unit regress isolation tap" ;;
	esac
	cd "$copy"
	run_command "${command[@]}" >"$root/build/coverage/$suite.log" 2>&1 || rc=1
	echo "$suite: $(tail -1 "$root/build/coverage/$suite.log")"
done
python3 "$root/tools/coverage.py" "$copy" "$workdir/counters" "$root/build/coverage/lines.txt"
[ "$rc" -eq 0 ]
