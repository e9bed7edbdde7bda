#!/usr/bin/env python3
"""Is the way the planner takes the fastest?  Runs both over a grid of selectivities.

  ITABLE_MOCK_OPTIONS="--latency 10" tools/with-store.sh --mock -- tools/with-cluster.sh -- bench/choices.py

Prints for each number of rows found: milliseconds and requests of the scan and of the index,
what the planner takes, and its time divided by the better one's; then the worst ratio.
"""
import re

from session import make_server, psql

ROWS = 20000
SETUP = """
CREATE FOREIGN TABLE facts (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
  k text, a text[], t text) SERVER store;
SELECT itable_create_table('facts');
INSERT INTO facts SELECT 'p' || i % 20, i, k, ARRAY[k], repeat('x', 100)
  FROM (SELECT i, 'k' || width_bucket(i, ARRAY[{bounds}]) AS k FROM generate_series(1, {rows}) i) x;
CALL itable_create_index('facts', 'facts_by_k', key => '{{k}}');
CALL itable_create_index('facts', 'facts_by_a', key => '{{a}}');
ANALYZE facts;
"""
SIZES = [1, 3, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120]


def run(query, setting):
    """Least milliseconds of three runs, and the requests."""
    text = psql(setting, "SELECT count(*) FROM facts WHERE p = ''", "SELECT itable_stats_reset()",
                "DO $do$ DECLARE began timestamptz; BEGIN FOR i IN 1 .. 3 LOOP began := clock_timestamp(); PERFORM * FROM (%s) x;\n"
                "RAISE NOTICE 'took %%', extract(epoch FROM clock_timestamp() - began) * 1000; END LOOP; END $do$" % query,
                "SELECT 'sent ' || sum(requests) / 3 FROM itable_stats() WHERE operation IN ('get', 'query')")
    return (min(float(x) for x in re.findall(r"took ([0-9.]+)", text)),
            float(re.search(r"sent ([0-9.]+)", text).group(1)))


def main():
    bounds = []
    for size in SIZES:
        bounds.append(1 + (bounds[-1] - 1 if bounds else 0) + size)
    make_server()
    psql(*[s for s in SETUP.format(rows=ROWS, bounds=", ".join(str(b) for b in bounds)).split(";\n") if s.strip()])
    worst = 0
    print("| condition | rows | scan, ms (requests) | index, ms (requests) | taken | its time / the better |")
    print("|---|---|---|---|---|---|")
    for what, condition in (("k = ...", "k = 'k%d'"), ("... = ANY (a)", "'k%d' = ANY (a)")):
        for n, size in enumerate(SIZES):
            query = "SELECT * FROM facts WHERE " + condition % n
            scan = run(query, "SET itable_fdw.enable_index = off")
            index = run(query, "SET itable_fdw.full_scan = error")
            taken = "index" if "index" in psql("EXPLAIN (COSTS OFF) " + query) else "scan"
            ratio = (index if taken == "index" else scan)[0] / min(scan[0], index[0])
            worst = max(worst, ratio)
            print("| %s | %d | %.0f (%.0f) | %.0f (%.0f) | %s | %.2f |"
                  % (what, size, scan[0], scan[1], index[0], index[1], taken, ratio))
    print("\nworst: %.2f" % worst)


main()
