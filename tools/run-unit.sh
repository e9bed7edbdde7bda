#!/bin/bash
# Runs the unit tests (built by `make unit`), with a store for the client's
# live tests when one can be started.
#
#   tools/run-unit.sh [PART_OF_A_NAME]
#
# All tests run against the mock; with Azurite only the live tests run again
# (store_live_*).  Ends with "N passed, N failed".
source "$(dirname "$0")/testbed.sh"

unit=$root/build/unit/unit
mock=$root/mock-tablestore/mock-tablestore
output=$(mktemp)
workdir=$output
clean_up_at_exit

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
# The client's live tests read these; the others ignore them.
# shellcheck disable=SC2016
live='TSTORE_TEST_ENDPOINT=$ITABLE_TEST_ENDPOINT TSTORE_TEST_ACCOUNT=$ITABLE_TEST_ACCOUNT \
	TSTORE_TEST_KEY=$ITABLE_TEST_KEY TSTORE_TEST_STORE=$ITABLE_TEST_STORE exec "$@"'

cd "$root"
passed=0 failed=0

# Runs "$@", prints its output and adds up its last line.
run()
{
	local rc=0 totals

	"$@" 2>&1 | tee "$output" || rc=$?
	totals=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$output" | tail -1 || true)
	if [ -z "$totals" ]; then
		failed=$((failed + 1))
		echo "the unit tests ended without totals (exit code $rc)"
		return
	fi
	passed=$((passed + ${totals%% *}))
	totals=${totals#*passed, }
	totals=${totals%% *}
	# A sanitizer's complaint after the totals (a leak) shows in the code only.
	[ "$totals" -gt 0 ] || [ "$rc" -eq 0 ] || totals=1
	failed=$((failed + totals))
}

if [ -n "${1:-}" ] && [ ! -x "$mock" ]; then
	run "$unit" "$1"
elif [ -x "$mock" ]; then
	run tools/with-store.sh --mock -- bash -c "$live" unit "$unit" "$@"
	if [ $# -eq 0 ] && grep -rqs 'UNIT_TEST(store_live_' test/unit; then
		run tools/with-store.sh --azurite -- bash -c "$live" unit "$unit" store_live_
	fi
else
	run "$unit" "$@"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
