#!/bin/bash
# Builds everything and runs every test; called by `make test`.
#
#   tools/run-tests.sh [SUITE...]
#
# Suites run two at a time, each with its own store and cluster.  Each writes
# build/logs/SUITE.log and gets one line here; a failing one shows the end of
# its log.  A suite reports by its last line "N passed, N failed[, N skipped]";
# one without such a line, or with a bad exit code and no failure, counts as one
# failure.  The very last line is the sum, the exit code is true to it.
source "$(dirname "$0")/testbed.sh"

cd "$root"

run_suite()
{
	case $1 in
		lint) tools/lint.sh ;;
		unit) tools/run-unit.sh ;;
		model) make -s -C test/model check ;;
		promela) test/model/promela/check.sh ;;
		mock) make -s -C mock-tablestore test ;;
		regress-*) tools/run-regress.sh "--${1#*-}" ;;
		isolation-*) tools/run-regress.sh --isolation "--${1#*-}" ;;
		tap) tools/run-tap.sh --mock ;;
	esac
}

# Called again by start() for a lane of its own.
if [ "${1:-}" = --suite ]; then
	run_suite "$2"
	exit
fi

# The longest first, so that the two lanes end together.
all_suites=(regress-azurite regress-mock tap isolation-azurite isolation-mock mock model promela unit lint)
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=("${all_suites[@]}")
suite_timeout=${ITABLE_SUITE_TIMEOUT:-900}		# seconds
lanes=2

unset MAKEFLAGS MAKELEVEL MFLAGS ITABLE_TEST_ENDPOINT ITABLE_TEST_PGPID
logs=$root/build/logs
mkdir -p "$logs"
rm -f "$logs"/*
passed=0 failed=0 skipped=0
declare -A running=()	# pid -> suite
declare -A started=()	# suite -> second

stop_suites()
{
	local rc=$? pid

	trap - EXIT
	trap '' INT TERM HUP
	for pid in "${!running[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	wait
	exit "$rc"
}
trap stop_suites EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

any()
{
	[ -e "$1" ]
}

# Whether the suite has any file yet.
exists()
{
	case $1 in
		lint) any tools/check-layers.sh ;;
		unit) [ "$(compgen -G 'test/unit/*.c' | wc -l)" -gt 1 ] ;;
		model) any test/model/Makefile ;;
		promela) any test/model/promela/check.sh ;;
		mock) any mock-tablestore/test/run.py ;;
		regress-*) compgen -G 'sql/*.sql' >/dev/null ;;
		isolation-*) compgen -G 'specs/*.spec' >/dev/null ;;
		tap) compgen -G 't/*' >/dev/null ;;
		*) die "no suite '$1'; there are: ${all_suites[*]}" ;;
	esac
}

report()
{
	printf '%-4s %-18s %5d ok %4d not ok %4d skipped %5d s\n' "$@"
}

# A failing suite's last words, indented so that no line of theirs can be
# taken for ours.
show_log()
{
	grep -avE '^(CC|ok) ' "$logs/$1.log" | tail -n "${ITABLE_LOG_LINES:-100}" | sed 's/^/    | /'
	echo "    the whole log: build/logs/$1.log"
}

# Adds a finished suite to the sums.
count()
{
	local suite=$1 rc=$2 line ok=0 bad=0 skip=0

	line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$logs/$suite.log" | tail -1 || true)
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		ok=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]} skip=${BASH_REMATCH[4]:-0}
		if [ "$rc" -ne 0 ] && [ "$bad" -eq 0 ]; then
			bad=1
			echo "exit code $rc without a failure" >>"$logs/$suite.log"
		elif [ "$((ok + bad + skip))" -eq 0 ]; then
			bad=1
			echo "no test was run" >>"$logs/$suite.log"
		fi
	else
		bad=1
		echo "ended without totals, exit code $rc" >>"$logs/$suite.log"
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if [ "$bad" -eq 0 ]; then
		report ok "$suite" "$ok" "$bad" "$skip" $((SECONDS - started[$suite]))
	else
		report FAIL "$suite" "$ok" "$bad" "$skip" $((SECONDS - started[$suite]))
		show_log "$suite"
	fi
}

wait_for_one()
{
	local pid rc=0 suite

	wait -n -p pid "${!running[@]}" || rc=$?
	suite=${running[$pid]}
	unset "running[$pid]"
	count "$suite" "$rc"
}

start()
{
	started[$1]=$SECONDS
	setpriv --pdeathsig TERM -- timeout -k 30 "$suite_timeout" "$0" --suite "$1" \
		>"$logs/$1.log" 2>&1 </dev/null &
	running[$!]=$1
}

# Builds one part; a failure counts, and what needs the part fails by itself.
build()
{
	local part=$1 rc=0

	shift
	started[$part]=$SECONDS
	"$@" >"$logs/$part.log" 2>&1 </dev/null || rc=$?
	count_build "$part" "$rc"
}

count_build()
{
	local part=$1 rc=$2 warnings

	warnings=$(grep -ac 'warning:' "$logs/$part.log" || true)
	# Newer compilers find new things to warn of: only CI insists.
	if [ "$rc" -eq 0 ] && { [ "$warnings" -eq 0 ] || [ "${CI:-}" != true ]; }; then
		passed=$((passed + 1))
		report ok "$part" 1 0 0 $((SECONDS - started[$part]))
	else
		failed=$((failed + 1))
		report FAIL "$part" 0 1 0 $((SECONDS - started[$part]))
		show_log "$part"
	fi
}

# True when one of the suites to run begins with one of the arguments.
wanted()
{
	local suite prefix

	for suite in "${suites[@]}"; do
		for prefix in "$@"; do
			[[ $suite != "$prefix"* ]] || return 0
		done
	done
	return 1
}

present=()
for suite in "${suites[@]}"; do
	if exists "$suite"; then
		present+=("$suite")
	else
		echo "none $suite"
	fi
done
suites=(${present[@]+"${present[@]}"})

# Azurite is fetched while the compiler works.
azurite=
if wanted regress-azurite isolation-azurite unit; then
	started[install-azurite]=$SECONDS
	setpriv --pdeathsig TERM -- tools/with-store.sh --azurite -- true \
		>"$logs/install-azurite.log" 2>&1 </dev/null &
	azurite=$!
fi
if wanted regress isolation tap lint; then
	build build make -j"$(nproc)" all
fi
if wanted regress isolation tap unit mock && [ -f mock-tablestore/Makefile ]; then
	build build-mock make -C mock-tablestore -j"$(nproc)"
fi
if wanted unit; then
	build build-unit make -j"$(nproc)" build/unit/unit
fi

if [ -n "$azurite" ]; then
	rc=0
	wait "$azurite" || rc=$?
	count_build install-azurite "$rc"
	# Its suites would only wait for the same failure.
	[ "$rc" -eq 0 ] || export ITABLE_NO_AZURITE=1
fi

for suite in ${suites[@]+"${suites[@]}"}; do
	[ ${#running[@]} -lt "$lanes" ] || wait_for_one
	start "$suite"
done
while [ ${#running[@]} -gt 0 ]; do
	wait_for_one
done

trap - EXIT
if [ "$skipped" -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
