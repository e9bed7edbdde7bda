#!/bin/bash
# Runs the tests in t/: programs for what needs processes to die, stop or race.
#
#   tools/run-tap.sh [--mock|--azurite] [FILE...]
#
# Each t/*.sh, t/*.py, t/*.pl is started with a store and a cluster of its own
# (the environment is described in with-store.sh and with-cluster.sh) and
# prints TAP ("ok 1 - name") or, last, "N passed, N failed".  Ends with
# "N passed, N failed" over all of them.
source "$(dirname "$0")/testbed.sh"

store=mock files=()
while [ $# -gt 0 ]; do
	case $1 in
		--mock | --azurite) store=${1#--} ;;
		-*) die "usage: run-tap.sh [--mock|--azurite] [FILE...]" ;;
		*) files+=("$1") ;;
	esac
	shift
done
cd "$root"
if [ ${#files[@]} -eq 0 ]; then
	for file in t/*.sh t/*.py t/*.pl; do
		[ ! -x "$file" ] || files+=("$file")
	done
fi
clean_up_at_exit
make_workdir tap

passed=0 failed=0
for file in "${files[@]}"; do
	rc=0
	echo "== $file"
	run_command timeout -k 10 "${ITABLE_TAP_TIMEOUT:-300}" tools/with-store.sh "--$store" -- \
		tools/with-cluster.sh -- "./$file" >"$workdir/output" 2>&1 || rc=$?
	cat "$workdir/output"
	totals=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$workdir/output" | tail -1 || true)
	if [ -n "$totals" ]; then
		ok=${totals%% *}
		bad=${totals#*passed, }
		bad=${bad%% *}
	else
		ok=$(grep -acE '^ok\b' "$workdir/output" || true)
		bad=$(grep -acE '^not ok\b' "$workdir/output" || true)
		plan=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$workdir/output" | tail -1 || true)
		if [ "$((ok + bad))" -lt "${plan:-1}" ]; then
			echo "$file: $((ok + bad)) of ${plan:-some} tests ran, exit code $rc"
			bad=$((${plan:-1} - ok))
		fi
	fi
	[ "$rc" -eq 0 ] || [ "$bad" -gt 0 ] || { echo "$file: exit code $rc"; bad=1; }
	passed=$((passed + ok)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
