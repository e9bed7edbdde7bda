#!/usr/bin/env python3
"""Does a scan's memory grow with the table?  A table on the mock is filled to each of
the numbers of rows and read whole, each time by a backend of its own, whose peak
memory (VmHWM) is printed.  The mock holds it all: about 500 bytes a row.

Run by tools/bench-memory.sh.
"""
import re
import sys

from session import psql

STEP = 100000
COLUMNS = "p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, number int, title text"
SCAN = """DO $do$ DECLARE t timestamptz := clock_timestamp(); n bigint; total bigint; BEGIN
SELECT count(*), sum(number), sum(octet_length(title)) INTO n, total FROM large;
RAISE NOTICE 'rows % sum % took %', n, total, extract(epoch FROM clock_timestamp() - t); END $do$"""


def found(pattern, text):
    return re.search(pattern, text).group(1)


def scan(rows, ranges):
    text = psql("SET itable_fdw.scan_ranges = %d" % ranges, SCAN, "SELECT 'sent ' || sum(requests) FROM itable_stats()",
                "SELECT pg_read_file('/proc/self/status')")
    if int(found("rows (\\d+)", text)) != rows or int(found("sum (\\d+)", text)) != rows * (rows - 1) // 2:
        sys.exit("not what was inserted: " + text)
    seconds = float(found("took ([0-9.]+)", text))
    print("| %s | %d | %s | %.1f | %s | %d |"
          % ("{:,}".format(rows), ranges, "{:,}".format(int(found("sent (\\d+)", text))), seconds,
             "{:,.0f}".format(rows / seconds), int(found("VmHWM:\\s+(\\d+)", text)) // 1024), flush=True)


def main():
    psql("CREATE FOREIGN TABLE large (%s) SERVER store" % COLUMNS, "SELECT itable_create_table('large')")
    print("| rows | ranges | requests | s | rows/s | backend, VmHWM, MB |\n|---|---|---|---|---|---|", flush=True)
    loaded = 0
    for rows in map(int, sys.argv[1:]):
        for start in range(loaded, rows, STEP):
            psql("INSERT INTO large SELECT 'p' || lpad((i / 50000)::text, 4, '0'), 'r' || lpad(i::text, 8, '0'), i, 'Title ' || i"
                 " FROM generate_series(%d, %d) i" % (start, min(start + STEP, rows) - 1))
        loaded = rows
        for ranges in (1, 8):
            scan(rows, ranges)


main()
