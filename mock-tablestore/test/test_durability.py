"""--data: what was acknowledged survives kill -9, batches whole or absent."""
import http.client
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BINARY, Client, Server, batch_statuses

NO = {"Prefer": "return-no-content"}
GONE = (ConnectionError, http.client.HTTPException, OSError)
BATCH = 20


class Durability(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="mts-data-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.server = Server("--data", os.path.join(self.dir, "data"),
                             workdir=self.dir)
        self.addCleanup(self.server.close)

    def test_clean_restart(self):
        c = Client(self.server.port)
        c.create_table("Movies")
        props = {"PartitionKey": "p\U0001f600", "RowKey": "r", "d": 3.0,
                 "l": "5", "l@odata.type": "Edm.Int64"}
        etag = c.insert("Movies", props).etag()
        before = c.get("Movies", "p\U0001f600", "r").json()
        c.close()
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        c = Client(self.server.port)
        r = c.get("movies", "p\U0001f600", "r")
        self.assertEqual((r.json(), r.etag()), (before, etag))
        self.assertEqual(c.write("PUT", "Movies", "p\U0001f600", "r", {},
                                 etag).status, 204)
        c.close()

    def write_batches(self, worker, acknowledged):
        c = Client(self.server.port)
        n = 0
        try:
            while True:
                parts = [("POST", "/tab", {"PartitionKey": "w%d" % worker,
                                           "RowKey": "%06d-%02d" % (n, i)},
                          NO) for i in range(BATCH)]
                r = c.batch(parts)
                if batch_statuses(r) == [204] * BATCH:
                    acknowledged.append((worker, n))
                n += 1
        except GONE:
            c.close()

    def test_kill_during_batches(self):
        c = Client(self.server.port)
        c.create_table("tab")
        c.close()
        acknowledged = []
        for round_ in range(3):
            threads = [threading.Thread(target=self.write_batches,
                                        args=(round_ * 10 + i, acknowledged))
                       for i in range(3)]
            for t in threads:
                t.start()
            time.sleep(0.5)
            self.server.kill()
            for t in threads:
                t.join(20)
            began = time.monotonic()
            self.server.start()
            self.assertLess(time.monotonic() - began, 5)
            self.check(acknowledged)

    def check(self, acknowledged):
        self.assertGreater(len(acknowledged), 10)
        c = Client(self.server.port)
        batches = {}
        partitions = {w for w, _ in acknowledged}
        for worker in partitions:
            for row in c.rows("tab", filter="PartitionKey eq 'w%d'" % worker):
                batches.setdefault((worker, int(row[:6])), []).append(row)
        c.close()
        for batch, rows in batches.items():
            self.assertEqual(len(rows), BATCH, "part of batch %r" % (batch,))
        for batch in acknowledged:
            self.assertIn(batch, batches, "acknowledged batch is lost")

    def test_etags_do_not_repeat_after_a_kill(self):
        c = Client(self.server.port)
        c.create_table("tab")
        seen = set()
        for _ in range(3):
            for i in range(50):
                etag = c.write("PUT", "tab", "p", "r", {"i": i}).etag()
                self.assertNotIn(etag, seen)
                seen.add(etag)
            c.close()
            self.server.kill()
            self.server.start()
            c = Client(self.server.port)
        stamps = sorted(seen)
        self.assertEqual(len(stamps), 150)
        c.close()

    def test_one_server_per_file(self):
        r = subprocess.run([BINARY, "--listen", "127.0.0.1:0", "--data",
                            os.path.join(self.dir, "data")],
                           capture_output=True, text=True, timeout=20)
        self.assertEqual(r.returncode, 1)
        self.assertIn("locked", r.stderr)

    def test_deleted_tables_stay_deleted(self):
        c = Client(self.server.port)
        for name in ("one", "two"):
            c.create_table(name)
            c.insert(name, {"PartitionKey": "p", "RowKey": name})
        c.request("DELETE", "/Tables('one')")
        c.close()
        self.server.kill()
        self.server.start()
        c = Client(self.server.port)
        self.assertEqual(c.request("GET", "/Tables").json()["value"],
                         [{"TableName": "two"}])
        c.create_table("one")
        self.assertEqual((c.rows("one"), c.rows("two")), ([], ["two"]))
        c.close()


if __name__ == "__main__":
    unittest.main()
