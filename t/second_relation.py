#!/usr/bin/env python3
"""Two foreign tables over one store table: building and dropping an index wait for a
writer in the middle of its commit, whichever of them it writes through."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

DELAY_MS = 700


def main():
    builder, writer = bed.Session(), bed.Session()
    bed.make_server(builder)
    for name in ("one", "two"):
        builder.must("CREATE FOREIGN TABLE %s (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL,"
                     " actors text[]) SERVER store OPTIONS (table_name 'facts');" % name)
    builder.must("SELECT itable_create_table('one');")
    for name in ("one", "two"):
        writer.must("SELECT count(*) FROM %s;" % name)
        bed.control("POST", "/faults", {"operation": "insert", "action": "delay", "ms": DELAY_MS})
        writer.start("INSERT INTO %s VALUES ('A', 'late %s', '{Al}');" % (name, name))
        bed.ok(bed.wait_until(lambda: bed.rule_hits() > 0), "a writer through %s is committing" % name)
        built = builder.run("CALL itable_create_index('one', 'by_actor', '{actors}');")
        bed.ok(built.sqlstate is None, "an index is built meanwhile", built.text)
        bed.ok(writer.wait().sqlstate is None, "the writer commits")
        bed.control("DELETE", "/faults")
        found = builder.run("SELECT count(*) FROM one WHERE 'Al' = ANY (actors);").text
        entries = builder.run("SELECT count(*) FROM by_actor;").text
        facts = builder.run("SELECT count(*) FROM one;").text
        bed.ok(found == entries == facts, "its row is in the index", "facts %s, entries %s, found %s" % (facts, entries, found))

        bed.control("POST", "/faults", {"operation": "insert", "action": "delay", "ms": DELAY_MS})
        writer.start("INSERT INTO %s VALUES ('A', 'later %s', '{Al}');" % (name, name))
        bed.wait_until(lambda: bed.rule_hits() > 0)
        dropped = builder.run("CALL itable_drop_index('by_actor');")
        bed.ok(dropped.sqlstate is None, "the index is dropped meanwhile", dropped.text)
        written = writer.wait()
        bed.ok(written.sqlstate is None, "and its writer does not miss it", written.text)
        bed.control("DELETE", "/faults")
    bed.finish()


main()
