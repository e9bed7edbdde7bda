#!/bin/bash
# pg_regress and the isolation tester against a store and cluster of their own.
#
#   tools/run-regress.sh [--isolation] [--mock|--azurite] [TEST...]
#
# Regression: sql/TEST.sql with expected/TEST.out; sql/00_setup.sql runs first,
# always.  Isolation: specs/TEST.spec with specs/expected/TEST.out;
# specs/setup.sql is run by psql into their database first.  Without TEST: all,
# in order.  SQL finds the store by psql's \getenv (see with-store.sh).
#
# Ends with "N passed, N failed".  The differences are printed, and kept with
# the results in build/regress-STORE/ or build/isolation-STORE/.
#
# ITABLE_TEST_ENDPOINT, when set with _ACCOUNT and _KEY, is used as it is: that
# is how to run the tests against another store.
source "$(dirname "$0")/testbed.sh"

arguments=("$@")
kind=regress store=mock tests=()
while [ $# -gt 0 ]; do
	case $1 in
		--isolation) kind=isolation ;;
		--mock | --azurite) store=${1#--} ;;
		-*) die "usage: run-regress.sh [--isolation] [--mock|--azurite] [TEST...]" ;;
		*) tests+=("$1") ;;
	esac
	shift
done

# First with a store, then with a cluster, then here again.
[ -n "${ITABLE_TEST_ENDPOINT:-}" ] ||
	exec "$root/tools/with-store.sh" "--$store" -- "$0" "${arguments[@]}"
[ -n "${ITABLE_TEST_PGPID:-}" ] ||
	exec "$root/tools/with-cluster.sh" -- "$0" "${arguments[@]}"

pgxs_dir=$(dirname "$(dirname "$("${PG_CONFIG:-pg_config}" --pgxs)")")
output=$root/build/$kind-${ITABLE_TEST_STORE:-store}
clean_up_at_exit
make_workdir "$kind"

# Prints the names of $1/*.$2 in order.
names()
{
	local file

	for file in "$root/$1"/*."$2"; do
		[ ! -e "$file" ] || basename "$file" ".$2"
	done | LC_ALL=C sort
}

if [ "$kind" = regress ]; then
	[ ${#tests[@]} -gt 0 ] || mapfile -t tests < <(names sql sql)
	if [ -f "$root/sql/00_setup.sql" ] && [ "${tests[0]:-}" != 00_setup ]; then
		tests=(00_setup "${tests[@]}")
	fi
	input=$root
	program=$pgxs_dir/test/regress/pg_regress
	options=(--dbname=itable_regress)
else
	[ ${#tests[@]} -gt 0 ] || mapfile -t tests < <(names specs spec)
	input=$workdir/input
	mkdir "$input"
	ln -s "$root/specs" "$input/specs"
	ln -s "$root/specs/expected" "$input/expected"
	program=$pgxs_dir/test/isolation/pg_isolation_regress
	createdb itable_isolation
	if [ -f "$root/specs/setup.sql" ]; then
		psql -X -q -v ON_ERROR_STOP=1 -d itable_isolation -f "$root/specs/setup.sql" >"$workdir/setup.log" 2>&1 ||
			{ cat "$workdir/setup.log"; echo "0 passed, 1 failed"; die "specs/setup.sql failed"; }
	fi
	options=(--use-existing --dbname=itable_isolation)
fi
if [ ${#tests[@]} -eq 0 ]; then
	echo "0 passed, 0 failed"
	exit 0
fi

rc=0
(
	cd "$workdir"
	"$program" --inputdir="$input" --outputdir="$workdir" --bindir="$(dirname "$(command -v psql)")" \
		--host="$PGHOST" --port="$PGPORT" --user="$PGUSER" "${options[@]}" "${tests[@]}"
) >"$workdir/output" 2>&1 || rc=$?
cat "$workdir/output"
[ ! -s "$workdir/regression.diffs" ] || cat "$workdir/regression.diffs"

mkdir -p "$output"
rm -rf "${output:?}"/*
cp -r "$workdir/results" "$workdir/output" "$ITABLE_TEST_PGDIR/server.log" "$output/" 2>/dev/null || true
[ ! -s "$workdir/regression.diffs" ] || cp "$workdir/regression.diffs" "$output/"

# "test x ... ok  12 ms" up to PostgreSQL 15, "ok 1 - x  12 ms" from 16 on
passed=$(grep -acE '^(test .* \.\.\. ok|ok [0-9]+ )' "$workdir/output" || true)
failed=$(grep -acE '^(test .* \.\.\. .*(FAILED|failed)|not ok [0-9]+ )' "$workdir/output" || true)
missing=$((${#tests[@]} - passed - failed))
if [ "$missing" -gt 0 ]; then
	failed=$((failed + missing))
elif [ "$rc" -ne 0 ] && [ "$failed" -eq 0 ]; then
	failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
