"""$filter: operators, literals of every type, what matches and what not."""
import unittest

from harness import Case

GUID = "c9da6455-213d-42c9-9a79-3e9149a57833"


class Filters(Case):
    def setUp(self):
        super().setUp()
        rows = {
            "i5": {"v": 5}, "i7": {"v": 7}, "im": {"v": -3},
            "l5": {"v": "5", "v@odata.type": "Edm.Int64"},
            "l9": {"v": "9007199254740993", "v@odata.type": "Edm.Int64"},
            "d5": {"v": 5.0}, "d5h": {"v": 5.5},
            "dn": {"v": "NaN", "v@odata.type": "Edm.Double"},
            "s5": {"v": "5"}, "se": {"v": ""}, "sq": {"v": "it's"},
            "bt": {"v": True}, "bf": {"v": False},
            "g": {"v": GUID.upper(), "v@odata.type": "Edm.Guid"},
            "x": {"v": "AAH/", "v@odata.type": "Edm.Binary"},
            "t": {"v": "2024-01-01T00:00:00.1234567Z",
                  "v@odata.type": "Edm.DateTime"},
            "none": {"w": 1},
        }
        self.names = sorted(rows)
        for name, props in rows.items():
            e = {"PartitionKey": "p", "RowKey": name}
            e.update(props)
            self.status(self.client.insert("tab", e), 204)

    def check(self, text, *expected):
        self.assertEqual(self.client.rows("tab", filter=text),
                         sorted(expected), text)

    def refused(self, text):
        self.status(self.client.query("tab", filter=text), 400,
                    "InvalidInput")

    def test_integer_literal_reaches_wider_types(self):
        self.check("v eq 5", "d5", "i5", "l5")
        self.check("v gt 5", "d5h", "i7", "l9")
        self.check("v le 5", "d5", "i5", "im", "l5")
        self.check("v ne 5", "d5h", "dn", "i7", "im", "l9")
        self.check("v lt -2", "im")

    def test_int64_literal(self):
        self.check("v eq 5L", "l5")
        self.check("v eq 9007199254740993L", "l9")
        self.check("v eq 9007199254740992L")
        self.check("v ge -9223372036854775808L", "l5", "l9")

    def test_double_literal(self):
        self.check("v eq 5.0", "d5")
        self.check("v eq 5.5", "d5h")
        self.check("v eq 5.5d", "d5h")
        self.check("v lt 1e1", "d5", "d5h")
        self.check("v gt 0.5E+1", "d5h")
        self.check("v gt 5.25e0 and v lt INF", "d5h")
        self.check("v gt -INF", "d5", "d5h")
        self.check("v eq NaN")

    def test_strings(self):
        self.check("v eq '5'", "s5")
        self.check("v eq ''", "se")
        self.check("v eq 'it''s'", "sq")
        self.check("v gt ''", "s5", "sq")
        self.check("v ne '5'", "se", "sq")

    def test_booleans(self):
        self.check("v eq true", "bt")
        self.check("v ne true", "bf")
        self.check("false eq v", "bf")

    def test_guid(self):
        self.check("v eq guid'%s'" % GUID, "g")
        self.check("v eq guid'%s'" % GUID.upper(), "g")
        self.check("v ne guid'%s'" % GUID)

    def test_binary(self):
        self.check("v eq X'0001ff'", "x")
        self.check("v eq binary'0001FF'", "x")
        self.check("v gt X'00'", "x")

    def test_datetime_to_100_ns(self):
        self.check("v eq datetime'2024-01-01T00:00:00.1234567Z'", "t")
        self.check("v eq datetime'2024-01-01T00:00:00.1234568Z'")
        self.check("v lt datetime'2024-01-01T00:00:00.1234568Z'", "t")
        self.check("v gt datetime'2024-01-01T00:00:00.1234566Z'", "t")
        self.check("v ge datetime'2024-01-01'", "t")

    def test_timestamp(self):
        stamp = self.client.get("tab", "p", "g").json()["Timestamp"]
        self.check("Timestamp eq datetime'%s'" % stamp, "g")
        self.check("Timestamp lt datetime'2001-01-01T00:00:00Z'")
        self.check("Timestamp gt datetime'2001-01-01T00:00:00Z'",
                   *self.names)

    def test_constant_on_the_left(self):
        self.check("5 lt v", "d5h", "i7", "l9")
        self.check("5 eq v", "d5", "i5", "l5")
        self.check("'g' le RowKey and RowKey lt 'i'", "g")
        self.check("'p' eq PartitionKey and 'g' eq RowKey", "g")

    def test_logic(self):
        self.check("v eq 7 or v eq 'it''s' and v eq 'no'", "i7")
        self.check("(v eq 7 or v eq 'it''s') and v ne 'no'", "sq")
        self.check("not (v eq 5) and RowKey ge 'i' and RowKey lt 'j'", "i7",
                   "im")
        self.check("not v eq 5 and (RowKey eq 'i5' or RowKey eq 'i7')", "i7")
        self.check("((((v eq 7))))", "i7")
        self.check("not (not (v eq 7))", "i7")

    def test_missing_property(self):
        self.check("w ne 2", "none")
        self.check("nope ne 2")
        self.check("not (nope eq 2) and RowKey eq 'none'", "none")

    def test_many_comparisons(self):
        text = " or ".join("v eq %d" % i for i in range(100, 300))
        self.check("v eq 7 or " + text, "i7")

    def test_keys_with_other_types(self):
        self.check("PartitionKey eq 5")
        self.check("RowKey ne 5")

    def test_refused(self):
        for text in ("v", "v eq", "eq 5", "v eq w", "v eq null", "5", "true",
                     "v EQ 5", "v eq 5 AND w eq 1", "v eq 5 and", "(v eq 5",
                     "v eq 5)", "v eq 'x", "not v", "v eq datetime'x'",
                     "v eq guid'x'", "v eq X'0'", "v eq foo'x'",
                     "v eq 2147483648", "v eq 99999999999999999999L",
                     "v eq \"5\"", "v = 5", "v eq 5.5.5", "v eq 5x",
                     "1 eq 1", "v eq -", "PartitionKey", "v eq 5 5",
                     "v eq 0x10", "(" * 300 + "v eq 5" + ")" * 300):
            self.refused(text)

    def test_what_odata_has_and_the_service_does_not(self):
        for text in ("startswith(v,'5')", "substringof('5',v)",
                     "v eq 5 and endswith(v,'5') eq true", "v add 1 eq 5",
                     "5 sub v eq 1", "v eq 5 mul 2", "5 eq length(v)",
                     "year(Timestamp) eq 2020"):
            self.status(self.client.query("tab", filter=text), 501,
                        "NotImplemented")

    def test_position_of_a_syntax_error(self):
        for text, position in [("aaa bbb ccc", 7), ("v eq", 4),
                               ("(v eq 5", 7), ("v eq 5 x", 8)]:
            self.assertTrue(self.client.query("tab", filter=text).message()
                            .startswith("Syntax error at position %d in "
                                        "'%s'." % (position, text)), text)

    def test_blank_filter_is_none(self):
        self.check("", *self.names)
        self.check(" ", *self.names)

    def test_plus_is_a_blank(self):
        r = self.client.request("GET", "/tab?$filter=v+eq+7")
        self.assertEqual([e["RowKey"] for e in r.json()["value"]], ["i7"])


if __name__ == "__main__":
    unittest.main()
