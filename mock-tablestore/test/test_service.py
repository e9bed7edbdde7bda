"""Service properties and statistics, access policies, timeout=, versions."""
import os
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET

from harness import ACCOUNT, Case, Client, Server

PROPERTIES = "/?restype=service&comp=properties"
RETENTION = "<RetentionPolicy><Enabled>%s</Enabled>%s</RetentionPolicy>"
OFF = RETENTION % ("false", "")
LOGGING = ("<Logging><Version>1.0</Version><Delete>true</Delete><Read>%s"
           "</Read><Write>true</Write>%s</Logging>")
METRICS = ("<HourMetrics><Version>1.0</Version><Enabled>%s</Enabled>%s%s"
           "</HourMetrics>")
RULE = ("<CorsRule><AllowedOrigins>a,b</AllowedOrigins><AllowedMethods>GET"
        "</AllowedMethods><MaxAgeInSeconds>%s</MaxAgeInSeconds>"
        "<ExposedHeaders>x-ms-*</ExposedHeaders><AllowedHeaders />"
        "</CorsRule>")


def document(*sections):
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            "<StorageServiceProperties>%s</StorageServiceProperties>"
            % "\n ".join(sections))


class Service(Case):
    def put(self, path, text):
        return self.client.request("PUT", path, text,
                                   {"Content-Type": "application/xml"})

    def read(self, path):
        r = self.client.request("GET", path, headers={"Accept":
                                                      "application/xml"})
        self.assertEqual(r.status, 200, r)
        self.assertEqual(r.headers["Content-Type"], "application/xml")
        return ET.fromstring(r.body)

    def refused(self, reply, code, status=400):
        self.assertEqual(reply.status, status, reply)
        self.assertEqual(reply.error(), code)
        self.assertTrue(reply.is_front_end(), reply)

    def test_default_properties(self):
        root = self.read(PROPERTIES)
        self.assertEqual([e.tag for e in root], ["Logging", "HourMetrics",
                                                 "MinuteMetrics", "Cors"])
        self.assertEqual(root.findtext("Logging/Read"), "false")

    def test_properties_are_stored_by_section(self):
        r = self.put(PROPERTIES, document(LOGGING % ("true", OFF)))
        self.assertEqual(r.status, 202, r)
        r = self.put(PROPERTIES, document(
            METRICS % ("true", "<IncludeAPIs>false</IncludeAPIs>",
                       RETENTION % ("true", "<Days>365</Days>")),
            "<Cors>%s</Cors>" % (RULE % 7 * 2)))
        self.assertEqual(r.status, 202, r)
        root = self.read(PROPERTIES)
        self.assertEqual(root.findtext("Logging/Read"), "true")
        self.assertEqual(root.findtext("HourMetrics/RetentionPolicy/Days"),
                         "365")
        rules = root.findall("Cors/CorsRule")
        self.assertEqual(len(rules), 2)
        self.assertEqual(rules[0].findtext("AllowedOrigins"), "a,b")
        self.assertEqual(self.put(PROPERTIES, document("<Cors/>")).status,
                         202)
        self.assertEqual(len(self.read(PROPERTIES).find("Cors")), 0)

    def test_properties_that_are_refused(self):
        node, xml = "InvalidXmlNodeValue", "InvalidXmlDocument"
        days = "<Days>%s</Days>"
        for text, code in [
                ("", xml), ("<a", xml), ("<a/>", xml), ("<a></b>", xml),
                ("<!DOCTYPE x>" + document(), xml),
                (document("<Nope/>"), xml), (document("<Cors/><Cors/>"), xml),
                (document(LOGGING % ("maybe", OFF)), node),
                (document(LOGGING % ("true", "")), xml),
                (document(LOGGING % ("true", OFF)).replace("1.0</V", "9</V"),
                 node),
                (document(METRICS % ("true", "", OFF)), xml),
                (document(LOGGING % ("true", RETENTION % ("true", ""))), xml),
                (document(LOGGING % ("true", RETENTION %
                                     ("true", days % 0))), xml),
                (document(LOGGING % ("true", RETENTION %
                                     ("true", days % 366))), xml),
                (document("<Cors>%s</Cors>" % (RULE % 1 * 6)), xml),
                (document("<Cors>%s</Cors>" % (RULE % "x")), node),
                (document("<Cors><CorsRule/></Cors>"), xml),
                ("<a>" * 20 + "</a>" * 20, xml)]:
            self.refused(self.put(PROPERTIES, text), code)
        self.assertEqual(self.read(PROPERTIES).findtext("Logging/Delete"),
                         "false")

    def test_stats_at_the_secondary_only(self):
        path = "/?restype=service&comp=stats"
        self.refused(self.client.request("GET", path),
                     "InvalidQueryParameterValue")
        path = "/%s-secondary%s" % (ACCOUNT, path)
        h = self.client.headers("GET", path, {"Accept": None})
        r = self.client.raw("GET", path, None, h)
        self.assertEqual(r.status, 200, r)
        root = ET.fromstring(r.body)
        self.assertEqual(root.findtext("GeoReplication/Status"), "live")
        self.assertRegex(root.findtext("GeoReplication/LastSyncTime"),
                         r"^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$")

    def test_secondary_is_read_only(self):
        for method, path in [("POST", "/Tables"), ("POST", "/tab"),
                             ("DELETE", "/Tables('tab')")]:
            path = "/%s-secondary%s" % (ACCOUNT, path)
            h = self.client.headers(method, path,
                                    {"Content-Type": "application/json"})
            r = self.client.raw(method, path, b'{"TableName":"x"}', h)
            self.status(r, 403, "InsufficientAccountPermissions")

    def test_unknown_comp(self):
        for path in ("/?restype=service&comp=x", "/?restype=service",
                     "/?comp=properties", "/tab?comp=x", "/Tables?comp=acl",
                     "/tab?restype=service&comp=properties"):
            r = self.client.request("GET", path)
            self.assertEqual(r.status, 400, path)
            self.assertIn(b"InvalidQueryParameterValue", r.body)
        self.assertEqual(self.client.request("DELETE", PROPERTIES).status,
                         405)
        self.assertEqual(self.client.request("DELETE", "/tab?comp=acl")
                         .status, 405)

    def policy(self, name, start="2024-01-01", expiry="2099-01-01T00:00:00Z",
               permission="raud"):
        return ("<SignedIdentifier><Id>%s</Id><AccessPolicy><Start>%s"
                "</Start><Expiry>%s</Expiry><Permission>%s</Permission>"
                "</AccessPolicy></SignedIdentifier>"
                % (name, start, expiry, permission))

    def acl(self, *policies):
        return "<SignedIdentifiers>%s</SignedIdentifiers>" % "".join(policies)

    def test_access_policies(self):
        self.assertEqual(len(self.read("/tab?comp=acl")), 0)
        text = self.acl(*[self.policy("id%d &lt;&#233;" % i)
                          for i in range(5)])
        r = self.put("/tab?comp=acl", text)
        self.assertEqual(r.status, 204, r)
        root = self.read("/TAB?comp=acl")
        self.assertEqual([e.findtext("Id") for e in root],
                         ["id%d <\u00e9" % i for i in range(5)])
        self.assertEqual(root[0].findtext("AccessPolicy/Permission"), "raud")
        self.assertEqual(root[0].findtext("AccessPolicy/Start"),
                         "2024-01-01T00:00:00.0000000Z")
        self.assertEqual(root[0].findtext("AccessPolicy/Expiry"),
                         "2099-01-01T00:00:00.0000000Z")
        self.assertEqual(self.put("/tab?comp=acl", self.acl()).status, 204)
        self.assertEqual(len(self.read("/tab?comp=acl")), 0)
        self.assertEqual(self.put("/tab?comp=acl", "").status, 204)

    def test_access_policies_that_are_refused(self):
        node, xml = "InvalidXmlNodeValue", "InvalidXmlDocument"
        for text, code in [
                (self.acl(*[self.policy("p%d" % i) for i in range(6)]), xml),
                (self.acl(self.policy("a"), self.policy("a")), xml),
                (self.acl(self.policy("x" * 65)), xml),
                (self.acl(self.policy("")), xml),
                (self.acl("<Other/>"), xml), ("<Other/>", xml),
                (self.acl(self.policy("a", start="noon")), node),
                (self.acl(self.policy("a", expiry="2024-13-01")), node),
                (self.acl(self.policy("a", permission="x")), node),
                (self.acl(self.policy("a", permission="ar")), node)]:
            self.refused(self.put("/tab?comp=acl", text), code)
        self.assertEqual(self.put("/tab?comp=acl", self.acl(
            self.policy("x" * 64))).status, 204)

    def test_access_policies_of_no_table(self):
        for method in ("GET", "PUT"):
            r = self.client.request(method, "/nope?comp=acl",
                                    self.acl() if method == "PUT" else None)
            self.refused(r, "ResourceNotFound", 404)

    def test_head_of_access_policies(self):
        r = self.client.request("HEAD", "/tab?comp=acl")
        self.assertEqual((r.status, r.body), (200, b""))

    def test_timeout(self):
        for text, code in [("0", "OutOfRangeQueryParameterValue"),
                           ("-1", "OutOfRangeQueryParameterValue"),
                           ("x", "InvalidQueryParameterValue"),
                           ("", "InvalidQueryParameterValue")]:
            self.status(self.client.request("GET", "/tab?timeout=" + text),
                        400, code)
        for text in ("1", "30", "31", "100000"):
            self.status(self.client.request("GET", "/tab?timeout=" + text),
                        200)
        self.client.mock("POST", "faults", {"action": "delay", "ms": 5000})
        started = time.monotonic()
        r = self.client.request("POST", "/tab?timeout=1",
                                {"PartitionKey": "p", "RowKey": "r"})
        self.status(r, 500, "OperationTimedOut")
        self.assertLess(time.monotonic() - started, 3)
        self.assertEqual(self.client.rows("tab"), [])

    def test_upsert_needs_its_version(self):
        where = self.client.entity_path("tab", "p", "r")
        for method in ("PUT", "MERGE"):
            r = self.client.request(method, where, {},
                                    {"x-ms-version": "2009-09-19"})
            self.status(r, 400, "MissingRequiredHeader")
            r = self.client.request(method, where, {},
                                    {"x-ms-version": "2013-08-15"})
            self.status(r, 204)

    def test_json_needs_its_version(self):
        where = self.client.entity_path("tab", "p", "r")
        for method, path, body in (("GET", "/tab", None),
                                   ("GET", "/Tables", None),
                                   ("GET", where, None), ("PUT", where, {}),
                                   ("POST", "/tab", {"PartitionKey": "p",
                                                     "RowKey": "q"})):
            r = self.client.request(method, path, body,
                                    {"x-ms-version": "2012-02-12"})
            self.status(r, 415, "JsonFormatNotSupported")
        r = self.client.request("DELETE", "/Tables('tab')", None,
                                {"x-ms-version": "2012-02-12"})
        self.status(r, 204)

    def test_version_must_be_a_date(self):
        for text in ("newest", "2019-02", "2019-02-0x", ""):
            r = self.client.request("GET", "/tab",
                                    headers={"x-ms-version": text})
            self.refused(r, "InvalidHeaderValue")

    def test_version_is_echoed(self):
        r = self.client.request("GET", "/tab",
                                headers={"x-ms-version": "2015-12-11"})
        self.assertEqual(r.headers["x-ms-version"], "2015-12-11")

    def test_format_and_prefer(self):
        for text, level in [("json", "minimal"),
                            ("application/json;odata=nometadata", "no"),
                            ("application/json;odata=fullmetadata", "full")]:
            r = self.client.query("tab", format=text)
            self.assertIn("odata=%smetadata" % level,
                          r.headers["Content-Type"])
        for prefer, status in [("return-content", 201),
                               ("return-no-content", 204)]:
            r = self.client.insert("tab", {"PartitionKey": prefer,
                                           "RowKey": ""}, prefer=prefer)
            self.status(r, status)
            self.assertEqual(r.headers["Preference-Applied"], prefer)

    def test_x_http_method(self):
        where = self.client.entity_path("tab", "p", "r")

        def post(method, body=None, etag=None):
            h = {"X-HTTP-Method": method}
            if etag:
                h["If-Match"] = etag
            return self.client.request("POST", where, body, h)

        self.status(post("MERGE", {"a": 1}), 204)
        self.status(post("MERGE", {"b": 2}, "*"), 204)
        e = self.status(post("GET"), 200).json()
        self.assertEqual((e["a"], e["b"]), (1, 2))
        self.status(post("PUT", {"c": 3}, "*"), 204)
        self.assertNotIn("a", self.status(post("GET"), 200).json())
        self.status(post("DELETE", None, "*"), 204)
        self.status(post("GET"), 404, "ResourceNotFound")
        self.status(post("BREW", {}), 400, "XMethodIncorrectValue")
        r = self.client.request("PUT", where, {}, {"X-HTTP-Method": "MERGE"})
        self.status(r, 400, "XMethodNotUsingPost")


class Kept(unittest.TestCase):
    def test_properties_and_policies_survive_a_restart(self):
        with tempfile.TemporaryDirectory() as d:
            data = os.path.join(d, "data")
            for first in (True, False):
                server = Server("--data", data)
                c = Client(server.port)
                xml = {"Content-Type": "application/xml"}
                if first:
                    c.create_table("tab")
                    c.request("PUT", PROPERTIES,
                              document(LOGGING % ("true", OFF)), xml)
                    c.request("PUT", "/tab?comp=acl", "<SignedIdentifiers>"
                              "<SignedIdentifier><Id>kept</Id>"
                              "</SignedIdentifier></SignedIdentifiers>", xml)
                    server.kill()
                else:
                    r = c.request("GET", PROPERTIES)
                    self.assertIn(b"<Read>true</Read>", r.body)
                    r = c.request("GET", "/tab?comp=acl")
                    self.assertIn(b"<Id>kept</Id>", r.body)
                    server.close()
                c.close()


if __name__ == "__main__":
    unittest.main()
