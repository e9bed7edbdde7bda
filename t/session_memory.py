#!/usr/bin/env python3
"""Ten thousand prepared executions in one session do not grow its memory; what one row of a large
transaction needs is bounded, before COMMIT and during it, and less of it stays with write_buffer."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

BOUND_KIB = 4096

# A row of the large transactions: 400 bytes of text, three entries in a covering index.
ROWS = 20000
ROW_BYTES = 460


def private_kib(pid):
    """Resident memory that is the process's own: not shared buffers, not code."""
    with open("/proc/%d/smaps_rollup" % pid) as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("Private_Clean", "Private_Dirty")))


def run_many(session, statement, first, last):
    session.run("\n".join(["\\o /dev/null"] + [statement % {"i": i} for i in range(first, last)] + ["\\o"]), 240)


def measure(session, label, statement, warm_up, total):
    run_many(session, statement, 0, warm_up)
    before = private_kib(session.pid)
    run_many(session, statement, warm_up, total)
    after = private_kib(session.pid)
    bed.ok(after - before < BOUND_KIB, "%d times %s" % (total - warm_up, label),
           "%d KiB, then %d KiB" % (before, after))
    print("# %s: %d KiB, then %d KiB" % (label, before, after))


def high_water_kib(pid):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def bytes_per_row(label, setting, statement, before_bound, during_bound):
    """Runs one large statement in a session of its own."""
    session = bed.Session()
    session.must("SET itable_fdw.write_buffer = '%s'; SELECT 1 FROM movies WHERE genre = 'x' AND name = 'y'; "
                 "SELECT count(*) FROM rows;" % setting)
    start = high_water_kib(session.pid)
    session.run("BEGIN; %s;" % statement, 240)
    kept = int(session.must("SELECT sum(total_bytes)::bigint / %d FROM pg_backend_memory_contexts "
                            "WHERE name LIKE 'itable_fdw%%';" % ROWS).text)
    session.run("COMMIT;", 240)
    peak = (high_water_kib(session.pid) - start) * 1024 // ROWS
    print("# %s, write_buffer %s: %d bytes a row before COMMIT, %d more at the peak" % (label, setting, kept, peak))
    bed.ok(kept < before_bound, "%s, %s: a row before COMMIT" % (label, setting), "%d bytes" % kept)
    bed.ok(peak < during_bound, "%s, %s: a row at the peak" % (label, setting), "%d bytes" % peak)
    session.close()


def large_transactions():
    session = bed.Session()
    session.must("""CALL itable_create_index('movies', 'by_actor_64', '{actors}', include => '{actors}', partitions => 64);
        CALL itable_drop_index('by_actor');
        CREATE TABLE rows AS SELECT 'G' || i %% 20 AS genre, 'L' || i AS name,
            ARRAY['A' || i %% 500, 'B' || i %% 300, 'C' || i %% 200] AS actors, repeat(md5(i::text), 12) AS note
          FROM generate_series(1, %d) i;""" % ROWS)
    session.close()
    insert = "INSERT INTO movies SELECT * FROM rows"
    update = "UPDATE movies SET actors = ARRAY['A1', actors[2], actors[3]] WHERE name LIKE 'L%'"
    bytes_per_row("INSERT", "1GB", insert, 2 * ROW_BYTES, 9000)
    bytes_per_row("UPDATE", "64MB", update, 3 * ROW_BYTES, 6000)
    bytes_per_row("DELETE", "1MB", "DELETE FROM movies WHERE name LIKE 'L%'", 700, 3500)
    bytes_per_row("INSERT", "1MB", insert, 450, 3500)
    check = bed.Session()
    bed.ok(check.must("SELECT count(*) FROM (SELECT * FROM rows EXCEPT ALL SELECT * FROM movies) x;").text == "0",
           "the rows are there")
    bed.ok(check.must("SELECT count(*) FROM itable_check_index('by_actor_64');").text == "0", "and their entries")


def main():
    session = bed.Session()
    bed.make_server(session)
    session.must("""CREATE FOREIGN TABLE movies (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL, actors text[], note text) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('movies'); END$$;""")
    session.must("CALL itable_create_index('movies', 'by_actor', '{actors}');")
    session.must("""INSERT INTO movies SELECT 'G' || i % 5, 'M' || i, ARRAY['A' || i % 20], repeat('x', 100)
        FROM generate_series(0, 99) i;
        PREPARE point(text, text) AS SELECT * FROM movies WHERE genre = $1 AND name = $2;
        PREPARE lookup(text) AS SELECT * FROM movies WHERE $1 = ANY (actors);
        PREPARE put(text) AS INSERT INTO movies VALUES ('New', $1, '{A}', 'x');
        PREPARE change(text) AS UPDATE movies SET note = $1, actors = ARRAY[$1] WHERE genre = 'G1' AND name = 'M1';
        PREPARE fail(text) AS INSERT INTO movies VALUES ('G2', 'M2', ARRAY[$1], 'x');""")
    result = session.must("EXECUTE lookup('A3');")
    bed.ok(len(result.rows) == 5, "the index lookup finds its rows", result.text)
    measure(session, "a point read", "EXECUTE point('G%(i)d', 'M%(i)d');", 500, 10000)
    measure(session, "an index lookup", "EXECUTE lookup('A3');", 500, 2500)
    measure(session, "an insert", "EXECUTE put('N%(i)d');", 500, 2500)
    measure(session, "an update", "EXECUTE change('C%(i)d');", 500, 1500)
    measure(session, "a duplicate key at commit", "EXECUTE fail('F%(i)d');", 500, 1500)
    run = "BEGIN; SAVEPOINT a; EXECUTE put('R%(i)d'); ROLLBACK TO a; EXECUTE point('G1', 'M1'); ROLLBACK;"
    measure(session, "a savepoint rolled back", run, 500, 2500)
    measure(session, "a cursor left open", "BEGIN; DECLARE c CURSOR FOR SELECT * FROM movies; FETCH 1 FROM c; COMMIT;",
            500, 1500)
    bed.ok(session.must("SELECT count(*) FROM movies WHERE genre = 'New';").text == "2500", "every insert arrived")
    session.close()
    large_transactions()
    bed.finish()


main()
