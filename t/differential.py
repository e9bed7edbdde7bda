#!/usr/bin/env python3
"""Random statements against foreign tables and plain tables with the same hostile rows:
every answer must be the same (G7), with any index, any plan, any paging.

    t/differential.py [--seed N] [--count N] [--plant row|index] [--shrink SECONDS] [--all]   (FUZZ_SEED, FUZZ_COUNT)

A difference prints its seed, the smallest statement that shows it and a psql script with the few rows that
it needs; `make fuzz-sql SEED=N COUNT=N` runs a seed alone.  --plant makes tables that do differ, which
must be found (t/minimal_statement.py); --all goes on after the first difference."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
from grammar import Grammar  # noqa: E402
from hostile import definitions  # noqa: E402
from steps import OneSide, Rows  # noqa: E402
from trial import SIDES, Bench, Case  # noqa: E402
from tree import Context, literal  # noqa: E402


class Differ:
    def __init__(self, options):
        self.options = options
        self.bench = Bench()
        self.grammar = Grammar(options.seed)
        self.random = self.grammar.random
        self.found = []                         # the texts of differences
        self.scripts = []
        bed.make_server(self.bench.foreign)
        self.setting_names = {row[0] for row in self.bench.foreign.must("LOAD 'itable_fdw'; SELECT name FROM pg_settings").rows}
        self.definitions = definitions(self.random)
        self.settings = ()
        self.stories = {}                       # of each table: its first rows, and the steps that were committed

    def create(self, definition):
        """The tables, each with the same rows."""
        name = definition.name
        rows = Rows(definition.columns(), [self.grammar.row(definition) for _ in range(self.random.choice([20, 60, 60, 120]))])
        case = Case((), (), definition, rows)
        for text in case.tables(name) + case.contents(name):
            self.bench.foreign.must(text)
        self.stories[name] = [rows]

    def plant(self, definition):
        """What differs on purpose: the steps that make it so."""
        steps = self.plant_index() if self.options.plant == "index" else self.plant_row(definition)
        for step in steps:
            for side in SIDES:
                for text in step.statements(Context(side, definition.name)):
                    self.bench.foreign.must(text)
        return steps

    def plant_index(self):
        """Somebody deletes all entries of the first index table, so that only lookups by it go wrong."""
        return (OneSide("f_", "CREATE FOREIGN TABLE {T}_raw (p text OPTIONS (key 'partition'), r text OPTIONS (key 'row')) SERVER store "
                        "OPTIONS (table_name '{N}i0', key_encoding 'raw')"), OneSide("f_", "DELETE FROM {T}_raw"))

    def plant_row(self, definition):
        """A row of the plain table becomes another one, or none."""
        row = self.random.choice(self.bench.plain.must("SELECT * FROM p_%s" % definition.name).rows)
        where = " AND ".join("%s = %s" % (column.name, literal(value, column.kind)) for column, value in zip(definition.keys, row))
        column = self.random.choice([column for column in definition.properties if column.kind != "float8"])
        value = row[definition.names().index(column.name)]
        other = {"boolean": "NOT %s", "text[]": "array_append(%s, 'a')", "text": "%s || 'a'", "int": "%s # 1", "bigint": "%s # 1",
                 "uuid": "NULL"}.get(column.kind, "%s - interval '1 day'").replace("%s", column.name)
        kind = self.random.randrange(3) if value is not None else 0
        text = ["DELETE FROM {T} WHERE " + where, "UPDATE {T} SET %s = NULL WHERE %s" % (column.name, where),
                "UPDATE {T} SET %s = %s WHERE %s" % (column.name, other, where)][kind]
        return (OneSide("p_", text),)

    def snapshot(self, definition, side):
        """The rows of a table now."""
        self.bench.apply([setting for setting in self.settings if setting.server])
        answer = self.bench.foreign.must("SELECT %s FROM %s%s" % (", ".join(
            "to_json(%s)" % name if name == "l" else name for name in definition.names()), side, definition.name))
        rows = [dict(zip(definition.names(), row)) for row in answer.rows]
        for row in rows:
            row["l"] = None if row["l"] is None else bed.json.loads(row["l"])
        self.bench.apply(self.settings)
        return Rows(definition.columns(), rows)

    def report(self, definition, steps, difference, before, plant):
        """Makes the case small and keeps what is to be printed."""
        at = difference.step + 1
        started = time.monotonic()
        answers = self.bench.answers
        case = Case(self.settings, steps[:at])
        first, *history = self.stories[definition.name]
        story = [(before, (), plant)] + ([(first, history, plant)] if history else [])
        case, anew, tried = self.bench.minimize(case, definition.name, definition, story, self.options.shrink)
        title = "seed %d, statement %d" % (self.options.seed, answers)
        lines = ["%s: foreign and plain table differ" % title, str(difference), "smallest (%d tries, %.0f s):" % (tried, time.monotonic() - started)]
        if anew:
            name = "case%d" % (len(self.scripts) + 1)
            text = case.script(name, title)
            self.scripts.append(text)
            lines += [text]
            again = self.bench.differs_anew(case, "last%d" % len(self.scripts))
            lines += ["-- found    %s" % again.foreign, "-- expected %s" % again.plain] if again else ["-- not every time"]
        else:
            lines += ["(only on the tables as this seed has left them)", case.statement(definition.name)]
        self.found.append("\n".join(lines))
        print("\n".join("# " + line for line in "\n".join(lines).splitlines()))
        sys.stdout.flush()
        self.bench.answers = answers
        self.bench.apply(self.settings)

    def step(self, definition, plant=()):
        if self.random.random() < 0.04:
            self.settings = self.grammar.settings(self.setting_names)
            self.bench.apply(self.settings)
        steps = self.grammar.steps(definition)
        commits = [number for number, step in enumerate(steps) if step.commits]
        before = self.snapshot(definition, "f_" if plant else "p_") if commits else None
        if commits and len(before.rows) > 120:
            steps = [self.grammar.fewer(definition)] + steps
            commits = [0] + [number + 1 for number in commits]
        if commits and definition.queued():
            steps.insert(commits[-1] + 1, OneSide("f_", "SELECT itable_process_queue('store', 1000)"))
        difference = self.bench.difference(steps, definition.name)
        if difference:
            self.report(definition, steps, difference, before or self.snapshot(definition, "f_" if plant else "p_"), plant)
            if commits:                         # the tables are different now
                return False
        elif commits:
            self.stories[definition.name] += steps
        return True

    def check_indexes(self):
        """In the end every index table says what the facts say.  What a failed change touched stays
        unverified until somebody meets it (LIMITS); a repair must leave nothing."""
        self.bench.apply(())
        for definition in self.definitions:
            if definition.queued():
                self.bench.foreign.must("SELECT itable_process_queue('store', 1000)")
        check = "SELECT i.index, c.* FROM itable_indexes i, itable_check_index(i.index) c"
        problems = self.bench.foreign.must(check + " WHERE c.problem <> 'unverified'")
        if problems.rows:
            return problems
        self.bench.foreign.must("""DO $$DECLARE i regclass; BEGIN
            FOR i IN SELECT index FROM itable_indexes LOOP CALL itable_repair_index(i); END LOOP; END$$;""")
        return self.bench.foreign.must(check)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=int(os.environ.get("FUZZ_SEED", "1")))
    options.add_argument("--count", type=int, default=int(os.environ.get("FUZZ_COUNT", "1500")))
    options.add_argument("--plant", choices=["row", "index"])
    options.add_argument("--shrink", type=float, default=float(os.environ.get("FUZZ_SHRINK", "120")))
    options.add_argument("--all", action="store_true")
    options = options.parse_args()
    differ = Differ(options)
    if options.plant:
        differ.definitions = [differ.random.choice(differ.definitions[:2])]
    for definition in differ.definitions:
        differ.create(definition)
    plant = differ.plant(differ.definitions[0]) if options.plant else ()
    started = time.monotonic()
    whole = True
    while whole and differ.bench.answers < options.count and (not differ.found or options.all and len(differ.found) < 10):
        whole = differ.step(differ.random.choice(differ.definitions), plant)
    seconds = time.monotonic() - started
    if options.plant:
        bed.ok(differ.found, "seed %d: the planted difference was found after %d answers" % (options.seed, differ.bench.answers))
        for text in differ.scripts:
            print("-- begin of script\n%s-- end of script" % text)
        bed.finish()
    bed.ok(not differ.found, "seed %d: %d answers are those of plain tables (%d a minute)" % (
        options.seed, differ.bench.answers, differ.bench.answers * 60 / max(seconds, 0.001)))
    if not differ.found:
        problems = differ.check_indexes()
        bed.ok(problems.rows == [], "seed %d: every index table is right" % options.seed, problems)
    bed.finish()


main()
