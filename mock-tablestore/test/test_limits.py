"""Sizes, counts and names: the largest legal one, and one more."""
import unittest

from harness import Case


class Limits(Case):
    def put(self, **props):
        e = {"PartitionKey": "p", "RowKey": "r"}
        e.update(props)
        return self.client.write("PUT", "tab", "p", "r", e)

    def test_number_of_properties(self):
        props = {"p%d" % i: i for i in range(252)}
        self.status(self.put(**props), 204)
        self.status(self.put(last=1, **props), 400, "TooManyProperties")
        self.status(self.put(**{"p%d" % i: i for i in range(3000)}), 400,
                    "TooManyProperties")
        self.put(**props)
        self.status(self.client.write("MERGE", "tab", "p", "r", {"last": 1}),
                    400, "TooManyProperties")

    def test_property_names(self):
        self.status(self.put(**{"n" * 255: 1, "_x": 1, "\u00e9t\u00e9": 1}),
                    204)
        self.status(self.put(**{"n" * 256: 1}), 400, "PropertyNameTooLong")
        for bad in ("a-b", "1a", "a b", "", "a.b", "a/b"):
            self.status(self.put(**{bad: 1}), 400, "PropertyNameInvalid")

    def test_names_twice(self):
        body = '{"PartitionKey":"p","RowKey":"r","a":1,"a":2}'
        self.status(self.client.request("POST", "/tab", body), 400,
                    "DuplicatePropertiesSpecified")

    def test_names_keep_their_case(self):
        self.status(self.put(a=1, A=2), 204)
        e = self.client.get("tab", "p", "r").json()
        self.assertEqual((e["a"], e["A"]), (1, 2))

    def test_string_size(self):
        self.status(self.put(s="x" * 32768), 204)
        self.status(self.put(s="x" * 32769), 400, "PropertyValueTooLarge")
        self.status(self.put(s="\u00e9" * 32768), 204)
        self.status(self.put(s="\U0001f600" * 16384), 204)
        self.status(self.put(s="\U0001f600" * 16384 + "x"), 400,
                    "PropertyValueTooLarge")

    def test_binary_size(self):
        import base64
        for n, status in ((65536, 204), (65537, 400)):
            text = base64.b64encode(b"x" * n).decode()
            r = self.put(**{"b": text, "b@odata.type": "Edm.Binary"})
            self.status(r, status)
            if status == 400:
                self.assertEqual(r.error(), "PropertyValueTooLarge")

    def test_entity_size(self):
        props = {"s%d" % i: "x" * 32000 for i in range(16)}
        self.status(self.put(**props), 204)
        props["s16"] = "x" * 32000
        self.status(self.put(**props), 400, "EntityTooLarge")
        half = {"s%d" % i: "x" * 32000 for i in range(8)}
        other = {"t%d" % i: "x" * 32000 for i in range(9)}
        self.put(**half)
        self.status(self.client.write("MERGE", "tab", "p", "r", other), 400,
                    "EntityTooLarge")

    def test_request_size(self):
        r = self.client.request("POST", "/tab", b" " * (4 * 1024 * 1024 + 1))
        self.status(r, 413, "RequestBodyTooLarge")


class Keys(Case):
    def test_any_legal_key_round_trips(self):
        keys = ["", " ", "a b", "'", "''", "a'b", "%", "%41", "+", "a+b", "&",
                "=", "\"", "<>", "\u00e9", "\u4e2d\u6587", "\U0001f600",
                "a;b,c(d)e", "{}[]|^~`!@$*:", "x" * 512, "\ud7ff\ue000",
                "\u00a0"]
        for key in keys:
            e = {"PartitionKey": key, "RowKey": key}
            r = self.status(self.client.insert("tab", e), 204)
            got = self.status(self.client.get("tab", key, key), 200).json()
            self.assertEqual((got["PartitionKey"], got["RowKey"]), (key, key))
            found = self.client.query(
                "tab", filter="PartitionKey eq '%s' and RowKey eq '%s'" % (
                    key.replace("'", "''"), key.replace("'", "''")))
            self.assertEqual(len(found.json()["value"]), 1, key)
            path = r.headers["Location"].split("/devstoreaccount1", 1)[1]
            self.status(self.client.request("GET", path), 200)
            self.status(self.client.write("DELETE", "tab", key, key,
                                          etag="*"), 204)

    def test_forbidden_characters(self):
        for c in ("/", "\\", "#", "?", "\u0000", "\t", "\u001f", "\u007f",
                  "\u0080", "\u009f"):
            for which in ("PartitionKey", "RowKey"):
                e = {"PartitionKey": "p", "RowKey": "r"}
                e[which] = "a%sb" % c
                self.status(self.client.insert("tab", e), 400,
                            "OutOfRangeInput")
                self.status(self.client.write(
                    "PUT", "tab", e["PartitionKey"], e["RowKey"], {}), 400,
                    "OutOfRangeInput")

    def test_key_size(self):
        for key in ("x" * 513, "\U0001f600" * 257):
            self.status(self.client.insert("tab", {"PartitionKey": key,
                                                   "RowKey": "r"}), 400,
                        "KeyValueTooLarge")
            self.status(self.client.write("PUT", "tab", "p", key, {}), 400,
                        "KeyValueTooLarge")
        self.status(self.client.insert("tab", {"PartitionKey":
                                               "\U0001f600" * 256,
                                               "RowKey": "r"}), 204)

    def test_broken_utf8_in_the_path(self):
        r = self.client.request("GET",
                                "/tab(PartitionKey='%ff',RowKey='r')")
        self.status(r, 400, "InvalidInput")


if __name__ == "__main__":
    unittest.main()
