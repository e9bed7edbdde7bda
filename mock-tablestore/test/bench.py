#!/usr/bin/env python3
"""Measures the server in memory: writes by batches, point reads, pages.

Requests are signed once and sent again and again by a few processes over raw
sockets, so that the client costs as little as Python allows; with wrk
installed, wrk sends the reads instead.  Prints one line per measurement.
"""
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
os.environ.setdefault("MTS_BINARY", os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "mock-tablestore"))

from harness import ACCOUNT, Client, Server, batch_body  # noqa: E402

SECONDS = 3
ENTITIES = int(os.environ.get("MTS_BENCH_ENTITIES", "100000"))
NO = {"Prefer": "return-no-content"}


def entity(i):
    return {"PartitionKey": "p%03d" % (i // 1000), "RowKey": "%07d" % i,
            "s": "x" * 150, "n": i, "d": i / 7, "b": True,
            "l": str(i), "l@odata.type": "Edm.Int64",
            "t": "2024-01-01T00:00:00Z", "t@odata.type": "Edm.DateTime",
            "u": "short"}


def request_text(client, method, path, body=b"", extra=None):
    path = "/" + ACCOUNT + path
    h = client.headers(method, path, extra)
    h["Host"] = "127.0.0.1:%d" % client.port
    if body:
        h["Content-Length"] = str(len(body))
    head = "%s %s HTTP/1.1\r\n" % (method, path) + "".join(
        "%s: %s\r\n" % i for i in h.items()) + "\r\n"
    return head.encode() + body


def exchange(s, text):
    """Send a request and read its reply to the end."""
    s.sendall(text)
    data = s.recv(1 << 20)
    while b"\r\n\r\n" not in data:
        data += s.recv(1 << 20)
    if data[9:10] != b"2":
        raise RuntimeError(data[:500])
    if b"Transfer-Encoding: chunked" in data[:1000]:
        while not data.endswith(b"\r\n0\r\n\r\n"):
            data = data[-16:] + s.recv(1 << 20)
        return
    head, _, body = data.partition(b"\r\n\r\n")
    left = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    left -= len(body)
    while left > 0:
        left -= len(s.recv(1 << 20))


def worker(port, texts, seconds, results):
    s = socket.create_connection(("127.0.0.1", port))
    n = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        exchange(s, texts[n % len(texts)])
        n += 1
    results.put(n)


def rate_python(port, texts, connections):
    results = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=worker, args=(
        port, texts, SECONDS, results)) for _ in range(connections)]
    for p in processes:
        p.start()
    total = sum(results.get() for _ in processes)
    for p in processes:
        p.join()
    return total / SECONDS


def rate_wrk(client, path, connections):
    full = "/" + ACCOUNT + path
    command = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % SECONDS]
    for item in client.headers("GET", full).items():
        command += ["-H", "%s: %s" % item]
    out = subprocess.run(command + ["http://127.0.0.1:%d%s" % (client.port,
                                                              full)],
                         capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        raise RuntimeError(out)
    return float(out.split("Requests/sec:")[1].split()[0])


def reads(client, name, path):
    for connections in (1, 8):
        if shutil.which("wrk"):
            value, how = rate_wrk(client, path, connections), "wrk"
        else:
            text = request_text(client, "GET", path)
            value = rate_python(client.port, [text], connections)
            how = "python"
        print("%-44s %2d conn %10.0f /s  (%s)" % (name, connections, value,
                                                 how), flush=True)


def load(client, table, n):
    """Insert n entities by batches of 100; entities per second."""
    texts = []
    for at in range(0, n, 100):
        parts = [("POST", "/" + table, entity(i), NO)
                 for i in range(at, min(at + 100, n))]
        texts.append(request_text(
            client, "POST", "/$batch",
            batch_body(parts, "b", "c").encode(),
            {"Content-Type": "multipart/mixed; boundary=b"}))
    s = socket.create_connection(("127.0.0.1", client.port))
    began = time.monotonic()
    for text in texts:
        exchange(s, text)
    return n / (time.monotonic() - began)


def single_inserts(client, table, n):
    client.create_table(table)
    texts = [request_text(client, "POST", "/" + table,
                          json.dumps(entity(i)).encode(),
                          {"Content-Type": "application/json",
                           "Prefer": "return-no-content"})
             for i in range(n)]
    s = socket.create_connection(("127.0.0.1", client.port))
    began = time.monotonic()
    for text in texts:
        exchange(s, text)
    return n / (time.monotonic() - began)


def resident_mib(pid):
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0


def measure(label, *options):
    server = Server(*options)
    client = Client(server.port, level="nometadata")
    print("-- %s" % label)
    try:
        measure_server(server, client)
    finally:
        client.close()
        server.close()


def measure_server(server, client):
    before = resident_mib(server.process.pid)
    for table, n in (("small", 1000), ("big", ENTITIES)):
        client.create_table(table)
        print("%-44s  1 conn %10.0f /s" % (
            "entities by batches of 100, %d" % n, load(client, table, n)))
    print("%-44s         %10.0f MiB" % ("memory of %d entities" % ENTITIES,
                                       resident_mib(server.process.pid)
                                       - before))
    print("%-44s  1 conn %10.0f /s" % (
        "single inserts", single_inserts(client, "single", 10000)))
    part = "PartitionKey%20eq%20'p000'"
    reads(client, "point read",
          "/big(PartitionKey='p000',RowKey='0000500')")
    for table in ("small", "big"):
        reads(client, "page of 1000, one partition, %s" % table,
              "/%s()?$filter=%s" % (table, part))
        reads(client, "range of 10 rows, %s" % table,
              "/%s()?$filter=%s%%20and%%20RowKey%%20ge%%20'0000500'%%20and"
              "%%20RowKey%%20lt%%20'0000510'" % (table, part))
    reads(client, "1 row of a partition of 1000 by property",
          "/big()?$filter=%s%%20and%%20n%%20eq%%20500" % part)
    client.level = "minimalmetadata"
    reads(client, "page of 1000, minimalmetadata",
          "/big()?$filter=%s" % part)


def main():
    measure("in memory")
    with tempfile.TemporaryDirectory() as d:
        measure("in a file", "--data", os.path.join(d, "data"))


if __name__ == "__main__":
    main()
