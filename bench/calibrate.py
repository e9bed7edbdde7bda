#!/usr/bin/env python3
"""What a request, an entity, a byte and a fact behind an index entry cost, in milliseconds.

  ITABLE_MOCK_OPTIONS="--latency 10" tools/with-store.sh --mock -- tools/with-cluster.sh -- bench/calibrate.py

Prints the constants of plan/cost.c: a unit of cost is a tenth of a millisecond, so that a
round trip of 10 ms is the 100 of fdw_startup_cost.  Each figure is the least of several runs.
"""
import re

from session import make_server, psql

UNIT_MS = 0.1
ROWS = 20000

SETUP = """
CREATE FOREIGN TABLE narrow (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
  n int, g int, t text) SERVER store OPTIONS (table_name 'narrow');
CREATE FOREIGN TABLE small_pages (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
  n int, g int, t text) SERVER store OPTIONS (table_name 'narrow', fetch_size '100');
CREATE FOREIGN TABLE wide (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
  n int, g int, t text) SERVER store OPTIONS (table_name 'wide');
SELECT itable_create_table('narrow'), itable_create_table('wide');
INSERT INTO narrow SELECT 'p', i, i, i % 20, 'x' FROM generate_series(1, {rows}) i;
INSERT INTO wide SELECT 'p', i, i, i % 20, repeat('x', 1000) FROM generate_series(1, {rows}) i;
CALL itable_create_index('narrow', 'narrow_by_g', key => '{{g}}');
ANALYZE narrow;
"""


def measure(body, settings=(), runs=5):
    """Milliseconds, requests and bytes of a PL/pgSQL body over a warm connection."""
    best = None
    for _ in range(runs):
        text = psql("SET itable_fdw.scan_ranges = 1", *["SET " + s for s in settings],
                    "SELECT count(*) FROM narrow WHERE p = '' AND r = 0",
                    "SELECT itable_stats_reset()",
                    "DO $do$ DECLARE began timestamptz := clock_timestamp(); i int; BEGIN %s\n"
                    "RAISE NOTICE 'took %%', extract(epoch FROM clock_timestamp() - began) * 1000; END $do$" % body,
                    "SELECT 'sent ' || sum(requests) || ' received ' || sum(bytes_received) FROM itable_stats() "
                    "WHERE operation IN ('get', 'query')")
        sent = re.search(r"sent (\d+) received (\d+)", text)
        now = (float(re.search(r"took ([0-9.]+)", text).group(1)), int(sent.group(1)), int(sent.group(2)))
        best = now if best is None else min(best, now)
    return best


def main():
    make_server()
    psql(*[s for s in SETUP.format(rows=ROWS).split(";\n") if s.strip()])
    read = "PERFORM count(n), sum(octet_length(t)) FROM %s;"
    point = measure("FOR i IN 1 .. 50 LOOP PERFORM t FROM narrow WHERE p = 'p' AND r = i; END LOOP;")
    large = measure(read % "narrow")
    small = measure(read % "small_pages")
    wide = measure(read % "wide")
    walk = measure("PERFORM count(*) FROM narrow WHERE n = -1;")
    facts = measure("PERFORM sum(octet_length(t)) FROM narrow WHERE g = 7;",
                    ["itable_fdw.full_scan = 'error'"])
    request = point[0] / point[1]
    page = (small[0] - large[0]) / (small[1] - large[1])
    byte = (wide[0] - large[0]) / (wide[2] - large[2])
    entity = (large[0] - large[1] * page) / ROWS
    bare = max(entity - byte * large[2] / ROWS, 0)
    walked = max(walk[0] - walk[1] * page, 0) / ROWS
    fact = (facts[0] - 2 * request) / (facts[1] - 1)
    print("%-44s %10s %12s" % ("", "ms", "units"))
    for what, ms in (("a request alone (point read)", request), ("a request among pages", page),
                     ("an entity of %d bytes" % (large[2] / ROWS), entity), ("an entity without its bytes", bare),
                     ("a kilobyte received", byte * 1024), ("an entity walked past in the store", walked),
                     ("a fact behind an entry, among others", fact)):
        print("%-44s %10.5f %12.5f" % (what, ms, ms / UNIT_MS))
    print("a fact costs %.3f of a request (an eighth is what 8 connections allow)" % (fact / request))


main()
