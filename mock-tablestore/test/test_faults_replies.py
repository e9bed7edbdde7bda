"""Faults that concern the reply: broken, slow, endless, repeated, elsewhere."""
import http.client
import json
import socket
import threading
import time
import unittest

from harness import Case, Client, Server

NO = {"Prefer": "return-no-content"}
GONE = (ConnectionError, http.client.HTTPException)


class Scripted(Case):
    def fault(self, **rule):
        r = self.client.mock("POST", "faults", rule)
        self.assertEqual(r.status, 204, r)

    def insert(self, client, row, pk="p", **props):
        return client.insert("tab", {"PartitionKey": pk, "RowKey": row,
                                     **props})

    def journal(self):
        text = self.client.mock("GET", "journal").body.decode()
        return [line.split("\t") for line in text.splitlines()]

    def until(self, what):
        deadline = time.monotonic() + 10
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def release(self, point):
        return self.client.mock("POST", "release?point=" + point).json()[
            "released"]


class Bodies(Scripted):
    def setUp(self):
        super().setUp()
        self.insert(self.client, "r", text="x" * 300)
        self.whole = self.client.get("tab", "p", "r").body

    def get(self):
        return self.fresh().get("tab", "p", "r")

    def test_truncated(self):
        self.fault(operation="get", action="truncate")
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.get()
        self.assertEqual(caught.exception.partial,
                         self.whole[:len(self.whole) // 2])
        self.fault(operation="get", action="truncate", bytes=7)
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.get()
        self.assertEqual(caught.exception.partial, self.whole[:7])
        self.status(self.get(), 200)

    def test_truncated_write_was_applied(self):
        self.fault(operation="insert", action="truncate")
        with self.assertRaises(GONE):
            self.fresh().insert("tab", {"PartitionKey": "p", "RowKey": "s"},
                                prefer=None)
        self.assertEqual(self.client.rows("tab"), ["r", "s"])

    def test_replies_without_a_body(self):
        self.fault(operation="insert", action="truncate")
        with self.assertRaises(GONE):
            self.insert(self.fresh(), "t")
        for action in ("garbage", "oversized", "slow_body"):
            self.fault(operation="insert", action=action)
            self.status(self.insert(self.client, action), 204)
        self.assertEqual(len(self.client.rows("tab")), 5)

    def test_truncated_page(self):
        for i in range(100):
            self.insert(self.client, "%03d" % i, text="y" * 100)
        self.fault(operation="query", action="truncate", bytes=5000)
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.fresh().query("tab")
        self.assertEqual(len(caught.exception.partial), 5000)

    def test_garbage(self):
        self.fault(operation="get", action="garbage", times=2)
        bodies = [self.get().body, self.get().body]
        self.assertEqual(bodies[0], bodies[1])
        self.assertEqual(len(bodies[0]), len(self.whole))
        with self.assertRaises(ValueError):
            json.loads(bodies[0])
        self.fault(operation="get", action="garbage", bytes=5)
        r = self.get()
        self.assertEqual((r.status, r.body), (200, bodies[0][:5]))

    def test_slow_body(self):
        self.fault(operation="get", action="slow_body", bytes=100, ms=100)
        began = time.monotonic()
        self.assertEqual(self.get().body, self.whole)
        self.assertGreater(time.monotonic() - began, 0.29)

    def test_slow_body_and_the_client_gives_up(self):
        self.fault(operation="get", action="slow_body", bytes=1, ms=50)
        c = self.fresh()
        c.connection.timeout = 0.02
        with self.assertRaises((TimeoutError,) + GONE):
            c.get("tab", "p", "r")
        c.connection.close()
        self.status(self.client.get("tab", "p", "r"), 200)

    def test_oversized(self):
        self.fault(operation="get", action="oversized", bytes=1000000)
        r = self.get()
        self.assertEqual(len(r.body), 1000000)
        self.assertEqual(r.json(), json.loads(self.whole))

    def test_oversized_default_is_64_mib(self):
        self.fault(operation="get", action="oversized")
        path = "/devstoreaccount1/tab(PartitionKey='p',RowKey='r')"
        with socket.create_connection(("127.0.0.1", self.server.port)) as s:
            head = "GET %s HTTP/1.1\r\nHost: x\r\n" % path
            head += "".join("%s: %s\r\n" % i for i in self.client.headers(
                "GET", path).items())
            s.sendall(head.encode() + b"\r\n")
            self.assertIn(b"67108864", s.recv(4000) + s.recv(4000))

    def test_redirect(self):
        self.fault(operation="get", action="redirect")
        r = self.get()
        self.status(r, 307)
        self.assertEqual(r.headers["Location"], "http://127.0.0.1:%d"
                         "/devstoreaccount1/tab(PartitionKey='p',RowKey='r')"
                         % self.server.port)
        self.fault(operation="insert", action="redirect", status=301,
                   location="http://example.invalid/x")
        r = self.insert(self.client, "s")
        self.status(r, 301)
        self.assertEqual(r.headers["Location"], "http://example.invalid/x")
        self.assertEqual(self.client.rows("tab"), ["r"])

    def test_429(self):
        self.fault(operation="get", action="status", status=429,
                   retry_after=7)
        r = self.status(self.get(), 429, "TooManyRequests")
        self.assertEqual(r.headers["Retry-After"], "7")

    def test_journal_names_the_fault(self):
        self.client.mock("DELETE", "journal")
        self.fault(operation="get", action="garbage")
        self.get()
        self.get()
        lines = self.journal()
        self.assertEqual([len(line) for line in lines], [8, 7])
        self.assertEqual(lines[0][7], "garbage")


class Partitions(Scripted):
    def test_a_rule_for_a_partition(self):
        self.fault(partition="q", action="status", times=0)
        for pk, status in (("p", 204), ("q", 503)):
            self.status(self.insert(self.client, "1", pk), status)
            part = ("POST", "/tab", {"PartitionKey": pk, "RowKey": "2"}, NO)
            self.assertEqual(self.client.batch([part]).status,
                             202 if status == 204 else 503)
            self.assertEqual(self.client.write("PUT", "tab", pk, "3",
                                               {}).status, status)
            self.assertEqual(self.client.get("tab", pk, "1").status,
                             200 if status == 204 else 503)
            for text in ("PartitionKey eq '%s'" % pk,
                         "(RowKey ge '2' and '%s' eq PartitionKey)" % pk):
                self.assertEqual(self.client.query("tab", filter=text).status,
                                 200 if status == 204 else 503)
        for text in ("PartitionKey eq 'q' or RowKey eq '1'",
                     "not (PartitionKey eq 'q')", "PartitionKey ge 'q'"):
            self.status(self.client.query("tab", filter=text), 200)
        self.status(self.client.query("tab"), 200)
        self.status(self.client.request("GET", "/Tables"), 200)

    def test_the_empty_partition(self):
        self.fault(partition="", action="status", times=0)
        self.status(self.insert(self.client, "1"), 204)
        self.status(self.insert(self.client, "1", ""), 503)


class Zombies(Scripted):
    def test_replied_and_applied_again(self):
        self.insert(self.client, "r", v=0)
        self.fault(operation="update", action="zombie", point="z")
        self.status(self.client.write("PUT", "tab", "p", "r", {"v": 1}), 204)
        self.client.write("PUT", "tab", "p", "r", {"v": 2})
        self.assertEqual(self.client.get("tab", "p", "r").json()["v"], 2)
        self.assertEqual(self.release("z"), 1)
        self.assertEqual(self.client.get("tab", "p", "r").json()["v"], 1)
        self.assertEqual(self.release("z"), 0)

    def test_a_deleted_row_comes_back(self):
        self.fault(operation="insert", action="zombie", ms=200)
        self.insert(self.client, "r")
        self.status(self.client.write("DELETE", "tab", "p", "r", etag="*"),
                    204)
        self.assertEqual(self.client.rows("tab"), [])
        self.until(lambda: self.client.rows("tab") == ["r"])

    def test_if_match_protects(self):
        etag = self.insert(self.client, "r", v=0).etag()
        self.fault(operation="update", action="zombie", point="z")
        self.client.write("PUT", "tab", "p", "r", {"v": 1}, etag)
        self.assertEqual(self.release("z"), 1)
        self.assertEqual([line[7:] + [line[3]] for line in self.journal()[-2:]
                          if line[2].find("tab") > 0],
                         [["zombie", "204"], ["applied_again", "412"]])

    def test_no_reply_and_applied_later(self):
        self.fault(operation="insert", action="late", point="z")
        with self.assertRaises(GONE):
            self.insert(self.fresh(), "r", v=7)
        self.assertEqual(self.client.rows("tab"), [])
        self.assertEqual(self.release("z"), 1)
        self.assertEqual(self.client.get("tab", "p", "r").json()["v"], 7)
        faults = [line[7] for line in self.journal() if len(line) > 7]
        self.assertEqual(faults[-2:], ["late", "applied_late"])

    def test_late_by_time(self):
        self.fault(operation="delete", action="late", ms=150)
        self.insert(self.client, "r")
        with self.assertRaises(GONE):
            self.fresh().write("DELETE", "tab", "p", "r", etag="*")
        self.assertEqual(self.client.rows("tab"), ["r"])
        self.until(lambda: self.client.rows("tab") == [])

    def test_batches(self):
        parts = [("POST", "/tab", {"PartitionKey": "p", "RowKey": r}, NO)
                 for r in "ab"]
        self.fault(operation="batch", action="late", point="z")
        with self.assertRaises(GONE):
            self.fresh().batch(parts)
        self.assertEqual(self.client.rows("tab"), [])
        self.assertEqual(self.release("z"), 1)
        self.assertEqual(self.client.rows("tab"), ["a", "b"])

    def test_not_counted(self):
        self.client.mock("DELETE", "counters")
        self.fault(operation="insert", action="zombie", point="z")
        self.insert(self.client, "r")
        self.release("z")
        counters = self.client.mock("GET", "counters").json()
        self.assertEqual((counters["insert"], counters["entities_in"]),
                         (1, 1))


class Pauses(Scripted):
    def start(self, row, results):
        def run():
            c = Client(self.server.port)
            results.append(self.insert(c, row).status)
            c.close()

        t = threading.Thread(target=run)
        t.start()
        self.addCleanup(t.join, 10)
        return t

    def paused(self):
        return self.client.mock("GET", "paused").json()

    def test_before_and_after(self):
        for when, rows in (("before", []), ("after", ["before", "after"])):
            results = []
            self.fault(operation="insert", action="pause", point=when,
                       when=when)
            t = self.start(when, results)
            self.until(lambda w=when: self.paused() == [w])
            self.assertEqual(sorted(self.client.rows("tab")), sorted(rows))
            self.assertEqual(results, [])
            self.assertEqual(self.release("elsewhere"), 0)
            self.assertEqual(self.release(when), 1)
            t.join(10)
            self.assertEqual(results, [204])
            self.assertEqual(self.paused(), [])

    def test_clearing_faults_releases(self):
        results = []
        self.fault(operation="insert", action="pause", point="a", times=3)
        threads = [self.start(str(i), results) for i in range(3)]
        self.until(lambda: self.paused() == ["a"] * 3)
        self.client.mock("DELETE", "faults")
        for t in threads:
            t.join(10)
        self.assertEqual(results, [204] * 3)

    def test_stop_while_paused(self):
        server = Server()
        c = Client(server.port)
        c.create_table("tab")
        c.mock("POST", "faults", {"action": "pause", "point": "p",
                                  "operation": "query"})
        c.mock("POST", "faults", {"action": "zombie", "point": "z",
                                  "operation": "insert"})
        self.insert(c, "1")

        def hang():
            d = Client(server.port)
            try:
                d.query("tab")
            except GONE:
                pass
            d.close()

        t = threading.Thread(target=hang)
        t.start()
        self.until(lambda: c.mock("GET", "paused").json() == ["p"])
        server.close()
        t.join(10)
        self.assertFalse(t.is_alive())
        c.close()


class Pages(Scripted):
    PK = "x-ms-continuation-NextPartitionKey"
    RK = "x-ms-continuation-NextRowKey"

    def setUp(self):
        super().setUp()
        for pk in ("p", "q"):
            for i in range(5):
                self.insert(self.client, "%s%d" % (pk, i), pk)
        self.all = ["%s%d" % (pk, i) for pk in "pq" for i in range(5)]
        self.client.mock("DELETE", "journal")

    def pages(self):
        return len([line for line in self.journal() if line[1] == "GET"])

    def test_short_pages(self):
        self.fault(action="page", page_size=3, times=0)
        self.assertEqual(self.client.rows("tab"), self.all)
        self.assertEqual(self.pages(), 4)
        self.assertEqual(self.client.rows("tab", top=2), self.all)
        self.assertEqual(self.pages(), 4 + 5)

    def test_empty_pages(self):
        self.fault(action="page", page_size=0, times=3)
        r = self.client.query("tab")
        self.assertEqual(r.json()["value"], [])
        self.assertIsNotNone(r.headers[self.PK])
        self.assertEqual(self.client.rows("tab"), self.all)
        self.assertEqual(self.pages(), 1 + 3)

    def test_empty_page_in_the_middle(self):
        self.fault(action="page", page_size=0, nth=2)
        self.fault(action="page", page_size=4, times=0)
        self.assertEqual(self.client.rows("tab"), self.all)
        self.assertEqual(self.pages(), 4)

    def test_missing_next_row_key(self):
        self.fault(action="page", no_row_key=True, times=0)
        r = self.client.query("tab")
        self.assertEqual(len(r.json()["value"]), 5)
        self.assertIsNotNone(r.headers[self.PK])
        self.assertIsNone(r.headers[self.RK])
        self.assertEqual(self.client.rows("tab"), self.all)
        self.fault(action="page", page_size=2)

    def test_missing_next_row_key_with_short_pages(self):
        self.fault(action="page", no_row_key=True, page_size=2, times=0)
        self.assertEqual(self.client.rows("tab"), self.all)
        self.assertEqual(self.pages(), 6)

    def test_odd_tokens(self):
        self.fault(action="page", odd_token=True, page_size=3, times=0)
        r = self.client.query("tab")
        for character in "!+=/% ":
            self.assertIn(character, r.headers[self.PK])
            self.assertIn(character, r.headers[self.RK])
        self.assertEqual(self.client.rows("tab"), self.all)

    def test_the_nth_query_of_a_table(self):
        self.client.create_table("other")
        self.fault(action="page", table="tab", page_size=1, nth=2)
        self.client.query("other")
        counts = [len(self.client.query("tab").json()["value"])
                  for _ in range(3)]
        self.assertEqual(counts, [10, 1, 10])

    def test_refused(self):
        for rule in ({"action": "page"}, {"action": "pause"},
                     {"action": "page", "page_size": 1001},
                     {"action": "page", "page_size": "3"},
                     {"action": "slow_body", "bytes": 0},
                     {"action": "page", "odd_token": 1},
                     {"action": "pause", "point": "x", "when": "never"},
                     {"action": "pause", "point": "x" * 64}):
            self.assertEqual(self.client.mock("POST", "faults", rule).status,
                             400, rule)


class Flag(unittest.TestCase):
    def test_faults_by_flag(self):
        rules = [{"operation": "table", "action": "status", "status": 500},
                 {"operation": "table", "action": "status", "nth": 2}]
        options = [o for r in rules for o in ("--fault", json.dumps(r))]
        server = Server(*options)
        self.addCleanup(server.close)
        c = Client(server.port)
        self.assertEqual([c.create_table("tab").status for _ in range(3)],
                         [500, 503, 201])
        c.close()


if __name__ == "__main__":
    unittest.main()
