"""Scripted faults: which requests they meet, and what happens then."""
import http.client
import threading
import time
import unittest

from harness import Case, Client, Server

NO = {"Prefer": "return-no-content"}
GONE = (ConnectionError, http.client.HTTPException)


class Faults(Case):
    def fault(self, **rule):
        r = self.client.mock("POST", "faults", rule)
        self.assertEqual(r.status, 204, r)

    def hits(self):
        return [r["hits"] for r in self.client.mock("GET", "faults").json()]

    def insert(self, client, row, table="tab"):
        return client.insert(table, {"PartitionKey": "p", "RowKey": row})

    def dropped(self, call):
        """The call must lose its connection."""
        c = self.fresh()
        with self.assertRaises(GONE):
            call(c)

    def test_status(self):
        self.fault(action="status", status=503, code="ServerBusy",
                   retry_after=1)
        r = self.insert(self.client, "1")
        self.status(r, 503, "ServerBusy")
        self.assertEqual(r.headers["Retry-After"], "1")
        self.status(self.insert(self.client, "1"), 204)
        self.fault(action="status", status=500, code="OperationTimedOut")
        r = self.insert(self.client, "2")
        self.status(r, 500, "OperationTimedOut")
        self.assertIsNone(r.headers["Retry-After"])
        self.assertEqual(self.client.rows("tab"), ["1"])

    def test_nth_and_times(self):
        self.fault(operation="insert", nth=2, times=2, action="status")
        statuses = [self.insert(self.client, str(i)).status
                    for i in range(5)]
        self.assertEqual(statuses, [204, 503, 503, 204, 204])
        rule = self.client.mock("GET", "faults").json()[0]
        self.assertEqual((rule["matched"], rule["hits"]), (5, 2))

    def test_for_ever_until_cleared(self):
        self.fault(times=0, action="status")
        for i in range(4):
            self.status(self.insert(self.client, str(i)), 503)
        self.client.mock("DELETE", "faults")
        self.status(self.insert(self.client, "1"), 204)
        self.assertEqual(self.hits(), [])

    def test_operations(self):
        e = {"PartitionKey": "p", "RowKey": "r"}
        self.client.insert("tab", e)
        calls = {
            "table": lambda: self.client.request("GET", "/Tables"),
            "get": lambda: self.client.get("tab", "p", "r"),
            "query": lambda: self.client.query("tab"),
            "insert": lambda: self.client.insert("tab", e),
            "update": lambda: self.client.write("MERGE", "tab", "p", "r", {}),
            "delete": lambda: self.client.write("DELETE", "tab", "p", "no",
                                                etag="*"),
            "batch": lambda: self.client.batch([("POST", "/tab", e, NO)])}
        for operation in calls:
            self.client.mock("DELETE", "faults")
            self.fault(operation=operation, action="status", times=0)
            failed = [n for n, call in calls.items() if call().status == 503]
            self.assertEqual(failed, [operation])

    def test_tables(self):
        self.client.create_table("other")
        self.fault(table="OTHER", action="status", times=0)
        self.status(self.insert(self.client, "1"), 204)
        self.status(self.insert(self.client, "1", "other"), 503)
        e = {"PartitionKey": "p", "RowKey": "b"}
        self.status(self.client.batch([("POST", "/tab", e, NO)]), 202)
        self.status(self.client.batch([("POST", "/other", e, NO)]), 503)

    def test_drop_before(self):
        self.fault(operation="insert", action="drop_before")
        self.dropped(lambda c: self.insert(c, "1"))
        self.assertEqual(self.client.rows("tab"), [])
        self.assertEqual(self.hits(), [1])
        last = self.client.mock("GET", "journal").body.decode().split("\n")
        self.assertIn("\t0\t", [l for l in last if "POST" in l][-1])

    def test_drop_reply(self):
        self.fault(operation="insert", action="drop_reply")
        self.dropped(lambda c: self.insert(c, "1"))
        self.assertEqual(self.client.rows("tab"), ["1"])
        self.fault(operation="batch", action="drop_reply")
        parts = [("POST", "/tab", {"PartitionKey": "p", "RowKey": r}, NO)
                 for r in "23"]
        self.dropped(lambda c: c.batch(parts))
        self.assertEqual(self.client.rows("tab"), ["1", "2", "3"])

    def test_delay_holds_up_nobody_else(self):
        self.fault(operation="insert", action="delay", ms=600, times=0)
        took = []

        def slow(row):
            c = Client(self.server.port)
            began = time.monotonic()
            took.append((self.insert(c, row).status,
                         time.monotonic() - began))
            c.close()

        threads = [threading.Thread(target=slow, args=(str(i),))
                   for i in range(8)]
        began = time.monotonic()
        for t in threads:
            t.start()
        time.sleep(0.1)
        self.status(self.client.query("tab"), 200)
        self.assertLess(time.monotonic() - began, 0.5)
        for t in threads:
            t.join()
        self.assertLess(time.monotonic() - began, 3)
        for status, seconds in took:
            self.assertEqual(status, 204)
            self.assertGreaterEqual(seconds, 0.59)

    def test_delay_is_kept_when_the_client_gives_up(self):
        self.fault(operation="insert", action="delay", ms=700)
        c = self.fresh()
        c.connection.timeout = 0.1
        with self.assertRaises(TimeoutError):
            self.insert(c, "1")
        c.connection.close()
        time.sleep(0.2)
        self.assertEqual(self.client.rows("tab"), [])
        deadline = time.monotonic() + 5
        while self.client.rows("tab") != ["1"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_silent_until_cleared(self):
        self.fault(operation="insert", action="silent", times=0)
        ended = []

        def hang(row):
            c = Client(self.server.port)
            try:
                self.insert(c, row)
            except GONE as e:
                ended.append(e)
            c.close()

        threads = [threading.Thread(target=hang, args=(str(i),))
                   for i in range(4)]
        for t in threads:
            t.start()
        time.sleep(0.3)
        self.assertEqual(ended, [])
        self.status(self.client.query("tab"), 200)
        self.client.mock("DELETE", "faults")
        for t in threads:
            t.join(10)
        self.assertEqual(len(ended), 4)
        self.assertEqual(self.client.rows("tab"), [])

    def test_silent_and_the_client_gives_up(self):
        self.fault(operation="insert", action="silent")
        c = self.fresh()
        c.connection.timeout = 0.2
        with self.assertRaises(TimeoutError):
            self.insert(c, "1")
        c.connection.close()
        deadline = time.monotonic() + 5
        while "\t0\t" not in self.client.mock("GET", "journal").body.decode():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertEqual(self.client.rows("tab"), [])

    def test_two_rules(self):
        self.fault(nth=1, action="status", status=500, code="InternalError")
        self.fault(nth=2, action="status", status=503)
        statuses = [self.insert(self.client, str(i)).status for i in range(3)]
        self.assertEqual(statuses, [500, 503, 204])

    def test_rules_that_are_refused(self):
        for rule in ({}, {"action": "explode"}, {"action": "status",
                     "operation": "fly"}, {"action": "status", "nth": 0},
                     {"action": "delay", "ms": -1}, {"action": "status",
                     "status": 99}, {"action": "status", "tabel": "x"}):
            r = self.client.mock("POST", "faults", rule)
            self.assertEqual(r.status, 400, rule)
            self.assertTrue(r.body.strip())
        for body in ("", "[]", "{", "1"):
            self.assertEqual(self.client.mock("POST", "faults", body).status,
                             400)


class Ending(unittest.TestCase):
    def test_latency(self):
        server = Server("--latency", "80")
        self.addCleanup(server.close)
        c = Client(server.port)
        for _ in range(3):
            began = time.monotonic()
            c.request("GET", "/Tables")
            self.assertGreaterEqual(time.monotonic() - began, 0.079)
        began = time.monotonic()
        c.mock("GET", "counters")
        self.assertLess(time.monotonic() - began, 0.07)
        c.close()

    def test_stop_while_requests_wait(self):
        server = Server()
        c = Client(server.port)
        c.create_table("tab")
        c.mock("POST", "faults", {"action": "silent", "times": 0})
        threads = []

        def hang():
            d = Client(server.port)
            try:
                d.query("tab")
            except GONE:
                pass
            d.close()

        for _ in range(3):
            threads.append(threading.Thread(target=hang))
            threads[-1].start()
        time.sleep(0.2)
        server.close()
        for t in threads:
            t.join(10)
            self.assertFalse(t.is_alive())
        c.close()


if __name__ == "__main__":
    unittest.main()
