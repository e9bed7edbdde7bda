"""The queue service: queues, messages, signatures, errors."""
import os
import subprocess
import tempfile
import unittest

from harness import ACCOUNT, BINARY, Case, Client, Server
from queue_client import QueueClient, escape
from sas import account_sas, queue_sas, when

TIME = r"^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$"


class QueueCase(Case):
    options = ("--queue-listen", "127.0.0.1:0")

    def setUp(self):
        self.client.mock("DELETE", "faults")
        self.client.mock("DELETE", "clock")
        self.client.mock("POST", "reset")
        self.q = QueueClient(self.server.queue_port)
        self.addCleanup(self.q.close)
        self.is_status(self.q.create("jobs"), 201)

    def is_status(self, r, status, code=None):
        self.assertEqual(r.status, status, r)
        if code:
            self.assertEqual(r.error(), code)
        return r

    def advance(self, seconds):
        self.client.mock("POST", "clock", {"advance_ms": seconds * 1000})


class Queues(QueueCase):
    def test_create_twice(self):
        self.is_status(self.q.create("jobs"), 204)
        self.is_status(self.q.create("jobs", a="1"), 409,
                       "QueueAlreadyExists")
        self.is_status(self.q.create("other", a="1", b="x y"), 201)
        self.is_status(self.q.create("other", a="1", b="x y"), 204)

    def test_names(self):
        for name in ("a" * 63, "a1b", "0-1-2"):
            self.is_status(self.q.create(name), 201)
        for name in ("ab", "a" * 64):
            self.is_status(self.q.create(name), 400, "OutOfRangeInput")
        for name in ("Abc", "a--b", "-ab", "ab-", "a_b", "a.b", "%C3%A9ee"):
            self.is_status(self.q.create(name), 400, "InvalidResourceName")

    def test_delete(self):
        self.q.put("jobs", "x")
        self.is_status(self.q.ask("DELETE", "/jobs"), 204)
        self.is_status(self.q.ask("DELETE", "/jobs"), 404, "QueueNotFound")
        self.is_status(self.q.create("jobs"), 201)
        self.assertEqual(self.q.count("jobs"), 0)

    def test_metadata(self):
        self.q.create("meta", first="1", second="two words")
        r = self.is_status(self.q.ask("GET", "/meta?comp=metadata"), 200)
        self.assertEqual(r.headers["x-ms-meta-first"], "1")
        self.assertEqual(r.headers["x-ms-meta-second"], "two words")
        self.assertEqual(r.headers["x-ms-approximate-messages-count"], "0")
        self.assertEqual(r.body, b"")
        self.is_status(self.q.ask("PUT", "/meta?comp=metadata", None,
                                  {"x-ms-meta-third": "3"}), 204)
        r = self.q.ask("HEAD", "/meta?comp=metadata")
        self.assertIsNone(r.headers["x-ms-meta-first"])
        self.assertEqual(r.headers["x-ms-meta-third"], "3")
        self.is_status(self.q.ask("GET", "/nope?comp=metadata"), 404,
                       "QueueNotFound")
        self.is_status(self.q.create("bad", **{"1a": "x"}), 400,
                       "InvalidMetadata")
        self.is_status(self.q.ask("PUT", "/bad", None, {"x-ms-meta-": "x"}),
                       400, "EmptyMetadataKey")
        for value in ("a\x01b", "\x7f"):
            self.is_status(self.q.create("bad", a=value), 400,
                           "InvalidMetadata")

    def names(self, query=""):
        r = self.is_status(self.q.ask("GET", "?comp=list" + query), 200)
        root = r.xml()
        return ([e.findtext("Name") for e in root.find("Queues")],
                root.findtext("NextMarker"))

    def test_list(self):
        for name in ("b-two", "b-one", "zzz"):
            self.q.create(name, k="v")
        self.assertEqual(self.names(), (["b-one", "b-two", "jobs", "zzz"],
                                        ""))
        self.assertEqual(self.names("&prefix=b-"), (["b-one", "b-two"], ""))
        self.assertEqual(self.names("&maxresults=2"), (["b-one", "b-two"],
                                                       "jobs"))
        self.assertEqual(self.names("&maxresults=2&marker=jobs"),
                         (["jobs", "zzz"], ""))
        self.assertEqual(self.names("&prefix=b-&marker=b-two&maxresults=1"),
                         (["b-two"], ""))
        r = self.q.ask("GET", "?comp=list&include=metadata&prefix=z")
        self.assertEqual(r.xml().findtext("Queues/Queue/Metadata/k"), "v")
        self.assertEqual(r.xml().attrib["ServiceEndpoint"],
                         "http://127.0.0.1:%d/%s/" % (self.server.queue_port,
                                                      ACCOUNT))
        for n in ("0", "5001"):
            self.is_status(self.q.ask("GET", "?comp=list&maxresults=" + n),
                           400, "OutOfRangeQueryParameterValue")

    def test_service_and_policies(self):
        r = self.q.ask("GET", "?restype=service&comp=properties")
        self.assertEqual(r.xml().findtext("Logging/Version"), "1.0")
        text = ("<StorageServiceProperties><Cors/>"
                "</StorageServiceProperties>")
        self.is_status(self.q.ask("PUT", "?restype=service&comp=properties",
                                  text), 202)
        self.is_status(self.q.ask("GET", "?restype=service&comp=stats"), 400)
        policy = ("<SignedIdentifiers><SignedIdentifier><Id>i</Id>"
                  "<AccessPolicy><Expiry>%s</Expiry><Permission>%s"
                  "</Permission></AccessPolicy></SignedIdentifier>"
                  "</SignedIdentifiers>")
        self.is_status(self.q.ask("PUT", "/jobs?comp=acl",
                                  policy % (when(60), "raup")), 204)
        r = self.q.ask("GET", "/jobs?comp=acl")
        self.assertEqual(r.xml()[0].findtext("Id"), "i")
        sas = queue_sas("jobs", sp=None, se=None, si="i")
        r = self.q.raw("GET", "/%s/jobs/messages?%s" % (ACCOUNT, sas))
        self.assertEqual(r.status, 200)
        self.is_status(self.q.ask("PUT", "/jobs?comp=acl",
                                  policy % (when(60), "d")), 400,
                       "InvalidXmlNodeValue")

    def test_what_does_not_exist(self):
        for path in ("/jobs/other", "/jobs/messages/a/b", "/", ""):
            self.is_status(self.q.ask("GET", path), 400, "InvalidUri")
        for method, path in (("GET", "?comp=other"), ("PUT", "/new?comp=x"),
                             ("GET", "/jobs?comp=list"),
                             ("DELETE", "/jobs?comp=messages")):
            self.is_status(self.q.ask(method, path), 400,
                           "InvalidQueryParameterValue")
        self.is_status(self.q.ask("GET", "/new?comp=metadata"), 404)
        self.is_status(self.q.ask("GET", "/jobs"), 405,
                       "UnsupportedHttpVerb")
        self.is_status(self.q.ask("PUT", "/jobs/messages"), 405,
                       "UnsupportedHttpVerb")


class Messages(QueueCase):
    def test_put_and_get(self):
        r = self.is_status(self.q.put("jobs", "one"), 201)
        m = r.messages()[0]
        self.assertEqual(set(m), {"MessageId", "InsertionTime",
                                  "ExpirationTime", "PopReceipt",
                                  "TimeNextVisible"})
        self.assertRegex(m["InsertionTime"], TIME)
        got = self.q.get("jobs")
        self.assertEqual(len(got), 1)
        self.assertEqual(got[0]["MessageText"], "one")
        self.assertEqual(got[0]["MessageId"], m["MessageId"])
        self.assertEqual(got[0]["DequeueCount"], "1")
        self.assertNotEqual(got[0]["PopReceipt"], m["PopReceipt"])
        self.assertEqual(self.q.get("jobs"), [])

    def test_text_survives(self):
        for text in ("", " a  b ", "<x>&amp;]]>", "\u00e9\u20ac\U0001F600",
                     "a\nb\tc", "\"'"):
            self.q.put("jobs", text)
            self.assertEqual(self.q.texts("jobs"), [text])
        self.is_status(self.q.ask("POST", "/jobs/messages",
                                  "<QueueMessage><MessageText><![CDATA[<a>]]>"
                                  "&#65;&#x42;</MessageText></QueueMessage>"),
                       201)
        self.assertEqual(self.q.texts("jobs"), ["<a>AB"])

    def test_order_and_number(self):
        for i in range(40):
            self.q.put("jobs", str(i))
        self.assertEqual(self.q.texts("jobs"), ["0"])
        self.assertEqual(self.q.texts("jobs", "?numofmessages=32"),
                         [str(i) for i in range(1, 33)])
        self.assertEqual(self.q.count("jobs"), 40)
        for n in ("0", "33"):
            r = self.q.ask("GET", "/jobs/messages?numofmessages=" + n)
            self.is_status(r, 400, "OutOfRangeQueryParameterValue")
        r = self.q.ask("GET", "/jobs/messages?numofmessages=x")
        self.is_status(r, 400, "InvalidQueryParameterValue")

    def test_visibility(self):
        self.q.put("jobs", "m")
        self.assertEqual(self.q.texts("jobs", "?visibilitytimeout=10"), ["m"])
        self.advance(9)
        self.assertEqual(self.q.texts("jobs"), [])
        self.advance(1)
        got = self.q.get("jobs")
        self.assertEqual(got[0]["DequeueCount"], "2")
        self.advance(29)
        self.assertEqual(self.q.texts("jobs"), [])
        self.advance(2)
        self.assertEqual(self.q.texts("jobs"), ["m"])
        for v in ("0", "604801"):
            r = self.q.ask("GET", "/jobs/messages?visibilitytimeout=" + v)
            self.is_status(r, 400, "OutOfRangeQueryParameterValue")

    def test_put_invisible(self):
        self.q.put("jobs", "later", "?visibilitytimeout=60")
        self.q.put("jobs", "now")
        self.assertEqual(self.q.texts("jobs", "?numofmessages=9"), ["now"])
        self.advance(61)
        self.assertEqual(self.q.texts("jobs", "?numofmessages=9"),
                         ["now", "later"])

    def test_time_to_live(self):
        self.q.put("jobs", "short", "?messagettl=5")
        self.q.put("jobs", "usual")
        r = self.q.put("jobs", "ever", "?messagettl=-1")
        self.assertIn("9999", r.messages()[0]["ExpirationTime"])
        self.assertEqual(self.q.count("jobs"), 3)
        self.advance(6)
        self.assertEqual(self.q.count("jobs"), 2)
        self.assertEqual(self.q.texts("jobs", "?numofmessages=9&"
                                      "visibilitytimeout=1"),
                         ["usual", "ever"])
        self.advance(7 * 24 * 3600)
        self.assertEqual(self.q.texts("jobs", "?numofmessages=9"), ["ever"])
        for query in ("?messagettl=0", "?messagettl=-2",
                      "?messagettl=10&visibilitytimeout=10",
                      "?visibilitytimeout=604801"):
            self.is_status(self.q.put("jobs", "x", query), 400,
                           "OutOfRangeQueryParameterValue")

    def test_frozen_clock_is_shown(self):
        self.client.mock("POST", "clock", {"freeze": "2024-02-29T12:00:00Z"})
        r = self.q.put("jobs", "x", "?visibilitytimeout=60&messagettl=3600")
        m = r.messages()[0]
        self.assertEqual(m["InsertionTime"], "Thu, 29 Feb 2024 12:00:00 GMT")
        self.assertEqual(m["TimeNextVisible"],
                         "Thu, 29 Feb 2024 12:01:00 GMT")
        self.assertEqual(m["ExpirationTime"],
                         "Thu, 29 Feb 2024 13:00:00 GMT")
        r = self.client.mock("GET", "clock")
        self.assertEqual(r.json(), {"now": "2024-02-29T12:00:00Z",
                                    "frozen": True})
        for body in ({"freeze": "noon"}, {"advance_ms": "x"}, {"x": 1}):
            self.assertEqual(self.client.mock("POST", "clock", body).status,
                             400)

    def test_peek(self):
        for text in "abc":
            self.q.put("jobs", text)
        for _ in range(2):
            got = self.q.get("jobs", "?peekonly=true&numofmessages=2")
            self.assertEqual([m["MessageText"] for m in got], ["a", "b"])
            self.assertEqual(set(got[0]), {
                "MessageId", "InsertionTime", "ExpirationTime",
                "DequeueCount", "MessageText"})
            self.assertEqual(got[0]["DequeueCount"], "0")
        self.q.get("jobs")
        self.assertEqual(self.q.texts("jobs", "?peekonly=true"), ["b"])

    def test_delete(self):
        self.q.put("jobs", "x")
        m = self.q.get("jobs")[0]
        self.is_status(self.q.one("DELETE", "jobs", m), 204)
        self.is_status(self.q.one("DELETE", "jobs", m), 404,
                       "MessageNotFound")
        self.assertEqual(self.q.count("jobs"), 0)
        self.is_status(self.q.ask("DELETE", "/jobs/messages/" +
                                  m["MessageId"]), 400,
                       "MissingRequiredQueryParameter")
        self.is_status(self.q.one("DELETE", "jobs", dict(
            m, MessageId="0b9a6d6a-0000-0000-0000-000000000000")), 404,
            "MessageNotFound")

    def test_receipt_of_the_put_is_good(self):
        m = self.q.put("jobs", "x").messages()[0]
        self.is_status(self.q.one("DELETE", "jobs", m), 204)

    def test_old_receipts_are_refused(self):
        self.q.put("jobs", "x")
        old = self.q.get("jobs", "?visibilitytimeout=1")[0]
        self.advance(2)
        self.is_status(self.q.one("PUT", "jobs", old,
                                  "&visibilitytimeout=1"), 204)
        self.is_status(self.q.one("DELETE", "jobs", old), 404,
                       "MessageNotFound")
        self.advance(2)
        new = self.q.get("jobs")[0]
        self.is_status(self.q.one("DELETE", "jobs", old), 404,
                       "MessageNotFound")
        other = self.q.put("jobs", "y").messages()[0]
        for receipt in ("bm9uZQ==", other["PopReceipt"]):
            self.is_status(self.q.one("PUT", "jobs", dict(
                new, PopReceipt=receipt), "&visibilitytimeout=1"), 404,
                "MessageNotFound")
        for receipt in ("", "!", "abc", "new"):
            self.is_status(self.q.one("DELETE", "jobs", dict(
                new, PopReceipt=receipt)), 400, "InvalidQueryParameterValue")
        self.is_status(self.q.one("DELETE", "jobs", new), 204)

    def test_receipt_holds_while_nobody_else_got_it(self):
        self.q.put("jobs", "x")
        m = self.q.get("jobs", "?visibilitytimeout=1")[0]
        self.advance(5)
        self.is_status(self.q.one("DELETE", "jobs", m), 204)

    def test_update(self):
        self.q.put("jobs", "old")
        m = self.q.get("jobs")[0]
        body = ("<QueueMessage><MessageText>%s</MessageText></QueueMessage>"
                % escape("n<w"))
        r = self.is_status(self.q.one("PUT", "jobs", m,
                                      "&visibilitytimeout=5", body), 204)
        self.assertRegex(r.headers["x-ms-time-next-visible"], TIME)
        m["PopReceipt"] = r.headers["x-ms-popreceipt"]
        r = self.q.one("PUT", "jobs", m, "&visibilitytimeout=0")
        self.is_status(r, 204)
        got = self.q.get("jobs")[0]
        self.assertEqual(got["MessageText"], "n<w")
        self.assertEqual(got["DequeueCount"], "2")
        self.is_status(self.q.one("PUT", "jobs", got), 400,
                       "MissingRequiredQueryParameter")
        self.is_status(self.q.one("PUT", "jobs", got,
                                  "&visibilitytimeout=604801"), 400,
                       "OutOfRangeQueryParameterValue")

    def test_update_cannot_outlive_the_message(self):
        self.q.put("jobs", "x", "?messagettl=100")
        m = self.q.get("jobs")[0]
        self.is_status(self.q.one("PUT", "jobs", m,
                                  "&visibilitytimeout=200"), 400,
                       "OutOfRangeQueryParameterValue")

    def test_clear(self):
        for i in range(5):
            self.q.put("jobs", str(i))
        self.q.get("jobs")
        self.is_status(self.q.ask("DELETE", "/jobs/messages"), 204)
        self.assertEqual(self.q.count("jobs"), 0)

    def test_sizes_and_bodies(self):
        self.is_status(self.q.put("jobs", "x" * 65536), 201)
        self.is_status(self.q.put("jobs", "x" * 65537), 400,
                       "MessageTooLarge")
        for body in ("", "<QueueMessage/>", "<Other/>", "x",
                     "<QueueMessage><MessageText></QueueMessage>"):
            self.is_status(self.q.ask("POST", "/jobs/messages", body), 400,
                           "InvalidXmlDocument")

    def test_texts_that_xml_cannot_have(self):
        """They would come back as a document no client can read."""
        body = "<QueueMessage><MessageText>%s</MessageText></QueueMessage>"
        for text in ("a\x01b", "\x1f", "\ufffe", "\uffff", "&#1;", "&#xB;",
                     "&#xFFFF;", "&#xD800;", "&#0;", "&#x110000;", "&# 65;",
                     "&#+65;", "<![CDATA[\x02]]>"):
            r = self.q.ask("POST", "/jobs/messages", body % text)
            self.is_status(r, 400, "InvalidXmlDocument")
        for text in ("\ufffd", "\U0001F600", "\uef00", "&#x10FFFF;", "&#9;"):
            self.is_status(self.q.ask("POST", "/jobs/messages", body % text),
                           201)
        self.assertEqual(self.q.texts("jobs", "?numofmessages=9"),
                         ["\ufffd", "\U0001F600", "\uef00", "\U0010FFFF",
                          "\t"])

    def test_missing_queue(self):
        for method, path in [("GET", "/nope/messages"),
                             ("DELETE", "/nope/messages"),
                             ("DELETE", "/nope/messages/x?popreceipt=y")]:
            self.is_status(self.q.ask(method, path), 404, "QueueNotFound")
        self.is_status(self.q.put("nope", "x"), 404, "QueueNotFound")

    def test_consumers_share_the_work(self):
        for i in range(60):
            self.q.put("jobs", str(i))
        other = QueueClient(self.server.queue_port)
        self.addCleanup(other.close)
        seen = []
        while True:
            got = self.q.get("jobs", "?numofmessages=7") + \
                other.get("jobs", "?numofmessages=5")
            if not got:
                break
            for m in got:
                seen.append(int(m["MessageText"]))
                self.is_status(other.one("DELETE", "jobs", m), 204)
        self.assertEqual(seen, list(range(60)))

    def test_faults_and_journal(self):
        self.client.mock("POST", "faults", {"operation": "queue", "table":
                                            "jobs", "action": "status",
                                            "status": 503})
        self.is_status(self.q.put("jobs", "x"), 503, "ServerBusy")
        self.is_status(self.q.put("jobs", "x"), 201)
        journal = self.client.mock("GET", "journal").body.decode()
        self.assertIn("POST\t/%s/jobs/messages\t503" % ACCOUNT, journal)
        counters = self.client.mock("GET", "counters").json()
        self.assertGreaterEqual(counters["queue"], 2)


class Signatures(QueueCase):
    def test_both_schemes(self):
        for lite in (False, True):
            r = self.q.ask("GET", "/jobs?comp=metadata", lite=lite)
            self.is_status(r, 200)
            r = self.q.ask("GET", "/jobs/messages?peekonly=true&numofmessages"
                           "=3&timeout=9", lite=lite)
            self.is_status(r, 200)
            r = self.q.ask("POST", "/jobs/messages", "<QueueMessage>"
                           "<MessageText>a</MessageText></QueueMessage>",
                           {"x-ms-client-request-id": "a b", "Content-MD5":
                            "x"}, lite=lite)
            self.is_status(r, 201)
            self.assertEqual(r.headers["x-ms-client-request-id"], "a b")
        r = self.q.ask("GET", "?comp=list", None,
                       {"x-ms-date": None, "Date": when_rfc()})
        self.is_status(r, 200)

    def test_every_signed_part_counts(self):
        path = "/%s/jobs?comp=metadata" % ACCOUNT
        for change in ("header", "query", "method", "date"):
            h = self.q.headers("GET", path)
            method, where = "GET", path
            if change == "header":
                h["x-ms-other"] = "1"
            elif change == "query":
                where += "&a=b"
            elif change == "method":
                method = "HEAD"
            else:
                h["x-ms-date"] = "Thu, 01 Jan 2015 00:00:00 GMT"
            self.assertEqual(self.q.raw(method, where, None, h).status, 403,
                             change)

    def test_not_signed(self):
        r = self.q.raw("GET", "/%s?comp=list" % ACCOUNT)
        self.assertEqual(r.status, 403)
        self.assertIn(b"<Code>AuthenticationFailed</Code>", r.body)
        self.assertIn("Queue", r.headers["Server"])
        table = Client(self.server.port)
        self.addCleanup(table.close)
        self.assertEqual(table.request("GET", "/Tables").status, 200)

    def test_service_sas(self):
        calls = {"r": ("GET", "?peekonly=true"), "p": ("GET", "?a=b"),
                 "a": ("POST", "?a=b")}
        body = b"<QueueMessage><MessageText>a</MessageText></QueueMessage>"
        for sp in "raup":
            sas = queue_sas("jobs", sp=sp)
            for needed, (method, query) in calls.items():
                r = self.q.raw(method, "/%s/jobs/messages%s&%s" % (
                    ACCOUNT, query, sas), body if method == "POST" else None)
                if needed == sp:
                    self.assertLess(r.status, 300)
                else:
                    self.assertEqual(r.status, 403)
                    self.assertIn(b"AuthorizationPermissionMismatch", r.body)
        r = self.q.raw("GET", "/%s/other/messages?%s" % (ACCOUNT, sas))
        self.assertEqual(r.status, 403)
        r = self.q.raw("DELETE", "/%s/jobs?%s" % (ACCOUNT,
                                                  queue_sas("jobs")))
        self.assertIn(b"AuthorizationFailure", r.body)

    def test_account_sas(self):
        good = account_sas(ss="q", sp="rwdlaup")
        r = self.q.raw("GET", "/%s?comp=list&%s" % (ACCOUNT, good))
        self.assertEqual(r.status, 200, r)
        r = self.q.raw("GET", "/%s?comp=list&%s" % (ACCOUNT,
                                                    account_sas(ss="t")))
        self.assertIn(b"AuthorizationServiceMismatch", r.body)
        r = self.q.raw("GET", "/%s?comp=list&%s" % (
            ACCOUNT, account_sas(ss="q", srt="o", sp="l")))
        self.assertIn(b"AuthorizationResourceTypeMismatch", r.body)


def when_rfc():
    import email.utils
    return email.utils.formatdate(usegmt=True)


class Files(unittest.TestCase):
    def test_messages_survive_a_kill(self):
        with tempfile.TemporaryDirectory() as d:
            options = ("--data", os.path.join(d, "data"), "--queue-listen",
                       "127.0.0.1:0")
            server = Server(*options)
            q = QueueClient(server.queue_port)
            q.create("jobs", owner="me")
            for i in range(5):
                q.put("jobs", "m%d" % i)
            q.one("DELETE", "jobs", q.get("jobs")[0])
            q.close()
            server.kill()
            server = Server(*options)
            q = QueueClient(server.queue_port)
            self.assertEqual(q.count("jobs"), 4)
            self.assertEqual(q.texts("jobs", "?numofmessages=9"),
                             ["m1", "m2", "m3", "m4"])
            r = q.ask("GET", "/jobs?comp=metadata")
            self.assertEqual(r.headers["x-ms-meta-owner"], "me")
            q.close()
            server.close()

    def test_ports(self):
        server = Server()
        self.assertIsNone(server.queue_port)
        server.close()
        for text in ("x", "127.0.0.1", "127.0.0.1:x"):
            r = subprocess.run([BINARY, "--queue-listen", text],
                               capture_output=True, text=True, timeout=20)
            self.assertEqual(r.returncode, 2)
            self.assertIn("queue-listen" if ":" not in text else "port",
                          r.stderr)

    def test_queue_port_that_is_taken(self):
        server = Server()
        r = subprocess.run([BINARY, "--listen", "127.0.0.1:0",
                            "--queue-listen", "127.0.0.1:%d" % server.port],
                           capture_output=True, text=True, timeout=20)
        self.assertEqual(r.returncode, 1)
        self.assertIn("taken", r.stderr)
        server.close()


if __name__ == "__main__":
    unittest.main()
