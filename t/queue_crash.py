#!/usr/bin/env python3
"""Queued maintenance: a writer, or a worker, is ended when the store has seen its
n-th request, for every n.  Nothing is lost: the next worker leaves index tables
that are right.  Then several workers and writers at once."""
import os
import random
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402

PROCESS = "SELECT itable_process_queue('store', 10000);"


def create(session):
    session.must("""CREATE FOREIGN TABLE movies (
        genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL,
        actors text[], year integer, note text) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('movies'); END$$;""")
    session.must("CALL itable_create_index('movies', 'by_pointer', '{actors}', maintenance => 'queued');")
    session.must("CALL itable_create_index('movies', 'by_covering', '{actors}', include => '{year,actors}',"
                 " maintenance => 'queued');")


def wrong(session):
    """What is wrong once all that is queued has been done; a list of texts."""
    session.must(PROCESS)
    found = movies.problems(session)
    backlog = session.must("SELECT sum(backlog) FROM itable_indexes;").text
    if backlog != "0":
        found.append("backlog %s" % backlog)
    for index in ("by_pointer", "by_covering"):
        rows = session.must("SET itable_fdw.repair_age = 0; SELECT * FROM itable_check_index('%s');"
                            "RESET itable_fdw.repair_age;" % index).rows
        found += ["%s: %s" % (index, row) for row in rows]
    return found


def interrupt(watcher, statement, prepare, n, times, kill):
    """One statement, ended at its request n; False when it had fewer."""
    movies.renew(watcher)
    watcher.must(PROCESS)
    prepare(watcher)
    session = bed.Session()
    session.must("SELECT count(*) FROM movies;")
    if statement == "COMMIT;":
        session.must(movies.STATEMENTS)
    return bed.end_at_request(session, statement, n, times, kill)


def sweep(watcher, label, statement, prepare, times, kill, least):
    n = 1
    while interrupt(watcher[0], statement, prepare, n, times, kill):
        found = wrong(watcher[0])
        bed.ok(not found, "%s at request %d" % (label, n), "\n".join(found))
        n += 1
    bed.ok(n > least, "%s: %d requests" % (label, n - 1))


def kill_hard(watcher, prepare):
    """As a crash of the server would: the worker gets no chance to do anything."""
    n = 3
    while interrupt(watcher[0], PROCESS, prepare, n, 0, lambda pid: os.kill(pid, signal.SIGKILL)):
        watcher[0] = bed.after_restart(watcher[0])
        found = wrong(watcher[0])
        bed.ok(not found, "worker killed at request %d" % n, "\n".join(found))
        n += 5


def crowd(watcher):
    """Two writers and two workers at once; afterwards one worker, and all is right."""
    movies.renew(watcher)
    writers = [bed.Session() for _ in range(2)]
    workers = [bed.Session() for _ in range(2)]
    chance = random.Random(20)
    errors = []
    for _ in range(40):
        for session in writers:
            name = "n%d" % chance.randrange(4)
            actors = ",".join(chance.sample(movies.ACTORS, chance.randrange(4)))
            session.start(chance.choice((
                "INSERT INTO movies VALUES ('Action', '%s', '{%s}', %d, 'x');" % (name, actors, chance.randrange(9)),
                "UPDATE movies SET actors = '{%s}', year = year + 1 WHERE genre = 'Action' AND name = '%s';" % (actors, name),
                "DELETE FROM movies WHERE genre = 'Action' AND name = '%s';" % name)))
        for session in workers:
            session.start(PROCESS)
        for session in writers + workers:
            result = session.wait()
            if result.sqlstate not in (None, "23505", "40001"):
                errors.append(result.text)
    bed.ok(not errors, "writers and workers get in nobody's way", "\n".join(errors))
    # where workers meet one may leave an entry that is not verified, which no lookup believes
    found = [text for text in wrong(watcher)
             if "yet the entry is verified" in text or not ("'dangling'" in text or "'unverified'" in text)]
    bed.ok(not found, "two writers and two workers at once", "\n".join(found))
    watcher.must("SET itable_fdw.repair_age = 0;")
    for index in ("by_pointer", "by_covering"):
        watcher.must("CALL itable_repair_index('%s');" % index)
    watcher.must("RESET itable_fdw.repair_age;")
    found = wrong(watcher)
    bed.ok(not found, "and repair leaves nothing of it", "\n".join(found))
    for session in writers + workers:
        session.close()


def main():
    watcher = [bed.Session()]
    bed.make_server(watcher[0], options=", max_retries '0'")
    create(watcher[0])

    def change(session):
        session.must(movies.STATEMENTS + "\nCOMMIT;")

    def terminate(pid):
        watcher[0].must("SELECT pg_terminate_backend(%d);" % pid)

    sweep(watcher, "writer terminated", "COMMIT;", lambda session: None, 0, terminate, 1)
    sweep(watcher, "writer terminated, one request lost", "COMMIT;", lambda session: None, 1, terminate, 1)
    sweep(watcher, "worker terminated", PROCESS, change, 0, terminate, 8)
    sweep(watcher, "worker terminated, one request lost", PROCESS, change, 1, terminate, 8)
    kill_hard(watcher, change)
    crowd(watcher[0])
    bed.finish()


main()
