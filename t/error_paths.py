#!/usr/bin/env python3
"""Whichever request of a statement the store refuses, there is a clean error: a SQLSTATE of its own, no internal one,
no key in the message, never an answer with rows missing; and the same statement works afterwards.

Also what only another program can have written: an entry that names no fact, text with U+0000."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import plain  # noqa: E402

READS = {
    "a full scan": "SELECT count(note) FROM films",
    "a scan in pieces": "SET itable_fdw.enable_index = off; SELECT count(*) FROM films WHERE year >= 0",
    "a lookup by a pointer index": "SELECT count(note) FROM films WHERE 'a1' = ANY (actors)",
    "a lookup by a covering index": "SELECT sum(year) FROM films WHERE year BETWEEN 3 AND 20",
    "a union": "SELECT count(note) FROM films WHERE 'a1' = ANY (actors) OR year = 7 OR (genre = 'g1' AND name = 'n1')",
    "an ordered scan": "SELECT name FROM films WHERE genre = 'g1' ORDER BY name LIMIT 20",
    "partitions that are skipped": "SELECT DISTINCT genre FROM films",
    "a lookup join": "SELECT count(f.note) FROM wanted w JOIN films f ON f.genre = w.genre AND f.name = w.name",
    "ANALYZE": "ANALYZE films",
    "a check": "SELECT count(*) FROM itable_check_index('films_actors')",
    "IMPORT": "DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s; IMPORT FOREIGN SCHEMA tables FROM SERVER store INTO s",
    "the backlog": "SELECT count(*) FROM itable_indexes WHERE backlog >= 0",
}
WRITES = {
    "INSERT": "INSERT INTO films VALUES ('w', 'x', '{a1,b}', 1, 'n', 'new')",
    "INSERT ON CONFLICT": "INSERT INTO films VALUES ('w', 'x', '{a1,b}', 1, 'n', 'new'), ('g1', 'n1', '{}', 0, '', 'c1') ON CONFLICT DO NOTHING",
    "UPDATE": "UPDATE films SET actors = '{c}', year = year + 1, code = 'u' || code WHERE genre = 'g1' AND name IN ('n1', 'n4')",
    "DELETE": "DELETE FROM films WHERE genre = 'g2'",
    "repair": "CALL itable_repair_index('films_actors')",
    "building": "CALL itable_build_index('films_year')",
    "the queue": "SELECT itable_process_queue('store', 100)",
}


def renew(session):
    session.must("DELETE FROM films; INSERT INTO films SELECT 'g' || i % 3, 'n' || i, ARRAY['a' || i % 5, 'b' || i % 7], i, repeat('x', 50), 'c' || i "
                 "FROM generate_series(1, 60) i;")


def refused_at(session, statement, n):
    """The result with the n-th request and all that follow refused; None: it has fewer."""
    bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 1000, "action": "status", "status": 403})
    result = session.run(statement + ";")
    hits = bed.rule_hits()
    bed.control("DELETE", "/faults")
    session.run("ROLLBACK; RESET ALL; SET client_min_messages = error; SET itable_fdw.repair_age = 0; SET itable_fdw.catalog_lease = 0;")
    return result if hits > 0 else None


def sweep(session, name, statement, is_read):
    bad = []
    for n in range(1, 60):
        if not is_read:
            renew(session)
        result = refused_at(session, statement, n)
        if result is None:
            break
        if is_read and result.sqlstate is None:
            bad.append("request %d: no error but %s" % (n, result.text))
        if (result.sqlstate or "")[:2] == "XX" or result.sqlstate == "gone" or bed.KEY in result.text:
            bad.append("request %d: %s" % (n, result.text))
    again = session.run(statement + ";") if is_read else None
    bed.ok(n > 1 and not bad and (again is None or again.sqlstate is None), "%s: clean errors at each of %d requests" % (name, n - 1),
           "\n".join(bad) or again and again.text)


def of_others(session):
    """What another program wrote."""
    plain.put("filmsactors", "stray", '"x",y', note="no fact")
    result = session.run("SELECT note FROM films WHERE 'stray' = ANY (actors);")
    bed.ok(result.sqlstate in (None, "XX001", "HV000") or result.sqlstate[:2] != "XX", "an entry that names no fact", result.text)
    plain.delete("filmsactors", "stray", '"x",y')
    plain.put("films", "z", "zero", note="a\0b", year=1)
    result = session.run("SELECT note FROM films WHERE genre = 'z';")
    bed.ok(result.sqlstate == "22P05" and "zero character" in result.text, "text with U+0000 is an error", result.text)
    bed.ok(session.run("SELECT year FROM films WHERE genre = 'z';").text == "1", "when it is read, and only then")
    plain.delete("films", "z", "zero")


def main():
    session = bed.Session()
    bed.make_server(session)
    session.must("SET client_min_messages = error; SET itable_fdw.repair_age = 0; SET itable_fdw.catalog_lease = 0;"
                 "CREATE FOREIGN TABLE films (genre text OPTIONS (key 'partition') COLLATE \"C\" NOT NULL, name text OPTIONS (key 'row') COLLATE \"C\" NOT NULL, "
                 "actors text[], year int, note text, code text) SERVER store OPTIONS (fetch_size '8'); DO $$BEGIN PERFORM itable_create_table('films'); END$$;")
    for arguments in ("'films_actors', '{actors}'", "'films_year', '{year}', include => '{year}'", "'films_code', '{code}', is_unique => true",
                      "'films_here', '{note}', colocated => true", "'films_later', '{actors}', include => '{year}', maintenance => 'queued'"):
        session.must("CALL itable_create_index('films', %s);" % arguments)
    renew(session)
    session.must("SELECT itable_process_queue('store', 1000); CREATE TABLE wanted AS SELECT genre, name FROM films LIMIT 9; ANALYZE wanted;")
    for name, statement in READS.items():
        sweep(session, name, statement, True)
    for name, statement in WRITES.items():
        sweep(session, name, statement, False)
    renew(session)
    of_others(session)
    session.must("SELECT itable_process_queue('store', 1000);")
    for index in ("films_actors", "films_year", "films_code", "films_here", "films_later"):
        session.must("CALL itable_repair_index('%s');" % index)
        problems = session.run("SELECT * FROM itable_check_index('%s');" % index)
        bed.ok(problems.text == "", "index table %s is right in the end" % index, problems.text)
    bed.finish()


main()
