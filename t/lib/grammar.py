"""Random statements as trees (tree.py, steps.py), the same for the same seed.

Everything that comes out has one right answer: LIMIT only where the order is total, no sums of doubles, no volatile functions."""
import random

from hostile import TEXTS, VALUES
from steps import Ask, Both, Change, Declare, Fetch, Named, Prepared, Query, Rows, Setting
from tree import Arms, Constant, Items, Node

ORDERED = ("text", "int", "bigint", "boolean", "timestamptz", "date", "uuid")   # equal values of these look alike
COMPARE = ["=", "=", "<>", "<", "<=", ">", ">="]
SWITCHES = ["enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_material", "enable_memoize", "enable_hashagg",
            "enable_sort", "enable_incremental_sort", "enable_partitionwise_join", "enable_partitionwise_aggregate",
            "enable_async_append", "enable_seqscan", "enable_indexscan", "enable_bitmapscan", "enable_gathermerge"]


class Grammar:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.parameters = None                  # of a prepared statement: number -> (kind, values)
        self.limits = []

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    # values

    def value(self, kind, null=0.1):
        if self.chance(null):
            return None
        if kind.endswith("[]"):
            return [self.value(kind[:-2], 0.05) for _ in range(self.one(0, 1, 1, 2, 3, 3))]
        if kind == "prefix":
            return self.random.choice(TEXTS)[:self.one(1, 1, 2, 3)]
        if kind == "like":                      # no backslash that escapes nothing
            return self.random.choice(TEXTS)[:self.one(1, 1, 2, 3)].replace("\\", "")
        if kind == "limit":
            return self.one(0, 1, 1, 2, 3, 5, 9, 14, 30)
        return self.random.choice(VALUES[kind])

    def argument(self, kind):
        """A constant of a statement, sometimes of an unusual shape."""
        if kind.endswith("[]"):
            if self.chance(0.08):
                return [[self.value(kind[:-2], 0.1)], [self.value(kind[:-2], 0)]]
            if self.chance(0.05):               # a long list
                return [self.value(kind[:-2], 0.02) for _ in range(self.random.randrange(15, 60))]
        return self.value(kind, 0.03)

    def constant(self, values, kind=None):
        kind = kind or {"prefix": "text", "like": "text", "few": "bigint", "limit": "bigint"}.get(values, values)
        number = None
        if self.parameters is not None and self.chance(0.8):
            number = len(self.parameters)
            self.parameters[number] = (kind, values)
        return Constant(self.argument(values), kind, number)

    def row(self, definition):
        return {column.name: self.value(column.values, 0 if column.role else 0.15) for column in definition.columns()}

    # conditions; a column's name may have a qualifier in front

    def comparison(self, name, column):
        kind, values = column.kind, column.values
        choice = self.random.randrange(14)
        if kind == "boolean" and choice < 3:
            return Node(self.one("%s", "NOT %s", "%s IS TRUE", "%s IS NOT FALSE", "%s IS FALSE", "%s IS NOT TRUE", "%s IS NOT UNKNOWN") % name)
        if choice < 4:
            other = values if kind not in ("int", "bigint") else self.one("int", "bigint", values)
            return Node(name, " %s " % self.random.choice(COMPARE), self.constant(other))
        if choice == 4:
            return Node(name, " IN (", Items([self.constant(values) for _ in range(self.random.randrange(1, 5))]), ")")
        if choice == 5:
            return Node(name, " BETWEEN ", self.constant(values), " AND ", self.constant(values))
        if choice == 6 and kind == "text":
            prefix = (self.value("text", 0) or "a")[:2].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            pattern = Constant(prefix + self.one("%", "%", "", "_", "%a", "_%"), "text")
            return Node(name, self.one(" LIKE ", " NOT LIKE ", ' COLLATE "C" LIKE ', " ILIKE "), pattern)
        if choice == 7 and kind == "text":
            before, after = self.one(("starts_with(%s, ", ")"), ("%s ^@ ", ""), ('%s COLLATE "C" >= ', ""), ("%s < ", ' COLLATE "C"'), ("%s LIKE ", ""))
            return Node(before % name, self.constant("like" if "LIKE" in before else "prefix"), after)
        if choice == 7 and kind in ("date", "timestamptz"):
            return Node(name, " %s " % self.random.choice(COMPARE), self.constant(self.one("date", "timestamptz", "timestamp")))
        if choice == 8:
            return Node(name, self.one(" = ANY (", " = ANY (", " <> ALL (", " > ANY (", " <= ALL ("), self.constant(values + "[]", kind + "[]"), ")")
        if choice == 9:
            return Node(name, " IS %sDISTINCT FROM " % self.one("NOT ", "NOT ", ""), self.constant(values))
        if choice == 10:
            return self.computed(name, column)
        if choice == 11:                        # the value of a subquery, known when it runs
            return Node(name, " %s (SELECT %s(%s) FROM {O})" % (
                self.random.choice(COMPARE), self.one("min", "max"), column.name)) \
                if kind not in ("boolean", "uuid") else Node(name, " IN (SELECT %s FROM {O} WHERE id < 4)" % column.name)
        if choice == 12:
            return Node(name, self.one(" IN", " IN", " NOT IN", " = ANY"), " (SELECT o9.%s FROM {O} o9" % column.name,
                        Items([Node("o9.id < ", self.constant("limit"))], " AND ", " WHERE ", least=0), ")")
        return Node("%s IS %sNULL" % (name, self.one("", "NOT ")))

    def computed(self, name, column):
        """What the store cannot know, or what folds to a constant."""
        kind = column.kind
        if kind == "text":
            return Node(*self.one(("lower(%s) = " % name, self.constant("text")), ("length(%s) > " % name, self.constant("limit"), "::int"),
                                  (name, " = ", self.constant("text"), " || ''"), ("coalesce(%s, '') = " % name, self.constant("text"))))
        if kind in ("int", "bigint"):
            return Node(*self.one((name, " %% 7 = %d" % self.random.randrange(7)), (name, " > 3 + ", self.constant("limit")),
                                  ("coalesce(%s, 1) = " % name, self.constant("int")), ("(CASE WHEN %s > 5 THEN 1 ELSE 0 END) = 1" % name,),
                                  (name, " = ", self.constant("float8"))))
        if kind == "date":
            return Node(name, self.one(" < current_date", " = date '2024-02-28' + 1", " > now()", " >= date '2000-01-01' - interval '1 day'"))
        if kind == "timestamptz":
            return Node(name, self.one(" < now()", " > timestamptz '2024-02-29 11:00+00' + interval '1 hour'", " <= current_date",
                                       " >= '1999-12-31 23:59:59.999999+00'::timestamptz + interval '1 microsecond'"))
        return Node("%s IS NOT NULL" % name)

    def array_condition(self, name):
        choice = self.random.randrange(8)
        if choice < 3:
            return Node(self.constant("text"), " = ANY (%s)" % name)
        if choice == 3:
            return Node(name, " @> ", self.constant("text[]"))
        if choice == 4:
            return Node(name, " && ", self.constant("text[]"))
        if choice == 5:
            return Node(name, self.one(" = ", " <> ", " <@ "), self.constant("text[]"))
        if choice == 6:
            return Node("cardinality(%s) = " % name, self.constant("limit"), "::int")
        return Node("%s IS %sNULL" % (name, self.one("", "NOT ")))

    def rows(self, columns, qualifier):
        """A comparison of rows, as for paging by keys, or a list of them."""
        columns = [column for column in columns if column.kind != "text[]"]
        chosen = columns[:2] if self.chance(0.6) else self.random.sample(columns, min(len(columns), self.one(2, 3)))
        names = ", ".join(qualifier + column.name + (' COLLATE "C"' if column.kind == "text" and self.chance(0.7) else "") for column in chosen)

        def one():
            return Node("ROW(", *[part for column in chosen for part in (self.constant(column.values), ", ")][:-1], ")")

        if self.chance(0.4):
            return Node("ROW(%s) IN (" % names, Items([one() for _ in range(self.random.randrange(1, 5))]), ")")
        return Node("ROW(%s) %s " % (names, self.one("<", "<=", ">", ">=", "=")), one())

    def condition(self, columns, depth=2, qualifier=""):
        if depth > 0 and self.chance(0.55):
            arms = Arms(self.one("AND", "AND", "OR"), [self.condition(columns, depth - 1, qualifier) for _ in range(self.one(2, 2, 3))])
            return Node("NOT ", arms, stand_ins=(1,)) if self.chance(0.1) else arms
        if self.chance(0.08):
            return self.rows(columns, qualifier)
        column = self.random.choice(columns)
        if self.chance(0.03) and column.kind != "text[]":           # a filter that a parameter switches off
            return Node("(", self.constant("int"), " IS NULL OR ", self.comparison(qualifier + column.name, column), ")", stand_ins=(3,))
        if column.kind == "text[]":
            return self.array_condition(qualifier + column.name)
        return self.comparison(qualifier + column.name, column)

    def where(self, definition, qualifier=""):
        columns = definition.columns()
        if self.chance(0.5):                    # favour keys and what is indexed
            columns = [column for column in columns if column.name not in ("t", "d")]
        return self.condition(columns, self.random.randrange(3), qualifier)

    def wheres(self, definition, share=0.7, qualifier=""):
        return [self.where(definition, qualifier)] if self.chance(share) else []

    # queries

    def outputs(self, definition, qualifier="", least=()):
        names = self.one(definition.names(), definition.names(), definition.key_names(),
                         self.random.sample(definition.names(), self.random.randrange(1, 5)))
        names = list(least) + [name for name in names if name not in least]
        return [Named(qualifier + name) for name in names]

    def order(self, definition, qualifier=""):
        """Keys, and what indexes are ordered by; with the keys at the end it is total."""
        keys = definition.key_names()
        columns = [column for column in definition.columns() if column.kind in ORDERED]
        by = self.one(keys, keys, keys[-1:] + keys[:-1], keys[1:] + keys[:1], None)
        if by is None:
            by = [column.name for column in self.random.sample(columns, self.random.randrange(1, 3))]
            by += [key for key in keys if key not in by]
        if self.chance(0.25):
            by = by[:self.random.randrange(1, len(by) + 1)]
        descending = self.chance(0.1)
        return [Named(qualifier + name, qualifier + name + (" DESC" if descending or self.chance(0.03) else "")) for name in by]

    def cut(self, total):
        """LIMIT and OFFSET, if the order allows them."""
        if not total or self.chance(0.4):
            return {}
        made = {"limit": self.constant("limit") if self.chance(0.9) else None}
        if self.chance(0.25):
            made["offset"] = self.constant("limit")
        return made

    def after(self, columns):
        """A condition for paging: behind or before a row, by these columns."""
        names = [column.name + (' COLLATE "C"' if column.kind == "text" and column.collation != "und-x-icu" else "") for column in columns]
        values = [self.constant(column.values) for column in columns]
        operator = self.one("<", "<=", ">", ">", ">=")
        if self.chance(0.7):
            between = [part for value in values for part in (value, ", ")][:-1]
            return Node("ROW(%s) %s ROW(" % (", ".join(names), operator), *between, ")")
        sides = []
        for depth, name in enumerate(names):
            equal = [Node(other, " = ", value) for other, value in zip(names[:depth], values)]
            sides.append(Arms("AND", equal + [Node(name, " %s " % (operator if depth == len(names) - 1 else operator[0]), values[depth])]))
        return Arms("OR", sides)

    def ranges(self, column):
        """Several ranges of one column, beside each other or not."""
        return Arms("OR", [
            Node(column.name, " %s " % self.one("=", "<", ">=", ">", "<="), self.constant(column.values)) if self.chance(0.6) else
            Node(column.name, " BETWEEN ", self.constant(column.values), " AND ", self.constant(column.values))
            for _ in range(self.random.randrange(2, 4))])

    def partitions(self, definition):
        """One partition, or some."""
        column = self.random.choice(definition.columns()[:2])
        return Node(column.name, " IN (", Items([self.constant(column.values) for _ in range(self.one(1, 1, 2, 4))]), ")")

    def simple(self, definition):
        tail = [Node(self.one("FOR UPDATE", "FOR SHARE"))] if self.chance(0.04) else []
        return Query(self.outputs(definition), " FROM {T}", self.wheres(definition, 0.95), tail=tail, total=definition.key_names())

    def ordered(self, definition):
        by = self.order(definition)
        total = set(definition.key_names()) <= {item.name for item in by}
        where = [self.partitions(definition)] if self.chance(0.5) else []
        columns = {column.name: column for column in definition.columns()}
        paged = self.random.random()
        if paged < 0.3:
            where.append(self.after([columns[item.name] for item in by[:self.random.randrange(1, len(by) + 1)]]))
        elif paged < 0.4:
            where.append(self.ranges(columns[self.random.choice(by).name]))
        where += self.wheres(definition, 0.5 if paged >= 0.4 else 0.2)
        distinct = ""
        if total and self.chance(0.05):
            distinct = "DISTINCT ON (%s)" % ", ".join(item.name for item in by[:self.random.randrange(1, len(by) + 1)])
        return Query(self.outputs(definition, least=[item.name for item in by]), " FROM {T}", where, by, distinct=distinct,
                     total=definition.key_names(), **self.cut(total))

    def backwards(self, definition):
        """The greatest values of a key first: of a partition, of the table."""
        number = self.random.randrange(len(definition.keys))
        column = definition.keys[number]
        where = [Node(key.name, " = ", self.constant(key.values)) for key in definition.keys[:number]]
        if self.chance(0.4):
            where.append(Node(column.name, " %s " % self.one("<", "<=", ">", ">="), self.constant(column.values)))
        where += self.wheres(definition, 0.2)
        limit, offset = [Constant(value, "bigint") for value in (self.one(1, 1, 1, 2, 5, 30), self.one(0, 0, 1, 7))]
        return Query([Named(column.name)], " FROM {T}", where, [Named(column.name, column.name + " DESC")], limit=limit, offset=offset,
                     total=[column.name])

    def aggregate(self, definition):
        columns = [column for column in definition.columns() if column.kind in ORDERED]
        column = self.random.choice(columns)
        name = column.name
        scalar = column.kind not in ("boolean", "uuid")
        where = self.wheres(definition, 0.4)
        if self.chance(0.4):
            where.append(Node(name, " %s " % self.random.choice(COMPARE), self.constant(column.values)))
        choice = self.random.randrange(9)
        if choice < 3 or not scalar and choice == 3:
            return Query([Node("count(*)")] + ([Node("count(%s)" % self.random.choice(definition.names()))] if self.chance(0.3) else []),
                         " FROM {T}", where)
        if choice == 3:
            return Query(self.one([Node("min(%s)" % name)], [Node("max(%s)" % name)], [Node("min(%s)" % name), Node("max(%s)" % name), Node("count(*)")]),
                         " FROM {T}", where)
        if choice == 4:
            return Query([Node("count(DISTINCT %s)" % name), Node("sum(i::numeric)"), Node("bool_and(e)")], " FROM {T}", where)
        if choice == 5:
            return Query([Node("EXISTS (SELECT FROM {T}", Items(where, " AND ", " WHERE ", least=0), ")")], "")
        names = [name] if self.chance(0.6) else definition.key_names()[:self.random.randrange(1, 3)]
        by = [Named(item) for item in names] if self.chance(0.6) else []
        if choice == 6:
            return Query([Named(item) for item in names] + [Node("count(*)"), Node("min(i)")], " FROM {T}", where, by,
                         group=[Node(item) for item in names], total=names, **self.cut(bool(by)))
        return Query([Named(item) for item in names], " FROM {T}", where, by, distinct="DISTINCT", total=names, **self.cut(bool(by)))

    def joined(self, definition, left, right):
        """A join clause between two aliases."""
        keys = definition.key_names()
        column = self.random.choice(definition.columns())
        return self.one(
            Items([Node("%s.%s = %s.%s" % (left, key, right, key)) for key in keys], " AND "),
            Node("%s.%s = %s.%s" % (left, column.name, right, column.name)),
            Node("%s.c = ANY (%s.l)" % (left, right)), Node("%s.c = ANY (%s.l)" % (right, left)), Node("%s.l && %s.l" % (left, right)),
            Node("%s.l @> ARRAY[%s.c]" % (left, right)),
            Items([Node("%s.%s = %s.%s" % (left, keys[0], right, keys[0])), self.where(definition, left + ".")], " AND "))

    def join(self, definition):
        """Inner and outer joins of the table with a local one or with itself, also three."""
        keys = definition.key_names()
        other, last = self.one(("{O} o", "o.id"), ("{O} o", "o.id"), ("{T} o", None))
        kind = self.one(" JOIN ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ")
        on = self.joined(definition, "a", "o")
        if kind == " FULL JOIN ":               # only what merges or hashes
            on = Node("a.%s = o.%s" % (keys[0], keys[0]))
        source = [" FROM ", "{T} a", kind, other, " ON ", on] if self.chance(0.5) else [" FROM ", other, kind, "{T} a", " ON ", on]
        parts = [Node(*source, instead=[" FROM {T} a"])]
        if self.chance(0.15):
            parts.append(Items([Node(self.one(" JOIN ", " LEFT JOIN "), "{T} z ON ", self.joined(definition, self.one("a", "o"), "z"))], "", least=0))
        total = ["a." + key for key in keys] + ([last] if last else ["o." + key for key in keys])
        select = [Named(name) for name in total] + [Named("a." + name) for name in self.random.sample(definition.names(), 2) if name not in keys]
        order = [Named(name) for name in total] if self.chance(0.4) and len(parts) == 1 else []
        where = self.wheres(definition, 0.4, "a.") + self.wheres(definition, 0.15, "o.")
        return Query(select, Node(*parts), where, order, total=total, **self.cut(bool(order)))

    def semi(self, definition):
        """EXISTS, NOT EXISTS, IN, NOT IN."""
        inner = Node(self.one("EXISTS", "EXISTS", "NOT EXISTS"), " (SELECT FROM ", self.one("{T} b", "{T} b", "{O} b"), " WHERE ",
                     Items([self.joined(definition, "b", "a")] + self.wheres(definition, 0.4, "b."), " AND "), ")")
        outer = self.one(" FROM {T} a", " FROM {T} a", " FROM {O} a")
        by = self.order(definition, "a.") if self.chance(0.3) else []
        total = ["a." + key for key in definition.key_names()]
        return Query(self.outputs(definition, "a.", [item.name[2:] for item in by]), outer, [inner] + self.wheres(definition, 0.3, "a."), by, total=total,
                     **self.cut(set(total) <= {item.name for item in by}))

    def lateral(self, definition):
        keys = definition.key_names()
        by = self.order(definition, "b.")
        inner = Query([Named("b." + name) for name in definition.names()], " FROM {T} b",
                      [self.joined(definition, "b", "o")] + self.wheres(definition, 0.2, "b."), by,
                      total=["b." + key for key in keys], **self.cut({"b." + key for key in keys} <= {item.name for item in by}))
        outer = self.one("{O} o", "{O} o", "{T} o")
        kind, end = self.one((", LATERAL (", ") a"), (" JOIN LATERAL (", ") a ON true"), (" LEFT JOIN LATERAL (", ") a ON true"))
        total = ["o." + key for key in keys] + ["a." + key for key in keys]
        order = [Named(name) for name in total] if self.chance(0.3) else []
        return Query([Named(name) for name in total] + [Named("a.c")], Node(" FROM " + outer + kind, inner, end, instead=[" FROM {T} o"]), self.wheres(definition, 0.3, "o."), order,
                     total=total, **self.cut(bool(order)))

    def subselect(self, definition):
        """Values of subqueries in the list of outputs."""
        inner = Node("(SELECT ", self.one("count(*)", "min(b.i)", "max(b.%s)" % definition.keys[-1].name), " FROM {T} b WHERE ",
                     Items([self.joined(definition, "b", "o")] + self.wheres(definition, 0.2, "b."), " AND "), ")")
        return Query([Named("o." + key) for key in definition.key_names()] + [inner], self.one(" FROM {O} o", " FROM {T} o"),
                     self.wheres(definition, 0.3, "o."))

    def combined(self, definition):
        """UNION, INTERSECT, EXCEPT, and WITH."""
        names = definition.key_names() + [self.random.choice([column.name for column in definition.properties if column.kind in ORDERED])]

        def one(more=0.9):
            return Query([Items([Named(name) for name in names], least=len(names))], " FROM {T}", self.wheres(definition, more), total=definition.key_names())

        if self.chance(0.3):
            return Query([Named("x." + name) for name in names], self.one(" FROM x", " FROM x", " FROM x JOIN {T} y ON y.%s = x.%s" % (names[0], names[0])),
                         [], head=[Node("x AS %s(" % self.one("", "MATERIALIZED ", "NOT MATERIALIZED "), one(), ")")])
        operator = self.one(" UNION ALL ", " UNION ALL ", " UNION ", " INTERSECT ", " EXCEPT ", " EXCEPT ALL ")
        both = Node("(", one(), ")", operator, "(", one(), ")", stand_ins=(1, 4))
        order = [Named(name) for name in names] if self.chance(0.5) else []
        return Query([Named(name) for name in names], Node(" FROM (", both, ") x"), [], order, total=names if operator != " UNION ALL " else None,
                     **self.cut(bool(order) and operator != " UNION ALL "))

    def window(self, definition):
        by = [Named(key) for key in definition.key_names()]
        name = self.random.choice([column.name for column in definition.columns() if column.kind in ORDERED])
        return Query([Named(key) for key in definition.key_names()] + [
            Node("row_number() OVER (PARTITION BY %s ORDER BY %s)" % (name, ", ".join(definition.key_names())))], " FROM {T}",
            self.wheres(definition, 0.5), by if self.chance(0.5) else [], total=definition.key_names())

    def query(self, definition):
        """Any SELECT."""
        make = self.random.choices(
            [self.simple, self.ordered, self.backwards, self.aggregate, self.join, self.semi, self.lateral, self.subselect, self.combined, self.window],
            [30, 22, 6, 14, 14, 8, 5, 2, 4, 1])[0]
        return make(definition)

    # settings

    def settings(self, names):
        """Some of the settings with these names, and options of the server."""
        made = [Setting(name, "off") for name in SWITCHES + [name for name in names if name.startswith("itable_fdw.enable_")]
                if name in names and self.chance(0.15)]
        for share, setting in (
                (0.5, Setting("itable_fdw.allow_queued", "on")), (0.3, Setting("plan_cache_mode", "force_generic_plan")),
                (0.2, Setting("itable_fdw.scan_ranges", self.one("1", "2", "5"))), (0.2, Setting("work_mem", "64kB")),
                (0.2, Setting("cursor_tuple_fraction", self.one("0.001", "1"))), (0.1, Setting("random_page_cost", "0.01")),
                (0.1, Setting("join_collapse_limit", "1")), (0.2, Setting("itable_fdw.write_buffer", "64kB")),
                (0.05, Setting("force_parallel_mode", "on")), (0.05, Setting("debug_parallel_query", "on"))):
            if setting.name in names and self.chance(share):
                made.append(setting)
        # cheap requests: partitions are skipped, index tables read in order
        for share, setting in ((0.5, Setting("fdw_startup_cost", self.one("0.001", "1", "10000"), True)),
                               (0.1, Setting("fdw_tuple_cost", self.one("0.0001", "10"), True)),
                               (0.3, Setting("max_connections", self.one("1", "2", "3", "16"), True))):
            if self.chance(share):
                made.append(setting)
        return made

    # steps

    def ask(self, definition):
        return Ask(self.query(definition))

    def whole(self, definition):
        return Ask(Query([Named(name) for name in definition.names()], " FROM {T}"))

    def prepared(self, definition, statement=None):
        """A statement with parameters, executed often enough for a generic plan."""
        self.parameters = {}
        query = statement(definition) if statement else self.query(definition)
        kinds, self.parameters = self.parameters, None
        calls = [{number: self.argument(values) for number, (_, values) in kinds.items()} for _ in range(8)]
        return Prepared(query, {number: kind for number, (kind, _) in kinds.items()}, calls)

    def insert(self, definition, count):
        return Rows(definition.columns(), [self.row(definition) for _ in range(count)], True,
                    [Named(name) for name in definition.key_names()] if self.chance(0.4) else ())

    def returning(self, definition, qualifier=""):
        return Items([Named(qualifier + name) for name in self.random.sample(definition.names(), 3)] if self.chance(0.4) else [],
                     before=" RETURNING ", least=0)

    def change(self, definition, alone=False):
        """INSERT, UPDATE or DELETE.  alone: in a transaction of its own, so that it may meet duplicate keys."""
        choice = self.random.randrange(12)
        keys = definition.key_names()
        unique = {name for columns in definition.unique for name in columns}
        if choice < 3:
            return self.insert(definition, self.one(1, 2, 2, 8))
        if choice == 3 and alone and len(definition.indexes) > 0 and not definition.partitions:
            return Rows(definition.columns(), [self.row(definition)], False)
        if choice == 4 and any(column.kind == "text" for column in definition.keys):    # rows like rows that are there
            names = [column.name for column in definition.columns() if column.name not in unique or column.role]
            chosen = [column.name for column in definition.keys if column.kind == "text"][-1]
            return Change("INSERT INTO {T} (%s) SELECT " % ", ".join(names),
                          ", ".join("left(%s, 3) || 'copy'" % name if name == chosen else name for name in names),
                          " FROM {T} WHERE ", Items([self.where(definition), Node("length(%s) <= 3" % chosen)], " AND ", least=1),
                          " ON CONFLICT DO NOTHING")
        if choice < 9:
            columns = [column for column in definition.properties if column.name not in unique]
            if alone and self.chance(0.5):
                columns = definition.properties
            column = self.random.choice(columns)
            value = Constant(self.value(column.values), column.kind) if column.name in unique else self.one(Constant(self.value(column.values), column.kind), Constant(self.value(column.values), column.kind),
                             Node("CASE WHEN %s IS NULL THEN " % column.name, Constant(self.value(column.values), column.kind), " ELSE NULL END"))
            sets = [Node(column.name, " = ", value)]
            if self.chance(0.3):
                other = self.random.choice([other for other in columns if other is not column])
                sets.append(Node(other.name, " = ", Constant(self.value(other.values), other.kind)))
            if self.chance(0.15):               # the values of another table
                return Change("UPDATE {T} a SET %s = o.%s FROM {O} o WHERE " % (column.name, column.name),
                              Items([Node("a.%s = o.%s" % (key, key)) for key in keys], " AND ", least=len(keys)), " AND ", self.where(definition, "a."))
            return Change("UPDATE {T} SET ", Items(sets), Items([self.target(definition)], before=" WHERE ", least=0), self.returning(definition))
        if choice == 9:                         # new keys, which no other row has
            name, kind = definition.keys[-1].name, definition.keys[-1].kind
            if definition.partitions or kind not in ("text", "int"):
                return self.insert(definition, 1)
            value = "a.%s || 'new'" % name if kind == "text" else "-4711"
            same = ["z.%s = a.%s" % (key, key) for key in keys[:-1]] + ["z.%s = %s" % (name, value)]
            only = ["length(a.%s) < 4" % name] if kind == "text" else []
            return Change("UPDATE {T} a SET %s = %s WHERE " % (name, value), Items([self.some_rows(definition, 1 if kind == "int" else 5, "a.")] + [
                Node("NOT EXISTS (SELECT FROM {T} z WHERE %s)" % " AND ".join(same))] + [Node(text) for text in only], " AND ", least=2 + len(only)),
                self.returning(definition, "a."))
        if choice == 10:
            return Change("DELETE FROM {T} a USING {O} o WHERE ",
                          Items([self.joined(definition, "a", "o"), Node("o.id = ", Constant(self.random.randrange(1, 13), "int"))], " AND "),
                          " AND a.i = ", Constant(self.value("int"), "int"))
        return Change("DELETE FROM {T} WHERE ", Items([self.target(definition), Node("i = ", Constant(self.value("int"), "int"))]
                                                      if self.chance(0.6) else [self.some_rows(definition, 3)], " AND "), self.returning(definition))

    def some_rows(self, definition, count, qualifier=""):
        """A few rows that are there, one after the other in the order of keys."""
        names = ", ".join(definition.key_names())
        return Node("(%s) IN (SELECT %s FROM {T} ORDER BY %s OFFSET %d LIMIT %d)" % (
            ", ".join(qualifier + key for key in definition.key_names()), names, names, self.random.randrange(40), count))

    def target(self, definition):
        return self.some_rows(definition, self.one(1, 1, 2, 5)) if self.chance(0.4) else self.where(definition)

    def fewer(self, definition):
        """Deletes what has come to be too much."""
        keys = ", ".join(definition.key_names())
        return Change("DELETE FROM {T} WHERE (%s) IN (SELECT %s FROM {T} ORDER BY %s OFFSET 60)" % (keys, keys, keys)).copy(commits=True)

    def cursor(self, definition, name):
        """The steps of a cursor, to be put among others."""
        query = self.one(self.ordered, self.ordered, self.simple, self.join)(definition)
        declare = Declare(name, self.one("", "", "SCROLL ", "NO SCROLL "), query, self.one("", "", "WITH HOLD "))
        steps = [declare]
        for _ in range(self.random.randrange(1, 6)):
            moves = ["FETCH 1 FROM ", "FETCH 3 FROM ", "FETCH 8 FROM ", "MOVE 2 FROM ", "FETCH ALL FROM ", "MOVE FORWARD ALL FROM "]
            if " SCROLL" in " " + declare.parts[0] and "NO" not in declare.parts[0]:
                moves += ["FETCH 0 FROM ", "FETCH BACKWARD 2 FROM ", "FETCH FIRST FROM ", "FETCH ABSOLUTE 4 FROM ", "FETCH PRIOR FROM ", "FETCH LAST FROM ", "MOVE BACKWARD ALL FROM "]
            steps.append(Fetch(self.random.choice(moves) + name, declare.exact))
        return steps

    def transaction(self, definition):
        """Changes and questions among savepoints, then kept or not; the last step asks for everything."""
        steps = [Both("BEGIN")]
        savepoints, cursors, waiting = [], [], []
        for _ in range(self.random.randrange(2, 9)):
            choice = self.random.randrange(20)
            if waiting and choice < 8:
                steps.append(waiting.pop(0))
            elif choice < 12:
                steps.append(self.change(definition))
                if self.chance(0.6):
                    steps.append(self.ask(definition))
            elif choice < 15:
                savepoints.append("s%d" % len(steps))
                steps.append(Both("SAVEPOINT " + savepoints[-1]))
            elif choice < 17 and savepoints:
                at = self.random.randrange(len(savepoints))
                verb = self.one("ROLLBACK TO ", "ROLLBACK TO ", "RELEASE ")
                steps.append(Both(verb + savepoints[at]))
                del savepoints[at if verb == "RELEASE " else at + 1:]
            elif choice == 17:
                steps.append(self.prepared(definition))
            elif not cursors:
                cursors = self.cursor(definition, "cur")
                steps.append(cursors[0])
                waiting = cursors[1:]
            else:
                steps.append(self.ask(definition))
        steps += [self.whole(definition)] if self.chance(0.5) else []
        steps.append(Both(self.one("COMMIT", "COMMIT", "ROLLBACK")))
        steps += [step for step in waiting[:2]]
        return steps + ([Both("CLOSE ALL")] if cursors else []) + [self.whole(definition), self.ask(definition)]

    def steps(self, definition):
        """What comes next: a question, a transaction, a prepared statement."""
        choice = self.random.randrange(40)
        if choice in (0, 5):
            return self.transaction(definition)
        if choice == 1:
            return [self.change(definition, alone=True).copy(commits=True), self.whole(definition)]
        if choice == 2:
            return [self.prepared(definition)]
        if choice == 3:
            return [self.prepared(definition, self.one(self.simple, self.ordered, self.join, self.aggregate))]
        if choice == 4:
            return [Both("BEGIN")] + self.cursor(definition, "cur") + [Both("ROLLBACK")]
        return [self.ask(definition)]

