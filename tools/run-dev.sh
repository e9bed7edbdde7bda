#!/bin/bash
# psql on a temporary cluster with a temporary store; called by `make dev`.
#
#   tools/run-dev.sh [--mock|--azurite] [PSQL-ARGUMENT...]
#
# The server `store` is there; SELECT itable_create_table(...) is next.
source "$(dirname "$0")/testbed.sh"

store=--mock
case ${1:-} in
	--mock | --azurite) store=$1; shift ;;
esac

if [ -z "${ITABLE_TEST_PGPID:-}" ]; then
	unset ITABLE_TEST_ENDPOINT
	make -s -C "$root" mock all
	exec "$root/tools/with-store.sh" "$store" -- "$root/tools/with-cluster.sh" -- "$0" "$@"
fi

psql -X -q -v ON_ERROR_STOP=1 -f "$root/tools/demo/00_connect.sql" >/dev/null
cat <<NOTE
PostgreSQL: psql -h $PGHOST -U $PGUSER   (log: $ITABLE_TEST_PGDIR/server.log)
Store:      $ITABLE_TEST_ENDPOINT ($ITABLE_TEST_STORE), in SQL the server "store"
Both end with this psql.
NOTE
# psql handles Ctrl-C itself; the scripts above it must not end by it.
exec psql "$@"
