"""Tables: create, list, get, delete, names."""
import unittest

from harness import Case, JSON


class Tables(Case):
    def setUp(self):
        self.client.mock("POST", "reset")

    def test_create_returns_the_table(self):
        r = self.status(self.client.create_table("Movies"), 201)
        self.assertEqual(r.json(), {"TableName": "Movies"})
        self.assertTrue(r.headers["Location"].endswith("/Tables('Movies')"))

    def test_create_without_content(self):
        r = self.client.request("POST", "/Tables", {"TableName": "Movies"},
                                {"Prefer": "return-no-content"})
        self.status(r, 204)
        self.assertEqual(r.headers["Preference-Applied"], "return-no-content")
        self.assertEqual(r.headers["DataServiceId"], r.headers["Location"])

    def test_names_compare_without_case_and_keep_it(self):
        self.client.create_table("Movies")
        self.status(self.client.create_table("MOVIES"), 409,
                    "TableAlreadyExists")
        self.status(self.client.query("mOVIES"), 200)
        r = self.client.request("GET", "/Tables('movies')")
        self.assertEqual(self.status(r, 200).json(), {"TableName": "Movies"})

    def test_names_that_are_refused(self):
        for name, code in [("ab", "OutOfRangeInput"),
                           ("a" * 64, "OutOfRangeInput"),
                           ("1abc", "InvalidResourceName"),
                           ("a-bc", "InvalidResourceName"),
                           ("a_bc", "InvalidResourceName"),
                           ("\u00e9tude", "InvalidResourceName"),
                           ("tables", "InvalidResourceName")]:
            self.status(self.client.create_table(name), 400, code)
        self.status(self.client.create_table("a" * 63), 201)
        self.status(self.client.create_table("a1b"), 201)

    def test_body_must_name_the_table(self):
        for body in ({}, {"TableName": None}, {"TableName": 7}):
            self.status(self.client.request("POST", "/Tables", body), 400,
                        "PropertiesNeedValue")
        self.status(self.client.request("POST", "/Tables", "{"), 400,
                    "InvalidInput")

    def test_delete(self):
        self.client.create_table("Movies")
        self.client.insert("Movies", {"PartitionKey": "p", "RowKey": "r"})
        self.status(self.client.request("DELETE", "/Tables('MOVIES')"), 204)
        self.status(self.client.request("DELETE", "/Tables('Movies')"), 404,
                    "ResourceNotFound")
        self.status(self.client.query("Movies"), 404, "TableNotFound")
        self.client.create_table("Movies")
        self.assertEqual(self.client.rows("Movies"), [])

    def test_get_of_a_missing_table(self):
        self.status(self.client.request("GET", "/Tables('nope')"), 404,
                    "ResourceNotFound")

    def test_list_with_continuation(self):
        names = ["Tab%03d" % i for i in range(25)]
        for name in reversed(names):
            self.client.create_table(name)
        found = []
        token = ""
        while True:
            r = self.client.request("GET", "/Tables?$top=10" + token)
            page = [t["TableName"] for t in self.status(r, 200)
                    .json()["value"]]
            self.assertLessEqual(len(page), 10)
            found += page
            token = r.headers.get("x-ms-continuation-NextTableName")
            if token is None:
                break
            self.assertIn("!", token)
            token = "&NextTableName=" + token
        self.assertEqual(found, names)

    def test_list_with_filter(self):
        for name in ("abc", "abd", "xyz"):
            self.client.create_table(name)
        r = self.client.request(
            "GET", "/Tables?$filter=TableName%20ge%20'abd'%20and%20"
            "TableName%20lt%20'b'")
        self.assertEqual(r.json()["value"], [{"TableName": "abd"}])
        self.status(self.client.request("GET", "/Tables?$top=0"), 400,
                    "InvalidInput")

    def test_list_metadata(self):
        self.client.create_table("abc")
        r = self.client.request("GET", "/Tables",
                                headers={"Accept": JSON + "fullmetadata"})
        row = r.json()["value"][0]
        self.assertEqual(row["odata.type"], "devstoreaccount1.Tables")
        self.assertEqual(row["odata.editLink"], "Tables('abc')")
        self.assertTrue(r.json()["odata.metadata"]
                        .endswith("/devstoreaccount1/$metadata#Tables"))

    def test_unknown_table_of_an_illegal_name(self):
        self.status(self.client.query("ab"), 400, "OutOfRangeInput")
        self.status(self.client.query("a-bc"), 400, "InvalidResourceName")


if __name__ == "__main__":
    unittest.main()
