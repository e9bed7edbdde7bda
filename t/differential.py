#!/usr/bin/env python3
"""Random statements against foreign tables and plain tables with the same hostile rows:
every answer must be the same (G7), with any index, any plan, any paging.

    t/differential.py [--seed N] [--count N]     (environment: FUZZ_SEED, FUZZ_COUNT)

A difference prints its seed and the statement; `make fuzz-sql SEED=N COUNT=N` runs it alone."""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

TEXTS = ["", " ", "a", "A", "ab", "a b", "a/b", "a\\b", "a#b", "a?b", "100%", "a%b", "a_b", "it's", '"q"', "'',", "a',b",
         "*", ">", "]", "~", "\x01", "\t", "\n", "\x1f", "\x7f", "\u0080", "\u009f", "\u00a0", "é", "ß", "\ud7ff",
         "\ue000", "\ufffd", "\U00010000", "😀", "zz", "Z", "0", "9", "null", "NULL", "{a}", "a,b", "x" * 300]
INTS = [0, 1, -1, 2, 7, 42, 2147483647, -2147483648, 100000]
BIGS = INTS + [2147483648, -2147483649, 9223372036854775807, -9223372036854775808, 10 ** 15]
DOUBLES = ["0", "-0.0", "1", "1.5", "-1.5", "1e10", "1e-10", "3", "1e300", "NaN", "Infinity", "-Infinity", "0.1"]
if os.environ.get("ITABLE_TEST_STORE") == "azurite":
    DOUBLES.remove("-0.0")              # it loses the sign
STAMPS = ["1601-01-01 00:00:00+00", "1999-12-31 23:59:59.999999+00", "2000-01-01 00:00:00+00", "2024-02-29 12:00:00.000001+00",
          "2024-02-29 12:00:00.0005+00", "2024-02-29 12:00:00.0007+00", "2024-02-29 12:00:00.001+00", "9999-12-31 23:59:59+00"]
DATES = ["1601-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "9999-12-31"]
UUIDS = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]

VALUES = {
    "text": TEXTS, "int": INTS, "bigint": BIGS, "float8": DOUBLES, "timestamptz": STAMPS, "date": DATES, "uuid": UUIDS,
    "boolean": ["true", "false"],
}
VALUES["timestamp"] = [stamp[:-3] for stamp in STAMPS]
PROPERTIES = [("i", "int"), ("b", "bigint"), ("c", "text"), ("d", "float8"), ("e", "boolean"), ("t", "timestamptz"),
              ("dd", "date"), ("u", "uuid"), ("l", "text[]")]


def literal(value, kind):
    if kind == "prefix":
        return literal(value, "text")
    if value is None:
        return "NULL::" + kind
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "ARRAY[%s]" % ", ".join(literal(item, kind) for item in value)
        return "ARRAY[%s]::%s" % (", ".join(literal(item, kind[:-2]) for item in value), kind)
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    return "E'%s'::%s" % (text, kind)


class Table:
    """A kind of table: its key columns and its indexes."""

    def __init__(self, name, keys, extra, indexes):
        self.name = name
        self.keys = keys                # (name, type, key, more options)
        self.extra = extra              # computed key columns, not inserted
        self.indexes = indexes          # arguments of itable_create_index

    def columns(self):
        return [(name, kind) for name, kind, _, _ in self.keys] + PROPERTIES

    def create(self, session):
        keys = ["%s %s OPTIONS (key '%s'%s)%s" % (n, k, key, more, ' COLLATE "C"' if k == "text" and key == "row" else "")
                for n, k, key, more in self.extra + self.keys]
        plain = ["%s %s%s" % (n, k, ' COLLATE "C"' if k == "text" and key == "row" else "") for n, k, key, _ in self.keys]
        properties = ["%s %s" % column for column in PROPERTIES]
        session.must("CREATE FOREIGN TABLE f_%s (%s) SERVER store OPTIONS (fetch_size '7');" % (self.name, ", ".join(keys + properties)))
        session.must("CREATE TABLE p_%s (%s, UNIQUE (%s));" % (
            self.name, ", ".join(plain + properties), ", ".join(n for n, _, _, _ in self.keys)))
        session.must("SELECT itable_create_table('f_%s');" % self.name)
        for number, arguments in enumerate(self.indexes):
            session.must("CALL itable_create_index('f_%s', 'f_%s_i%d', %s);" % (self.name, self.name, number, arguments))


TABLES = [
    Table("text", [("p", "text", "partition", ""), ("k", "text", "row", "")], [],
          ["key => '{l}', include => '{l,c}'", "key => '{c}'", "key => '{c,i}', partitions => 3, include => '{t}'"]),
    Table("number", [("p", "int", "partition", ""), ("k1", "text", "row", ""), ("k2", "bigint", "row", "")], [],
          ["key => '{l}', partitions => 5", "key => '{b,t}', include => '{i,b,c,d,e,t,dd,u,l}'", "key => '{dd}', buckets => 3"]),
    Table("shard", [("k", "timestamptz", "row", "")], [("s", "int", "partition", ", hash_of 'k', buckets '4'")],
          ["key => '{u}', include => '{u}'", "key => '{e,i}'", "key => '{l}', include => '{e}', buckets => 2"]),
]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, kind, null=0.1):
        if self.random.random() < null:
            return None
        if kind.endswith("[]"):
            return [self.value(kind[:-2], 0.05) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
        if kind == "prefix":
            return self.random.choice(TEXTS)[:self.random.choice([1, 1, 2, 3])]
        return self.random.choice(VALUES[kind])

    def argument(self, kind):
        """A constant of a statement, sometimes of an unusual shape."""
        if kind.endswith("[]") and self.random.random() < 0.1:
            return [[self.value(kind[:-2], 0.1)], [self.value(kind[:-2], 0)]]
        return self.value(kind, 0.03)

    def row(self, table):
        return {name: self.value(kind, 0 if name in [k[0] for k in table.keys] else 0.15) for name, kind in table.columns()}

    def comparison(self, name, kind, constant):
        """A condition on a scalar column; constant(kind) gives its constants."""
        choice = self.random.randrange(11)
        if kind == "boolean" and choice < 3:
            return self.random.choice(["%s", "NOT %s", "%s IS TRUE", "%s IS NOT FALSE", "%s IS FALSE", "%s IS NOT TRUE", "%s IS NOT UNKNOWN"]) % name
        if choice < 4:
            other = kind if kind not in ("int", "bigint") else self.random.choice(["int", "bigint"])
            return "%s %s %s" % (name, self.random.choice(["=", "=", "<>", "<", "<=", ">", ">="]), constant(other))
        if choice == 4:
            return "%s IN (%s)" % (name, ", ".join(constant(kind) for _ in range(self.random.randrange(1, 4))))
        if choice == 5:
            return "%s BETWEEN %s AND %s" % (name, constant(kind), constant(kind))
        if choice == 6 and kind == "text":
            prefix = (self.value("text", 0) or "a")[:2].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            pattern = prefix + self.random.choice(["%", "%", "", "_", "%a", "_%"])
            return self.random.choice(["%s LIKE %s", "%s NOT LIKE %s", '%s COLLATE "C" LIKE %s']) % (name, literal(pattern, "text"))
        if choice == 7 and kind == "text":
            return self.random.choice(["starts_with(%s, %s)", "%s ^@ %s", '%s COLLATE "C" >= %s', '%s < %s COLLATE "C"', "%s LIKE %s"]) % (
                name, constant("prefix"))
        if choice == 7 and kind in ("date", "timestamptz"):
            return "%s %s %s" % (name, self.random.choice(["=", "<>", "<", "<=", ">", ">="]),
                                 constant(self.random.choice(["date", "timestamptz", "timestamp"])))
        if choice == 8:
            return "%s %s (%s)" % (name, self.random.choice(["= ANY", "<> ALL"]), constant(kind + "[]"))
        if choice == 9:
            return "%s IS %sDISTINCT FROM %s" % (name, self.random.choice(["NOT ", "NOT ", ""]), constant(kind))
        return "%s IS %sNULL" % (name, self.random.choice(["", "NOT "]))

    def array_condition(self, name, constant):
        choice = self.random.randrange(4)
        if choice == 0:
            return "%s = ANY (%s)" % (constant("text"), name)
        if choice == 1:
            return "%s @> %s" % (name, constant("text[]"))
        if choice == 2:
            return "%s && %s" % (name, constant("text[]"))
        return "%s = %s" % (name, constant("text[]"))

    def after(self, columns, constant):
        """A condition for paging by keys: behind or before a row, by these columns."""
        names = [name + (' COLLATE "C"' if kind == "text" else "") for name, kind in columns]
        values = [constant(kind) for _, kind in columns]
        operator = self.random.choice(["<", "<=", ">", ">", ">="])
        if self.random.random() < 0.7:
            return "ROW(%s) %s ROW(%s)" % (", ".join(names), operator, ", ".join(values))
        sides = []
        for depth in range(len(names)):
            last = operator if depth == len(names) - 1 else operator[0]
            sides.append(" AND ".join(["%s = %s" % pair for pair in zip(names[:depth], values[:depth])] +
                                      ["%s %s %s" % (names[depth], last, values[depth])]))
        return "((" + ") OR (".join(sides) + "))"

    def ranges(self, column, constant):
        """Several ranges of one column, beside each other or not."""
        name, kind = column
        return "(" + " OR ".join("%s %s %s" % (name, self.random.choice(["=", "<", ">=", ">", "<="]), constant(kind)) if self.random.random() < 0.6 else
                                 "%s BETWEEN %s AND %s" % (name, constant(kind), constant(kind)) for _ in range(self.random.randrange(2, 4))) + ")"

    def rows(self, columns, constant):
        """A comparison of rows, as for paging by keys, or a list of them."""
        columns = [column for column in columns if column[1] != "text[]"]
        chosen = columns[:2] if self.random.random() < 0.6 else self.random.sample(columns, min(len(columns), self.random.choice([2, 3])))
        names = ", ".join(name + (' COLLATE "C"' if kind == "text" and self.random.random() < 0.7 else "") for name, kind in chosen)

        def one():
            return "ROW(%s)" % ", ".join(constant(kind) for _, kind in chosen)

        if self.random.random() < 0.4:
            return "ROW(%s) IN (%s)" % (names, ", ".join(one() for _ in range(self.random.randrange(1, 5))))
        return "ROW(%s) %s %s" % (names, self.random.choice(["<", "<=", ">", ">="]), one())

    def condition(self, columns, constant, depth=2):
        if depth > 0 and self.random.random() < 0.55:
            operator = self.random.choice([" AND ", " AND ", " OR "])
            text = "(" + operator.join(self.condition(columns, constant, depth - 1) for _ in range(self.random.randrange(2, 4))) + ")"
            return "NOT " + text if self.random.random() < 0.1 else text
        if self.random.random() < 0.08:
            return self.rows(columns, constant)
        if self.random.random() < 0.03:     # a filter that a parameter switches off
            name, kind = self.random.choice(columns)
            return "(%s IS NULL OR %s = %s)" % (constant("int"), name, constant(kind))
        name, kind = self.random.choice(columns)
        if kind == "text[]":
            return self.array_condition(name, constant)
        return self.comparison(name, kind, constant)


class Differ:
    def __init__(self, session, seed):
        self.session = session
        self.seed = seed
        self.generator = Generator(seed)
        self.random = self.generator.random
        self.differences = []
        self.asked = 0

    def both(self, statement, table):
        """Runs a statement with {} for the table; the two results."""
        return [self.session.run(statement.format(prefix + table.name) + ";") for prefix in ("f_", "p_")]

    def compare(self, statement, table, ordered=0):
        """Both answers must be the same; the first "ordered" columns of their rows in the same order, too."""
        self.asked += 1
        foreign, plain = self.both(statement, table)
        if (foreign.sqlstate, foreign.sqlstate or sorted(map(str, foreign.rows)), [row[:ordered] for row in foreign.rows]) != \
                (plain.sqlstate, plain.sqlstate or sorted(map(str, plain.rows)), [row[:ordered] for row in plain.rows]):
            self.differences.append("seed %s, statement %d: %s\n  found    %s\n  expected %s" % (
                self.seed, self.asked, statement.format("f_" + table.name), foreign.text[:300], plain.text[:300]))

    def constant(self, kind):
        return literal(self.generator.argument(kind), kind)

    def where(self, table):
        columns = table.columns()
        if self.random.random() < 0.5:      # favour keys and what is indexed
            columns = [column for column in columns if column[0] in ("p", "k", "k1", "k2", "l", "c", "i", "b", "e", "u", "dd")]
        return self.generator.condition(columns, self.constant, self.random.randrange(3))

    def query(self, table):
        names = ", ".join(name for name, _ in table.columns())
        keys = ", ".join(name for name, _, _, _ in table.keys)
        what = self.random.choice([names, names, keys, "count(*)", keys + ", l", "i, c"])
        tail = ""
        if what != "count(*)" and self.random.random() < 0.2:
            tail = " ORDER BY %s LIMIT %d" % (keys, self.random.randrange(1, 6))
        return "SELECT %s FROM {0} WHERE %s%s" % (what, self.where(table).replace("{", "{{").replace("}", "}}"), tail)

    def ordered(self, table):
        """Order by keys and what indexes are ordered by; a LIMIT only where the order is total."""
        columns = [column for column in table.columns() if column[0] in ("p", "k", "k1", "k2", "c", "i", "b", "t", "e", "u", "dd")]
        keys = [name for name, _, _, _ in table.keys]
        by = self.random.choice([keys, keys, keys[-1:] + keys[:-1], keys[1:] + keys[:1], None])
        if by is None:
            by = [name for name, _ in self.random.sample(columns, self.random.randrange(1, 3))]
            by += [key for key in keys if key not in by]
        if self.random.random() < 0.3:
            by = by[:self.random.randrange(1, len(by) + 1)]
        tail = ""
        if set(keys) <= set(by) and self.random.random() < 0.6:
            tail = " LIMIT %s" % self.random.choice([1, 1, 2, 5, 9, 15, 30, 0, "NULL"])
            if self.random.random() < 0.3:
                tail += " OFFSET %s" % self.random.choice([0, 1, 2, 5, 8, 14, 40, "NULL"])
        # what stands behind a newline would be compared as a row: nothing where rows may change places
        others = [name for name, kind in columns if name not in by]
        others = others if self.random.random() < 0.5 and set(keys) <= set(by) else []
        where = []
        if self.random.random() < 0.6:      # one partition, or some
            name, kind = self.random.choice(table.columns()[:2])
            where.append("%s IN (%s)" % (name, ", ".join(self.constant(kind) for _ in range(self.random.choice([1, 1, 2, 4])))))
        kinds = dict(table.columns())
        paged = self.random.random()
        if paged < 0.4:
            chosen = by[:self.random.randrange(1, len(by) + 1)]
            where.append(self.generator.after([(name, kinds[name]) for name in chosen], self.constant))
        elif paged < 0.5:
            name = self.random.choice(by)
            where.append(self.generator.ranges((name, kinds[name]), self.constant))
        if self.random.random() < (0.5 if paged >= 0.5 else 0.2):
            where.append(self.where(table))
        where = (" WHERE " + " AND ".join(where)) if where else ""
        self.session.must("SET enable_sort = %s;" % self.random.choice(["off", "off", "on"]))
        self.compare("SELECT %s FROM {0}%s ORDER BY %s%s" % (
            ", ".join(by + others), where.replace("{", "{{").replace("}", "}}"), ", ".join(by), tail), table, len(by))
        self.session.must("SET enable_sort = on;")

    def aggregate(self, table):
        """Aggregates and DISTINCT that orders and skipping answer."""
        columns = table.columns()
        name = self.random.choice([k[0] for k in table.keys] + ["c", "i", "b", "dd"])
        kind = dict(columns)[name]
        what = self.random.choice(["count(*)", "min({n})", "max({n})", "min({n}), max({n}), count(*)", "DISTINCT {n}", "count(DISTINCT {n})",
                                   "GROUP", "EXISTS", "DISTINCT {n}"])
        if kind in ("boolean", "uuid"):
            what = "count(*)"
        where = [self.where(table)] if self.random.random() < 0.4 else []
        if self.random.random() < 0.4:
            where.append("%s %s %s" % (name, self.random.choice(["=", ">", ">=", "<", "<="]), self.constant(kind)))
        where = (" WHERE " + " AND ".join(where)).replace("{", "{{").replace("}", "}}") if where else ""
        if what == "GROUP":
            return self.compare("SELECT %s FROM {0}%s GROUP BY %s ORDER BY 1" % (name, where, name), table, 1)
        if what == "EXISTS":
            return self.compare("SELECT EXISTS (SELECT * FROM {0}%s)" % where, table)
        tail = " ORDER BY 1" + self.random.choice(["", " LIMIT 1", " LIMIT 3"]) if what.startswith("DISTINCT") else ""
        return self.compare("SELECT %s FROM {0}%s%s" % (what.format(n=name), where, tail), table, 1)

    def join(self, table):
        on = self.random.choice(["a.{0} = o.{0}".format(self.random.choice(table.columns())[0]), "o.c = ANY (a.l)",
                                 "a.l && o.l", " AND ".join("a.{0} = o.{0}".format(k[0]) for k in table.keys)])
        kind = self.random.choice(["JOIN", "LEFT JOIN"])
        return "SELECT o.id, %s FROM outer_%s o %s {0} a ON %s" % (
            ", ".join("a." + k[0] for k in table.keys), table.name, kind, on)

    def prepared(self, table):
        """One statement with parameters, executed often enough for a generic plan."""
        kinds = []

        def parameter(kind):
            kinds.append("text" if kind == "prefix" else kind)
            return "$%d" % len(kinds)

        condition = self.generator.condition(table.columns(), parameter, 1).replace("{", "{{").replace("}", "}}")
        keys = ", ".join(k[0] for k in table.keys)
        types = "(%s)" % ", ".join(kinds) if kinds else ""
        for prefix in ("f_", "p_"):
            self.session.must("PREPARE q_%s%s AS SELECT %s FROM %s%s WHERE %s;" % (
                prefix, types, keys, prefix, table.name, condition.format()))
        for _ in range(8):
            arguments = "(%s)" % ", ".join(self.constant(kind) for kind in kinds) if kinds else ""
            self.asked += 1
            foreign, plain = [self.session.run("EXECUTE q_%s%s;" % (p, arguments)) for p in ("f_", "p_")]
            if sorted(map(str, foreign.rows)) != sorted(map(str, plain.rows)):
                self.differences.append("seed %s: PREPARE … %s WHERE %s; EXECUTE %s\n  found    %s\n  expected %s" % (
                    self.seed, table.name, condition, arguments, foreign.text[:300], plain.text[:300]))
        self.session.must("DEALLOCATE q_f_; DEALLOCATE q_p_;")

    def insert(self, table, count):
        names = [name for name, _ in table.columns()]
        kinds = dict(table.columns())
        for _ in range(count):
            row = self.generator.row(table)
            values = ", ".join(literal(row[name], kinds[name]) for name in names).replace("{", "{{").replace("}", "}}")
            self.both("INSERT INTO {0} (%s) VALUES (%s) ON CONFLICT DO NOTHING" % (", ".join(names), values), table)

    def write(self, table):
        """Some changes in a transaction, seen by it, then kept or not."""
        self.session.must("BEGIN;")
        for _ in range(self.random.randrange(1, 4)):
            where = self.where(table).replace("{", "{{").replace("}", "}}")
            choice = self.random.randrange(3)
            if choice == 0:
                self.insert(table, 2)
            elif choice == 1:
                name, kind = self.random.choice(PROPERTIES)
                value = literal(self.generator.value(kind), kind).replace("{", "{{").replace("}", "}}")
                self.both("UPDATE {0} SET %s = %s WHERE %s" % (name, value, where), table)
            else:
                self.both("DELETE FROM {0} WHERE %s AND i = %s" % (where, self.constant("int")), table)
            self.random.choice([self.ordered, self.aggregate, lambda t: self.compare(self.query(t), t)])(table)
        self.session.must(self.random.choice(["COMMIT;", "COMMIT;", "ROLLBACK;"]))
        self.compare("SELECT %s FROM {0}" % ", ".join(n for n, _ in table.columns()), table)

    def settings(self):
        self.session.must("SET itable_fdw.enable_index = %s; SET enable_hashjoin = %s; SET enable_mergejoin = %s; SET plan_cache_mode = %s;" % (
            self.random.choice(["on", "on", "on", "off"]), self.random.choice(["on", "off"]), self.random.choice(["on", "off"]),
            self.random.choice(["auto", "force_generic_plan"])))

        # cheap requests: partitions are skipped, index tables read in order
        self.session.must("ALTER SERVER store OPTIONS (SET fdw_startup_cost '%s');" % self.random.choice(["100", "100", "0.001", "1"]))

    def step(self):
        table = self.random.choice(TABLES)
        choice = self.random.randrange(20)
        if choice == 0:
            self.write(table)
        elif choice == 1:
            self.prepared(table)
        elif choice < 4:
            self.compare(self.join(table), table)
        elif choice < 9:
            self.ordered(table)
        elif choice < 12:
            self.aggregate(table)
        else:
            self.compare(self.query(table), table)
        if choice == 19:
            self.settings()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=int(os.environ.get("FUZZ_SEED", "1")))
    options.add_argument("--count", type=int, default=int(os.environ.get("FUZZ_COUNT", "1500")))
    options = options.parse_args()
    session = bed.Session()
    bed.make_server(session)
    session.must("SET itable_fdw.repair_age = 0; SET timezone = 'UTC'; SET extra_float_digits = 1;")
    session.must("ALTER SERVER store OPTIONS (ADD fdw_startup_cost '100');")
    differ = Differ(session, options.seed)
    for table in TABLES:
        table.create(session)
        differ.insert(table, 60)
        session.must("CREATE TABLE outer_%s AS SELECT row_number() OVER (ORDER BY %s) AS id, * FROM p_%s LIMIT 12; ANALYZE outer_%s; ANALYZE p_%s;" % (
            table.name, ", ".join(k[0] for k in table.keys), table.name, table.name, table.name))
        if differ.random.random() < 0.5:
            session.must("ANALYZE f_%s;" % table.name)
        differ.compare("SELECT %s FROM {0}" % ", ".join(n for n, _ in table.columns()), table)
    while differ.asked < options.count and len(differ.differences) < 10:
        differ.step()
    bed.ok(not differ.differences, "seed %d: %d answers are those of plain tables" % (options.seed, differ.asked),
           "\n".join(differ.differences))
    bed.finish()


main()
