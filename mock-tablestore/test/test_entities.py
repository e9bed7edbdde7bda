"""One entity: insert, get, replace, merge, upsert, delete."""
import unittest

from harness import Case, JSON

E = {"PartitionKey": "p", "RowKey": "r", "a": "x", "b": 1}


class Entities(Case):
    def got(self, pk="p", rk="r"):
        e = self.status(self.client.get("tab", pk, rk), 200).json()
        e.pop("Timestamp")
        return e

    def test_insert_echoes(self):
        r = self.status(self.client.insert("tab", E, prefer=None), 201)
        e = r.json()
        self.assertIn("Timestamp", e)
        e.pop("Timestamp")
        self.assertEqual(e, E)
        self.assertNotIn("Preference-Applied", r.headers)
        r = self.client.insert("tab", dict(E, RowKey="2"),
                               prefer="return-content")
        self.status(r, 201)
        self.assertEqual(r.headers["Preference-Applied"], "return-content")

    def test_insert_without_content(self):
        r = self.status(self.client.insert("tab", E), 204)
        self.assertEqual(r.body, b"")
        self.assertTrue(r.headers["Location"].endswith(
            "/devstoreaccount1/tab(PartitionKey='p',RowKey='r')"))
        self.assertEqual(r.headers["DataServiceId"], r.headers["Location"])
        self.assertEqual(r.headers["Preference-Applied"], "return-no-content")
        self.assertEqual(r.etag(), self.client.get("tab", "p", "r").etag())

    def test_insert_twice(self):
        self.client.insert("tab", E)
        self.status(self.client.insert("tab", E), 409, "EntityAlreadyExists")

    def test_insert_needs_keys(self):
        for e in ({"PartitionKey": "p"}, {"RowKey": "r"}, {},
                  {"PartitionKey": None, "RowKey": "r"}):
            self.status(self.client.insert("tab", e), 400,
                        "PropertiesNeedValue")
        self.status(self.client.insert("tab", {"PartitionKey": 1,
                                               "RowKey": "r"}), 400,
                    "InvalidInput")

    def test_missing(self):
        self.status(self.client.get("tab", "p", "r"), 404, "ResourceNotFound")
        self.status(self.client.get("nope", "p", "r"), 404, "TableNotFound")
        self.status(self.client.insert("nope", E), 404, "TableNotFound")
        for method in ("PUT", "MERGE", "DELETE"):
            body = None if method == "DELETE" else {"a": 1}
            self.status(self.client.write(method, "tab", "p", "r", body, "*"),
                        404, "ResourceNotFound")

    def test_replace_drops_and_merge_keeps(self):
        self.client.insert("tab", E)
        self.status(self.client.write("PUT", "tab", "p", "r", {"c": 2}, "*"),
                    204)
        self.assertEqual(self.got(), {"PartitionKey": "p", "RowKey": "r",
                                      "c": 2})
        r = self.client.write("MERGE", "tab", "p", "r",
                              {"d": 3, "c": None}, "*")
        self.status(r, 204)
        self.assertEqual(self.got(), {"PartitionKey": "p", "RowKey": "r",
                                      "c": 2, "d": 3})
        self.status(self.client.write("PATCH", "tab", "p", "r",
                                      {"c": "now text"}, "*"), 204)
        self.assertEqual(self.got()["c"], "now text")

    def test_method_override(self):
        self.client.insert("tab", E)
        path = self.client.entity_path("tab", "p", "r")
        r = self.client.request("POST", path, {"z": 1},
                                {"X-HTTP-Method": "MERGE", "If-Match": "*"})
        self.status(r, 204)
        self.assertEqual(self.got()["z"], 1)
        r = self.client.request("POST", path, {"z": 1},
                                {"X-HTTP-Method": "FLY"})
        self.status(r, 400, "XMethodIncorrectValue")
        r = self.client.request("PUT", path, {"z": 1},
                                {"X-HTTP-Method": "MERGE"})
        self.status(r, 400, "XMethodNotUsingPost")

    def test_upserts(self):
        self.status(self.client.write("PUT", "tab", "p", "r", {"a": 1}), 204)
        self.status(self.client.write("MERGE", "tab", "p", "r", {"b": 2}), 204)
        self.status(self.client.write("MERGE", "tab", "p", "s", {"b": 2}), 204)
        self.assertEqual(self.got(), {"PartitionKey": "p", "RowKey": "r",
                                      "a": 1, "b": 2})
        self.status(self.client.write("PUT", "tab", "p", "r", {"c": 3}), 204)
        self.assertEqual(self.got(), {"PartitionKey": "p", "RowKey": "r",
                                      "c": 3})

    def test_delete(self):
        self.client.insert("tab", E)
        self.status(self.client.write("DELETE", "tab", "p", "r"), 400,
                    "MissingRequiredHeader")
        self.status(self.client.write("DELETE", "tab", "p", "r", etag="*"),
                    204)
        self.status(self.client.get("tab", "p", "r"), 404)

    def test_null_properties_are_not_stored(self):
        self.client.insert("tab", dict(E, n=None))
        self.assertNotIn("n", self.got())

    def test_merge_with_null_keeps_the_value(self):
        self.client.insert("tab", dict(E, n=1, m=2))
        self.status(self.client.write("MERGE", "tab", "p", "r",
                                      {"n": None, "m": 3}, "*"), 204)
        got = self.got()
        self.assertEqual((got["n"], got["m"]), (1, 3))
        self.status(self.client.write("PUT", "tab", "p", "r",
                                      {"n": None, "m": 4}, "*"), 204)
        self.assertNotIn("n", self.got())

    def test_keys_in_the_body_of_an_update(self):
        self.client.insert("tab", E)
        self.status(self.client.write("PUT", "tab", "p", "r",
                                      dict(E, a="y"), "*"), 204)
        self.status(self.client.write("PUT", "tab", "p", "r",
                                      dict(E, RowKey="other"), "*"), 400,
                    "InvalidInput")

    def test_keys_in_either_order(self):
        self.client.insert("tab", E)
        r = self.client.request("GET", "/tab(RowKey='r',PartitionKey='p')")
        self.status(r, 200)
        for bad in ("/tab(RowKey='r')", "/tab(PartitionKey='p',RowKey='r'",
                    "/tab('p','r')", "/tab(PartitionKey=p,RowKey=r)"):
            self.status(self.client.request("GET", bad), 400, "InvalidInput")

    def test_system_members_of_the_body_are_ignored(self):
        e = dict(E, Timestamp="1999-01-01T00:00:00Z")
        e["odata.etag"] = "W/\"x\""
        e["odata.metadata"] = {"any": ["thing"]}
        e["Timestamp@odata.type"] = "Edm.DateTime"
        self.status(self.client.insert("tab", e), 204)
        stamp = self.client.get("tab", "p", "r").json()["Timestamp"]
        self.assertFalse(stamp.startswith("1999"))

    def test_broken_bodies(self):
        for body in ("", "[]", "{", "{}x", "nonsense", '{"PartitionKey":"p",'
                     '"RowKey":"r","a":{}}', '{"PartitionKey":"p",'
                     '"RowKey":"r","a":[1]}'):
            self.status(self.client.request("POST", "/tab", body), 400,
                        "InvalidInput")
        self.status(self.client.request("POST", "/tab", b'{"a":"\xff"}'), 400,
                    "InvalidInput")

    def test_media_types(self):
        r = self.client.request("POST", "/tab", E,
                                {"Content-Type": "text/plain"})
        self.status(r, 415, "MediaTypeNotSupported")
        r = self.client.request("POST", "/tab", E,
                                {"Content-Type": "application/atom+xml"})
        self.status(r, 415, "AtomFormatNotSupported")
        for accept in (None, "application/atom+xml"):
            r = self.client.request("GET", "/tab", headers={"Accept": accept})
            self.status(r, 415)
            self.assertIn(b"<code>AtomFormatNotSupported</code>", r.body)
        r = self.client.request("GET", "/tab", headers={"Accept": "*/*"})
        self.status(r, 200)

    def test_select_on_a_point_get(self):
        self.client.insert("tab", E)
        r = self.client.get("tab", "p", "r", "?$select=b,nope")
        self.assertEqual(r.json(), {"b": 1, "nope": None})
        r = self.client.get("tab", "p", "r", "?$select=RowKey")
        self.assertEqual(r.json(), {"RowKey": "r"})

    def test_head(self):
        self.client.insert("tab", E)
        r = self.client.request("HEAD", self.client.entity_path("tab", "p",
                                                                "r"))
        self.status(r, 200)
        self.assertEqual(r.body, b"")
        self.assertIn("ETag", r.headers)

    def test_methods_that_do_not_fit(self):
        for method, path in [("PUT", "/Tables"), ("DELETE", "/tab"),
                             ("POST", "/tab(PartitionKey='p',RowKey='r')"),
                             ("GET", "/$batch"), ("POST", "/Tables('tab')")]:
            self.status(self.client.request(method, path), 405,
                        "MethodNotAllowed")

    def test_other_resources(self):
        for option in ("$orderby=a", "$skip=1", "$count=true", "$search=a",
                       "$skiptoken=x", "$Filter=a%20eq%201"):
            self.status(self.client.request("GET", "/tab?" + option), 501,
                        "NotImplemented")
        self.status(self.client.request("GET", "/tab?other=1"), 200)
        self.status(self.client.request("GET", "/"), 400, "InvalidUri")
        self.status(self.client.request("GET", "/a/b"), 400, "InvalidUri")
        self.status(self.client.request("GET", "/tab?$top=1&$top=2"), 400,
                    "InvalidInput")
        self.status(self.client.request("GET", "/tab?$filter=%zz"), 400,
                    "InvalidInput")

    def test_accept_lists(self):
        accept = "application/atom+xml, " + JSON + "nometadata"
        r = self.client.request("GET", "/tab", headers={"Accept": accept})
        self.assertEqual(self.status(r, 200).json(), {"value": []})


if __name__ == "__main__":
    unittest.main()
