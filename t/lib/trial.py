"""A case of the differential test: run on both sides, made smaller, printed as a script that shows it."""
import time

import libpq
from shrink import shrink
from tree import Context, Items, Node

BASE = {"timezone": "UTC", "extra_float_digits": "1", "itable_fdw.repair_age": "0"}
SIDES = ("f_", "p_")


class Case(Node):
    """settings and steps on tables as they are, or on new ones with rows, what happened to them (history) and the plant."""

    def __init__(self, settings, steps, definition=None, rows=None, history=(), plant=()):
        super().__init__(Items(list(settings), least=0), Items(list(steps), least=1), Items(list(history), least=0),
                         Items(list(plant), least=len(plant)))
        self.definition = definition
        self.rows = rows                        # None: the tables as they are

    def settings(self):
        return self.parts[0].parts

    def steps(self):
        return self.parts[1].parts

    def history(self):
        return self.parts[2].parts + self.parts[3].parts

    def valid(self):
        return all(node.valid() for step in self.parts[1].parts + self.parts[2].parts for node in step.walk() if hasattr(node, "valid"))

    def smaller(self):
        if self.rows is not None:
            for column in self.definition.properties:
                without = self.definition.copy(properties=[other for other in self.definition.properties if other is not column])
                yield self.copy(definition=without, rows=self.rows.without(column.name))
            for rows in self.rows.smaller():
                yield self.copy(rows=rows)
            for definition in self.definition.smaller():
                yield self.copy(definition=definition)
        yield from super().smaller()

    def tables(self, name):
        """The SQL that makes the tables of a case with rows."""
        return list(self.definition.foreign("f_" + name)) + list(self.definition.plain("p_" + name))

    def contents(self, name):
        """The SQL that fills them; a statement may fail, as it did."""
        made = []
        for side in SIDES:
            for step in (self.rows,) + self.history():
                made += step.statements(Context(side, name))
        made += ["SELECT itable_process_queue('store', 1000)"] if self.definition.queued() else []
        return made + list(self.definition.outer(name)) + list(self.definition.statistics(name))

    def script(self, name, title):
        """For psql: the tables, the settings, then the foreign and the plain table's answers."""
        lines = ["-- " + title, "-- Paste it into the psql of `make dev`."]
        lines += ["SET %s = '%s';" % setting for setting in BASE.items()]
        lines += [text + ";" for text in self.tables(name) + self.contents(name)]
        server = [(setting.name, setting.value) for setting in self.settings() if setting.server]
        lines += ["ALTER SERVER store OPTIONS (ADD %s '%s');" % option for option in server]
        lines += ["SET %s = '%s';" % (setting.name, setting.value) for setting in self.settings() if not setting.server]
        for side, words in zip(SIDES, ("the foreign table", "the plain table")):
            lines.append("\\echo == " + words)
            for step in self.steps():
                lines += [text + ";" for text in step.statements(Context(side, name))]
        lines += ["ALTER SERVER store OPTIONS (DROP %s);" % name for name, _ in server]
        return "\n".join(lines) + "\n"

    def statement(self, name):
        """The foreign side's SQL alone, to be read."""
        sql = [text for step in self.steps() for text in step.statements(Context("f_", name))]
        return ";\n".join(["SET %s = '%s'" % (setting.name, setting.value) for setting in self.settings()] + sql) + ";"


class Difference:
    def __init__(self, step, sql, foreign, plain):
        self.step = step                        # its number in the case
        self.sql = sql
        self.foreign = foreign
        self.plain = plain

    def __str__(self):
        return "%s\n  found    %s\n  expected %s" % (self.sql[0], self.foreign, self.plain)


class Bench:
    """Two connections, one for each side, and what is set in them."""

    def __init__(self, timeout="60s"):
        base = " ".join("%s=%s" % setting for setting in BASE.items())
        self.sides = [libpq.Connection("client_min_messages=error statement_timeout=%s %s" % (timeout, base)) for _ in SIDES]
        self.foreign, self.plain = self.sides
        self.server = {}
        self.known = None                       # the settings that are in force
        self.answers = 0
        self.tables = 0

    def together(self, foreign, plain):
        self.foreign.start(foreign)
        self.plain.start(plain)
        return self.foreign.finish(), self.plain.finish()

    def reconnect(self):
        """After a crash; the server takes a moment."""
        self.known = None
        for _ in range(100):
            time.sleep(0.2)
            try:
                for side in self.sides:
                    side.close()
                    side.connect()
                return
            except ConnectionError:
                pass
        raise SystemExit("the server is gone")

    def apply(self, settings):
        """Ends whatever goes on in both sessions, then sets just these."""
        server = {setting.name: setting.value for setting in settings if setting.server}
        sets = ["SET %s = '%s'" % (setting.name, setting.value) for setting in settings if not setting.server]
        texts = "; ".join(["ROLLBACK", "CLOSE ALL", "DEALLOCATE ALL", "RESET ALL"] + sets)
        for answer in self.together(texts, texts):
            if answer.sqlstate is not None:
                raise SystemExit("%s: %s" % (texts, answer))
        options = ["%s %s '%s'" % ("SET" if name in self.server else "ADD", name, value) for name, value in server.items()
                   if self.server.get(name) != value]
        options += ["DROP " + name for name in self.server if name not in server]
        if options:
            self.foreign.must("ALTER SERVER store OPTIONS (%s)" % ", ".join(options))
        self.server = server

    def difference(self, steps, table):
        """Runs steps; the first answers that do not agree, or None."""
        contexts = [Context(side, table) for side in SIDES]
        for at, step in enumerate(steps):
            texts = [step.statements(context) for context in contexts]
            if not texts[0] or not texts[1]:    # one side only
                for side, sql in zip(self.sides, texts):
                    for text in sql:
                        side.run(text)
                continue
            for number, sql in enumerate(zip(*texts)):
                self.answers += 1
                answers = self.together(*sql)
                if "gone" in (answers[0].sqlstate, answers[1].sqlstate):
                    self.reconnect()
                    return Difference(at, sql, *answers)
                if not step.agree(number, *answers):
                    return Difference(at, sql, *answers)
        return None

    def differs(self, case, table):
        """Does the case show a difference on the tables as they are?"""
        if not case.valid():
            return None
        self.apply(case.settings())
        found = self.difference(case.steps(), table)
        self.apply(())
        return found

    def differs_anew(self, case, name=None):
        """The same with tables of its own, which are made and dropped."""
        if not case.valid():
            return None
        self.tables += 1
        name = name or "n%d" % self.tables
        self.apply(())
        found = None
        answers = []
        for text in case.tables(name):
            answers.append(self.foreign.run(text))
            if answers[-1].sqlstate is not None:
                break
        else:
            answers += [self.foreign.run(text) for text in case.contents(name)]
            found = self.differs(case, name)
        if any(answer.sqlstate == "gone" for answer in answers):
            self.reconnect()
        self.apply(())
        for text in case.definition.drop(name):
            self.foreign.run(text)
        self.foreign.run("DROP FOREIGN TABLE IF EXISTS f_%s_raw" % name)        # of a plant
        return found

    def minimize(self, case, table, definition, story, seconds):
        """The smallest case that differs: (case, has it tables of its own, tried).  story: the beginnings from which it may
        show up with new tables, each (rows, history, plant), the likeliest first."""
        tried = 0
        if not any(step.commits for step in case.steps()) and self.differs(case, table):
            case, tried = shrink(case, lambda less: self.differs(less, table), seconds / 2)
        for rows, history, plant in story:
            anew = Case(case.settings(), case.steps(), definition, rows, history, plant)
            if self.differs_anew(anew):
                anew, more = shrink(anew, self.differs_anew, seconds)
                return anew, True, tried + more
        return case, False, tried
