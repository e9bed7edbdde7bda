#!/usr/bin/env python3
"""A backend is ended when the store has seen the n-th request of its commit, for
every n: no lookup may then miss a committed movie, or show one that is not there."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402


def interrupt(watcher, n, times, kill):
    """One commit, ended at request n; False when it had fewer requests."""
    movies.renew(watcher)
    session = bed.Session()
    session.must(movies.STATEMENTS)
    return bed.end_at_request(session, "COMMIT;", n, times, kill)


def sweep(watcher, label, times, kill, step=1, restarts=False):
    n = 1
    states = set()
    while interrupt(watcher[0], n, times, kill):
        if restarts:
            watcher[0] = bed.after_restart(watcher[0])
        state = movies.facts(watcher[0])
        found = movies.problems(watcher[0])
        states.add("before" if state == movies.BASE else "after" if state == movies.AFTER else "between")
        bed.ok(not found and movies.whole(state), "%s at request %d" % (label, n),
               "\n".join(found) + "\n%s" % state)
        bed.ok(movies.goes_on(watcher[0]), "and then everything goes on")
        n += step
    bed.ok(n > 8 and states >= {"before", "after"}, "%s: %d requests, states %s" % (label, n - 1, sorted(states)))


def main():
    watcher = [bed.Session()]
    bed.make_server(watcher[0], options=", max_retries '0'")
    movies.create(watcher[0])
    movies.check_plans(watcher[0])

    def terminate(pid):
        watcher[0].must("SELECT pg_terminate_backend(%d);" % pid)

    sweep(watcher, "terminated", 0, terminate)
    # request n unanswered, those beside and after it served
    sweep(watcher, "terminated, one request lost", 1, terminate)
    # the postmaster restarts all
    sweep(watcher, "killed", 0, lambda pid: os.kill(pid, signal.SIGKILL), step=4, restarts=True)
    bed.finish()


main()
