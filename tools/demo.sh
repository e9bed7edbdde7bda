#!/bin/bash
# The demo: builds, starts a throw-away cluster and store, and runs
# tools/demo/*.sql in order.  Called by `make demo` and `make demo-stop`.
#
#   tools/demo.sh            run it; cluster and store stay, for psql
#   tools/demo.sh --stop     end what the last run left
#
# With CI=true or DEMO_STOP=1 nothing stays.  There is one demo per user: a
# second run ends the first.
source "$(dirname "$0")/testbed.sh"

state=${TMPDIR:-/tmp}/itable-demo-$(id -un)

# A process id and the tick it was born: ids are used again.
identity()
{
	[ -r "/proc/$1/stat" ] && echo "$1 $(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 20)"
}

stop_demo()
{
	local pid

	if [ -s "$state/holder" ]; then
		pid=$(cut -d ' ' -f 1 "$state/holder")
		if [ "$(identity "$pid")" = "$(cat "$state/holder")" ]; then
			kill "$pid" 2>/dev/null || true
			gone_within "$pid" 30 || kill -KILL "$pid" 2>/dev/null || true
		fi
	fi
	rm -rf "$state"
}

case ${1:-} in
	--stop)
		stop_demo
		exit
		;;
	--hold)
		# Inside with-store and with-cluster: tell the address, then stay.
		export -p | grep -E ' (PG[A-Z]+|ITABLE_[A-Z_]+|PATH)=' >"$state/env.new"
		mv "$state/env.new" "$state/env"
		exec sleep infinity
		;;
esac

unset ITABLE_TEST_ENDPOINT ITABLE_TEST_PGPID MAKEFLAGS MAKELEVEL MFLAGS
make -s -C "$root" -j"$(nproc)" mock all
stop_demo
mkdir -m 700 "$state" || die "$state belongs to somebody else"

# It outlives this script, in a session of its own.
setsid "$root/tools/with-store.sh" --mock -- "$root/tools/with-cluster.sh" -- "$0" --hold \
	>"$state/log" 2>&1 </dev/null &
holder=$!
trap 'stop_demo' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
identity "$holder" >"$state/holder"
for ((tenths = 1200; ; tenths--)); do
	[ ! -f "$state/env" ] || break
	if ! kill -0 "$holder" 2>/dev/null || [ "$tenths" -eq 0 ]; then
		cat "$state/log" >&2
		die "the demo's cluster did not start"
	fi
	sleep 0.1
done
# shellcheck disable=SC1091
source "$state/env"

createdb demo
export PGDATABASE=demo PGOPTIONS='-c client_min_messages=warning'
cd "$root"
for file in tools/demo/*.sql; do
	psql -X -q -v ON_ERROR_STOP=1 -P pager=off -f "$file" || die "$file failed"
done

if [ "${CI:-}" = true ] || [ "${DEMO_STOP:-0}" = 1 ]; then
	exit 0
fi
trap - EXIT
cat <<NOTE

Cluster and store stay up until 'make demo-stop'.  To look around:

  psql -h $PGHOST -U $PGUSER $PGDATABASE
NOTE
