#!/usr/bin/env python3
"""Both servers in memory, one after the other: same requests, same client.

Prints a table of the two and the ratios next to their goals.  The requests
are signed here and sent by build/replay (C, epoll).  Azurite is taken from
the repository's test/azurite/node_modules (npm ci there); without it its
column stays empty.  MTS_BENCH_SECONDS per measurement, 5 by default.
"""
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "test"))
sys.dont_write_bytecode = True
os.environ.setdefault("MTS_BINARY", os.path.join(ROOT, "mock-tablestore"))

from harness import ACCOUNT, Client, Server, batch_body  # noqa: E402

REPLAY = os.path.join(ROOT, "build", "replay")
AZURITE = os.path.join(ROOT, "..", "test", "azurite", "node_modules", ".bin",
                       "azurite-table")
SECONDS = os.environ.get("MTS_BENCH_SECONDS", "5")
BIG = int(os.environ.get("MTS_BENCH_ENTITIES", "100000"))
SMALL = 1000


def entity(i):
    """About 300 bytes as JSON, 1,000 to a partition."""
    return {"PartitionKey": "p%03d" % (i // 1000), "RowKey": "%07d" % i,
            "title": "x" * 120, "n": i, "d": i / 7, "b": True, "l": str(i),
            "l@odata.type": "Edm.Int64", "t": "2024-01-01T00:00:00Z",
            "t@odata.type": "Edm.DateTime", "u": "short text"}


def request(client, method, path, body=b"", extra=None):
    path = "/" + ACCOUNT + path
    # The emulator's account occurs twice in what is signed; both take it.
    h = client.headers(method, path, extra)
    h["Host"] = "127.0.0.1:%d" % client.port
    if body:
        h["Content-Length"] = str(len(body))
    head = "%s %s HTTP/1.1\r\n" % (method, path) + "".join(
        "%s: %s\r\n" % i for i in h.items()) + "\r\n"
    return head.encode() + body


def replay(client, connections, seconds, texts):
    """(requests per second, median microseconds)."""
    with tempfile.NamedTemporaryFile() as f:
        for text in texts:
            f.write(b"%d\n" % len(text) + text)
        f.flush()
        out = subprocess.run([REPLAY, str(client.port), str(connections),
                              str(seconds), f.name], check=True,
                             capture_output=True, text=True)
    n, took, bad, _, median, _ = (float(x) for x in out.stdout.split())
    if bad:
        raise RuntimeError(out.stderr[:600])
    return n / took, median


def load(client, table, n):
    """Entities per second by batches of 100 over 4 connections."""
    client.close()				# Azurite hung up after 5 s of silence
    client.create_table(table)
    url = "http://127.0.0.1:%d/%s/%s" % (client.port, ACCOUNT, table)
    texts = []
    for at in range(0, n, 100):
        parts = [("POST", url, entity(i), {"Prefer": "return-no-content"})
                 for i in range(at, min(at + 100, n))]
        body = batch_body(parts, "batch_1", "changeset_1").encode()
        texts.append(request(client, "POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=batch_1"}))
    rate, _ = replay(client, 4, 0, texts)
    return rate * 100


def query_path(table, text):
    return "/%s()?$filter=%s" % (table, text.replace(" ", "%20"))


def ranges(client, table, n):
    dice = random.Random(1)
    texts = []
    for _ in range(500):
        at = dice.randrange(n // 10) * 10
        texts.append(request(client, "GET", query_path(
            table, "PartitionKey eq 'p%03d' and RowKey ge '%07d' and RowKey "
            "lt '%07d'" % (at // 1000, at, at + 10))))
    return texts


def range_times(client, small, big):
    """Median us on one connection, the best of five turns of each."""
    best = [1e9, 1e9]
    for _ in range(5):
        for i, texts in enumerate((small, big)):
            best[i] = min(best[i], replay(client, 1, 1, texts)[1])
    return best


def resident_mib(pid):
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0


def processor_seconds(pid):
    """Of all the process's threads, in user and kernel mode."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate_and_cost(client, pid, texts):
    """Requests per second on 8 connections, processor us of each."""
    before = processor_seconds(pid)
    began = time.monotonic()
    rate, _ = replay(client, 8, SECONDS, texts)
    took = time.monotonic() - began
    used = processor_seconds(pid) - before
    return rate, used / (rate * min(took, float(SECONDS))) * 1e6


def measure(client, pid):
    """The measurements by name."""
    dice = random.Random(1)
    load(client, "warm", 2000)
    m = {}
    before = resident_mib(pid)
    m["batch"] = load(client, "big", BIG)
    m["memory"] = (resident_mib(pid) - before) * 100000 / BIG
    load(client, "small", SMALL)
    points = [request(client, "GET", "/big(PartitionKey='p%03d',RowKey='%07d'"
                      ")" % (i // 1000, i))
              for i in (dice.randrange(BIG) for _ in range(2000))]
    m["point"], m["point_cpu"] = rate_and_cost(client, pid, points)
    pages = [request(client, "GET", query_path(
        "big", "PartitionKey eq 'p%03d'" % p)) for p in range(BIG // 1000)]
    m["page"], m["page_cpu"] = rate_and_cost(client, pid, pages)
    small = ranges(client, "small", SMALL)
    big = ranges(client, "big", BIG)
    m["range"], m["range_cpu"] = rate_and_cost(client, pid, big)
    m["small_us"], m["big_us"] = range_times(client, small, big)
    return m


def measure_ours():
    server = Server()
    client = Client(server.port)
    try:
        return measure(client, server.process.pid)
    finally:
        client.close()
        server.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def measure_azurite():
    if not os.path.exists(AZURITE):
        return None
    port = free_port()
    with tempfile.TemporaryDirectory() as d:
        process = subprocess.Popen(
            [AZURITE, "--tableHost", "127.0.0.1", "--tablePort", str(port),
             "--inMemoryPersistence", "--silent", "--skipApiVersionCheck",
             "--disableTelemetry"], cwd=d,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # As an emulator it signs the account twice, like ours.
        client = Client(port)
        try:
            deadline = time.monotonic() + 30
            while True:
                try:
                    client.create_table("ready")
                    break
                except OSError:
                    client.close()
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)
            return measure(client, process.pid)
        finally:
            client.close()
            process.terminate()
            process.wait()


def row(name, ours, theirs, goal, met, ratio):
    theirs = "" if theirs is None else "%.0f" % theirs
    print("| %s | %.0f | %s | %s | %s | %s |" % (
        name, ours, theirs, ratio, goal, "met" if met else "MISSED"))


def compare(name, key, goal, a, b):
    if b is None:
        print("| %s | %.0f | | | %d\u00d7 | |" % (name, a[key], goal))
        return
    ratio = a[key] / b[key]
    row(name, a[key], b[key], "%d\u00d7" % goal, ratio >= goal,
        "%.1f\u00d7" % ratio)


def costs(a, b):
    """What other programs on the machine change less than rates."""
    for name, key in (("a point read", "point_cpu"),
                      ("a page of 1,000", "page_cpu"),
                      ("a range of 10 rows", "range_cpu")):
        print("| processor time of %s, us | %.0f | %s | %s | | |" % (
            name, a[key], "%.0f" % b[key] if b else "",
            "%.1f\u00d7" % (b[key] / a[key]) if b else ""))


def main():
    a = measure_ours()
    b = measure_azurite()
    print("In memory, %d entities of %d bytes, %d processors, %s s each, "
          "load average %.1f, %s"
          % (BIG, len(json.dumps(entity(1))), os.cpu_count(), SECONDS,
             os.getloadavg()[0], time.strftime("%Y-%m-%d")))
    print("\n| | this | Azurite | ratio | goal | |\n|---|---|---|---|---|---|")
    compare("point reads/s, 8 connections", "point", 20, a, b)
    compare("pages of 1,000/s, 8 connections", "page", 20, a, b)
    compare("ranges of 10 rows/s, 8 connections", "range", 20, a, b)
    compare("entities/s by batches of 100, 4 connections", "batch", 10, a, b)
    costs(a, b)
    growth = a["big_us"] / a["small_us"]
    theirs = b["big_us"] / b["small_us"] if b else None
    print("| time of a range (us, 1 connection) at %d entities | %.0f | %s | "
          "| | |" % (BIG, a["big_us"], "%.0f" % b["big_us"] if b else ""))
    print("| the same divided by the time at %d entities | %.2f | %s | | "
          "\u2264 1.3 | %s |" % (SMALL, growth, "%.2f" % theirs if b else "",
                                 "met" if growth <= 1.3 else "MISSED"))
    row("memory of 100,000 entities, MiB", a["memory"],
        b["memory"] if b else None, "\u2264 150", a["memory"] <= 150, "")


if __name__ == "__main__":
    main()
