"""--limits azure, --latency with jitter and --seed."""
import time
import unittest

from harness import Case, Client, Server, batch_statuses



def parts(pk, at):
    return [("PUT", "/tab(PartitionKey='%s',RowKey='%05d')" % (pk, i), {}, {})
            for i in range(at, at + 100)]


class Limits(Case):
    """The clock stands, so that buckets fill only when it is moved."""
    options = ("--limits", "azure")

    def setUp(self):
        super().setUp()
        self.client.mock("POST", "clock", {"freeze": True})

    def tearDown(self):
        self.move(5000)			# buckets are full again
        super().tearDown()

    def move(self, ms):
        self.client.mock("POST", "clock", {"advance_ms": ms})

    def write(self, pk, at=0):
        """Batches of 100 until one is refused, or 50; entities written."""
        written = 0
        while written < 5000:
            r = self.client.batch(parts(pk, at + written))
            if r.status == 503:
                self.assertEqual(r.error(), "ServerBusy")
                break
            self.assertEqual(batch_statuses(r), [204] * 100)
            written += 100
        return written

    def test_partition(self):
        # A second's worth at once, then 2,000 a second.
        self.assertEqual(self.write("p"), 2000)
        self.assertEqual(self.write("p"), 0)
        self.move(50)
        self.assertEqual(self.write("p"), 100)
        self.move(5000)
        self.assertEqual(self.write("p"), 2000)
        lines = self.client.mock("GET", "journal").body.decode()
        self.assertIn("\tlimit_partition\n", lines)

    def test_other_partitions_are_not_held_up(self):
        self.write("p")
        self.status(self.client.batch(parts("q", 0)), 202)
        self.status(self.client.get("tab", "q", "00000"), 200)

    def test_account(self):
        self.assertEqual(sum(self.write("many%d" % k) for k in range(12)),
                         20000)
        lines = self.client.mock("GET", "journal").body.decode()
        self.assertIn("\tlimit_account\n", lines)

    def test_reading_costs_what_it_returns(self):
        for pk in ("p", "q"):
            self.status(self.client.batch(parts(pk, 0)), 202)
        self.move(1000)
        statuses = [self.client.query("tab", filter="PartitionKey eq 'p'").status
                    for _ in range(21)]
        self.assertEqual(statuses, [200] * 20 + [503])

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
