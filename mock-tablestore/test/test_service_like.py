"""--limits azure, --latency with jitter and --seed."""
import threading
import time
import unittest

from harness import Case, Client, Server, batch_statuses

NO = {"Prefer": "return-no-content"}


def parts(pk, at):
    return [("PUT", "/tab(PartitionKey='%s',RowKey='%05d')" % (pk, i), {}, {})
            for i in range(at, at + 100)]


class Limits(Case):
    options = ("--limits", "azure")

    def setUp(self):
        super().setUp()
        time.sleep(1.1)			# buckets are full again

    def write(self, pk, seconds):
        """Batches of 100 as fast as possible; entities written, refusals."""
        c = self.fresh()
        written = refused = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            r = c.batch(parts(pk, written % 10000))
            if r.status == 503:
                self.assertEqual(r.error(), "ServerBusy")
                refused += 1
                time.sleep(0.005)
            else:
                self.assertEqual(batch_statuses(r), [204] * 100)
                written += 100
        return written, refused

    def test_partition(self):
        written, refused = self.write("p", 2)
        self.assertGreater(refused, 0)
        # A second's worth at once, then 2,000 a second; 2 s in all.
        self.assertGreater(written, 1500)
        self.assertLess(written, 2000 + 2 * 2000 + 400)
        lines = self.client.mock("GET", "journal").body.decode()
        self.assertIn("\tlimit_partition\n", lines)

    def test_other_partitions_are_not_held_up(self):
        self.write("p", 1)
        self.status(self.client.batch(parts("q", 0)), 202)
        self.status(self.client.get("tab", "q", "00000"), 200)

    def test_account(self):
        total = []
        threads = [threading.Thread(target=lambda k=k: total.append(
            self.write("many%d" % k, 1))) for k in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertLess(sum(w for w, _ in total), 40500)

    def test_reading_costs_what_it_returns(self):
        for pk in ("p", "q"):
            self.status(self.client.batch(parts(pk, 0)), 202)
        time.sleep(1.1)
        statuses = []
        for _ in range(60):
            r = self.client.query("tab", filter="PartitionKey eq 'p'")
            statuses.append(r.status)
            if r.status == 503:
                break
        self.assertGreaterEqual(len(statuses), 20)
        self.assertEqual(statuses[-1], 503)

    def test_pages_end_with_their_partition(self):
        for pk in ("p", "q", "r"):
            for i in range(3):
                self.client.insert("tab", {"PartitionKey": pk,
                                           "RowKey": pk + str(i)})
        r = self.client.query("tab")
        self.assertEqual([e["RowKey"] for e in r.json()["value"]],
                         ["p0", "p1", "p2"])
        self.assertEqual(len(self.client.rows("tab")), 9)
        # Where nothing matches, a page is empty and a token follows.
        r = self.client.query("tab", filter="RowKey eq 'q1'")
        self.assertEqual(r.json()["value"], [])
        self.assertIn("x-ms-continuation-NextPartitionKey", r.headers)
        self.assertEqual(self.client.rows("tab", filter="RowKey eq 'q1'"),
                         ["q1"])


class Latency(unittest.TestCase):
    def waits(self, *options):
        server = Server(*options)
        c = Client(server.port)
        found = []
        for _ in range(12):
            began = time.monotonic()
            c.request("GET", "/Tables")
            found.append(time.monotonic() - began)
        c.close()
        server.close()
        return found

    def test_seeded(self):
        a = self.waits("--latency", "10:60", "--seed", "5")
        b = self.waits("--latency", "10:60", "--seed", "5")
        c = self.waits("--latency", "10:60", "--seed", "6")
        for wait in a + b + c:
            self.assertGreaterEqual(wait, 0.0099)
        self.assertGreater(max(a) - min(a), 0.015)

        def apart(x, y):
            """Sum of differences; a busy machine only adds some."""
            return sum(abs(p - q) for p, q in zip(x, y))

        self.assertLess(apart(a, b), apart(a, c))


if __name__ == "__main__":
    unittest.main()
