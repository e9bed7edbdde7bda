"""Tables and values that are hard to get right, for random statements (t/differential.py).

A Definition is a foreign table with its index tables and a plain table with the same columns; like a statement it can become
smaller.  What cannot be in one of both is in neither: what the store refuses is another test's topic (sql/46_write_errors)."""
import os

TEXTS = ["", " ", "a", "A", "ab", "a b", "a/b", "a\\b", "a#b", "a?b", "100%", "a%b", "a_b", "it's", '"q"', "'',", "a',b",
         "*", ">", "]", "~", "\x01", "\t", "\n", "\x1f", "\x7f", "\u0080", "\u009f", "\u00a0", "é", "e\u0301", "ß", "\ud7ff",
         "\ue000", "\uf8ff", "\ufffd", "\uffff", "\U00010000", "\U0010ffff", "😀", "😀/", "zz", "Z", "0", "9", "10", "null", "NULL",
         "{a}", "a,b", "!", "!i", '"!q', "a!", "a\x01", "a ", "x" * 300, "x" * 299 + "y", "/" * 150, "😀" * 100]
INTS = [0, 1, -1, 2, 7, 42, 2147483647, -2147483648, 100000]
BIGS = INTS + [2147483648, -2147483649, 9223372036854775807, -9223372036854775808, 10 ** 15]
DOUBLES = ["0", "-0.0", "1", "1.5", "-1.5", "1e10", "1e-10", "3", "1e300", "5e-324", "NaN", "Infinity", "-Infinity", "0.1"]
if os.environ.get("ITABLE_TEST_STORE") == "azurite":
    DOUBLES.remove("-0.0")              # it loses the sign
    # Rows with colocated or queued indexes cannot have such keys there.
    TEXTS = [text for text in TEXTS if text and "'," not in text]
STAMPS = ["1601-01-01 00:00:00+00", "1999-12-31 23:59:59.999999+00", "2000-01-01 00:00:00+00", "2024-02-29 12:00:00.000001+00",
          "2024-02-29 12:00:00.0005+00", "2024-02-29 12:00:00.0007+00", "2024-02-29 12:00:00.001+00", "9999-12-31 23:59:59+00"]
DATES = ["1601-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "9999-12-31"]
UUIDS = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]
VALUES = {
    "text": TEXTS, "int": INTS, "bigint": BIGS, "float8": DOUBLES, "timestamptz": STAMPS, "date": DATES, "uuid": UUIDS,
    "timestamp": [stamp[:-3] for stamp in STAMPS], "boolean": ["true", "false"],
    "few": list(range(200)),            # a bigint that two rows seldom share
}


class Column:
    """role: partition or row for key columns, else empty; more: further column options; values: what VALUES has for it."""

    def __init__(self, name, kind, role="", more="", collation="", values=None):
        self.name = name
        self.kind = kind
        self.role = role
        self.more = more
        self.collation = collation
        self.values = values or kind

    def collate(self):
        return ' COLLATE "%s"' % self.collation if self.collation else ""

    def foreign(self):
        options = ["key '%s'" % self.role + self.more] if self.role else []
        return "%s %s%s%s%s" % (self.name, self.kind, " OPTIONS (%s)" % ", ".join(options) if options else "", self.collate(),
                                " NOT NULL" if self.role else "")

    def plain(self):
        return "%s %s%s%s" % (self.name, self.kind, self.collate(), " NOT NULL" if self.role else "")


class Definition:
    def __init__(self, name, keys, indexes, computed=(), changed=(), unique=(), partitions=0):
        self.name = name
        self.keys = list(keys)                  # columns
        self.computed = list(computed)          # key columns that are not inserted
        self.indexes = list(indexes)            # arguments of itable_create_index
        self.unique = list(unique)              # lists of columns, as the unique indexes have them
        self.partitions = partitions            # foreign partitions of a partitioned table
        self.options = {}                       # of the foreign table
        self.analyzed = False
        changed = {column.name: column for column in changed}
        self.properties = [changed.get(name, Column(name, kind)) for name, kind in (
            ("i", "int"), ("b", "bigint"), ("c", "text"), ("d", "float8"), ("e", "boolean"), ("t", "timestamptz"),
            ("dd", "date"), ("u", "uuid"), ("l", "text[]"))]

    def columns(self):
        return self.keys + self.properties

    def names(self):
        return [column.name for column in self.columns()]

    def key_names(self):
        return [column.name for column in self.keys]

    def queued(self):
        return any("queued" in arguments for arguments in self.indexes)

    def one_foreign(self, name):
        options = ["%s '%s'" % option for option in sorted(self.options.items())]
        yield "CREATE FOREIGN TABLE %s (%s) SERVER store%s" % (
            name, ", ".join(column.foreign() for column in self.computed + self.columns()),
            " OPTIONS (%s)" % ", ".join(options) if options else "")
        yield "SELECT itable_create_table('%s')" % name
        for number, arguments in enumerate(self.indexes):
            yield "CALL itable_create_index('%s', '%s_i%d', %s)" % (name, name, number, arguments)

    def foreign(self, name):
        """The statements that make the foreign table and its indexes."""
        if not self.partitions:
            yield from self.one_foreign(name)
            return
        columns = ", ".join(column.plain() for column in self.columns())
        yield "CREATE TABLE %s (%s) PARTITION BY HASH (%s)" % (name, columns, self.keys[0].name)
        for number in range(self.partitions):
            yield from self.one_foreign("%s_%d" % (name, number))
            yield "ALTER TABLE %s ATTACH PARTITION %s_%d FOR VALUES WITH (MODULUS %d, REMAINDER %d)" % (
                name, name, number, self.partitions, number)

    def plain(self, name):
        constraints = ["UNIQUE (%s)" % ", ".join(self.key_names())]
        constraints += ["UNIQUE (%s)" % ", ".join(columns) for columns in self.unique]
        yield "CREATE TABLE %s (%s)" % (name, ", ".join([column.plain() for column in self.columns()] + constraints))

    def statistics(self, name):
        yield "ANALYZE p_%s" % name
        if self.analyzed:
            yield "ANALYZE f_%s" % name

    def outer(self, name):
        """A small local table of the same columns for joins, numbered."""
        keys = ", ".join(self.key_names())
        yield "CREATE TABLE o_%s AS SELECT row_number() OVER (ORDER BY %s) AS id, * FROM p_%s ORDER BY %s LIMIT 12" % (
            name, keys, name, keys)
        yield "ANALYZE o_%s" % name

    def drop(self, name):
        yield "DROP %sTABLE f_%s CASCADE" % ("" if self.partitions else "FOREIGN ", name)
        yield "DROP TABLE p_%s, o_%s" % (name, name)

    def copy(self, **changes):
        other = Definition.__new__(Definition)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def smaller(self):
        for number in range(len(self.indexes)):
            yield self.copy(indexes=self.indexes[:number] + self.indexes[number + 1:])
        if self.partitions > 1:
            yield self.copy(partitions=self.partitions - 1)
        if self.partitions:
            yield self.copy(partitions=0)
        for option in self.options:
            yield self.copy(options={name: value for name, value in self.options.items() if name != option})
        if self.analyzed:
            yield self.copy(analyzed=False)
        if self.unique:
            yield self.copy(unique=[], indexes=[index for index in self.indexes if "is_unique" not in index])
        for number, column in enumerate(self.properties):
            yield self.copy(properties=self.properties[:number] + self.properties[number + 1:])
            if column.collation:
                yield self.copy(properties=self.properties[:number] + [Column(column.name, column.kind)] + self.properties[number + 1:])


def definitions(random):
    """The kinds of tables, all kinds of indexes among them."""
    made = [
        # entries in partitions of their own, gathered ones; pointer and partial
        Definition("text", [Column("p", "text", "partition"), Column("k", "text", "row", collation="C")],
                   ["key => '{l}', include => '{l,c}'", "key => '{c}'", "key => '{c,i}', partitions => 3, include => '{t}'"]),
        # a composite key; gathered, full, spread
        Definition("number", [Column("p", "int", "partition"), Column("k1", "text", "row", collation="C"), Column("k2", "bigint", "row")],
                   ["key => '{l}', partitions => 5", "key => '{b,t}', include => '{i,b,c,d,e,t,dd,u,l}'", "key => '{dd}', buckets => 3"]),
        # a hashed shard key; a collation that is not the store's order
        Definition("shard", [Column("k", "timestamptz", "row")],
                   ["key => '{u}', include => '{u}'", "key => '{e,i}'", "key => '{l}', include => '{e}', buckets => 2", "key => '{c}'"],
                   computed=[Column("s", "int", "partition", ", hash_of 'k', buckets '4'")],
                   changed=[Column("c", "text", collation="und-x-icu")]),
        # in the fact's partition, in one transaction with it
        Definition("colo", [Column("p", "text", "partition"), Column("k", "int", "row")],
                   ["key => '{c}', colocated => true", "key => '{l}', include => '{c,l,i}', colocated => true",
                    "key => '{t,e}', include => '{dd}', colocated => true", "key => '{dd}'"]),
        # at most one row for a key
        Definition("uniq", [Column("p", "text", "partition"), Column("k", "int", "row")],
                   ["key => '{b}', is_unique => true", "key => '{p,dd}', include => '{i,c}', is_unique => true", "key => '{c}'"],
                   changed=[Column("b", "bigint", values="few")], unique=[["b"], ["p", "dd"]]),
        # maintained later
        Definition("later", [Column("p", "int", "partition"), Column("k", "text", "row", collation="C")],
                   ["key => '{l}', maintenance => 'queued'", "key => '{c}', include => '{i}', maintenance => 'queued'",
                    "key => '{t}', partitions => 2, maintenance => 'queued'", "key => '{b}'"]),
        # foreign partitions
        Definition("parted", [Column("p", "int", "partition"), Column("k", "text", "row", collation="C")],
                   ["key => '{c}', include => '{i}'", "key => '{l}'"], partitions=3),
    ]
    for definition in made:
        definition.analyzed = random.random() < 0.5
        definition.options["fetch_size"] = random.choice(["2", "7", "7", "20", "1000"])
        if random.random() < 0.3:
            definition.options["batch_size"] = random.choice(["1", "3"])
        if definition.partitions and random.random() < 0.7:
            definition.options["async_capable"] = "true"
    return made
