#!/usr/bin/env python3
"""A store that accepts and stays silent: cancel, statement_timeout and terminate act
within a second, wherever the backend waits, and leave no descriptor behind."""
import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402


class Silence:
    """Accepts connections and never answers."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            self.connections.append(self.listener.accept()[0])


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def main():
    silence = Silence()
    watcher = bed.Session()
    bed.make_server(watcher, "silent", "http://127.0.0.1:%d/devstoreaccount1" % silence.port)
    watcher.must("""CREATE FOREIGN TABLE movies (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL, actors text[]) SERVER silent;
        CREATE FOREIGN TABLE by_actor (actor text OPTIONS (key 'partition', element_of 'actors') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL, genre text OPTIONS (key 'row') NOT NULL)
        SERVER silent OPTIONS (index_of 'movies');
        CREATE FOREIGN TABLE plain (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL) SERVER silent OPTIONS (async_capable 'true');
        ALTER FOREIGN TABLE movies OPTIONS (ADD async_capable 'true');""")
    source = os.path.join("/tmp", "itable-silent-%d.txt" % os.getpid())
    with open(source, "w") as file:
        file.write("".join("A\tx%d\n" % i for i in range(300)))
    os.chmod(source, 0o644)
    cases = [("a point read", "", "SELECT * FROM movies WHERE genre = 'A' AND name = 'x';"),
             ("a full scan", "", "SELECT * FROM movies;"),
             ("scans beside each other", "", "SELECT name FROM movies UNION ALL SELECT name FROM plain;"),
             ("a lookup join", "SET enable_hashjoin = off; SET enable_mergejoin = off;",
              "SELECT count(*) FROM generate_series(1, 50) i JOIN plain ON genre = 'A' AND name = i::text;"),
             ("an index lookup", "", "SELECT * FROM movies WHERE 'Al' = ANY (actors);"),
             ("a scan of the index table", "", "SELECT * FROM by_actor;"),
             ("an update that reads", "", "UPDATE movies SET actors = '{Al}';"),
             ("an insert at its commit", "", "INSERT INTO plain VALUES ('A', 'x');"),
             ("an indexed insert at its commit", "", "INSERT INTO movies VALUES ('A', 'x', '{Al}');"),
             ("COMMIT", "BEGIN; INSERT INTO plain VALUES ('A', 'x'), ('B', 'x');", "COMMIT;"),
             ("COPY FROM", "", "COPY plain FROM '%s';" % source),
             ("COPY TO", "", "COPY (SELECT * FROM plain) TO stdout;"),
             ("a commit in a procedure", "", "DO $$BEGIN INSERT INTO plain VALUES ('A', 'x'); COMMIT; END$$;"),
             ("itable_create_table", "", "SELECT itable_create_table('plain');")]
    session = bed.Session()
    session.must("SELECT 1;")
    before = None
    for turn in range(2):
        for label, prepare, statement in cases:
            if prepare:
                session.must(prepare)
            seen = len(silence.connections)
            session.start(statement)
            connected = bed.wait_until(lambda: len(silence.connections) > seen, 5)
            watcher.must("SELECT pg_sleep(0.05); SELECT pg_cancel_backend(%d);" % session.pid)
            cancelled = bed.time.monotonic()
            result = session.wait()
            seconds = bed.time.monotonic() - cancelled
            bed.ok(connected and seconds < 1 and result.sqlstate in ("57014", "08007"),
                   "cancel of %s" % label, "%.2f s, %s" % (seconds, result.text))
            if prepare:
                session.must(prepare)
            session.start("SET statement_timeout = 300;\n%s\nRESET statement_timeout;" % statement)
            result = session.wait()
            bed.ok(0.25 < result.seconds < 1.3 and result.sqlstate in ("57014", "08007"),
                   "statement_timeout of %s" % label, "%.2f s, %s" % (result.seconds, result.text))
        if turn == 0:
            before = descriptors(session.pid)
    after = descriptors(session.pid)
    bed.ok(after <= before, "no descriptor stays behind", "%s, then %s" % (before, after))
    bed.ok(session.run("SELECT 42;").text == "42", "the session lives on")

    for label, prepare, statement in cases:
        victim = bed.Session()
        if prepare:
            victim.must(prepare)
        seen = len(silence.connections)
        victim.start(statement)
        bed.wait_until(lambda: len(silence.connections) > seen, 5)
        watcher.must("SELECT pg_terminate_backend(%d);" % victim.pid)
        gone = bed.wait_until(lambda: not bed.is_alive(victim.pid), 1)
        bed.ok(gone, "terminate during %s" % label)
        victim.wait()
        victim.close()
    os.remove(source)

    # the same session works with a store that answers
    bed.make_server(session, "store")
    session.must("""CREATE FOREIGN TABLE answering (genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('answering'); END$$;
        INSERT INTO answering VALUES ('A', 'x');""")
    bed.ok(session.run("SELECT name FROM answering;").text == "x", "another server is not concerned")
    # a timeout that is long enough is disarmed after the commit, and hits nobody later
    session.must("SET statement_timeout = 400; INSERT INTO answering VALUES ('A', 'y');")
    result = session.must("RESET statement_timeout; SELECT pg_sleep(0.6); SELECT count(*) FROM answering;")
    bed.ok(result.rows[-1] == ["2"], "a statement_timeout that was not needed does not fire later", result.text)
    bed.finish()


main()
