"""--data: a power cut loses nothing acknowledged; writes share syncs.

The server runs with test/powercut.c preloaded, which keeps a copy of what was
synced; a new server opens the copy.  Preloading excludes the sanitizers, so
this is the plain build.
"""
import http.client
import os
import shutil
import tempfile
import threading
import time
import unittest

import harness
from harness import HERE, Client, Server, batch_statuses

ROOT = os.path.dirname(HERE)
PRELOAD = os.path.join(ROOT, "build", "powercut.so")
PLAIN = os.path.join(ROOT, "mock-tablestore")
GONE = (ConnectionError, http.client.HTTPException, OSError)
NO = {"Prefer": "return-no-content"}


@unittest.skipUnless(os.path.exists(PRELOAD) and os.path.exists(PLAIN),
                     "build/powercut.so or mock-tablestore is not built")
class PowerCut(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="mts-cut-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.disk = os.path.join(self.dir, "disk")
        os.mkdir(self.disk)

    def start(self, data, **environment):
        """The plain build, with these variables in its environment only."""
        saved = harness.BINARY
        harness.BINARY = PLAIN
        os.environ.update(environment)
        try:
            server = Server("--data", data)
        finally:
            harness.BINARY = saved
            for name in environment:
                del os.environ[name]
        self.addCleanup(server.close)
        return server

    def start_on_disk_that_forgets(self, delay_ms):
        return self.start(os.path.join(self.dir, "data"), LD_PRELOAD=PRELOAD,
                          POWERCUT_DIR=self.disk,
                          POWERCUT_DELAY_MS=str(delay_ms))

    def write(self, port, worker, acknowledged):
        c = Client(port)
        n = 0
        try:
            while True:
                pk = "w%d" % worker
                row = "%06d" % n
                if worker % 2:
                    rows = [row + "a", row + "b", row + "c"]
                    r = c.batch([("POST", "/tab", {
                        "PartitionKey": pk, "RowKey": x}, NO) for x in rows])
                    ok = batch_statuses(r) == [204] * 3
                else:
                    rows = [row]
                    ok = c.insert("tab", {"PartitionKey": pk,
                                          "RowKey": row}).status == 204
                if ok:
                    acknowledged.append((pk, rows))
                n += 1
        except GONE:
            c.close()

    def test_nothing_acknowledged_is_lost(self):
        server = self.start_on_disk_that_forgets(5)
        c = Client(server.port)
        self.assertEqual(c.create_table("tab").status, 201)
        c.close()
        acknowledged = []
        threads = [threading.Thread(target=self.write, args=(
            server.port, i, acknowledged)) for i in range(8)]
        for t in threads:
            t.start()
        time.sleep(1.5)
        server.kill()
        for t in threads:
            t.join(10)
        server.process.returncode = 0	# it was us
        self.assertGreater(len(acknowledged), 100)
        began = time.monotonic()
        after = self.start(os.path.join(self.disk, "data"))
        self.assertLess(time.monotonic() - began, 5)
        c = Client(after.port)
        found = {}
        for pk in {pk for pk, _ in acknowledged}:
            found[pk] = set(c.rows("tab", filter="PartitionKey eq '%s'" % pk))
        for pk, rows in acknowledged:
            self.assertLessEqual(set(rows), found[pk])
        for pk, rows in found.items():
            if int(pk[1:]) % 2:
                self.assertEqual(len(rows) % 3, 0, "part of a batch")
        c.close()

    def test_writes_share_syncs_and_readers_do_not_wait(self):
        server = self.start_on_disk_that_forgets(30)
        c = Client(server.port)
        c.create_table("tab")
        c.mock("DELETE", "counters")
        before = c.mock("GET", "counters").json()["syncs"]

        def write(worker):
            w = Client(server.port)
            for i in range(10):
                self.assertEqual(w.insert("tab", {
                    "PartitionKey": "p", "RowKey": "%d-%d" % (worker, i)
                }).status, 204)
            w.close()

        threads = [threading.Thread(target=write, args=(i,))
                   for i in range(24)]
        began = time.monotonic()
        for t in threads:
            t.start()
        waits = []
        while any(t.is_alive() for t in threads):
            at = time.monotonic()
            c.get("tab", "p", "0-0")
            waits.append(time.monotonic() - at)
            time.sleep(0.005)
        took = time.monotonic() - began
        syncs = c.mock("GET", "counters").json()["syncs"] - before
        # 240 writes; one sync each would take 7 s.
        self.assertGreaterEqual(syncs, 10)
        self.assertLess(syncs, 80)
        self.assertGreater(took, 0.3)
        self.assertLess(sorted(waits)[len(waits) // 2], 0.02)
        c.close()


if __name__ == "__main__":
    unittest.main()
