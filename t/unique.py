#!/usr/bin/env python3
"""Unique indexes: a backend is ended at the n-th request of its commit, for every n; many
sessions want the same keys and some are killed.  Never do two rows have one key, every
row is found by its keys, and after itable_repair_index nothing is wrong and every free
key can be had.  One of the keys passes from a deleted row to a new one."""
import os
import random
import signal
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

BASE = {("red", "1"): ("upd", "{a,b}"), ("red", "2"): ("del", "{c}"), ("blue", "1"): ("stay", "{d}")}
AFTER = {("red", "1"): ("upd2", "{b,e}"), ("blue", "1"): ("stay", "{d}"), ("red", "3"): ("new", "{f,g}"),
         ("blue", "2"): ("new2", "{c,h}")}
STATEMENTS = """BEGIN;
INSERT INTO users VALUES ('red', 3, 'new', '{f,g}'), ('blue', 2, 'new2', '{c,h}');
UPDATE users SET email = 'upd2', tags = '{b,e}' WHERE team = 'red' AND id = 1;
DELETE FROM users WHERE team = 'red' AND id = 2;"""
EXPECTED = ("40001", "23505", "53000", "08007", "08006", "gone", "57P01", "57P02", "57P03")


def create(session):
    session.must("""CREATE FOREIGN TABLE users (
        team text OPTIONS (key 'partition') NOT NULL,
        id integer OPTIONS (key 'row') NOT NULL,
        email text, tags text[]) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('users'); END$$;""")
    session.must("CALL itable_create_index('users', 'by_email', '{email}', is_unique => true);")
    session.must("CALL itable_create_index('users', 'by_tag', '{tags}', include => '{team,id,email}', is_unique => true);")


def renew(session):
    session.must("""DO $$BEGIN
        PERFORM itable_drop_table('users'), itable_drop_table('by_email'), itable_drop_table('by_tag');
        PERFORM itable_create_table('users'), itable_create_table('by_email'), itable_create_table('by_tag');
        END$$;""")
    session.must("INSERT INTO users VALUES %s;" % ", ".join(
        "('%s', %s, '%s', '%s')" % (key + value) for key, value in BASE.items()))


def facts(session):
    rows = session.must("SET itable_fdw.enable_index = off; SELECT team, id, email, tags FROM users;"
                        "RESET itable_fdw.enable_index;").rows
    return {(row[0], row[1]): (row[2], row[3]) for row in rows if len(row) == 4}


def problems(session):
    """What uniqueness and lookups say against the fact table; a list of texts."""
    found = []
    emails, tags = {}, {}
    truth = facts(session)
    for key, (email, tag_list) in truth.items():
        emails.setdefault(email, []).append(key)
        for tag in tag_list.strip("{}").split(","):
            tags.setdefault(tag, []).append(key)
    emails.pop("", None)
    tags.pop("", None)
    for name, keys in (("email", emails), ("tag", tags)):
        found += ["%s %s twice: %s" % (name, key, rows) for key, rows in keys.items() if len(rows) > 1]
    for email, rows in emails.items():
        got = session.must("SELECT team, id FROM users WHERE email = '%s';" % email).rows
        if [tuple(row) for row in got] != rows:
            found.append("lookup of email %s: %s instead of %s" % (email, got, rows))
    got = session.must("SELECT tag, team, id FROM by_tag;").rows
    want = sorted([tag] + list(row) for tag, rows in tags.items() for row in rows)
    if sorted(row for row in got if len(row) == 3) != want:
        found.append("by_tag: %s instead of %s" % (got, want))
    return found


def mended(session):
    """After repair nothing is wrong; a list of texts."""
    result = session.must("SET itable_fdw.repair_age = 0;"
                          "CALL itable_repair_index('by_email'); CALL itable_repair_index('by_tag');"
                          "SELECT * FROM itable_check_index('by_email') UNION ALL SELECT * FROM itable_check_index('by_tag');"
                          "RESET itable_fdw.repair_age;")
    return result.text


def keys_are_free(session):
    """Keys that no row has can be had by another row."""
    session.must("DELETE FROM users;")
    result = session.run("INSERT INTO users SELECT 'other', i, (ARRAY['upd','del','stay','upd2','new','new2'])[i],"
                         "ARRAY[chr(96 + i), chr(103 + i)] FROM generate_series(1, 6) i;")
    return result.sqlstate is None and problems(session) == []


def interrupt(watcher, n, times, kill):
    """One commit, ended at request n; False when it had fewer requests."""
    renew(watcher)
    session = bed.Session()
    session.must(STATEMENTS)
    return bed.end_at_request(session, "COMMIT;", n, times, kill)


def sweep(watcher, label, times, kill, step=1, restarts=False):
    n = 1
    states = set()
    while interrupt(watcher[0], n, times, kill):
        if restarts:
            watcher[0] = bed.after_restart(watcher[0])
        session = watcher[0]
        found = problems(session)
        state = facts(session)
        states.add("before" if state == BASE else "after" if state == AFTER else "between")
        # every second time without a repair: whoever wants a key takes it over
        wrong = mended(session) if n % 2 == 0 else ""
        session.must("SET itable_fdw.repair_age = 0;")
        free = keys_are_free(session)
        session.must("RESET itable_fdw.repair_age;")
        bed.ok(not found and wrong == "" and free, "%s at request %d" % (label, n),
               "\n".join(found) + "\n%s\n%s\nfree: %s" % (state, wrong, free))
        n += step
    bed.ok(n > 8 and states >= {"before", "after"}, "%s: %d requests, states %s" % (label, n - 1, sorted(states)))


def another_cluster():
    """It knows the indexes from the store's catalog only."""
    cluster = bed.Cluster()
    session = bed.Session(cluster)
    bed.make_server(session)
    session.must("""CREATE FOREIGN TABLE users (
        team text OPTIONS (key 'partition') NOT NULL,
        id integer OPTIONS (key 'row') NOT NULL,
        email text, tags text[]) SERVER store;
        SELECT itable_import_indexes('users');""")
    unique = session.must("SELECT count(*) FROM itable_indexes WHERE is_unique AND state = 'readable';").text
    bed.ok(unique == "2", "a second cluster imports both indexes as unique", unique)
    session.close()
    return cluster


def same_key(count, rounds, cluster):
    """All insert one key at the same moment: one wins, the others are told 23505."""
    sessions = [bed.Session(cluster if i % 2 else None) for i in range(count)]
    for session in sessions:
        session.must("SELECT count(*) FROM users WHERE email = 'warm up';")
    bad = []
    for number in range(rounds):
        for i, session in enumerate(sessions):
            session.must("BEGIN; INSERT INTO users VALUES ('s%d', %d, 'race%d', '{r%d}');" % (i, number, number, number))
        for session in sessions:
            session.start("COMMIT;")
        states = sorted(str(session.wait().sqlstate) for session in sessions)
        if states != ["23505"] * (count - 1) + ["None"]:
            bad.append("%d: %s" % (number, states))
    bed.ok(not bad, "of %d inserts of one key at a time exactly one succeeds, the others fail with 23505" % count,
           "\n".join(bad))
    # each has one of the keys and wants the other
    bad = []
    for number in range(rounds):
        for i, session in enumerate(sessions[:2]):
            session.must("BEGIN; INSERT INTO users VALUES ('s%d', %d, 'x%d', NULL), ('s%d', %d, 'y%d', NULL);"
                         % (i, 1000 + 2 * number, number, i, 1001 + 2 * number, number))
        for session in sessions[:2]:
            session.start("COMMIT;")
        states = sorted(str(session.wait().sqlstate) for session in sessions[:2])
        if states not in (["23505", "None"], ["40001", "None"]):
            bad.append("%d: %s" % (number, states))
    bed.ok(not bad, "two that want the same two keys: one succeeds", "\n".join(bad))
    for session in sessions:
        session.close()


def statement(rng):
    email = "e%d" % rng.randrange(6)
    tags = "{%s}" % ",".join(sorted(rng.sample("abcdef", rng.randrange(0, 3))))
    key = "team = 't%d' AND id = %d" % (rng.randrange(2), rng.randrange(5))
    dice = rng.random()
    if dice < 0.4:
        return "INSERT INTO users VALUES ('t%d', %d, '%s', '%s');" % (rng.randrange(2), rng.randrange(5), email, tags)
    if dice < 0.75:
        return "UPDATE users SET email = '%s', tags = '%s' WHERE %s;" % (email, tags, key)
    if dice < 0.9:
        return "DELETE FROM users WHERE %s;" % key
    return "DELETE FROM users WHERE email = '%s';" % email


def work(seed, outcomes, pids):
    rng = random.Random(seed)
    session = bed.Session()
    session.must("SET itable_fdw.repair_age = '200ms';")
    for _ in range(80):
        pids[seed] = session.pid
        result = session.run(statement(rng))
        outcomes.append((result.sqlstate or "committed", result.text))
        if result.sqlstate in ("gone", "57P01", "57P02") or session.process.poll() is not None:
            session.close()
            session = bed.Session()
    session.close()


def trouble(watcher, pids, over, rng):
    faults = [{"action": "drop_reply"}, {"action": "drop_before"}, {"action": "status", "status": 503},
              {"action": "delay", "ms": 30}]
    while not over.wait(0.05):
        bed.control("POST", "/faults", dict(rng.choice(faults), operation="any", nth=1 + rng.randrange(20), times=1))
        if rng.random() < 0.3:
            watcher.run("SELECT pg_terminate_backend(%d);" % rng.choice(list(pids.values()) or [0]))


def melee(watcher, count, seed):
    outcomes, pids, over = [], {}, threading.Event()
    threads = [threading.Thread(target=work, args=(i, outcomes, pids)) for i in range(count)]
    troubler = threading.Thread(target=trouble, args=(watcher, pids, over, random.Random(seed)))
    for thread in threads + [troubler]:
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    troubler.join()
    bed.control("DELETE", "/faults")
    tally = {}
    for outcome, _ in outcomes:
        tally[outcome] = tally.get(outcome, 0) + 1
    surprises = [text for outcome, text in outcomes if outcome != "committed" and outcome not in EXPECTED]
    bed.ok(not surprises and tally.get("committed", 0) > 50 and tally.get("23505", 0) > 5,
           "sessions that want the same keys, some ended: %s" % tally, "\n".join(surprises))
    found = problems(watcher)
    bed.ok(not found, "no two rows have one key, each is found by it", "\n".join(found))
    wrong = mended(watcher)
    bed.ok(wrong == "", "after repair nothing is wrong", wrong)


def main():
    watcher = [bed.Session()]
    bed.make_server(watcher[0], options=", max_retries '0'")
    create(watcher[0])

    def terminate(pid):
        watcher[0].must("SELECT pg_terminate_backend(%d);" % pid)

    cluster = another_cluster()
    same_key(5, 12, cluster)
    cluster.end()
    melee(watcher[0], 4, 7)
    sweep(watcher, "terminated", 0, terminate)
    sweep(watcher, "terminated, one request lost", 1, terminate)
    sweep(watcher, "killed", 0, lambda pid: os.kill(pid, signal.SIGKILL), step=3, restarts=True)
    bed.finish()


main()
