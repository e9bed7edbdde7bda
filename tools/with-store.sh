#!/bin/bash
# Runs a command with a store of its own: mock-tablestore or Azurite on a free
# loopback port, empty, in memory, gone when the command ends.
#
#   tools/with-store.sh [--mock|--azurite] -- COMMAND [ARG...]
#
# The command finds in its environment
#   ITABLE_TEST_ENDPOINT    http://127.0.0.1:PORT/devstoreaccount1
#   ITABLE_TEST_QUEUE_ENDPOINT  the same account's Queue service, on another port
#   ITABLE_TEST_ACCOUNT, ITABLE_TEST_KEY
#   ITABLE_TEST_STORE       mock | azurite
#   ITABLE_TEST_SERVER_PID  the store's process, for tests that stop it
#   ITABLE_TEST_CONTROL     http://127.0.0.1:PORT/__mock (mock only)
# ITABLE_MOCK_OPTIONS are more options for the mock ("--latency 10").
# The exit code is the command's.
source "$(dirname "$0")/testbed.sh"

account=devstoreaccount1
# The emulators' well-known key; it is public and opens nothing else.
key=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==

start_mock()
{
	local binary=${ITABLE_MOCK:-$root/mock-tablestore/mock-tablestore} tenths=200

	[ -x "$binary" ] || die "$binary is not there: run 'make mock'"
	setpriv --pdeathsig KILL -- "$binary" --listen 127.0.0.1:0 --queue-listen 127.0.0.1:0 \
		--port-file "$workdir/port" --memory ${ITABLE_MOCK_OPTIONS:-} >"$workdir/log" 2>&1 &
	server=$!
	until [ -s "$workdir/port" ]; do
		if ! kill -0 "$server" 2>/dev/null || [ "$tenths" -eq 0 ]; then
			cat "$workdir/log" >&2
			die "mock-tablestore did not start"
		fi
		tenths=$((tenths - 1))
		sleep 0.1
	done
	port=$(sed -n 1p "$workdir/port")
	queue_port=$(sed -n 2p "$workdir/port")
	export ITABLE_TEST_CONTROL=http://127.0.0.1:$port/__mock
}

# Once per checkout; the lock serves several runs that start together.
install_azurite()
{
	local dir=$root/test/azurite

	(
		flock 9
		[ ! "$dir/node_modules/.package-lock.json" -nt "$dir/package-lock.json" ] || exit 0
		cd "$dir"
		for try in 1 2 3; do
			npm ci --ignore-scripts --no-audit --no-fund \
				--fetch-retry-mintimeout 1000 --fetch-retry-maxtimeout 5000 >"$workdir/npm" 2>&1 && exit 0
			say "npm ci failed, try $try"
		done
		cat "$workdir/npm" >&2
		exit 1
	) 9>"$dir/.lock" || die "Azurite could not be installed"
	azurite=$dir/node_modules/azurite/dist/src
}

# Azurite cannot report a port that the kernel chose, so we choose, below the
# range of outgoing connections, and try again when somebody was faster.
start_azurite()
{
	[ -z "${ITABLE_NO_AZURITE:-}" ] || die "Azurite could not be installed, see the earlier failure"
	install_azurite
	start_service queue
	queue_port=$port
	start_service table
}

# One of Azurite's services: $server is its process, $port its port.
start_service()
{
	local service=$1 tenths

	for try in 1 2 3 4 5; do
		: >"$workdir/log"
		port=$((20000 + RANDOM % 12000))
		setpriv --pdeathsig KILL -- node "$azurite/$service/main.js" --silent --inMemoryPersistence \
			--skipApiVersionCheck --disableTelemetry \
			"--${service}Host" 127.0.0.1 "--${service}Port" "$port" \
			>"$workdir/log" 2>&1 &
		server=$!
		tenths=600
		while kill -0 "$server" 2>/dev/null && [ "$tenths" -gt 0 ]; do
			# Printed by our own process, once it owns the port.
			! grep -qE 'successfully (started|listens)' "$workdir/log" || return 0
			tenths=$((tenths - 1))
			sleep 0.1
		done
		stop_child "$server" KILL 5
		server=
	done
	cat "$workdir/log" >&2
	die "Azurite's $service service did not start ($try tries)"
}

store=mock
while [ $# -gt 0 ]; do
	case $1 in
		--mock) store=mock ;;
		--azurite) store=azurite ;;
		--) shift; break ;;
		*) die "usage: with-store.sh [--mock|--azurite] -- COMMAND [ARG...]" ;;
	esac
	shift
done
[ $# -gt 0 ] || die "no command given"

clean_up_at_exit
make_workdir store
"start_$store"
export ITABLE_TEST_ENDPOINT=http://127.0.0.1:$port/$account
export ITABLE_TEST_QUEUE_ENDPOINT=http://127.0.0.1:$queue_port/$account
export ITABLE_TEST_ACCOUNT=$account
export ITABLE_TEST_KEY=$key
export ITABLE_TEST_STORE=$store
export ITABLE_TEST_SERVER_PID=$server
run_command "$@"
