"""The transaction that the crash tests interrupt, and what must hold afterwards."""
import bed

BASE = {("Action", "upd"): ("{Al,Bob}", "1"), ("Action", "del"): ("{Bob,Dee}", "1"),
        ("Action", "stay"): ("{Al,Bob,Cid,Dee}", "1")}
AFTER = {("Action", "upd"): ("{Al,Dee}", "2"), ("Action", "stay"): ("{Al,Bob,Cid,Dee}", "1"),
         ("Action", "new1"): ("{Al,Bob}", "2"), ("Drama", "new2"): ("{Bob,Eve}", "2")}
ACTORS = ["Al", "Bob", "Cid", "Dee", "Eve"]
STATEMENTS = """BEGIN;
INSERT INTO movies VALUES ('Action', 'new1', '{Al,Bob}', 2, 'x'), ('Drama', 'new2', '{Bob,Eve}', 2, 'x');
UPDATE movies SET actors = '{Al,Dee}', year = 2 WHERE genre = 'Action' AND name = 'upd';
DELETE FROM movies WHERE genre = 'Action' AND name = 'del';"""


def create(session):
    session.must("""CREATE FOREIGN TABLE movies (
        genre text OPTIONS (key 'partition') NOT NULL,
        name text OPTIONS (key 'row') NOT NULL,
        actors text[], year integer, note text) SERVER store;
        DO $$BEGIN PERFORM itable_create_table('movies'); END$$;""")
    session.must("CALL itable_create_index('movies', 'by_pointer', '{actors}');")
    session.must("CALL itable_create_index('movies', 'by_covering', '{actors}', include => '{year,actors}');")


def renew(session):
    """The tables as they were before the transaction, whatever is there now."""
    session.must("""DO $$BEGIN
        PERFORM itable_drop_table('movies'), itable_drop_table('by_pointer'), itable_drop_table('by_covering');
        PERFORM itable_create_table('movies'), itable_create_table('by_pointer'), itable_create_table('by_covering');
        END$$;""")
    fill(session)


def fill(session):
    session.must("INSERT INTO movies VALUES %s;" % ", ".join(
        "('%s', '%s', '%s', %s, 'x')" % (key + value) for key, value in BASE.items()))


def facts(session):
    rows = session.must("SET itable_fdw.enable_index = off; SELECT genre, name, actors, year FROM movies;"
                        "RESET itable_fdw.enable_index;").rows
    return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def problems(session):
    """What lookups and index tables say against the fact table; a list of texts."""
    found = []
    truth = facts(session)
    for actor in ACTORS:
        want = sorted((key[0], key[1], value[1]) for key, value in truth.items() if actor in value[0][1:-1].split(","))
        for kind, column in (("pointer", ", note"), ("covering", "")):
            rows = session.must("SELECT genre, name, year%s FROM movies WHERE '%s' = ANY (actors);"
                                % (column, actor)).rows
            got = sorted(tuple(row[:3]) for row in rows)
            if got != want:
                found.append("%s lookup of %s: %s instead of %s" % (kind, actor, got, want))
        for index, column in (("by_pointer", "'?'"), ("by_covering", "year")):
            rows = session.must("SELECT genre, name, %s FROM %s WHERE actor = '%s';" % (column, index, actor)).rows
            got = sorted(tuple(row) for row in rows)
            wanted = [w if index == "by_covering" else (w[0], w[1], "?") for w in want]
            if got != wanted:
                found.append("%s of %s: %s instead of %s" % (index, actor, got, wanted))
    return found


def partition(state, genre):
    return {key: value for key, value in state.items() if key[0] == genre}


def whole(state):
    """Is every partition as before or as after?  A partition is written at once."""
    return all(partition(state, genre) in (partition(BASE, genre), partition(AFTER, genre))
               for genre in ("Action", "Drama")) and len(state) <= 5


def check_plans(session):
    """The lookups must go through the index that they are to test."""
    for column, kind in ((", note", "pointer"), ("", "covering")):
        plan = session.must("EXPLAIN SELECT genre, name, year%s FROM movies WHERE 'Al' = ANY (actors);" % column)
        bed.ok("(%s)" % kind in plan.text, "lookups go through the %s index" % kind, plan.text)


def goes_on(session):
    """After the interruption the same keys can be deleted, inserted and changed."""
    session.must("DELETE FROM movies;")
    fill(session)
    session.must(STATEMENTS + "\nCOMMIT;")
    return facts(session) == AFTER and problems(session) == []
