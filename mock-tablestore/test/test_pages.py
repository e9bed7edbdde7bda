"""Queries: order, key ranges, $top, continuation, $select, metadata."""
import random
import unittest

from harness import Case, JSON


class Pages(Case):
    def fill(self, partitions, rows, **props):
        for p in partitions:
            keys = ["%05d" % i for i in range(rows)]
            for at in range(0, rows, 100):
                r = self.client.batch(
                    [("POST", "/tab", dict(props, PartitionKey=p, RowKey=k,
                                           n=int(k)),
                      {"Prefer": "return-no-content"})
                     for k in keys[at:at + 100]])
                self.assertEqual(r.status, 202)

    def test_page_of_1000_and_tokens(self):
        self.fill(["p"], 2500)
        r = self.status(self.client.query("tab"), 200)
        self.assertEqual(len(r.json()["value"]), 1000)
        pk = r.headers["x-ms-continuation-NextPartitionKey"]
        rk = r.headers["x-ms-continuation-NextRowKey"]
        for token in (pk, rk):
            version, length, text = token.split("!")
            self.assertEqual((version, int(length)), ("1", len(text)))
            self.assertNotIn("=", text)
        self.assertEqual(len(self.client.rows("tab")), 2500)
        self.assertEqual(len(self.client.rows("tab", top=7,
                                              filter="n lt 50")), 50)

    def test_the_last_page_has_no_token(self):
        self.fill(["p"], 1000)
        r = self.client.query("tab")
        self.assertEqual(len(r.json()["value"]), 1000)
        self.assertNotIn("x-ms-continuation-NextPartitionKey", r.headers)
        self.assertEqual(len(self.client.rows("tab", top=1000)), 1000)

    def test_top(self):
        self.fill(["p"], 5)
        r = self.client.query("tab", top=2)
        self.assertEqual(len(r.json()["value"]), 2)
        for bad in ("0", "1001", "-1", "x", "", "1.5", "99999999999"):
            self.status(self.client.query("tab", top=bad), 400,
                        "InvalidInput")

    def test_tokens_that_are_wrong(self):
        for token in ("x", "1!4!AAA", "2!4!AAAA", "1!4!????", "1!!", ""):
            self.status(self.client.query("tab", NextPartitionKey=token), 400,
                        "InvalidInput")

    def test_token_without_row_key(self):
        self.fill(["a", "b"], 3)
        r = self.client.query("tab", NextPartitionKey="1!4!Yg--")
        self.assertEqual([e["PartitionKey"] for e in r.json()["value"]],
                         ["b"] * 3)
        same = self.client.query("tab", NextPartitionKey="1!4!Yg--",
                                 NextRowKey="")
        self.assertEqual(same.body, r.body)

    def test_key_ranges_agree_with_brute_force(self):
        keys = ["a", "aa", "ab", "b", "ba", "c", ""]
        rows = [(p, r) for p in keys for r in keys]
        for p, r in rows:
            self.client.insert("tab", {"PartitionKey": p, "RowKey": r})
        rng = random.Random(7)
        ops = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
               "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
               "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}

        def expression(depth):
            if depth == 0 or rng.random() < 0.3:
                which = rng.randrange(2)
                op = rng.choice(list(ops))
                key = rng.choice(keys)
                name = ("PartitionKey", "RowKey")[which]
                return ("%s %s '%s'" % (name, op, key),
                        lambda row: ops[op](row[which], key))
            kind = rng.choice(["and", "and", "or", "or", "not"])
            left, f = expression(depth - 1)
            if kind == "not":
                return "not (%s)" % left, lambda row: not f(row)
            right, g = expression(depth - 1)
            text = "(%s) %s (%s)" % (left, kind, right)
            if kind == "and":
                return text, lambda row: f(row) and g(row)
            return text, lambda row: f(row) or g(row)

        for _ in range(300):
            text, predicate = expression(3)
            found = []
            params = {"filter": text, "top": rng.choice([1, 3, 50])}
            while True:
                r = self.status(self.client.query("tab", **params), 200)
                found += [(e["PartitionKey"], e["RowKey"])
                          for e in r.json()["value"]]
                pk = r.headers.get("x-ms-continuation-NextPartitionKey")
                if pk is None:
                    break
                params["NextPartitionKey"] = pk
                params["NextRowKey"] = \
                    r.headers["x-ms-continuation-NextRowKey"]
            self.assertEqual(found, sorted(filter(predicate, rows)), text)

    def test_order_is_by_utf16_code_units(self):
        keys = ["", "A", "a", "aa", "b", "z", "~", "\u00e9", "\u4e2d",
                "\ud7ff", "\U00010000", "\U0001f600", "\U0010ffff", "\ue000",
                "\uffee"]
        for k in reversed(keys):
            self.client.insert("tab", {"PartitionKey": k, "RowKey": "r",
                                       "s": k})
            self.client.insert("tab", {"PartitionKey": "rows", "RowKey": k})
        keys_of = [e["PartitionKey"] for e in self.client.query(
            "tab", filter="RowKey eq 'r' and PartitionKey ne 'rows'")
            .json()["value"]]
        self.assertEqual(keys_of, keys)
        self.assertEqual(self.client.rows("tab",
                                          filter="PartitionKey eq 'rows'",
                                          top=1), keys)
        after = keys[keys.index("\U0001f600") + 1:]
        self.assertEqual(self.client.rows(
            "tab", filter="PartitionKey eq 'rows' and RowKey gt "
            "'\U0001f600'"), after)
        found = self.client.query("tab", filter="s gt '\U0001f600'").json()
        self.assertEqual([e["s"] for e in found["value"]], after)
        found = self.client.query("tab", filter="s lt '\ue000'").json()
        self.assertEqual([e["s"] for e in found["value"]],
                         keys[:keys.index("\ue000")])

    def test_select_of_everything(self):
        """The Python client of old sends a blank; so it was recorded."""
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r",
                                   "a": 1})
        c = self.fresh(level="minimalmetadata")
        for text, shown in [("%20", ""), ("", ""), ("*", "*")]:
            r = c.request("GET", "/tab()?$select=" + text).json()
            self.assertTrue(r["odata.metadata"].endswith(
                "/$metadata#tab&$select=" + shown), r)
            self.assertEqual(r["value"][0]["a"], 1)
        self.assertIn("odata.etag", r["value"][0])

    def test_select(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r",
                                   "a": 1, "b": "x"})
        r = self.client.query("tab", select="b,nope,RowKey")
        self.assertEqual(r.json()["value"], [{"RowKey": "r", "b": "x",
                                              "nope": None}])
        for everything in ("*", ""):
            row = self.client.query("tab", select=everything).json()
            self.assertIn("Timestamp", row["value"][0])
        c = self.fresh(level="minimalmetadata")
        page = c.query("tab", select="a,xyz").json()
        self.assertTrue(page["odata.metadata"]
                        .endswith("/$metadata#tab&$select=a,xyz"))
        self.assertEqual(list(page["value"][0]), ["odata.etag", "a", "xyz"])

    def test_metadata_levels(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r",
                                   "a": "1", "a@odata.type": "Edm.Int64"})
        r = self.client.query("tab")
        self.assertEqual(list(r.json()), ["value"])
        self.assertEqual(list(r.json()["value"][0]),
                         ["PartitionKey", "RowKey", "Timestamp", "a"])
        r = self.fresh(level="minimalmetadata").query("tab")
        self.assertEqual(list(r.json()), ["odata.metadata", "value"])
        self.assertEqual(list(r.json()["value"][0]),
                         ["odata.etag", "PartitionKey", "RowKey",
                          "Timestamp", "a@odata.type", "a"])
        self.assertEqual(
            r.headers["Content-Type"],
            "application/json;odata=minimalmetadata;streaming=true;"
            "charset=utf-8")

    def test_format_in_the_url(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        for level in ("nometadata", "minimalmetadata", "fullmetadata"):
            r = self.client.request(
                "GET", "/tab()?$format=application/json;odata=" + level,
                headers={"Accept": None})
            self.assertIn("odata=" + level, self.status(r, 200)
                          .headers["Content-Type"])
        r = self.client.request("GET", "/tab?$format=json")
        self.assertIn("minimal", r.headers["Content-Type"])
        r = self.client.request("GET", "/tab?$format=atom")
        self.status(r, 415)

    def test_with_and_without_parentheses(self):
        self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        a = self.client.request("GET", "/tab").json()
        b = self.client.request("GET", "/tab()").json()
        c = self.client.request("GET", "/tab%28%29").json()
        self.assertEqual(a, b)
        self.assertEqual(a, c)
        self.assertIn(JSON, "application/json;odata=")

    def test_a_token_can_lead_to_an_empty_page(self):
        self.fill(["p"], 10)
        r = self.client.query("tab", filter="n eq 3", top=1)
        self.assertEqual(len(r.json()["value"]), 1)
        pk = r.headers["x-ms-continuation-NextPartitionKey"]
        rk = r.headers["x-ms-continuation-NextRowKey"]
        r = self.client.query("tab", filter="n eq 3", top=1,
                              NextPartitionKey=pk, NextRowKey=rk)
        self.assertEqual(r.json()["value"], [])
        self.assertNotIn("x-ms-continuation-NextPartitionKey", r.headers)


if __name__ == "__main__":
    unittest.main()
