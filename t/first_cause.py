#!/usr/bin/env python3
"""A commit that fails says why: the error of the claim that ended it, not what the others
under way met before they were known to be given up."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

CREATE = """CREATE FOREIGN TABLE people (
    team text OPTIONS (key 'partition') NOT NULL,
    id integer OPTIONS (key 'row') NOT NULL,
    email text, phone text) SERVER store;
    DO $$BEGIN PERFORM itable_create_table('people'); END$$;
    CALL itable_create_index('people', 'by_email', '{email}', is_unique => true);
    CALL itable_create_index('people', 'by_phone', '{phone}', is_unique => true);"""


def main():
    session = bed.Session()
    bed.make_server(session, options=", max_retries '0'")
    session.must(CREATE)
    session.must("SET itable_fdw.repair_age = 0; INSERT INTO people VALUES ('red', 1, 'a', '7');")
    # Claims whose owner is gone: each is looked for, one at a time to say which answer is last.
    session.must("""DO $$BEGIN
        PERFORM itable_drop_table('people'), itable_create_table('people'); END$$;""")
    bed.control("POST", "/faults", {"action": "status", "status": 503, "operation": "get", "table": "people",
                                    "nth": 1, "times": 1})
    bed.control("POST", "/faults", {"action": "delay", "ms": 300, "operation": "get", "table": "people",
                                    "nth": 2, "times": 1})
    result = session.run("INSERT INTO people VALUES ('red', 2, 'a', '7');")
    bed.ok(result.sqlstate == "53000", "what ended the commit is what is reported", result.text)
    bed.control("DELETE", "/faults")
    result = session.run("INSERT INTO people VALUES ('red', 2, 'a', '7');")
    bed.ok(result.sqlstate is None, "without the fault the keys of a fact that is gone can be had", result.text)
    bed.finish()


main()
