"""What the tests share in which several clusters write one store's tables."""
import time

import bed

LEASE_MS = 300
TABLE = """CREATE FOREIGN TABLE movies (genre text OPTIONS (key 'partition') NOT NULL,
    name text OPTIONS (key 'row') NOT NULL, actors text[], year integer, note text) SERVER store;"""
ACTORS = ["A%d" % i for i in range(12)]


def prepare(session):
    session.must("ALTER DATABASE postgres SET itable_fdw.catalog_lease = '%dms';" % LEASE_MS)
    session.must("ALTER DATABASE postgres SET itable_fdw.repair_age = '0';")
    session.must("LOAD 'itable_fdw'; SET itable_fdw.catalog_lease = '%dms'; SET itable_fdw.repair_age = 0;" % LEASE_MS)
    bed.make_server(session)
    session.must(TABLE)


def lease_over():
    time.sleep(LEASE_MS / 1000 + 0.05)


def differences(session, index):
    """What the index table and lookups say against the fact table.  A build beside
    writers may leave entries that no lookup believes: they are mended first."""
    problems = "SELECT problem, index_partition_key, fact_row_key, detail FROM itable_check_index('%s')" % index
    found = session.must(problems + " WHERE problem NOT IN ('dangling', 'unverified') OR detail LIKE '%yet%';").text
    session.must("CALL itable_repair_index('%s');" % index)
    found += session.must(problems + ";").text
    rows = session.must("""SET itable_fdw.enable_index = off;
        CREATE TEMP TABLE plain AS SELECT * FROM movies; RESET itable_fdw.enable_index;
        SELECT a, (SELECT count(*) FROM plain WHERE a = ANY (actors)) FROM unnest('{%s}'::text[]) a;
        DROP TABLE plain;""" % ",".join(ACTORS)).rows
    plan = session.must("EXPLAIN SELECT name FROM movies WHERE 'A1' = ANY (actors);").text
    if "index" not in plan:
        found += "\nno index in " + plan
    for actor, count in rows:
        got = session.must("SELECT count(*) FROM movies WHERE '%s' = ANY (actors);" % actor).text
        if got != count:
            found += "\n%s: %s instead of %s" % (actor, got, count)
    return found


def fill(session, rows=600):
    session.must("INSERT INTO movies SELECT 'G' || i %% 4, 'm' || i / 4, ARRAY['A' || i %% 12, 'A' || i / 7 %% 12], i FROM generate_series(0, %d) i;"
                 % (rows - 1))
