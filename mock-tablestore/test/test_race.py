"""Everything at once against the ThreadSanitizer build, for a few seconds."""
import http.client
import os
import tempfile
import shutil
import threading
import time
import unittest

import harness
from harness import HERE, Client, Server

TSAN = os.path.join(os.path.dirname(HERE), "build-tsan", "mock-tablestore")
SECONDS = float(os.environ.get("MTS_RACE_SECONDS", "3"))
GONE = (ConnectionError, http.client.HTTPException, OSError)
CORS = ("<StorageServiceProperties><Cors>%s</Cors>"
        "</StorageServiceProperties>")
RULE = ("<CorsRule><AllowedOrigins>http://a</AllowedOrigins><AllowedMethods>"
        "GET</AllowedMethods><AllowedHeaders/><ExposedHeaders>x-ms-*"
        "</ExposedHeaders><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule>")
NO = {"Prefer": "return-no-content"}


@unittest.skipUnless(os.path.exists(TSAN), "build-tsan is not built")
class Race(unittest.TestCase):
    def start(self, *options):
        saved = harness.BINARY
        harness.BINARY = TSAN
        os.environ["TSAN_OPTIONS"] = "halt_on_error=1:exitcode=66"
        try:
            return Server(*options)
        finally:
            harness.BINARY = saved
            del os.environ["TSAN_OPTIONS"]

    def step(self, c, worker, n):
        row = "%03d" % (n * 7 % 100)
        kind = (worker + n) % 10
        if kind < 3:
            c.write("PUT", "tab", "p%d" % (n % 3), row, {"v": n})
        elif kind == 3:
            c.batch([("PUT", "/tab(PartitionKey='p0',RowKey='%03d')" % i,
                      {"v": n}, {}) for i in range(5)])
        elif kind == 4:
            c.rows("tab", filter="v ge %d" % (n - 50))
        elif kind == 5:
            c.write("DELETE", "tab", "p1", row, etag="*")
        elif kind == 6:
            c.mock("GET", ("journal", "counters", "faults",
                           "paused")[n % 4])
        elif kind == 7:
            actions = ({"action": "zombie", "ms": 5},
                       {"action": "late", "ms": 3},
                       {"action": "delay", "ms": 4},
                       {"action": "slow_body", "bytes": 200, "ms": 1},
                       {"action": "pause", "point": "x"},
                       {"action": "drop_reply"})
            c.mock("POST", "faults", dict(actions[n % 6], nth=n % 5 + 1))
        elif kind == 8:
            c.mock("POST", "release")
            c.mock("DELETE", "faults")
        elif n % 3 == 0:
            c.request("PUT", "/?restype=service&comp=properties",
                      CORS % (RULE if n % 2 else ""),
                      {"Content-Type": "application/xml"})
            c.request("GET", "/Tables", headers={"Origin": "http://a"})
        else:
            c.create_table("t%d" % (n % 2))
            c.request("DELETE", "/Tables('t%d')" % (n % 2))

    def work(self, port, worker, end):
        c = Client(port)
        n = 0
        while time.monotonic() < end:
            try:
                self.step(c, worker, n)
            except GONE:
                c.close()
                c = Client(port)
            n += 1
        c.close()

    def load(self, *options):
        server = self.start(*options)
        c = Client(server.port)
        c.create_table("tab")
        end = time.monotonic() + SECONDS
        threads = [threading.Thread(target=self.work,
                                    args=(server.port, i, end))
                   for i in range(10)]
        for t in threads:
            t.start()
        while time.monotonic() < end or any(t.is_alive() for t in threads):
            # Whoever is paused last has nobody left to release it.
            c.mock("POST", "release")
            time.sleep(0.1)
        for t in threads:
            t.join()
        self.assertGreater(c.mock("GET", "counters").json()["requests"], 100)
        c.close()
        server.close()			# fails when it reported anything

    def test_in_memory(self):
        self.load("--limits", "azure", "--latency", "0:2")

    def test_in_a_file(self):
        directory = tempfile.mkdtemp(prefix="mts-race-")
        self.addCleanup(shutil.rmtree, directory)
        self.load("--data", os.path.join(directory, "data"))


if __name__ == "__main__":
    unittest.main()
