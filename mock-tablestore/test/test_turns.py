"""A scan of a large table neither misses rows nor keeps others waiting."""
import threading
import time
import unittest

from harness import Case, Client

NO = {"Prefer": "return-no-content"}
ROWS = 20000


class Turns(Case):
    def test_scans_and_writes_side_by_side(self):
        for at in range(0, ROWS, 100):
            self.client.batch([("POST", "/tab", {
                "PartitionKey": "p", "RowKey": "%06d" % i, "n": i}, NO)
                for i in range(at, at + 100)])
        stop = threading.Event()
        latencies = []

        def write():
            c = Client(self.server.port)
            while not stop.is_set():
                began = time.monotonic()
                self.assertEqual(c.write("PUT", "tab", "q", "r",
                                         {"n": -1}).status, 204)
                latencies.append(time.monotonic() - began)
            c.close()

        threads = [threading.Thread(target=write) for _ in range(3)]
        for t in threads:
            t.start()
        try:
            for _ in range(5):
                rows = self.client.rows(
                    "tab", filter="n ge 100 and PartitionKey eq 'p'")
                self.assertEqual(len(rows), ROWS - 100)
                self.assertEqual(rows, sorted(set(rows)))
            # The rows where a turn may end: neither lost nor seen twice.
            text = "n eq 4095 or n eq 4096 or n eq 8191 or n eq 8192"
            for _ in range(30):
                self.assertEqual(self.client.rows("tab", filter=text),
                                 ["004095", "004096", "008191", "008192"])
        finally:
            stop.set()
            for t in threads:
                t.join()
        self.assertGreater(len(latencies), 20)
        self.assertLess(max(latencies), 2)

    def test_table_dropped_in_the_middle(self):
        for at in range(0, ROWS, 100):
            self.client.batch([("POST", "/tab", {
                "PartitionKey": "p", "RowKey": "%06d" % i}, NO)
                for i in range(at, at + 100)])
        statuses = []

        def scan():
            c = Client(self.server.port)
            for _ in range(20):
                statuses.append(c.query("tab", filter="nope eq 1").status)
            c.close()

        t = threading.Thread(target=scan)
        t.start()
        time.sleep(0.02)
        self.client.request("DELETE", "/Tables('tab')")
        t.join()
        self.assertEqual(set(statuses) - {200, 404}, set())
        self.assertEqual(statuses[-1], 404)


if __name__ == "__main__":
    unittest.main()
