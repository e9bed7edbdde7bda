"""PostgreSQL connections without psql between: libpq, which psql itself needs, by ctypes.

A Connection sends a statement and reads its answer as rows of texts and None, so that NULL, an
empty text and a newline are three things, and two connections can work at the same time."""
import ctypes
import ctypes.util
import os
import re

TUPLES = 2                                      # PGRES_TUPLES_OK
FAILED = (5, 7)                                 # PGRES_BAD_RESPONSE, PGRES_FATAL_ERROR
SQLSTATE, MESSAGE = ord("C"), ord("M")          # PG_DIAG_*


def load():
    library = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
    for name, result, arguments in (
            ("PQconnectdb", "p", "s"), ("PQstatus", "i", "p"), ("PQfinish", None, "p"), ("PQsendQuery", "i", "ps"),
            ("PQgetResult", "p", "p"), ("PQresultStatus", "i", "p"), ("PQntuples", "i", "p"), ("PQnfields", "i", "p"),
            ("PQgetvalue", "s", "pii"), ("PQgetisnull", "i", "pii"), ("PQresultErrorField", "s", "pi"),
            ("PQcmdStatus", "s", "p"), ("PQclear", None, "p"), ("PQerrorMessage", "s", "p"), ("PQbackendPID", "i", "p")):
        function = getattr(library, name)
        kinds = {"p": ctypes.c_void_p, "s": ctypes.c_char_p, "i": ctypes.c_int, None: None}
        function.restype = kinds[result]
        function.argtypes = [kinds[letter] for letter in arguments]
    return library


PQ = load()


class Answer:
    """What a statement came to: its rows and command tag, or its SQLSTATE ("gone": the server closed the connection)."""

    def __init__(self, rows, tag, sqlstate=None, error=None):
        self.rows = rows
        self.tag = tag
        self.sqlstate = sqlstate
        self.error = error

    def __str__(self):
        if self.sqlstate is not None:
            return "ERROR %s: %s" % (self.sqlstate, self.error)
        text = "%s: %s" % (self.tag, " ".join("(%s)" % ", ".join("NULL" if v is None else repr(v) for v in row) for row in self.rows))
        return text if len(text) <= 400 else text[:400] + " ..."


class Connection:
    def __init__(self, settings=""):
        self.settings = settings
        self.connect()

    def connect(self):
        """Opens the connection (again); settings are the options of its session, to which RESET ALL goes back."""
        options = re.sub(r"([\\'])", r"\\\1", " ".join("-c " + word for word in self.settings.split()))
        self.handle = PQ.PQconnectdb(("host='%s' dbname='%s' user='%s' options='%s'" % (
            os.environ["PGHOST"], os.environ["PGDATABASE"], os.environ["PGUSER"], options)).encode())
        if PQ.PQstatus(self.handle) != 0:
            raise ConnectionError(PQ.PQerrorMessage(self.handle).decode())
        self.pid = PQ.PQbackendPID(self.handle)

    def start(self, sql):
        """Sends statements; the answer is that of the last one, or of the first that fails."""
        self.sent = PQ.PQsendQuery(self.handle, sql.encode())

    def finish(self):
        answer = None if self.sent else Answer([], "", "gone", PQ.PQerrorMessage(self.handle).decode())
        while self.sent:
            result = PQ.PQgetResult(self.handle)
            if not result:
                break
            if answer is None or answer.sqlstate is None:
                answer = self.read(result)
            PQ.PQclear(result)
        if PQ.PQstatus(self.handle) != 0:
            answer = Answer([], "", "gone", answer.error if answer else "connection lost")
        return answer

    @staticmethod
    def read(result):
        status = PQ.PQresultStatus(result)
        if status in FAILED:
            sqlstate, message = (PQ.PQresultErrorField(result, field) for field in (SQLSTATE, MESSAGE))
            return Answer([], "", (sqlstate or b"gone").decode(), (message or b"").decode())
        rows = []
        if status == TUPLES:
            value, is_null = PQ.PQgetvalue, PQ.PQgetisnull
            fields = range(PQ.PQnfields(result))
            for number in range(PQ.PQntuples(result)):
                row = []
                for field in fields:
                    text = value(result, number, field).decode()
                    row.append(None if text == "" and is_null(result, number, field) else text)
                rows.append(tuple(row))
        return Answer(rows, PQ.PQcmdStatus(result).decode())

    def run(self, sql):
        self.start(sql)
        return self.finish()

    def must(self, sql):
        answer = self.run(sql)
        if answer.sqlstate is not None:
            raise SystemExit("%s\nfailed: %s" % (sql, answer))
        return answer

    def close(self):
        PQ.PQfinish(self.handle)
