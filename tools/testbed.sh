# shellcheck shell=bash
# Sourced by the scripts that start servers (with-store.sh, with-cluster.sh):
# temporary directories, children that die with their parent, clean-up.
#
# Every server and every command is started through `setpriv --pdeathsig`, so
# the kernel ends it when its parent is gone, however that happened.  A script
# therefore never leaves a server behind, not even after kill -9.

set -euo pipefail

# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
workdir=		# this script's temporary directory
server=			# pid of the server that this script started
sockets=		# directory of a cluster's socket, when it is not in $workdir
command_pid=	# pid of the command that this script runs

say()
{
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

die()
{
	say "$@"
	exit 1
}

# Makes $workdir.  Other users (the cluster's) must be able to pass through it.
make_workdir()
{
	workdir=$(mktemp -d "${TMPDIR:-/tmp}/itable-$1.XXXXXX")
	chmod 755 "$workdir"
}

# Waits up to $2 seconds for process $1, which is a child, to end.
gone_within()
{
	local tenths=$(($2 * 10))

	while kill -0 "$1" 2>/dev/null; do
		[ "$tenths" -gt 0 ] || return 1
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

# Ends a child: signal $2 first, KILL when that takes more than $3 seconds.
stop_child()
{
	kill "-$2" "$1" 2>/dev/null || return 0
	gone_within "$1" "$3" || kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# The command first: it may still be using the server.
clean_up()
{
	local rc=$?

	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$command_pid" ] || stop_child "$command_pid" TERM 30
	[ -z "$server" ] || stop_child "$server" "${server_signal:-TERM}" 20
	rm -rf "${workdir:-/nonexistent}" "${sockets:-/nonexistent}"
	exit "$rc"
}

# From here on the script cleans up, whichever way it ends.
clean_up_at_exit()
{
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Runs a command with our terminal and returns its exit code.  It runs in the
# background, because bash handles a signal only when it waits.
run_command()
{
	local rc=0

	setpriv --pdeathsig TERM -- "$@" <&0 &
	command_pid=$!
	wait "$command_pid" || rc=$?
	command_pid=
	return "$rc"
}
