#!/bin/bash
# Runs a command with a PostgreSQL cluster of its own that has this checkout's
# extension: a socket in a temporary directory, no TCP, gone afterwards.
#
#   tools/with-cluster.sh -- COMMAND [ARG...]
#
# The command finds PGHOST, PGPORT, PGUSER and PGDATABASE set (superuser
# postgres), the right psql first in PATH, and
#   ITABLE_TEST_PGDIR   the cluster's directory: data/, server.log
#   ITABLE_TEST_PGPID   the postmaster
# Extra settings: lines in the variable ITABLE_TEST_PGCONF.
#
# The extension is not installed into the system: PostgreSQL finds its files
# relative to its binary, so a copy of the binary in a tree of links has its own
# extension folder.  Two checkouts can so be tested at the same time, and nobody
# needs root.  Root, whom initdb refuses, becomes the user postgres.
source "$(dirname "$0")/testbed.sh"

[ "${1:-}" = -- ] && [ $# -gt 1 ] || die "usage: with-cluster.sh -- COMMAND [ARG...]"
shift

pg_config=${PG_CONFIG:-pg_config}
bindir=$("$pg_config" --bindir) || die "no pg_config: run 'make deps'"
sharedir=$("$pg_config" --sharedir)
pkglibdir=$("$pg_config" --pkglibdir)

# Links every entry of $1 that $2 has not got.
link_missing()
{
	local entry

	mkdir -p "$2"
	for entry in "$1"/*; do
		[ -e "$2/${entry##*/}" ] || ln -s "$entry" "$2/"
	done
}

# The private installation: ours from `make install`, the rest linked.
make_tree()
{
	local tree=$1

	mkdir -p "$root/build"
	flock "$root/build/.lock" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		make -s -C "$root" install "DESTDIR=$tree" "PG_CONFIG=$pg_config" >"$workdir/make.log" 2>&1 ||
		{ cat "$workdir/make.log" >&2; die "the extension does not build"; }
	mkdir -p "$tree$bindir"
	cp "$bindir/postgres" "$bindir/initdb" "$tree$bindir/"
	link_missing "$bindir" "$tree$bindir"
	link_missing "$sharedir/extension" "$tree$sharedir/extension"
	link_missing "$sharedir" "$tree$sharedir"
	link_missing "$pkglibdir" "$tree$pkglibdir"
}

# A socket's path has a limit of 107 bytes, whatever TMPDIR is.
make_socket_dir()
{
	sockets=$workdir/socket
	if [ ${#sockets} -gt 80 ]; then
		sockets=$(mktemp -d /tmp/itable-s.XXXXXX)
	else
		mkdir "$sockets"
	fi
	chmod 755 "$sockets"
}

clean_up_at_exit
make_workdir pg
become=()
if [ "$(id -u)" = 0 ]; then
	become=(--reuid postgres --regid postgres --init-groups)
fi

make_tree "$workdir/tree"
make_socket_dir
mkdir -m 700 "$workdir/data"
: >"$workdir/server.log"
[ "$(id -u)" != 0 ] || chown -R postgres: "$workdir/data" "$sockets" "$workdir/server.log"
chmod 644 "$workdir/server.log"
export PATH=$workdir/tree$bindir:$PATH LC_ALL=C.UTF-8
unset PGSERVICE PGOPTIONS PGPASSWORD PGSSLMODE PGDATA
cd "$workdir"
setpriv "${become[@]}" -- initdb -D "$workdir/data" -U postgres -A trust -E UTF8 --no-locale \
	--no-sync >initdb.log 2>&1 || { cat initdb.log >&2; die "initdb failed"; }
cat >>"$workdir/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$sockets'
logging_collector = off
log_line_prefix = '%m [%p] %a '
log_error_verbosity = verbose
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 50
max_prepared_transactions = 5
shared_buffers = 64MB
jit = off
${ITABLE_TEST_PGCONF:-}
CONF
# QUIT: stop at once; the data is thrown away.
server_signal=QUIT
setpriv "${become[@]}" --pdeathsig QUIT -- postgres -D "$workdir/data" >>server.log 2>&1 &
server=$!
for ((tenths = 300; ; tenths--)); do
	! pg_isready -q -h "$sockets" -p 5432 || break
	if ! kill -0 "$server" 2>/dev/null || [ "$tenths" -eq 0 ]; then
		cat server.log >&2
		die "PostgreSQL did not start"
	fi
	sleep 0.1
done
cd "$OLDPWD"
export PGHOST=$sockets PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
export ITABLE_TEST_PGDIR=$workdir ITABLE_TEST_PGPID=$server
rc=0
run_command "$@" || rc=$?
# A backend that died must not pass for a test that merely lost its session.
if grep -aE 'was terminated by signal (4|6|8|7|11)\b' "$workdir/server.log" >&2; then
	tail -50 "$workdir/server.log" >&2
	say "a server process crashed"
	[ "$rc" -ne 0 ] || rc=1
fi
exit "$rc"
