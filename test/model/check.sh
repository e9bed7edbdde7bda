#!/bin/sh
# Usage: check.sh BUILD "BROKEN VARIANTS" [--long]
#
# Runs the normal variant, which must find nothing, and each broken variant,
# which must be caught.  A harness that finds nothing proves nothing.  Ends with
# one line "N passed, N failed"; the exit code is that line's.
set -u
build=$1
broken=$2
shift 2
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$build/model-normal" all "$@" >"$log" 2>&1
status=$?
cat "$log"
totals=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$') ||
	totals='0 passed, 1 failed'
passed=$(echo "$totals" | cut -d ' ' -f 1)
failed=$(echo "$totals" | cut -d ' ' -f 3)
if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
	failed=1
fi

for entry in $broken; do
	# VARIANT, or VARIANT:PART of the names of the scenarios that may catch it
	variant=${entry%%:*}
	only=${entry#"$variant"}
	# 1 is "a violation was found"; anything else is not a proof.
	"$build/model-$variant" explore --first --only "${only#:}" >"$log" 2>&1
	status=$?
	if [ $status -eq 1 ] && grep -q '^  G[12]:' "$log"; then
		passed=$((passed + 1))
		echo "caught $variant:$(grep '^  G[12]:' "$log" | head -n 1)"
		grep 'states,' "$log" | tail -n 1
	else
		failed=$((failed + 1))
		tail -n 5 "$log"
		echo "FAILED: the broken variant $variant was not caught"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
