"""CORS: rules in the service properties, preflight, headers of replies."""
import http.client
import tempfile
import unittest

from harness import ACCOUNT, Case, Client, Server
from sas import account_sas

PROPERTIES = "/?restype=service&comp=properties"
SITE = "https://www.contoso.com"


def rule(origins=SITE, methods="GET,PUT", headers="", exposed="", age=5):
    return ("<CorsRule><AllowedOrigins>%s</AllowedOrigins><AllowedMethods>%s"
            "</AllowedMethods><AllowedHeaders>%s</AllowedHeaders>"
            "<ExposedHeaders>%s</ExposedHeaders><MaxAgeInSeconds>%s"
            "</MaxAgeInSeconds></CorsRule>"
            % (origins, methods, headers, exposed, age))


class Cors(Case):
    options = ("--queue-listen", "127.0.0.1:0")

    def tearDown(self):
        self.client.mock("POST", "reset")

    def put(self, *rules):
        return self.client.request(
            "PUT", PROPERTIES, "<StorageServiceProperties><Cors>%s</Cors>"
            "</StorageServiceProperties>" % "".join(rules),
            {"Content-Type": "application/xml"})

    def rules(self, *rules):
        self.status(self.put(*rules), 202)

    def ask(self, origin=SITE, method="GET", headers=None, path="/tab"):
        h = {"Origin": origin, "Access-Control-Request-Method": method,
             "Access-Control-Request-Headers": headers}
        return self.client.raw("OPTIONS", "/" + ACCOUNT + path, None,
                               {k: v for k, v in h.items() if v is not None})

    def failed(self, reply):
        self.status(reply, 403, "CorsPreflightFailure")
        self.assertTrue(reply.is_front_end(), reply)
        self.assertNotIn("Access-Control-Allow-Origin", reply.headers)

    def test_preflight(self):
        self.rules(rule(headers="x-ms-*,content-type", age=77))
        r = self.status(self.ask(method="PUT",
                                 headers="X-MS-Date, Content-Type"), 200)
        for name, value in [("Origin", SITE), ("Methods", "PUT"),
                            ("Headers", "X-MS-Date, Content-Type"),
                            ("Credentials", "true")]:
            self.assertEqual(r.headers["Access-Control-Allow-" + name],
                             value)
        self.assertEqual(r.headers["Access-Control-Max-Age"], "77")
        self.assertEqual(r.body, b"")
        # The resource need not exist, nor be named.
        for path in ("/", "/nothing", "/a(PartitionKey='b',RowKey='c')",
                     "?sv=x&sig=y"):
            self.status(self.ask(path=path), 200)
        r = self.status(self.ask(), 200)
        self.assertNotIn("Access-Control-Allow-Headers", r.headers)

    def test_preflight_that_fails(self):
        self.failed(self.ask())
        self.rules(rule(headers="x-ms-*"))
        self.failed(self.ask(origin="https://evil.example"))
        self.failed(self.ask(origin="https://WWW.contoso.com"))
        self.failed(self.ask(method="DELETE"))
        self.failed(self.ask(headers="x-ms-date,accept"))
        self.failed(self.client.raw(
            "OPTIONS", "/nobody/tab", None,
            {"Origin": SITE, "Access-Control-Request-Method": "GET"}))

    def test_preflight_without_its_headers(self):
        self.rules(rule())
        for r in (self.ask(origin=None), self.ask(method=None)):
            self.status(r, 400, "InvalidHeaderValue")
            self.assertIn("A required CORS header is not present",
                          r.message())

    def test_the_first_rule_that_fits(self):
        self.rules(rule(methods="GET", age=1), rule(methods="PUT", age=2),
                   rule(origins="*", methods="GET,PUT,DELETE",
                        headers="*", age=3))
        for origin, method, headers, age in [
                (SITE, "GET", None, "1"), (SITE, "PUT", None, "2"),
                (SITE, "DELETE", None, "3"), ("http://x", "GET", None, "3"),
                (SITE, "GET", "accept", "3")]:
            r = self.status(self.ask(origin, method, headers), 200)
            self.assertEqual(r.headers["Access-Control-Max-Age"], age)
            self.assertEqual(r.headers["Access-Control-Allow-Origin"],
                             origin)

    def test_subdomains(self):
        self.rules(rule(origins="http://a, https://*.contoso.com"))
        for origin, status in [("https://x.contoso.com", 200),
                               ("https://a.b.contoso.com", 200),
                               ("http://a", 200), ("http://ab", 403),
                               ("https://contoso.com", 403),
                               ("https://x.contoso.com.evil", 403)]:
            self.assertEqual(self.ask(origin).status, status, origin)

    def actual(self, origin, method="GET", path="/tab"):
        h = {"Origin": origin} if origin else {}
        r = self.client.request(method, path, None, h)
        return tuple(r.headers[n] for n in (
            "Access-Control-Allow-Origin", "Vary",
            "Access-Control-Allow-Credentials"))

    def test_actual_requests(self):
        nothing = (None, None, None)
        self.assertEqual(self.actual(SITE), nothing)
        self.assertEqual(self.actual(None), nothing)
        self.rules(rule(methods="GET,DELETE"))
        exact = (SITE, "Origin", "true")
        self.assertEqual(self.actual(SITE), exact)
        self.assertEqual(self.actual(SITE, path="/none"), exact)
        self.assertEqual(self.actual(SITE, path="/tab?comp=acl"), exact)
        self.assertEqual(self.actual(None), (None, "Origin", None))
        self.assertEqual(self.actual("http://x"), (None, "Origin", None))
        # Only what is cached varies.
        self.assertEqual(self.actual(SITE, "DELETE", "/Tables('nope')"),
                         (SITE, None, "true"))
        self.assertEqual(self.actual("http://x", "DELETE", "/Tables('q')"),
                         nothing)
        self.rules(rule(origins="*"))
        for origin in (SITE, None, "http://x"):
            self.assertEqual(self.actual(origin), ("*", None, None))
        self.rules()
        self.assertEqual(self.actual(SITE), nothing)

    def test_a_refused_request_has_them_too(self):
        self.rules(rule())
        r = self.client.raw("GET", "/%s/tab" % ACCOUNT, None,
                            {"Origin": SITE})
        self.assertEqual(r.status, 403)
        self.assertEqual(r.headers["Access-Control-Allow-Origin"], SITE)

    def test_exposed_headers(self):
        self.rules(rule(methods="GET", exposed="x-ms-*,date,ETAG,nope"))
        r = self.client.request("GET", "/tab", None, {"Origin": SITE})
        self.assertEqual(
            sorted(r.headers["Access-Control-Expose-Headers"].split(",")),
            ["Date", "x-ms-request-id", "x-ms-version"])
        self.rules(rule(methods="GET"))
        r = self.client.request("GET", "/tab", None, {"Origin": SITE})
        self.assertNotIn("Access-Control-Expose-Headers", r.headers)

    def test_as_they_are_given_back(self):
        self.rules(rule("a,b", "PUT , GET", "x-ms-a*,x,x-ms-b*,y", "z*,w"))
        r = self.client.request("GET", PROPERTIES)
        self.assertIn(
            b"<Cors><CorsRule><AllowedMethods>PUT,GET</AllowedMethods>"
            b"<AllowedOrigins>a,b</AllowedOrigins><AllowedHeaders>x,y,"
            b"x-ms-a*,x-ms-b*</AllowedHeaders><ExposedHeaders>w,z*"
            b"</ExposedHeaders><MaxAgeInSeconds>5</MaxAgeInSeconds>"
            b"</CorsRule></Cors>", r.body)
        self.assertEqual(r.headers["Vary"], "Origin")

    def test_rules_that_are_refused(self):
        node, xml = "InvalidXmlNodeValue", "InvalidXmlDocument"
        for rules, code in [
                ([rule()] * 6, xml), (["<Rule/>"], xml),
                (["<CorsRule/>"], xml), ([rule(methods="")], node),
                ([rule(methods="GET,BREW")], node),
                ([rule(origins="")], node), ([rule(age="x")], node),
                ([rule(age="-1")], node), ([rule(age=2 ** 31)], node),
                ([rule(headers="a*,b*,c*")], xml),
                ([rule(exposed="a*,b*,c*")], xml),
                ([rule(headers=",".join("h%d" % i for i in range(65)))],
                 xml), ([rule(exposed="x" * 257)], xml),
                ([rule(origins="o" * 257)], xml),
                ([rule(headers=",".join(["h" * 250] * 8))] * 2, xml)]:
            r = self.put(*rules)
            self.status(r, 400, code)
        self.failed(self.ask())
        self.rules(rule(methods="DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,"
                        "PATCH", headers=",".join("h%d" % i for i in
                                                  range(64)) + ",a*,b*",
                        exposed="x" * 256, age=2 ** 31 - 1))

    def test_queues_have_rules_of_their_own(self):
        queue = Client(self.server.port)
        queue.connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.queue_port, timeout=30)
        self.addCleanup(queue.close)
        self.rules(rule())
        h = {"Origin": SITE, "Access-Control-Request-Method": "GET"}
        r = queue.raw("OPTIONS", "/%s/q" % ACCOUNT, None, h)
        self.assertEqual(r.status, 403)
        self.assertIn(b"<Code>CorsPreflightFailure</Code>", r.body)
        r = queue.raw("PUT", "/%s%s&%s" % (ACCOUNT, PROPERTIES,
                                           account_sas(ss="q")),
                      "<StorageServiceProperties><Cors>%s</Cors>"
                      "</StorageServiceProperties>" % rule(age=9))
        self.assertEqual(r.status, 202, r)
        r = queue.raw("OPTIONS", "/%s/q" % ACCOUNT, None, h)
        self.assertEqual((r.status, r.headers["Access-Control-Max-Age"]),
                         (200, "9"))
        r = queue.raw("GET", "/%s?comp=list&%s" % (
            ACCOUNT, account_sas(ss="q")), None, {"Origin": SITE})
        self.assertEqual((r.status, r.headers["Vary"],
                          r.headers["Access-Control-Allow-Origin"]),
                         (200, "Origin", SITE))
        self.assertEqual(self.ask().headers["Access-Control-Max-Age"], "5")

    def test_not_hit_by_faults_but_journalled(self):
        self.rules(rule())
        self.client.mock("POST", "faults", {"action": "silent", "times": 0})
        self.client.mock("DELETE", "journal")
        self.status(self.ask(), 200)
        self.client.mock("DELETE", "faults")
        line = self.client.mock("GET", "journal").body.decode().split("\t")
        self.assertEqual(line[1:4], ["OPTIONS", "/%s/tab" % ACCOUNT, "200"])

    def test_after_a_reset(self):
        self.rules(rule())
        self.client.mock("POST", "reset")
        self.assertEqual(self.actual(SITE, path="/Tables"),
                         (None, None, None))
        self.failed(self.ask())


class Kept(unittest.TestCase):
    def test_rules_survive_a_restart(self):
        with tempfile.TemporaryDirectory() as d:
            for first in (True, False):
                server = Server("--data", d + "/data")
                c = Client(server.port)
                if first:
                    c.request("PUT", PROPERTIES, "<StorageServiceProperties>"
                              "<Cors>%s</Cors></StorageServiceProperties>"
                              % rule(), {"Content-Type": "application/xml"})
                r = c.raw("OPTIONS", "/" + ACCOUNT, None, {
                    "Origin": SITE, "Access-Control-Request-Method": "GET"})
                self.assertEqual(r.status, 200, r)
                c.close()
                server.close()


if __name__ == "__main__":
    unittest.main()
