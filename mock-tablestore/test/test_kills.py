"""kill -9 at random moments under writers: what was acknowledged is there.

Six clients replace and delete a few keys and insert batches; after every kill
the whole table is read and compared with what they were told.  A request
without an answer may have happened or not, a batch only as a whole.
MTS_KILL_SECONDS is how long it goes on, 4 by default.
"""
import http.client
import os
import random
import tempfile
import threading
import time
import unittest

from harness import Client, Server, batch_statuses

SECONDS = float(os.environ.get("MTS_KILL_SECONDS", "4"))
NO = {"Prefer": "return-no-content"}
WRITERS = 6
KEYS = 50


class Book:
    """What one writer was told."""

    def __init__(self, number):
        self.partition = "p%d" % number
        self.dice = random.Random(number)
        self.acked = {}            # key: its value, None when deleted
        self.open = {}             # key: values of requests not answered
        self.batches = {}          # number: (size, acknowledged)
        self.next = 0
        self.answers = 0
        self.wrong = None          # an answer there should not have been

    def write_one(self, client):
        key = "k%02d" % self.dice.randrange(KEYS)
        self.next += 1
        value = None if self.dice.random() < 0.2 else self.next
        self.open.setdefault(key, set()).add(value)
        if value is None:
            r = client.write("DELETE", "tab", self.partition, key, etag="*")
            expected = (204, 404)
        else:
            r = client.write("PUT", "tab", self.partition, key, {"v": value})
            expected = (204,)
        if r.status not in expected:
            self.wrong = r
        self.answers += 1
        self.acked[key] = value
        self.open[key] = set()

    def write_batch(self, client):
        self.next += 1
        number, size = self.next, self.dice.randrange(1, 101)
        self.batches[number] = (size, False)
        r = client.batch([("POST", "/tab", {
            "PartitionKey": self.partition, "RowKey": "b%06d-%02d" % (
                number, i), "v": i}, NO) for i in range(size)])
        if set(batch_statuses(r)) != {204}:
            self.wrong = r
        self.answers += 1
        self.batches[number] = (size, True)

    def run(self, port):
        client = Client(port)
        try:
            while self.wrong is None:
                if self.dice.random() < 0.6:
                    self.write_one(client)
                else:
                    self.write_batch(client)
        except (OSError, http.client.HTTPException):
            client.close()         # the server is gone

    def compare(self, test, rows):
        """Then what was found is what holds."""
        test.assertIsNone(self.wrong)
        sizes = {}
        for key in rows:
            if key[0] == "b":
                number = int(key[1:7])
                sizes[number] = sizes.get(number, 0) + 1
        for number, (size, acked) in self.batches.items():
            test.assertIn(sizes.get(number, 0), (size,) if acked else
                          (0, size), number)
        for key in set(self.acked) | set(self.open):
            value = rows.get(key)
            test.assertIn(value, {self.acked.get(key)} | self.open.get(
                key, set()), key)
            self.acked[key] = value
            self.open[key] = set()


class Kills(unittest.TestCase):
    def rows(self, client, partition):
        found = {}
        params = {"filter": "PartitionKey eq '%s'" % partition}
        while True:
            r = client.query("tab", **params)
            self.assertEqual(r.status, 200, r)
            found.update((e["RowKey"], e["v"]) for e in r.json()["value"])
            for name in ("NextPartitionKey", "NextRowKey"):
                params[name] = r.headers["x-ms-continuation-" + name]
            if params["NextPartitionKey"] is None:
                return found

    def test_random_moments(self):
        dice = random.Random(1)
        with tempfile.TemporaryDirectory() as d:
            server = Server("--data", os.path.join(d, "data"), workdir=d)
            client = Client(server.port)
            client.create_table("tab")
            client.close()
            books = [Book(i) for i in range(WRITERS)]
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                self.one_life(server, books, dice.random())
            self.assertGreater(sum(b.answers for b in books), 20)
            self.assertEqual(server.stop(), 0)

    def one_life(self, server, books, seconds):
        threads = [threading.Thread(target=b.run, args=(server.port,))
                   for b in books]
        for t in threads:
            t.start()
        time.sleep(seconds)
        server.kill()
        for t in threads:
            t.join()
        server.start()
        client = Client(server.port)
        for book in books:
            book.compare(self, self.rows(client, book.partition))
        if sum(len(b.batches) for b in books) > 300:
            client.mock("POST", "reset")
            client.create_table("tab")
            for b in books:
                b.acked, b.open, b.batches = {}, {}, {}
        client.close()


if __name__ == "__main__":
    unittest.main()
