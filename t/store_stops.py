#!/usr/bin/env python3
"""The store dies in the middle of a commit, at its n-th request, and comes back:
the session gets an honest 08xxx, and lookups agree with the facts."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402


def interrupt(mock, session, n):
    """One commit during which the store dies at request n; None: it needed fewer."""
    session.must(movies.STATEMENTS)
    bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 0, "action": "silent"}, base=mock.control)
    session.start("COMMIT;")
    bed.wait_until(lambda: bed.rule_hits(mock.control) > 0 or not session.lines.empty())
    if bed.rule_hits(mock.control) == 0:
        bed.control("DELETE", "/faults", base=mock.control)
        session.wait()
        return None
    mock.kill()
    result = session.wait()
    mock.start()
    return result


def main():
    watcher = bed.Session()
    with tempfile.TemporaryDirectory() as directory:
        mock = bed.OwnMock(directory)
        bed.make_server(watcher, endpoint=mock.endpoint,
                        options=", max_retries '1', connect_timeout '2', request_timeout '20'")
        movies.create(watcher)
        movies.fill(watcher)
        session = bed.Session()
        n = 1
        while True:
            watcher.must("DELETE FROM movies;")
            movies.fill(watcher)
            result = interrupt(mock, session, n)
            if result is None:
                break
            state = movies.facts(watcher)
            found = movies.problems(watcher)
            if result.sqlstate is None:
                honest = state == movies.AFTER
            elif result.sqlstate == "08007":
                honest = "Applied" in result.text or "Unknown" in result.text
            else:
                honest = result.sqlstate[:2] == "08" and state == movies.BASE
            bed.ok(honest and movies.whole(state) and not found,
                   "stopped at request %d: %s" % (n, result.sqlstate or "committed"),
                   "\n".join(found) + "\n%s\n%s" % (state, result.text))
            bed.ok(movies.goes_on(session), "and then everything goes on, in the same session")
            n += 1
        bed.ok(n > 8, "the commit has %d requests" % (n - 1))
        session.close()
        mock.kill()
    bed.finish()


main()
