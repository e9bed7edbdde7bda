"""Types of properties: what goes in comes out, what is wrong is refused."""
import json
import math
import random
import unittest

from harness import Case


class Types(Case):
    def put(self, value, type_=None):
        e = {"PartitionKey": "p", "RowKey": "r", "v": value}
        if type_:
            e["v@odata.type"] = "Edm." + type_
        return self.client.write("PUT", "tab", "p", "r", e)

    def text(self, value, type_=None, level="nometadata"):
        """JSON text of the value as the server writes it, and its type."""
        self.status(self.put(value, type_), 204)
        c = self.fresh(level=level)
        body = c.get("tab", "p", "r").body.decode()
        raw = json.loads(body, parse_float=lambda s: "#" + s,
                         parse_int=lambda s: "#" + s)
        return raw["v"], raw.get("v@odata.type")

    def test_untyped_numbers(self):
        self.assertEqual(self.text(3), ("#3", None))
        self.assertEqual(self.text(3.0), ("#3.0", None))
        self.assertEqual(self.text(-2147483648), ("#-2147483648", None))
        self.assertEqual(self.text(2147483648), ("#2147483648.0", None))
        self.assertEqual(self.text(0.1), ("#0.1", None))
        self.assertEqual(self.text(1e300)[0].lstrip("#"), "1e+300")

    def test_doubles_survive(self):
        for d in (1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e15,
                  123456789.125, 1e22, 2.0 ** 53):
            shown = self.text(d)[0].lstrip("#")
            self.assertEqual(repr(float(shown)), repr(d))
            self.assertRegex(shown, r"[.e]")

    def test_random_doubles_are_shortest(self):
        rng = random.Random(5)
        for start in range(0, 2000, 200):
            numbers = [rng.choice([
                rng.random(), rng.uniform(-1e6, 1e6), rng.gauss(0, 1),
                round(rng.uniform(0, 100), 2), 10 ** rng.uniform(-12, 25),
                rng.randrange(2 ** 53) / 2 ** rng.randrange(1, 40),
                2.0 ** -rng.randrange(40), rng.uniform(1e15, 2e16)])
                for _ in range(200)]
            e = {"v%d" % i: n for i, n in enumerate(numbers)}
            self.status(self.client.write("PUT", "tab", "p", "r", e), 204)
            body = self.client.get("tab", "p", "r").body
            got = json.loads(body, parse_float=lambda s: "#" + s)
            for i, n in enumerate(numbers):
                shown = got["v%d" % i].lstrip("#")
                self.assertEqual(float(shown), n)
                if math.frexp(n)[0] in (0.5, -0.5):
                    continue    # repr's shortest needs another rounding
                digits = shown.split("e")[0].replace(".", "").strip("-0")
                best = repr(n).split("e")[0].replace(".", "").strip("-0")
                self.assertLessEqual(len(digits), len(best), shown)

    def test_special_doubles(self):
        for word in ("NaN", "Infinity", "-Infinity"):
            self.assertEqual(self.text(word, "Double", "minimalmetadata"),
                             (word, "Edm.Double"))
        self.assertEqual(self.text("1.5", "Double"), ("#1.5", None))
        self.status(self.put("one", "Double"), 400, "InvalidInput")
        self.status(self.put("0x10", "Double"), 400, "InvalidInput")

    def test_integer_doubles_stay_doubles(self):
        self.assertEqual(self.text(7, "Double"), ("#7.0", None))

    def test_int32(self):
        self.assertEqual(self.text(7, "Int32"), ("#7", None))
        for bad in (2147483648, -2147483649, 1.5, "7"):
            self.status(self.put(bad, "Int32"), 400, "InvalidInput")

    def test_int64(self):
        for text in ("9223372036854775807", "-9223372036854775808", "0"):
            self.assertEqual(self.text(text, "Int64", "minimalmetadata"),
                             (text, "Edm.Int64"))
        for bad in ("9223372036854775808", "x", "", "1.0", " 1"):
            self.status(self.put(bad, "Int64"), 400, "InvalidInput")

    def test_datetime_trims_its_fraction(self):
        for sent, shown in [("2020-01-02T03:04:05.1230000Z",
                             "2020-01-02T03:04:05.123Z"),
                            ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"),
                            ("2020-01-02T03:04:05.0000000Z",
                             "2020-01-02T03:04:05Z"),
                            ("2020-01-02T03:04:05.1234567Z",
                             "2020-01-02T03:04:05.1234567Z"),
                            ("1601-01-01T00:00:00Z", "1601-01-01T00:00:00Z"),
                            ("2020-01-02T00:30:00+01:00",
                             "2020-01-01T23:30:00Z"),
                            ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
                            ("9999-12-31T23:59:59.9999999Z",
                             "9999-12-31T23:59:59.9999999Z")]:
            self.assertEqual(self.text(sent, "DateTime", "minimalmetadata"),
                             (shown, "Edm.DateTime"))

    def test_datetime_refused(self):
        for bad in ("yesterday", "2020-13-01T00:00:00Z",
                    "2021-02-29T00:00:00Z", "2020-01-01T24:00:00Z", "",
                    "2020-01-01T00:00:00X"):
            self.status(self.put(bad, "DateTime"), 400, "InvalidInput")
        self.status(self.put("1600-12-31T23:59:59Z", "DateTime"), 400,
                    "OutOfRangeInput")

    def test_guid(self):
        guid = "c9DA6455-213d-42C9-9a79-3E9149a57833"
        self.assertEqual(self.text(guid, "Guid", "minimalmetadata"),
                         (guid.lower(), "Edm.Guid"))
        for bad in ("", guid[1:], guid.replace("-", ""), guid[:-1] + "g"):
            self.status(self.put(bad, "Guid"), 400, "InvalidInput")

    def test_binary(self):
        for text in ("", "AA==", "AAE=", "AAEC", "/+8="):
            self.assertEqual(self.text(text, "Binary", "minimalmetadata"),
                             (text, "Edm.Binary"))
        for bad in ("A", "AA=", "A===", "AA=A", "!AAA"):
            self.status(self.put(bad, "Binary"), 400, "InvalidInput")

    def test_boolean_and_string(self):
        self.assertEqual(self.text(True), (True, None))
        self.assertEqual(self.text(False, "Boolean"), (False, None))
        self.status(self.put("true", "Boolean"), 400, "InvalidInput")
        self.status(self.put(1, "String"), 400, "InvalidInput")
        for s in ("", "a\"b\\c/\b\f\n\r\t", "\u0000\u001f\u007f",
                  "\u00e9\u4e2d\U0001f600", "'"):
            self.assertEqual(self.text(s), (s, None))

    def test_unknown_type(self):
        self.status(self.put("1", "Decimal"), 400, "InvalidValueType")

    def test_annotation_behind_its_property(self):
        body = ('{"PartitionKey":"p","RowKey":"r","v":"5",'
                '"v@odata.type":"Edm.Int64"}')
        self.status(self.client.request("POST", "/tab", body,
                                        {"Prefer": "return-no-content"}), 204)
        r = self.fresh(level="minimalmetadata").get("tab", "p", "r")
        self.assertEqual(r.json()["v@odata.type"], "Edm.Int64")

    def test_full_metadata_round_trip(self):
        c = self.fresh(level="fullmetadata")
        self.put("5", "Int64")
        e = c.get("tab", "p", "r").json()
        self.assertEqual(e["odata.type"], "devstoreaccount1.tab")
        self.assertEqual(e["Timestamp@odata.type"], "Edm.DateTime")
        self.assertEqual(e["odata.editLink"],
                         "tab(PartitionKey='p',RowKey='r')")
        self.assertTrue(e["odata.id"].endswith(
            "/devstoreaccount1/tab(PartitionKey='p',RowKey='r')"))
        self.assertEqual(list(e)[:6], [
            "odata.metadata", "odata.type", "odata.id", "odata.etag",
            "odata.editLink", "PartitionKey"])
        self.status(c.write("PUT", "tab", "p", "r", e, "*"), 204)
        again = c.get("tab", "p", "r").json()
        self.assertEqual(again["v"], "5")
        self.assertEqual(again["v@odata.type"], "Edm.Int64")


if __name__ == "__main__":
    unittest.main()
