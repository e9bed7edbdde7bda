#!/usr/bin/env python3
"""Replies that are lost, requests that are lost, and refusals, at every request of a
commit: it succeeds, or says honestly that it cannot know; nothing is applied twice."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402

FAULTS = [("reply lost", {"action": "drop_reply"}),
          ("reply lost twice", {"action": "drop_reply", "times": 2}),
          ("request lost", {"action": "drop_before"}),
          ("503", {"action": "status", "status": 503}),
          ("500", {"action": "status", "status": 500, "code": "InternalError"}),
          ("all replies lost from there on", {"action": "drop_reply", "times": 0})]


def sweep(session, label, fault):
    n = 1
    outcomes = {}
    while True:
        movies.renew(session)
        session.must(movies.STATEMENTS)
        bed.control("POST", "/faults", dict(fault, operation="any", nth=n))
        result = session.run("COMMIT;")
        hits = bed.rule_hits()
        bed.control("DELETE", "/faults")
        if hits == 0:
            break
        state = movies.facts(session)
        found = movies.problems(session)
        outcome = result.sqlstate or "committed"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if outcome == "committed":
            honest = state == movies.AFTER
        elif outcome == "08007":
            honest = "Applied: " in result.text or "Unknown: " in result.text
        else:
            honest = outcome not in ("40001", "23505") and state == movies.BASE
        bed.ok(honest and movies.whole(state) and not found, "%s at request %d: %s" % (label, n, outcome),
               "\n".join(found) + "\n%s\n%s" % (state, result.text))
        bed.ok(movies.goes_on(session), "and then everything goes on")
        n += 1
    print("# %s: %s" % (label, outcomes))
    return n, outcomes


def without_index(session):
    """Tables without indexes have no write ids: contents must do."""
    session.must("""CREATE FOREIGN TABLE plain (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL, year integer) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('plain'); END$$;""")
    for action in ("drop_reply", "drop_before"):
        for name, before, statement, after in (
                ("one insert", "", "INSERT INTO plain VALUES ('A', 'x', 1);", "x1"),
                ("a batch", "", "INSERT INTO plain VALUES ('A', 'x', 1), ('A', 'y', 2);", "x1 y2"),
                ("an update", "INSERT INTO plain VALUES ('A', 'x', 1);", "UPDATE plain SET year = year + 1;", "x2"),
                ("a delete", "INSERT INTO plain VALUES ('A', 'x', 1);", "DELETE FROM plain;", "")):
            session.must("DELETE FROM plain; " + before)
            session.must("BEGIN; " + statement)
            bed.control("POST", "/faults", {"operation": "any", "action": action})
            result = session.run("COMMIT;")
            bed.control("DELETE", "/faults")
            rows = session.must("SELECT string_agg(name || year, ' ' ORDER BY name) FROM plain;").text
            honest = rows == after if result.sqlstate is None else result.sqlstate == "08007"
            bed.ok(honest, "%s, %s: %s" % (action, name, result.sqlstate or "committed"), rows + result.text)


def main():
    session = bed.Session()
    bed.make_server(session, options=", max_retries '1'")
    movies.create(session)
    for label, fault in FAULTS:
        n, outcomes = sweep(session, label, fault)
        bed.ok(n > 8, "%s: %d requests" % (label, n - 1))
        if label in ("reply lost", "request lost", "503", "500"):
            bed.ok(set(outcomes) == {"committed"}, "%s once never fails the transaction" % label, outcomes)
    without_index(session)
    bed.finish()


main()
