"""--strict of the Queue service: every refusal names its rule."""
import unittest

from harness import ACCOUNT, Case
from queue_client import QueueClient
from sas import account_sas

TEXT = "<QueueMessage><MessageText>x</MessageText></QueueMessage>"


class StrictQueue(Case):
    options = ("--strict", "--queue-listen", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.q = QueueClient(self.server.queue_port)
        self.addCleanup(self.q.close)
        self.fine(self.q.create("jobs", owner="me"))

    def fine(self, r):
        self.assertLess(r.status, 300, r)
        return r

    def refused(self, r, rule, code, status=400):
        self.assertEqual((r.status, r.error()), (status, code), r)
        self.assertIn('Strict rule "%s": ' % rule,
                      r.xml().findtext("Message"))

    def test_proper_requests_pass(self):
        self.fine(self.q.ask("PUT", "/jobs?comp=metadata&timeout=30", None,
                             {"x-ms-meta-a": "b"}))
        self.fine(self.q.ask("GET", "/jobs?comp=metadata"))
        self.fine(self.q.ask("HEAD", "/jobs?comp=metadata"))
        self.fine(self.q.ask("GET", "/jobs?comp=acl"))
        self.fine(self.q.ask("PUT", "/jobs?comp=acl",
                             "<SignedIdentifiers/>"))
        self.fine(self.q.put("jobs", "x", "?visibilitytimeout=0&messagettl="
                             "-1"))
        self.fine(self.q.ask("GET", "/jobs/messages?peekonly=true&"
                             "numofmessages=5"))
        m = self.q.get("jobs", "?numofmessages=1&visibilitytimeout=5")[0]
        r = self.fine(self.q.one("PUT", "jobs", m, "&visibilitytimeout=0",
                                 TEXT))
        m["PopReceipt"] = r.headers["x-ms-popreceipt"]
        self.fine(self.q.one("DELETE", "jobs", m))
        self.fine(self.q.ask("DELETE", "/jobs/messages"))
        self.fine(self.q.ask("GET", "?comp=list&prefix=j&marker=a&maxresults"
                             "=5&include=metadata"))
        self.fine(self.q.ask("GET", "?restype=service&comp=properties"))
        self.fine(self.q.ask("DELETE", "/jobs"))

    def test_version(self):
        get = "/jobs?comp=metadata"
        self.refused(self.q.ask("GET", get, None, {"x-ms-version": None}),
                     "version", "MissingRequiredHeader")
        r = self.q.raw("GET", "/%s%s&%s" % (ACCOUNT, get, account_sas(
            ss="q", sp="r")))
        self.assertEqual(r.status, 200)
        old = {"x-ms-version": "2009-09-19"}
        self.fine(self.q.ask("POST", "/jobs/messages", TEXT, old))
        self.refused(self.q.ask("POST", "/jobs/messages?visibilitytimeout=1",
                                TEXT, old), "version", "InvalidHeaderValue")
        m = self.q.get("jobs")[0]
        self.refused(self.q.ask(
            "PUT", "/jobs/messages/%s?popreceipt=%s&visibilitytimeout=1" % (
                m["MessageId"], m["PopReceipt"].replace("=", "%3D")), None,
            old), "version", "InvalidHeaderValue")
        old = {"x-ms-version": "2016-05-31"}
        for ttl in ("-1", "604801"):
            self.refused(self.q.ask("POST", "/jobs/messages?messagettl="
                                    + ttl, TEXT, old), "version",
                         "OutOfRangeQueryParameterValue")
        self.fine(self.q.ask("POST", "/jobs/messages?messagettl=604800",
                             TEXT, old))

    def test_headers(self):
        for name in ("x-ms-colour", "If-Match", "Prefer",
                     "DataServiceVersion"):
            self.refused(self.q.ask("GET", "/jobs?comp=metadata", None,
                                    {name: "1"}), "unknown-header",
                         "InvalidHeaderValue")
        for method, path in (("GET", "/jobs/messages"),
                             ("PUT", "/jobs?comp=acl"), ("DELETE", "/jobs")):
            self.refused(self.q.ask(method, path, None,
                                    {"x-ms-meta-a": "b"}), "metadata",
                         "InvalidHeaderValue")
        for method, path in (("PUT", "/jobs"), ("GET", "/jobs/messages"),
                             ("PUT", "/jobs?comp=metadata"),
                             ("DELETE", "/jobs/messages")):
            self.refused(self.q.ask(method, path, TEXT), "body",
                         "InvalidHeaderValue")

    def test_options(self):
        for method, path in (
                ("GET", "/jobs/messages?visibilitytimout=5"),
                ("GET", "/jobs/messages?peekonly=true&visibilitytimeout=5"),
                ("GET", "/jobs/messages?peekonly=false"),
                ("GET", "/jobs/messages?popreceipt=x"),
                ("DELETE", "/jobs/messages?numofmessages=1"),
                ("PUT", "/jobs?restype=queue"), ("DELETE", "/jobs?x"),
                ("GET", "/jobs?comp=metadata&include=metadata"),
                ("GET", "?comp=list&restype=service"),
                ("GET", "?comp=list&$top=5")):
            self.refused(self.q.ask(method, path), "query-option",
                         "InvalidQueryParameterValue")
        self.refused(self.q.ask("POST", "/jobs/messages?numofmessages=1",
                                TEXT), "query-option",
                     "InvalidQueryParameterValue")
        self.refused(self.q.ask("GET", "?comp=properties"), "query-option",
                     "MissingRequiredQueryParameter")
        self.refused(self.q.ask("GET", "?comp=list&include=deleted"),
                     "include", "InvalidQueryParameterValue")
        for seconds in ("31", "05"):
            self.refused(self.q.ask("GET", "/jobs?comp=metadata&timeout="
                                    + seconds), "timeout",
                         "InvalidQueryParameterValue")
        self.assertEqual(self.q.count("jobs"), 0)


if __name__ == "__main__":
    unittest.main()
