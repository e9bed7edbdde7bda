#!/usr/bin/env python3
"""The background worker: it starts when the library is preloaded, brings queued
indexes up to date as the tables' owners, survives what fails, and a session that
knows nothing of it is not disturbed."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402


def backlog(session):
    return session.must("SELECT coalesce(sum(backlog), 0) FROM itable_indexes;").text


def main():
    session = bed.Session()
    workers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'itable_fdw queue worker';"
    bed.ok(bed.wait_until(lambda: session.must(workers).text == "1"), "the worker runs", session.must(workers).text)
    bed.make_server(session)
    session.must("""CREATE FOREIGN TABLE movies (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL, actors text[], year integer) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('movies'); END$$;""")
    session.must("CALL itable_create_index('movies', 'by_actor', '{actors}', maintenance => 'queued');")
    session.must("INSERT INTO movies SELECT 'G' || i % 3, 'm' || i, ARRAY['a' || i % 5], i FROM generate_series(1, 60) i;")
    bed.ok(bed.wait_until(lambda: backlog(session) == "0"), "what is queued is done", backlog(session))
    rows = session.must("SELECT count(*) FROM by_actor;").text
    bed.ok(rows == "60", "the entries are there", rows)

    # a table whose owner has no user mapping fails, and holds up no other
    session.must("CREATE ROLE poor; GRANT CREATE ON SCHEMA public TO poor; GRANT USAGE ON FOREIGN SERVER store TO poor;"
                 "CREATE FOREIGN TABLE another (genre text OPTIONS (key 'partition') NOT NULL,"
                 " name text OPTIONS (key 'row') NOT NULL, x text) SERVER store;"
                 "CREATE FOREIGN TABLE another_x (x text OPTIONS (key 'partition') NOT NULL,"
                 " name text OPTIONS (key 'row') NOT NULL, genre text OPTIONS (key 'row') NOT NULL)"
                 " SERVER store OPTIONS (index_of 'another', maintenance 'queued');"
                 "ALTER FOREIGN TABLE another OWNER TO poor;")
    session.must("UPDATE movies SET actors = '{z}' WHERE genre = 'G1';")
    bed.ok(bed.wait_until(lambda: backlog_of(session) == "0"), "a table that fails holds up no other")
    log = os.path.join(os.environ["ITABLE_TEST_PGDIR"], "server.log")
    bed.ok(bed.wait_until(lambda: 'user mapping not found for "poor"' in open(log, errors="replace").read()),
           "and its error is in the log")
    bed.ok(session.must(workers).text == "1", "the worker goes on")

    # killed, it comes back and goes on where it was
    pid = session.must("SELECT pid FROM pg_stat_activity WHERE backend_type = 'itable_fdw queue worker';").text
    session.must("SELECT pg_terminate_backend(%s);" % pid)
    session.must("DELETE FROM movies WHERE genre = 'G2';")
    bed.ok(bed.wait_until(lambda: backlog_of(session) == "0", 40), "a worker that was terminated comes back")
    rows = session.must("SET itable_fdw.repair_age = 0; SELECT * FROM itable_check_index('by_actor');").text
    bed.ok(rows == "", "the index is right", rows)
    bed.finish()


def backlog_of(session):
    return session.must("SELECT itable_index_backlog('by_actor');").text


if "ITABLE_TEST_WORKER" not in os.environ:
    # a cluster of our own, in which the library is preloaded
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = {key: value for key, value in os.environ.items() if key not in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE")}
    environment["ITABLE_TEST_WORKER"] = "yes"
    environment["ITABLE_TEST_PGCONF"] = ("shared_preload_libraries = 'itable_fdw'\n"
                                         "itable_fdw.queue_database = 'postgres'\nitable_fdw.queue_interval = '100ms'\n")
    sys.exit(subprocess.call([os.path.join(root, "tools/with-cluster.sh"), "--", os.path.abspath(__file__)],
                             env=environment))
main()
