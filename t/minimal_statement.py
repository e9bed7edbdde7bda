#!/usr/bin/env python3
"""The differential test finds what differs, makes it small, and its script shows it.

Tables are made to differ on purpose (--plant: a row of the plain table is changed or deleted; an index table loses
its entries).  The script that is printed is then run by psql in a new database: both answers must differ there,
no longer without the planted lines, and little of the statement and of the rows may be left."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

CLAUSES = re.compile(r"\b(WHERE|AND|OR|NOT|JOIN|ORDER BY|GROUP BY|LIMIT|OFFSET|DISTINCT|EXISTS|UNION|EXCEPT|INTERSECT|LATERAL|WITH|EXECUTE|SET|BEGIN|FETCH)\b")
differential = os.path.join(bed.ROOT, "t/differential.py")
admin = bed.Session()


def answers(script, name):
    """What psql shows of both tables, in a database of its own."""
    # the server's tables are new, whatever earlier scripts called theirs
    script = script.replace("case1", name)
    admin.must("CREATE DATABASE %s;" % name)
    os.environ["PGDATABASE"] = name
    session = bed.Session()
    bed.make_server(session)
    session.close()
    text = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-P", "null=NULL"], input=script, text=True, capture_output=True).stdout
    os.environ["PGDATABASE"] = "postgres"
    parts = re.split(r"^== the (?:foreign|plain) table$", text, flags=re.M)
    return [sorted(part.split("\n")) for part in parts[1:]]


def check(plant, seed):
    name = "%s%d" % (plant, seed)
    admin.must("CREATE DATABASE search_%s;" % name)
    environment = dict(os.environ, PGDATABASE="search_" + name)
    del environment["ITABLE_TEST_ENDPOINT"]     # a store of its own, for the tables have the same names each time
    output = subprocess.run([os.path.join(bed.ROOT, "tools/with-store.sh"), "--" + os.environ["ITABLE_TEST_STORE"], "--", differential,
                             "--plant", plant, "--seed", str(seed), "--count", "20000"], text=True, capture_output=True, env=environment).stdout
    found = re.search(r"^-- begin of script\n(.*)^-- end of script", output, re.M | re.S)
    if not bed.ok(found, "%s, seed %d: the difference is found" % (plant, seed), output[-3000:]):
        return
    script = found.group(1)
    shown = answers(script, name)
    bed.ok(len(shown) == 2 and shown[0] != shown[1], "%s, seed %d: its script shows it" % (plant, seed), script)
    planted = [line for line in script.splitlines() if "_raw" in line or re.match(r"(UPDATE|DELETE FROM) p_", line)]
    without = "\n".join(line for line in script.splitlines() if line not in planted) + "\n"
    shown = answers(without, name + "not")
    bed.ok(planted and len(shown) == 2 and shown[0] == shown[1], "%s, seed %d: and without the planted lines nothing" % (plant, seed), script)
    statements = re.search(r"^\\echo == the foreign table\n(.*?)^\\echo", script, re.M | re.S).group(1)
    bed.ok(statements.count(";\n") == 1 and len(CLAUSES.findall(statements)) <= (2 if plant == "row" else 3),
           "%s, seed %d: its statement is small" % (plant, seed), script)
    rows = [line.count("), (") + 1 for line in script.splitlines() if line.startswith("INSERT INTO f_")]
    columns = script.split("CREATE TABLE p_case1 (")[1].split(", UNIQUE")[0].count(",") + 1
    bed.ok(rows and rows[0] <= 2 and columns <= 5 and script.count("CALL itable_create_index") == (plant == "index"),
           "%s, seed %d: its tables are small" % (plant, seed), script)


for planted_seed in (5, 12):
    check("row", planted_seed)
    check("index", planted_seed)
bed.finish()
