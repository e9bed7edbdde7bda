#!/bin/bash
# The house rules.  Each tools/check-*.sh is one, silent when it holds and
# otherwise telling the rule, the reason, the fix and every place.
# Ends with "N passed, N failed".
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0
for check in "$here"/check-*.sh; do
	name=$(basename "$check" .sh)
	if output=$("$check" 2>&1); then
		echo "ok   $name"
		passed=$((passed + 1))
	else
		echo "FAIL $name"
		printf '%s\n' "$output"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
