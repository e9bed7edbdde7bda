"""What the tests in t/ share: psql sessions, the mock's controls, a tally."""
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ENDPOINT = os.environ["ITABLE_TEST_ENDPOINT"]
ACCOUNT = os.environ["ITABLE_TEST_ACCOUNT"]
KEY = os.environ["ITABLE_TEST_KEY"]
CONTROL = os.environ.get("ITABLE_TEST_CONTROL")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

passed = 0
failed = 0


def ok(condition, name, detail=""):
    """One check; prints TAP."""
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
    print("%s %d - %s" % ("ok" if condition else "not ok", passed + failed, name))
    if not condition and detail:
        print("\n".join("# " + line for line in str(detail).splitlines()))
    sys.stdout.flush()
    return condition


def finish():
    print("1..%d" % (passed + failed))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


def wait_until(condition, seconds=20.0):
    """True as soon as condition() is, False after that many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


class Result:
    """Rows (lists of strings) or the error of what was run."""

    def __init__(self, lines, seconds, ended=False):
        self.seconds = seconds
        self.text = "\n".join(lines)
        error = re.search(r"(?:ERROR|FATAL):  ([0-9A-Z]{5}): (.*)", self.text)
        self.sqlstate = error.group(1) if error else None
        self.error = error.group(2) if error else None
        if ended and error is None:
            self.sqlstate = "gone"
        self.rows = [line.split("|") for line in lines]


class Session:
    """A psql that is fed through a pipe; run() waits, start() and wait() do not."""

    def __init__(self, cluster=None):
        self.cluster = cluster
        self.process = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=cluster.environment if cluster else None)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.pid = int(self.run("SELECT pg_backend_pid();").text)

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def start(self, sql):
        self.started = time.monotonic()
        try:
            self.process.stdin.write(sql + "\n\\echo -- done --\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def wait(self, seconds=60.0):
        lines = []
        while True:
            line = self.lines.get(timeout=seconds)
            if line is None:
                self.lines.put(None)
            if line is None or line == "-- done --":
                return Result(lines, time.monotonic() - self.started, line is None)
            lines.append(line)

    def run(self, sql, seconds=60.0):
        self.start(sql)
        return self.wait(seconds)

    def must(self, sql, seconds=60.0):
        result = self.run(sql, seconds)
        if result.sqlstate is not None:
            raise SystemExit("%s\nfailed: %s" % (sql, result.text))
        return result

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def make_server(session, name="store", endpoint=ENDPOINT, options=""):
    session.must("CREATE EXTENSION IF NOT EXISTS itable_fdw;"
                 "CREATE SERVER %s FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint '%s'%s);"
                 "CREATE USER MAPPING FOR CURRENT_USER SERVER %s OPTIONS (account '%s', account_key '%s');"
                 % (name, endpoint, options, name, ACCOUNT, KEY))


def control(method, path, body=None, base=None):
    """A request to the mock's own paths."""
    request = urllib.request.Request((base or CONTROL) + path, method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=20) as reply:
        return reply.read().decode()


def rule_hits(base=None):
    """How often the fault rules have fired."""
    rules = json.loads(control("GET", "/faults", base=base))
    rules = rules.get("faults", rules) if isinstance(rules, dict) else rules
    return sum(rule["hits"] for rule in rules)


def is_alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


class Cluster:
    """A second PostgreSQL cluster; Session(cluster) is a session there."""

    def __init__(self):
        # from the system's programs again, not from the first cluster's links
        path = [place for place in os.environ["PATH"].split(":") if not place.startswith(os.environ["ITABLE_TEST_PGDIR"])]
        report = tempfile.mktemp(prefix="itable-cluster.")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", os.path.join(ROOT, "tools/with-cluster.sh"), "--",
             "python3", "-c", "import json, os, sys; json.dump(dict(os.environ), open(sys.argv[1] + '.new', 'w'));"
             "os.rename(sys.argv[1] + '.new', sys.argv[1]); sys.stdin.read()", report],
            stdin=subprocess.PIPE, env=dict(os.environ, PATH=":".join(path)))
        if not wait_until(lambda: os.path.exists(report) or self.process.poll() is not None, 120) or \
                self.process.poll() is not None:
            raise SystemExit("the second cluster did not start")
        with open(report) as file:
            self.environment = json.load(file)
        os.remove(report)

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def end_at_request(session, statement, n, times, kill):
    """Runs a statement whose n-th request gets no answer, and kill(pid)s its backend
    there; False when it had fewer requests.  The session is closed."""
    control("POST", "/faults", {"operation": "any", "nth": n, "times": times, "action": "silent"})
    session.start(statement)
    wait_until(lambda: rule_hits() > 0 or not session.lines.empty())
    hit = rule_hits() > 0
    if hit:
        kill(session.pid)
        wait_until(lambda: not is_alive(session.pid))
    control("DELETE", "/faults")
    session.wait()
    session.close()
    return hit


def after_restart(session):
    """A new session, once the postmaster has ended the old one and is back."""
    wait_until(lambda: not is_alive(session.pid))
    session.close()
    environment = session.cluster.environment if session.cluster else None
    wait_until(lambda: subprocess.call(["pg_isready", "-q"], env=environment) == 0)
    return Session(session.cluster)


class OwnMock:
    """A mock with its data in a file, so that it can stop and come back."""

    def __init__(self, directory):
        self.directory = directory
        self.port = 0
        self.start()

    def start(self):
        port_file = os.path.join(self.directory, "port")
        if os.path.exists(port_file):
            os.remove(port_file)
        binary = os.environ.get("ITABLE_MOCK", os.path.join(ROOT, "mock-tablestore/mock-tablestore"))
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", binary, "--listen", "127.0.0.1:%d" % self.port,
             "--port-file", port_file, "--data", os.path.join(self.directory, "data")])
        if not wait_until(lambda: os.path.exists(port_file) and os.path.getsize(port_file) > 0):
            raise SystemExit("the mock did not start")
        self.port = int(open(port_file).read())
        self.endpoint = "http://127.0.0.1:%d/%s" % (self.port, ACCOUNT)
        self.control = "http://127.0.0.1:%d/__mock" % self.port

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
