"""Steps of a case: what is run on both sides, and when two answers agree."""
from tree import Context, Items, Node, Raw, literal, smaller_values

BROKEN = ("gone", "57014")                      # the server ended, or a statement that did not


def key(row):
    return [(value is not None, value or "") for value in row]


def alike(foreign, plain, order=None, exact=False, count=False):
    """order: columns whose sequence must be the same; exact: that of whole rows; count: only how many there are."""
    if foreign.sqlstate in BROKEN or (foreign.sqlstate or "")[:2] == "XX":
        return False
    if plain.sqlstate in BROKEN:                # too much for the plain table: nothing is known
        return True
    if foreign.sqlstate is not None or plain.sqlstate is not None:
        return foreign.sqlstate == plain.sqlstate
    if foreign.tag != plain.tag or len(foreign.rows) != len(plain.rows) or count:
        return foreign.tag == plain.tag and len(foreign.rows) == len(plain.rows)
    if exact:
        return foreign.rows == plain.rows
    if order and [[row[at] for at in order] for row in foreign.rows] != [[row[at] for at in order] for row in plain.rows]:
        return False
    return foreign.rows == plain.rows or sorted(foreign.rows, key=key) == sorted(plain.rows, key=key)


class Step(Node):
    """commits: does it change what others see?"""

    commits = False

    def statements(self, context):
        """The SQL of one side."""
        return [self.render(context)]

    def agree(self, number, foreign, plain):
        return alike(foreign, plain)

    def valid(self):
        return True


class Both(Step):
    """The same on both sides: BEGIN, COMMIT, a savepoint."""

    def __init__(self, text):
        super().__init__(text)
        self.commits = text == "COMMIT"


class OneSide(Step):
    """Only one side has it: "f_" or "p_"."""

    def __init__(self, side, *parts):
        super().__init__(*parts)
        self.side = side

    def statements(self, context):
        return [self.render(context)] if context.side == self.side else []

    def smaller(self):
        return iter(())


class Named(Node):
    """An output column, or one to order by, with the name it is known by."""

    def __init__(self, name, *parts):
        super().__init__(*(parts or (name,)))
        self.name = name


class Query(Node):
    """SELECT.  total: names of columns of which no two rows have the same; LIMIT needs them in ORDER BY to have one answer."""

    def __init__(self, select, source, where=(), order=(), limit=None, offset=None, distinct="", group=(), total=None, tail=(), head=()):
        distinct = [distinct] if isinstance(distinct, Node) else [Raw(distinct)] if distinct else []
        super().__init__(
            Items(list(head), before="WITH ", after=" ", least=len(head)), "SELECT ", Items(distinct, after=" ", least=0 if not group else 1),
            Items(select), source, Items(list(where), " AND ", " WHERE ", least=0), Items(list(group), before=" GROUP BY ", least=len(group)),
            Items(list(order), before=" ORDER BY ", least=0), Items([limit] if limit else [], before=" LIMIT ", least=0),
            Items([offset] if offset else [], before=" OFFSET ", least=0), Items(list(tail), " ", " ", least=0))
        self.total = total

    def order_names(self):
        return [item.name for item in self.parts[7].parts]

    def is_total(self):
        return self.total is not None and set(self.total) <= set(self.order_names())

    def order(self):
        """Where in the rows the columns are whose sequence is certain."""
        names = self.order_names()
        return [at for at, item in enumerate(self.parts[3].parts) if getattr(item, "name", None) in names]

    def valid(self):
        cut = self.parts[8].parts or self.parts[9].parts or any("DISTINCT ON" in getattr(part, "text", "") for part in self.parts[2].parts)
        return self.is_total() or not cut


class Ask(Step):
    def __init__(self, query):
        super().__init__(query)

    def agree(self, number, foreign, plain):
        return alike(foreign, plain, self.parts[0].order() if isinstance(self.parts[0], Query) else None)


class Declare(Step):
    """A cursor; exact: its FETCHes compare rows and their order."""

    def __init__(self, name, kind, query, hold=""):
        super().__init__("DECLARE %s %sCURSOR %sFOR " % (name, kind, hold), query)
        self.exact = query.is_total()

    def valid(self):
        return self.exact == self.parts[1].is_total()


class Fetch(Step):
    def __init__(self, text, exact):
        super().__init__(text)
        self.exact = exact

    def agree(self, number, foreign, plain):
        return alike(foreign, plain, exact=self.exact, count=not self.exact)


class Prepared(Step):
    """A statement with parameters, executed with several sets of arguments (parameter number: value)."""

    def __init__(self, query, kinds, calls):
        super().__init__(query)
        self.kinds = kinds
        self.calls = calls

    def statements(self, context):
        inner = Context(context.side, context.table, [])
        text = self.parts[0].render(inner)
        kinds = ", ".join(self.kinds[number] for number in inner.parameters)
        made = ["PREPARE q%s AS %s" % ("(%s)" % kinds if kinds else "", text)]
        for call in self.calls:
            arguments = ", ".join(literal(call[number], self.kinds[number]) for number in inner.parameters)
            made.append("EXECUTE q%s" % ("(%s)" % arguments if arguments else ""))
        return made + ["DEALLOCATE q"]

    def agree(self, number, foreign, plain):
        if not 0 < number <= len(self.calls):
            return alike(foreign, plain)
        return alike(foreign, plain, self.parts[0].order() if isinstance(self.parts[0], Query) else None)

    def smaller(self):
        for call in reversed(self.calls):       # not prepared at all
            yield Ask(filled(self.parts[0], call))
        size = len(self.calls) // 2
        while size >= 1:
            for start in range(0, len(self.calls), size):
                if len(self.calls) > size:
                    yield self.copy(calls=self.calls[:start] + self.calls[start + size:])
            size //= 2
        yield from super().smaller()


def filled(node, call):
    """The tree with arguments in the place of its parameters."""
    if isinstance(node, str):
        return node
    if getattr(node, "parameter", None) is not None:
        return node.copy(value=call[node.parameter], parameter=None)
    return node.copy(parts=tuple(filled(part, call) for part in node.parts)) if node.parts else node


class Change(Step):
    """UPDATE, DELETE, INSERT outside the initial rows."""


class Rows(Step):
    """INSERT ... VALUES; columns of which no row has a value are not named."""

    def __init__(self, columns, rows, skip=True, returning=()):
        super().__init__(Items(list(returning), before=" RETURNING ", least=0))
        self.columns = columns
        self.rows = rows                        # dictionaries
        self.skip = skip                        # ON CONFLICT DO NOTHING

    def render(self, context):
        used = [column for column in self.columns if column.role or any(row[column.name] is not None for row in self.rows)]
        return "INSERT INTO %s (%s) VALUES %s%s%s" % (
            context.side + context.table, ", ".join(column.name for column in used),
            ", ".join("(%s)" % ", ".join(literal(row[column.name], column.kind) for column in used) for row in self.rows),
            " ON CONFLICT DO NOTHING" if self.skip else "", self.parts[0].render(context))

    def statements(self, context):
        return [self.render(context)] if self.rows else []

    def without(self, name):
        return self.copy(columns=[column for column in self.columns if column.name != name])

    def smaller(self):
        size = (len(self.rows) + 1) // 2
        while size >= 1 and self.rows:
            for start in range(0, len(self.rows), size):
                if len(self.rows) > size:
                    yield self.copy(rows=self.rows[:start] + self.rows[start + size:])
            size //= 2
        for column in self.columns:
            with_value = [row for row in self.rows if row[column.name] is not None]
            if not column.role and with_value:
                yield self.copy(rows=[dict(row, **{column.name: None}) for row in self.rows])
                for row in with_value if 1 < len(with_value) <= 8 else ():
                    yield self.copy(rows=[dict(other, **{column.name: None}) if other is row else other for other in self.rows])
        for row in self.rows if len(self.rows) < 4 else ():
            for column in self.columns:
                for value in smaller_values(row[column.name]):
                    yield self.copy(rows=[dict(other, **{column.name: value}) if other is row else other for other in self.rows])
        yield from super().smaller()


class Setting(Node):
    """A parameter of the session, or (server) an option of the foreign server."""

    def __init__(self, name, value, server=False):
        super().__init__()
        self.name = name
        self.value = value
        self.server = server
