"""ETags and Timestamps: their form, their agreement, conditions."""
import re
import threading
import unittest

from harness import Case, Client

FORM = re.compile(r"^W/\"datetime'(\d{4}-\d\d-\d\dT\d\d)%3A(\d\d)%3A"
                  r"(\d\d(?:\.\d{0,6}[1-9])?Z)'\"$")


class Etags(Case):
    def test_form_and_timestamp_agree(self):
        for i in range(50):
            r = self.client.insert("tab", {"PartitionKey": "p",
                                           "RowKey": str(i)}, prefer=None)
            parts = FORM.match(r.etag())
            self.assertTrue(parts, r.etag())
            self.assertEqual(":".join(parts.groups()), r.json()["Timestamp"])

    def test_minimal_metadata_has_the_same(self):
        c = self.fresh(level="minimalmetadata")
        r = c.insert("tab", {"PartitionKey": "p", "RowKey": "r"}, prefer=None)
        self.assertEqual(r.json()["odata.etag"], r.etag())
        row = c.query("tab").json()["value"][0]
        self.assertEqual(row["odata.etag"], r.etag())

    def test_forms(self):
        """Exactly one etag, and one that could be one."""
        etag = self.client.insert("tab", {"PartitionKey": "p",
                                          "RowKey": "r"}).etag()
        for text in ("x", "*x", "W/", "W/\"", '"', "'a'", etag + ", " + etag,
                     '"a" "b"', "w/\"a\"", etag[2:-1]):
            r = self.client.write("PUT", "tab", "p", "r", {}, text)
            self.status(r, 400, "InvalidInput")
            self.assertIn("The etag value '%s' " % text, r.message())
        for text in ('"a"', 'W/"a"', '""', etag[2:]):
            self.status(self.client.write("PUT", "tab", "p", "r", {}, text),
                        412, "UpdateConditionNotSatisfied")
        self.status(self.client.write("PUT", "tab", "p", "r", {}, etag), 204)

    def test_conditions(self):
        old = self.client.insert("tab", {"PartitionKey": "p",
                                         "RowKey": "r"}).etag()
        r = self.client.write("PUT", "tab", "p", "r", {"a": 1}, old)
        new = self.status(r, 204).etag()
        self.assertNotEqual(old, new)
        for method in ("PUT", "MERGE", "DELETE"):
            body = None if method == "DELETE" else {"a": 2}
            self.status(self.client.write(method, "tab", "p", "r", body, old),
                        412, "UpdateConditionNotSatisfied")
        self.assertEqual(self.client.get("tab", "p", "r").json()["a"], 1)
        self.status(self.client.write("MERGE", "tab", "p", "r", {"a": 3},
                                      new), 204)
        last = self.client.get("tab", "p", "r").etag()
        self.status(self.client.write("DELETE", "tab", "p", "r", None, last),
                    204)

    def test_a_deleted_entitys_etag_never_fits_again(self):
        entity = {"PartitionKey": "p", "RowKey": "r"}
        old = self.client.insert("tab", entity).etag()
        self.client.write("DELETE", "tab", "p", "r", etag="*")
        self.client.insert("tab", entity)
        self.status(self.client.write("PUT", "tab", "p", "r", {}, old), 412)

    def test_broken_if_match(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        self.status(self.client.write("PUT", "tab", "p", "r", {}, "abc"),
                    400, "InvalidInput")

    def test_if_none_match_is_for_nobody(self):
        none = {"If-None-Match": "*"}
        for method, etag, text in [
                ("PUT", None, "cannot be specified for PUT"),
                ("DELETE", None, "cannot be specified for DELETE"),
                ("DELETE", "*", "Both If-Match and If-None-Match"),
                ("MERGE", "*", "Both If-Match and If-None-Match")]:
            r = self.client.write(method, "tab", "p", "r", {}, etag, **none)
            self.status(r, 400, "InvalidInput")
            self.assertIn(text, r.message())
        self.assertEqual(self.client.rows("tab"), [])

    def test_no_etag_twice(self):
        seen = []

        def work(name):
            c = Client(self.server.port)
            for _ in range(100):
                seen.append(c.write("PUT", "tab", "p", name, {}).etag())
            c.close()

        threads = [threading.Thread(target=work, args=(str(i),))
                   for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(seen), 400)
        self.assertEqual(len(set(seen)), 400)

    def test_only_one_of_many_wins(self):
        etag = self.client.insert("tab", {"PartitionKey": "p",
                                          "RowKey": "r"}).etag()
        statuses = []

        def work():
            c = Client(self.server.port)
            statuses.append(c.write("MERGE", "tab", "p", "r", {"a": 1},
                                    etag).status)
            c.close()

        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(statuses), [204] + [412] * 7)


if __name__ == "__main__":
    unittest.main()
