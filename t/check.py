#!/usr/bin/env python3
"""itable_check_index finds what a plain client or a crash has made of the store,
and itable_repair_index mends it, also when it is ended in the middle."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402
import plain  # noqa: E402

NO_AGE = "SET itable_fdw.repair_age = 0;"
CHECK = """SELECT problem, index_partition_key, index_row_key, fact_partition_key, fact_row_key, detail
    FROM itable_check_index('%s') ORDER BY 1, 2, 3;"""


def check(session, index="by_covering", before=NO_AGE):
    result = session.must(before + CHECK % index + "RESET itable_fdw.repair_age;")
    return [tuple(row) for row in result.rows]


def kinds(session, index, before=NO_AGE):
    return sorted((row[0], row[1]) for row in check(session, index, before))


def repair(session):
    session.must(NO_AGE + "CALL itable_repair_index('by_pointer'); CALL itable_repair_index('by_covering');"
                 "RESET itable_fdw.repair_age;")


def is_whole(session, label):
    problems = check(session, "by_pointer") + check(session, "by_covering")
    wrong = movies.problems(session)
    bed.ok(not problems and not wrong, label, "%s\n%s" % (problems, wrong))


def row_key(name, genre):
    return '%s",%s' % (name, genre)


def entry(name, genre, **more):
    return dict({"_itFactPK": genre, "_itFactRK": name, "_itEpoch": 0}, **more)


def written_by_hand(session):
    """Each problem on its own, by its name, and then all of them at once."""
    upd = row_key("upd", "Action")
    genuine = plain.get("bycovering", "Al", upd)
    bed.ok(genuine["_itVerified"] and genuine["_itFactRK"] == "upd", "the plain client reads an entry", genuine)
    steps = [
        ("deleted", lambda: plain.delete("bycovering", "Al", upd), ("missing", "Al", "the fact has no entry here")),
        ("of another year", lambda: plain.put("bycovering", "Al", upd, **dict(
            genuine, year=7)), ("contradicting", "Al", 'property "year" differs from the fact\'s')),
        ("with a year less", lambda: plain.put("bycovering", "Al", upd, **{
            k: v for k, v in genuine.items() if k != "year"}),
         ("contradicting", "Al", 'property "year" differs from the fact\'s')),
        ("with a property more", lambda: plain.put("bycovering", "Al", upd, **dict(
            genuine, extra="x")), ("contradicting", "Al", 'property "extra" differs from the fact\'s')),
        ("of another fact", lambda: plain.put("bycovering", "Al", upd, **dict(
            genuine, _itFactRK="stay")), ("contradicting", "Al", "the entry names another fact")),
        ("of no fact", lambda: plain.put("bycovering", "Al", upd, year=1),
         ("contradicting", "Al", "the entry names no fact")),
        ("not verified", lambda: plain.put("bycovering", "Al", upd, **dict(genuine, _itVerified=False)),
         ("unverified", "Al", "lookups read the fact behind it")),
        ("verified, of nobody", lambda: plain.put("bycovering", "Nobody", upd, **entry(
            "upd", "Action", _itVerified=True)),
         ("dangling", "Nobody", "the fact has no such entry, yet the entry is verified")),
        ("of a fact that is not there", lambda: plain.put("bycovering", "Al", row_key("gone", "Action"), **entry(
            "gone", "Action")), ("dangling", "Al", "there is no such fact")),
        ("of a stub", lambda: (plain.put("movies", "Action", "stub", _itStub=True),
                               plain.put("bycovering", "Al", row_key("stub", "Action"), **entry("stub", "Action"))),
         ("dangling", "Al", "the fact is only reserved")),
        ("with keys that are none", lambda: plain.put("bycovering", '*zz', "x", year=1),
         ("dangling", "*zz", "the entry names no fact")),
    ]
    for label, act, want in steps:
        act()
        rows = check(session)
        bed.ok([(row[0], row[1], row[5]) for row in rows] == [want], "an entry %s is %s" % (label, want[0]), rows)
        repair(session)
        is_whole(session, "and mended")
    bed.ok(plain.get("movies", "Action", "stub") is None, "the stub is gone")
    for _, act, _ in steps:
        act()
    bed.ok(len(check(session)) == 5, "all of them at once", check(session))
    repair(session)
    is_whole(session, "and mended")


def young_and_old(session):
    """What a writer may be about to settle is shown when it is old enough."""
    plain.put("bycovering", "Al", row_key("gone", "Action"), **entry("gone", "Action"))
    plain.put("bypointer", "Al", row_key("gone", "Action"), **entry("gone", "Action"))
    for index in ("by_pointer", "by_covering"):
        bed.ok(check(session, index, "") == [], "a young entry of %s is its writer's" % index)
        bed.ok(kinds(session, index) == [("dangling", "Al")], "unless age does not count")
    plain.put("bycovering", "Bob", row_key("upd", "Action"), **dict(
        plain.get("bycovering", "Bob", row_key("upd", "Action")), _itVerified=True, year=9))
    bed.ok(kinds(session, "by_covering", "") == [("contradicting", "Bob")], "a lie is a problem at any age")
    time.sleep(2.1)
    one_second = "SET itable_fdw.repair_age = '1s';"
    started = time.monotonic()
    bed.ok(kinds(session, "by_pointer", one_second) == [("dangling", "Al")], "an old one is a problem")
    bed.ok(1.0 <= time.monotonic() - started < 3.0, "of a pointer index when it was watched for that time")
    bed.ok(kinds(session, "by_covering", one_second) == [("contradicting", "Bob"), ("dangling", "Al")],
           "of a covering one at once")

    # a watch ends early when the writer settles, and by a cancel
    session.start("SET itable_fdw.repair_age = '2s';" + CHECK % "by_pointer")
    time.sleep(0.3)
    plain.delete("bypointer", "Al", row_key("gone", "Action"))
    result = session.wait()
    bed.ok(result.text == "" and result.seconds < 1.9, "an entry deleted meanwhile is none, and nobody waits for it",
           "%s %s" % (result.seconds, result.text))
    plain.put("bypointer", "Al", row_key("gone", "Action"), **entry("gone", "Action"))
    time.sleep(3.1)
    result = session.run("SET statement_timeout = '700ms';" + CHECK % "by_pointer" + "RESET statement_timeout;")
    bed.ok(result.sqlstate == "57014" and result.seconds < 1.5, "a watch can be cancelled", result.text)
    repair(session)
    is_whole(session, "all mended")


def slow_settling(session):
    """A writer between its commit and the end of its settling is no problem,
    however old the entries are that it is about to delete."""
    movies.renew(session)
    writer = bed.Session()
    age = "SET itable_fdw.repair_age = '2s';"
    time.sleep(3.1)
    for statement in ("DELETE FROM movies WHERE name = 'del';",
                      "UPDATE movies SET actors = '{Zoe}', year = 3 WHERE name = 'upd';",
                      "INSERT INTO movies VALUES ('Drama', 'new', '{Al}', 1);"):
        for table in ("bypointer", "bycovering"):
            for operation in ("delete", "update", "batch"):
                bed.control("POST", "/faults", {"operation": operation, "table": table, "times": 0,
                                                "action": "delay", "ms": 700})
        rows = []
        n = 0
        writer.start(statement)
        while writer.lines.empty():
            rows += [row for index in ("by_pointer", "by_covering") for row in check(session, index, age)]
            n += 1
        bed.control("DELETE", "/faults")
        writer.wait()
        bed.ok(n > 1 and not rows, "%s settles slowly: %d checks find nothing" % (statement[:6], n), rows)
    is_whole(session, "nor is anything wrong in the end")


def crashes(session):
    """A commit whose n-th request and all after it are refused: nothing a lookup
    would get wrong, and what is left over is found and mended."""
    n = 1
    found = set()
    while True:
        movies.renew(session)
        bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 1000, "action": "status",
                                        "status": 400, "code": "InvalidInput"})
        session.run(movies.STATEMENTS + "COMMIT; ROLLBACK;")
        hits = bed.rule_hits()
        bed.control("DELETE", "/faults")
        if hits == 0:
            break
        now = [kinds(session, index, "") for index in ("by_pointer", "by_covering")]
        later = check(session, "by_pointer") + check(session, "by_covering")
        found |= {row[0] for row in later}
        bed.ok(now == [[], []] and {row[0] for row in later} <= {"dangling", "unverified"},
               "refused from request %d on: nothing a lookup gets wrong" % n, "%s\n%s" % (now, later))
        repair(session)
        is_whole(session, "and mended: %d" % len(later))
        n += 1
    bed.ok(n > 8 and found == {"dangling", "unverified"}, "%d requests, found %s" % (n - 1, sorted(found)))


def broken_repairs(session):
    """A repair that is refused its n-th request ends with an error or leaves
    work; the next one does it."""
    n = 1
    while True:
        movies.renew(session)
        upd = row_key("upd", "Action")
        plain.delete("bycovering", "Al", upd)
        plain.put("bycovering", "Bob", upd, **dict(plain.get("bycovering", "Bob", upd), year=9))
        plain.put("bycovering", "Nobody", upd, **entry("upd", "Action", _itVerified=True))
        plain.put("bycovering", "Zoe", upd, **entry("upd", "Action"))
        plain.delete("movies", "Action", "del")
        bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 1000, "action": "status",
                                        "status": 400, "code": "InvalidInput"})
        result = session.run(NO_AGE + "CALL itable_repair_index('by_covering');")
        hits = bed.rule_hits()
        bed.control("DELETE", "/faults")
        if hits == 0:
            bed.ok(result.sqlstate is None, "a repair that is left alone ends well", result.text)
            break
        bed.ok(result.sqlstate is not None, "a repair refused request %d says so" % n, result.text)
        repair(session)
        problems = check(session)
        bed.ok(not problems, "and the next one mends the rest", problems)
        n += 1
    bed.ok(n > 15, "%d requests" % (n - 1))


def many(session):
    """More than one page, more than one round; requests by pages and problems."""
    session.must("INSERT INTO movies SELECT 'Many', 'm' || i, ARRAY['a' || i % 10, 'b'], i FROM generate_series(1, 2500) i;")
    text = session.must("""SELECT sum(requests) FROM itable_stats() WHERE operation <> 'table' \\gset before_
        SELECT count(*) FROM itable_check_index('by_covering');
        SELECT sum(requests) - :before_sum FROM itable_stats() WHERE operation <> 'table';""").text
    bed.ok(text == "0\n9", "2,503 facts and 5,008 entries: 3 and 6 pages", text)
    session.must("SELECT itable_drop_table('by_covering'), itable_create_table('by_covering');")
    text = session.must("""SELECT sum(requests) FROM itable_stats() WHERE operation <> 'table' \\gset before_
        SELECT count(*), count(DISTINCT (index_partition_key, index_row_key)) FROM itable_check_index('by_covering');
        SELECT sum(requests) - :before_sum FROM itable_stats() WHERE operation <> 'table';""").text
    bed.ok(text == "5008|5008\n%d" % (4 + 4 * 5008), "an empty index table: each entry missing, once", text)
    session.must("CALL itable_repair_index('by_covering');", 120)
    bed.ok(check(session) == [], "and mended")


def progress(session):
    """A backfill shows how far it is."""
    builder = bed.Session()
    for operation in ("batch", "update"):
        bed.control("POST", "/faults", {"operation": operation, "table": "bylate", "times": 0, "action": "delay", "ms": 20})
    builder.start("CALL itable_create_index('movies', 'by_late', '{year}');")
    seen = []

    def look():
        text = session.must("SELECT relid::regclass, index_relid::regclass, phase, tuples_done"
                            " FROM pg_stat_progress_create_index;").text
        if text and text not in seen:
            seen.append(text)
        return not builder.lines.empty()

    bed.wait_until(look, 60)
    bed.control("DELETE", "/faults")
    result = builder.wait()
    bed.ok(result.sqlstate is None and "movies|by_late|building index|1000" in seen, "the backfill's progress is shown",
           "%s\n%s" % (result.text, seen))
    bed.ok(session.must("SELECT count(*) FROM pg_stat_progress_create_index;").text == "0", "until it ends")


def main():
    session = bed.Session()
    bed.make_server(session, options=", max_retries '0'")
    movies.create(session)
    movies.fill(session)
    is_whole(session, "nothing is wrong")
    written_by_hand(session)
    young_and_old(session)
    if bed.CONTROL:
        slow_settling(session)
        crashes(session)
        broken_repairs(session)
    movies.renew(session)
    many(session)
    if bed.CONTROL:
        progress(session)
    bed.finish()


main()
