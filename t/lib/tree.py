"""Statements as trees that know how to become smaller.

A tree is rendered for one of two sides (the foreign tables' and the plain tables') and smaller() gives trees like it of which
something was left out, the largest cuts first.  Nothing here knows whether those still make sense: who tries them finds
out (shrink.py).  Trees are never changed, so that a try that fails costs nothing to forget."""


class Context:
    """For whom a tree is rendered: the side's table names and, in a prepared statement, the parameters met so far."""

    def __init__(self, side, table, parameters=None):
        self.side = side
        self.table = table
        self.parameters = parameters

    def fill(self, text):
        if "{" in text:
            for mark, name in (("{T}", self.side + self.table), ("{N}", self.side[:-1] + self.table), ("{O}", "o_" + self.table)):
                text = text.replace(mark, name)
        return text


class Node:
    """Texts and nodes in a row; {T} in a text is the table ({N}: as the store calls it), {O} the small local one.
    stand_ins: parts, by number, that may take the place of the whole; instead: simpler texts that may."""

    def __init__(self, *parts, stand_ins=(), instead=()):
        self.parts = parts
        self.stand_ins = stand_ins
        self.instead = instead

    def render(self, context):
        return "".join(context.fill(part) if isinstance(part, str) else part.render(context) for part in self.parts)

    def copy(self, **changes):
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def smaller(self):
        for text in self.instead:
            yield Node(text)
        for number in self.stand_ins:
            yield self.parts[number]
        for number, part in enumerate(self.parts):
            if not isinstance(part, str):
                for less in part.smaller():
                    yield self.copy(parts=self.parts[:number] + (less,) + self.parts[number + 1:])

    def walk(self):
        yield self
        for part in self.parts:
            if not isinstance(part, str):
                yield from part.walk()


class Raw(Node):
    """A text as it is, braces and all."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def render(self, context):
        return self.text


class Items(Node):
    """A list of which items can be left out; with none (and least 0) also what stands before and after is gone."""

    def __init__(self, items, between=", ", before="", after="", least=1):
        super().__init__(*items)
        self.between = between
        self.before = before
        self.after = after
        self.least = least

    def render(self, context):
        if not self.parts:
            return ""
        return self.before + self.between.join(
            part if isinstance(part, str) else part.render(context) for part in self.parts) + self.after

    def smaller(self):
        size = len(self.parts)
        while size >= 1:
            for start in range(0, len(self.parts), size):
                rest = self.parts[:start] + self.parts[start + size:]
                if len(rest) >= self.least and len(rest) < len(self.parts):
                    yield self.copy(parts=rest)
            size //= 2
        yield from super().smaller()


class Arms(Items):
    """AND or OR: with one arm left it is that arm."""

    def __init__(self, operator, arms):
        super().__init__(arms, " %s " % operator, "(", ")")

    def render(self, context):
        if len(self.parts) == 1:
            return self.parts[0].render(context)
        return super().render(context)


def quoted(text):
    """A literal that can be pasted anywhere: ASCII only."""
    made = []
    for letter in text:
        code = ord(letter)
        if letter in "\\'":
            made.append("\\" + letter)
        elif 32 <= code < 127:
            made.append(letter)
        else:
            made.append("\\u%04x" % code if code < 0x10000 else "\\U%08x" % code)
    return "%s'%s'" % ("E" if "\\" in "".join(made) else "", "".join(made))


def literal(value, kind):
    if value is None:
        return "NULL::" + kind
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (list, tuple)):
            return "ARRAY[%s]" % ", ".join(literal(item, kind) for item in value)
        if not value:
            return "'{}'::" + kind
        return "ARRAY[%s]::%s" % (", ".join("NULL" if item is None else quoted(str(item)) for item in value), kind)
    if kind in ("int", "bigint") and abs(int(value)) < 2 ** 31 and (kind == "int" or int(value) >= 0):
        return str(value) if int(value) >= 0 and kind == "int" else "'%s'::%s" % (value, kind)
    return "%s::%s" % (quoted(str(value)), kind)


class Constant(Node):
    """A value; in a prepared statement it may be a parameter (a number that its tree has once)."""

    def __init__(self, value, kind, parameter=None):
        super().__init__()
        self.value = value
        self.kind = kind
        self.parameter = parameter

    def render(self, context):
        if self.parameter is None or context.parameters is None:
            return literal(self.value, self.kind)
        if self.parameter not in context.parameters:
            context.parameters.append(self.parameter)
        return "$%d" % (context.parameters.index(self.parameter) + 1)

    def smaller(self):
        for value in smaller_values(self.value):
            yield self.copy(value=value)


def smaller_values(value):
    if isinstance(value, (list, tuple)):
        for number in range(len(value)):
            yield value[:number] + value[number + 1:]
    elif isinstance(value, str) and len(value) > 1 and not value[0] in "0123456789-" or isinstance(value, str) and len(value) > 40:
        for less in (value[:len(value) // 2], value[:-1], value[1:]):
            if not less.endswith("\\"):         # as a pattern an error, when it is looked at
                yield less
