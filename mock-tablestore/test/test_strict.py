"""--strict: every refusal names its rule; proper clients pass."""
import subprocess
import unittest

from harness import ACCOUNT, Case, KEY

PYTHON = "/usr/bin/python3"		# where python3-azure is
SDK = """
import sys
from azure.data.tables import TableServiceClient
account, key, port = sys.argv[1:]
service = TableServiceClient.from_connection_string(
    "DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;"
    "TableEndpoint=http://127.0.0.1:%s/%s;" % (account, key, port, account))
table = service.create_table("sdk")
e = {"PartitionKey": "p", "RowKey": "r", "v": 1}
table.create_entity(e)
table.upsert_entity(dict(e, v=2))
table.update_entity(dict(e, v=3))
print([x["v"] for x in table.query_entities("v eq 3", select=["v"])][0],
      table.get_entity("p", "r")["v"])
table.submit_transaction([("create", dict(e, RowKey="s")),
                          ("upsert", dict(e, RowKey="t"))])
table.delete_entity("p", "r")
list(service.list_tables())
service.delete_table("sdk")
"""
NO = {"Prefer": "return-no-content"}


class Strict(Case):
    options = ("--strict",)

    def refused(self, reply, rule, status=400):
        self.status(reply, status)
        self.assertIn('Strict rule "%s"' % rule, reply.message())

    def test_proper_requests_pass(self):
        e = {"PartitionKey": "p", "RowKey": "r", "l": "5",
             "l@odata.type": "Edm.Int64"}
        self.status(self.client.insert("tab", e), 204)
        self.status(self.client.insert("tab", dict(e, RowKey="s"), "return-"
                                       "content"), 201)
        self.status(self.client.get("tab", "p", "r", "?$select=l"), 200)
        self.status(self.client.write("PUT", "tab", "p", "r", {"v": 1}), 204)
        self.status(self.client.write("MERGE", "tab", "p", "r", {"v": 1},
                                      "*"), 204)
        self.status(self.client.query("tab", filter="v eq 1", top=5,
                                      select="v,l", timeout=30), 200)
        self.status(self.client.request("GET", "/Tables?$top=1"), 200)
        self.status(self.client.batch([("POST", "/tab", dict(e, RowKey="t"),
                                        NO)]), 202)
        self.status(self.client.write("DELETE", "tab", "p", "r", etag="*"),
                    204)
        self.status(self.client.request("GET", "/tab?comp=acl"), 200)
        self.status(self.client.request("DELETE", "/Tables('tab')"), 204)

    def test_the_official_python_client_passes(self):
        if subprocess.run([PYTHON, "-c", "import azure.data.tables"],
                          capture_output=True).returncode != 0:
            self.skipTest("python3-azure is not installed")
        done = subprocess.run(
            [PYTHON, "-c", SDK, ACCOUNT, KEY, str(self.server.port)],
            capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "3 3\n"),
                         done.stderr[-2000:])

    def test_versions(self):
        get = lambda **h: self.client.request("GET", "/Tables", headers=h)
        self.refused(get(**{"x-ms-version": None}), "version")
        self.status(get(**{"x-ms-version": "2011-08-18"}), 415,
                    "JsonFormatNotSupported")
        self.refused(get(DataServiceVersion=None), "data-service-version")
        self.refused(get(DataServiceVersion="2.0"), "data-service-version")
        self.status(get(DataServiceVersion=None,
                        MaxDataServiceVersion="3.0;NetFx"), 200)

    def test_headers(self):
        get = lambda **h: self.client.request("GET", "/tab()", headers=h)
        self.refused(get(**{"x-ms-colour": "red"}), "unknown-header")
        self.refused(get(**{"If-None-Match": "*"}), "unknown-header")
        self.refused(get(**{"If-Match": "*"}), "if-match")
        self.refused(get(Prefer="return-content"), "prefer")
        self.refused(self.client.insert("tab", {
            "PartitionKey": "p", "RowKey": "r"}, "maybe"), "prefer")
        self.refused(self.client.request(
            "GET", "/tab()", "x", {"Content-Type": "application/json"}),
            "body")

    def test_query_options(self):
        for option in ("$orderby=v", "$skip=1", "$count=true", "$tpo=1",
                       "NextTableName=x", "comp2=acl"):
            r = self.client.request("GET", "/tab()?" + option)
            self.refused(r, "query-option")
        self.refused(self.client.get("tab", "p", "r", "?$filter=v%20eq%201"),
                     "query-option")
        self.refused(self.client.request("GET", "/tab()?NextRowKey=1!4!YQ--"),
                     "continuation")
        for timeout in ("0", "31", "x", "-1", "05"):
            r = self.client.request("GET", "/tab()?timeout=" + timeout)
            self.status(r, 400)
        self.refused(self.client.request("GET", "/tab()?timeout=31"),
                     "timeout")
        self.refused(self.client.request("GET", "/tab()?$top=05"), "top")
        for select in ("", "a,", "a,,b", "a,b,a", "a, a"):
            self.refused(self.client.query("tab", select=select), "select")

    def test_comparisons(self):
        text = " or ".join("v eq %d" % i for i in range(15))
        self.status(self.client.query("tab", filter=text), 200)
        self.refused(self.client.query("tab", filter=text + " or v eq 16"),
                     "comparisons")
        r = self.client.query("tab", filter="not (%s and v eq 1)" % text)
        self.refused(r, "comparisons")

    def test_bodies(self):
        e = '{"PartitionKey":"p","RowKey":"r",%s}'
        self.refused(self.client.insert("tab", e % '"vv@odata.type":'
                                        '"Edm.Int64"'), "annotation")
        self.status(self.client.insert("tab", e % '"v":1,"v":2'), 400,
                    "DuplicatePropertiesSpecified")
        r = self.status(self.client.write("PUT", "tab", "p", "r", {
            "PartitionKey": "q"}), 400)
        self.assertIn("keys in the body differ", r.message())
        r = self.client.batch([("POST", "/tab", e % '"v@odata.type":'
                                '"Edm.Int64"', NO)])
        self.refused(r, "annotation")
        self.assertEqual(self.client.rows("tab"), [])


if __name__ == "__main__":
    unittest.main()
