"""/__mock/: journal, counters, reset."""
import unittest

from harness import ACCOUNT, Case


class Mock(Case):
    def journal(self):
        r = self.client.mock("GET", "journal")
        return [line.split("\t") for line in r.body.decode().splitlines()]

    def setUp(self):
        super().setUp()
        self.client.mock("DELETE", "journal")
        self.client.mock("DELETE", "counters")

    def test_journal_lines(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        self.client.get("tab", "p", "r")
        self.client.get("tab", "p", "no", "?$select=a")
        lines = self.journal()
        self.assertEqual([l[0] for l in lines], ["1", "2", "3"])
        self.assertEqual([l[1] for l in lines], ["POST", "GET", "GET"])
        self.assertEqual([l[3] for l in lines], ["204", "200", "404"])
        self.assertEqual(lines[0][2], "/%s/tab" % ACCOUNT)
        self.assertEqual(lines[2][2], "/%s/tab(PartitionKey='p',RowKey='no')"
                         "?$select=a" % ACCOUNT)
        self.assertGreater(int(lines[0][4]), 20)
        self.assertEqual(lines[0][5], "0")
        self.assertGreater(int(lines[1][5]), 20)
        self.assertEqual(len(lines[0]), 7)

    def test_journal_reset(self):
        self.client.query("tab")
        self.assertEqual(self.client.mock("POST", "journal/reset").status,
                         204)
        self.assertEqual(self.journal(), [])
        self.client.query("tab")
        self.assertEqual(self.journal()[0][0], "1")

    def test_refused_requests_are_in_the_journal(self):
        c = self.fresh(account="nobody")
        c.query("tab")
        self.assertEqual(self.journal()[0][3], "403")

    def test_counters(self):
        e = {"PartitionKey": "p", "RowKey": "r"}
        self.client.insert("tab", e)
        self.client.insert("tab", e)
        self.client.get("tab", "p", "r")
        self.client.query("tab")
        self.client.write("PUT", "tab", "p", "r", {})
        self.client.write("MERGE", "tab", "p", "r", {})
        self.client.write("DELETE", "tab", "p", "r", etag="*")
        self.client.batch([("POST", "/tab", dict(e, RowKey=str(i)),
                            {"Prefer": "return-no-content"})
                           for i in range(5)])
        self.client.create_table("other")
        self.client.request("GET", "/nothing/here")
        c = self.client.mock("GET", "counters").json()
        expected = {"requests": 10, "insert": 2, "get": 1, "query": 1,
                    "update": 2, "delete": 1, "batch": 1, "table": 1,
                    "other": 1, "entities_in": 9, "entities_out": 2,
                    "connections": 0}
        self.assertEqual({k: c[k] for k in expected}, expected)
        self.assertGreater(c["bytes_in"], 100)
        self.assertGreater(c["bytes_out"], 100)
        self.client.mock("POST", "counters/reset")
        self.assertEqual(self.client.mock("GET", "counters")
                         .json()["requests"], 0)

    def test_reset_drops_all_tables(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        self.assertEqual(self.client.mock("POST", "reset").status, 204)
        self.status(self.client.query("tab"), 404, "TableNotFound")
        r = self.client.request("GET", "/Tables")
        self.assertEqual(r.json()["value"], [])

    def test_what_is_not_there(self):
        self.assertEqual(self.client.mock("GET", "nope").status, 404)
        self.assertEqual(self.client.mock("GET", "reset").status, 404)
        self.assertEqual(self.client.mock("PUT", "journal").status, 405)
        self.assertEqual(self.client.mock("PUT", "counters").status, 405)
        self.assertEqual(self.client.mock("PUT", "faults").status, 405)


if __name__ == "__main__":
    unittest.main()
