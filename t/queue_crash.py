#!/usr/bin/env python3
"""Queued maintenance: a writer, or a worker, is ended when the store has seen its
n-th request, for every n.  Nothing is lost: the next worker leaves index tables
that are right.  Requests that arrive late; workers that wait for each other; then
several workers and writers at once (all that Azurite is asked)."""
import os
import random
import signal
import sys
import time

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
    # the dead are not waited for
    session.must("SET itable_fdw.repair_age = 0; %s RESET itable_fdw.repair_age;" % PROCESS)
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


def outlived(watcher, n):
    """A worker's request n waits in the network; the fact changes again, another worker comes;
    then the request arrives, and its sender is gone.  False when there are fewer requests."""
    movies.renew(watcher)
    watcher.must(PROCESS)
    watcher.must("UPDATE movies SET actors = '{Al,Dee}', year = 2 WHERE genre = 'Action' AND name = 'upd';")
    first, second = bed.Session(), bed.Session()
    for session in (first, second):
        session.must("SET itable_fdw.repair_age = '1s'; SELECT count(*) FROM movies;")
    bed.control("POST", "/faults", {"operation": "any", "nth": n, "action": "pause", "point": "late"})
    first.start(PROCESS)
    bed.wait_until(lambda: bed.rule_hits() > 0 or not first.lines.empty())
    hit = bed.rule_hits() > 0
    if hit:
        os.kill(first.pid, signal.SIGSTOP)
        watcher.must("UPDATE movies SET actors = '{Bob,Eve}', year = 3 WHERE genre = 'Action' AND name = 'upd';")
        second.start(PROCESS)
        time.sleep(0.1)
        watcher.must("SELECT pg_terminate_backend(%d);" % first.pid)
        bed.control("POST", "/release?point=late")
        os.kill(first.pid, signal.SIGCONT)
        bed.wait_until(lambda: not bed.is_alive(first.pid))
        second.wait()
    bed.control("DELETE", "/faults")
    first.wait()
    for session in (first, second):
        session.close()
    return hit


def late_touches(watcher):
    n = 1
    while outlived(watcher, n):
        found = wrong(watcher)
        bed.ok(not found, "request %d arrives after the fact has changed, its sender is gone" % n, "\n".join(found))
        n += 1
    bed.ok(n > 8, "late arrivals: %d requests" % (n - 1))


def patience(watcher):
    """Who was cancelled goes on at once; others wait until he must be dead."""
    movies.renew(watcher)
    session, other = bed.Session(), bed.Session()
    for one in (session, other):
        one.must("SET itable_fdw.repair_age = '2s';")
    # the baton is looked at, the outbox is read, the baton is taken
    bed.control("POST", "/faults", {"operation": "any", "nth": 4, "action": "silent"})
    session.start(PROCESS)
    bed.wait_until(lambda: bed.rule_hits() > 0)
    watcher.must("SELECT pg_cancel_backend(%d);" % session.pid)
    result = session.wait()
    bed.control("DELETE", "/faults")
    bed.ok(result.sqlstate == "57014", "a worker is cancelled", result.text)
    other.start(PROCESS)
    time.sleep(0.5)
    bed.ok(other.lines.empty(), "another waits for him")
    watcher.must("SELECT pg_cancel_backend(%d);" % other.pid)
    result = other.wait()
    bed.ok(result.sqlstate == "57014" and result.seconds < 1.5, "and can be cancelled", result.text)
    other.start(PROCESS)
    result = other.wait()
    bed.ok(result.text == "3" and 0.2 < result.seconds < 10, "until he must be dead",
           "%s, %.1f s" % (result.text, result.seconds))
    watcher.must("UPDATE movies SET year = year + 1;")
    bed.control("POST", "/faults", {"operation": "any", "nth": 4, "action": "silent"})
    session.start(PROCESS)
    bed.wait_until(lambda: bed.rule_hits() > 0)
    watcher.must("SELECT pg_cancel_backend(%d);" % session.pid)
    session.wait()
    bed.control("DELETE", "/faults")
    result = session.run(PROCESS)
    bed.ok(result.text == "3" and result.seconds < 1.5, "he himself goes on at once",
           "%s, %.1f s" % (result.text, result.seconds))
    for one in (session, other):
        one.close()


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
    found = wrong(watcher)
    bed.ok(not found, "two writers and two workers at once", "\n".join(found))
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

    if bed.CONTROL:
        sweep(watcher, "writer terminated", "COMMIT;", lambda session: None, 0, terminate, 1)
        sweep(watcher, "writer terminated, one request lost", "COMMIT;", lambda session: None, 1, terminate, 1)
        sweep(watcher, "worker terminated", PROCESS, change, 0, terminate, 8)
        sweep(watcher, "worker terminated, one request lost", PROCESS, change, 1, terminate, 8)
        kill_hard(watcher, change)
        late_touches(watcher[0])
        patience(watcher[0])
    crowd(watcher[0])
    bed.finish()


main()
