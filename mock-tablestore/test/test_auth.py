"""Signatures: SharedKey and SharedKeyLite, dates, accounts."""
import base64
import email.utils
import time
import unittest

from harness import ACCOUNT, Case, Client, KEY, Server, now, sign

# Computed once by hand with openssl, so that the tests' own signing is
# itself checked: openssl dgst -sha256 -mac HMAC -macopt hexkey:...
VECTORS = [
    ("SharedKeyLite", "Thu, 01 Jan 2015 00:00:00 GMT\n"
     "/devstoreaccount1/devstoreaccount1/Tables"),
    ("SharedKey", "GET\n\napplication/json\nThu, 01 Jan 2015 00:00:00 GMT\n"
     "/devstoreaccount1/devstoreaccount1/tab()"),
]


class Signatures(Case):
    def test_both_schemes(self):
        self.status(self.client.request("GET", "/tab"), 200)
        self.status(self.client.request("GET", "/tab", lite=False), 200)
        self.status(self.client.request("POST", "/tab", {
            "PartitionKey": "p", "RowKey": "r"}, {"Content-MD5": "abc"},
            lite=False), 201)

    def test_wrong_signature(self):
        c = self.fresh(key=base64.b64encode(b"x" * 64).decode())
        for lite in (True, False):
            self.status(c.request("GET", "/tab", lite=lite), 403,
                        "AuthenticationFailed")
        r = self.client.request("GET", "/tab", headers={
            "Authorization": "SharedKeyLite %s:AAAA" % ACCOUNT})
        self.status(r, 403, "AuthenticationFailed")

    def test_every_signed_part_counts(self):
        path = "/%s/tab" % ACCOUNT
        for change in ("method", "type", "date", "path"):
            h = self.client.headers("GET", path, {"Content-Type": "a/b"},
                                    lite=False)
            method, where = "GET", path
            if change == "method":
                method = "HEAD"
            elif change == "type":
                h["Content-Type"] = "a/c"
            elif change == "date":
                h["x-ms-date"] = email.utils.formatdate(time.time() - 60,
                                                        usegmt=True)
            else:
                where += "()"
            self.assertEqual(self.client.raw(method, where, None, h).status,
                             403, change)

    def test_path_is_signed_as_sent(self):
        path = "/%s/tab%%28%%29" % ACCOUNT
        h = self.client.headers("GET", path)
        self.assertEqual(self.client.raw("GET", path, None, h).status, 200)
        decoded = self.client.headers("GET", "/%s/tab()" % ACCOUNT)
        self.assertEqual(self.client.raw("GET", path, None, decoded).status,
                         403)

    def test_query_is_not_signed_but_comp_is(self):
        self.status(self.client.query("tab", top=1), 200)
        path = "/%s/tab?comp=acl" % ACCOUNT
        h = self.client.headers("GET", path)
        self.assertEqual(self.client.raw("GET", path, None, h).status, 200)
        h = self.client.headers("GET", "/%s/tab" % ACCOUNT)
        self.assertEqual(self.client.raw("GET", path, None, h).status, 403)

    def test_dates(self):
        def at(seconds):
            return email.utils.formatdate(time.time() + seconds, usegmt=True)

        for date, status in [(at(-14 * 60), 200), (at(14 * 60), 200),
                             (at(-16 * 60), 403), (at(16 * 60), 403),
                             ("today", 403)]:
            r = self.client.request("GET", "/tab",
                                    headers={"x-ms-date": date})
            self.assertEqual(r.status, status, date)
        r = self.client.request("GET", "/tab", headers={"x-ms-date": None,
                                                        "Date": at(0)})
        self.status(r, 200)
        r = self.client.request("GET", "/tab", headers={"x-ms-date": None})
        self.status(r, 403, "AuthenticationFailed")
        r = self.client.request("GET", "/tab", headers={
            "x-ms-date": at(0), "Date": at(-3600)})
        self.status(r, 200)

    def test_missing_or_malformed(self):
        r = self.client.raw("GET", "/%s/tab" % ACCOUNT)
        self.assertEqual(r.status, 403)
        self.assertIn(b"AuthenticationFailed", r.body)
        for value in ("nonsense", "SharedKey x", "Basic abc", "SharedKey"):
            r = self.client.request("GET", "/tab",
                                    headers={"Authorization": value})
            self.status(r, 400, "InvalidAuthenticationInfo")

    def test_other_accounts(self):
        c = self.fresh(account="nobody")
        self.status(c.request("GET", "/tab"), 403, "AuthenticationFailed")
        h = self.client.headers("GET", "/nobody/tab")
        r = self.client.raw("GET", "/nobody/tab", None, h)
        self.assertEqual(r.status, 403)

    def test_secondary(self):
        path = "/%s-secondary/tab" % ACCOUNT
        h = self.client.headers("GET", path)
        self.assertEqual(self.client.raw("GET", path, None, h).status, 200)

    def test_host_style(self):
        h = self.client.headers("GET", "/tab")
        h["Host"] = ACCOUNT + ".table.example"
        h["Accept"] = "application/json;odata=minimalmetadata"
        r = self.client.raw("GET", "/tab", None, h)
        self.assertEqual(r.status, 200)
        self.assertEqual(r.json()["odata.metadata"], "http://%s.table.example"
                         "/$metadata#tab" % ACCOUNT)

    def test_golden_vectors(self):
        golden = [sign(KEY, text) for _, text in VECTORS]
        self.assertEqual(golden, GOLDEN)
        # The vectors' date is long gone: refused for it, not for the rest.
        r = self.client.request("GET", "/Tables", headers={
            "x-ms-date": "Thu, 01 Jan 2015 00:00:00 GMT",
            "Authorization": "SharedKeyLite %s:%s" % (ACCOUNT, golden[0])})
        self.status(r, 403, "AuthenticationFailed")
        self.assertIn("15 minutes", r.message())


class Accounts(unittest.TestCase):
    def test_several_accounts_do_not_meet(self):
        keys = {"one": base64.b64encode(b"1" * 20).decode(),
                "two": base64.b64encode(b"2" * 200).decode()}
        options = []
        for name, key in keys.items():
            options += ["--account", name, "--key", key]
        server = Server(*options)
        self.addCleanup(server.close)
        clients = {n: Client(server.port, n, k) for n, k in keys.items()}
        for name, c in clients.items():
            self.assertEqual(c.create_table("same").status, 201)
            c.insert("same", {"PartitionKey": "p", "RowKey": name})
        for name, c in clients.items():
            self.assertEqual(c.rows("same"), [name])
            r = c.request("GET", "/Tables")
            self.assertEqual(r.json()["value"], [{"TableName": "same"}])
        default = Client(server.port)
        self.assertEqual(default.request("GET", "/Tables").status, 403)
        path = "/two/same"
        h = clients["one"].headers("GET", path)
        self.assertEqual(clients["one"].raw("GET", path, None, h).status, 403)
        self.assertTrue(now().endswith("GMT"))
        for c in list(clients.values()) + [default]:
            c.close()


GOLDEN = ["uHCPFSX0CkIjuJZ3BCuI9oyKjLu9OpmHUJAjnabhkxc=",
          "/X7bU1wueOccboqOwSr8vvhyv49sSZfIof17aflRf1E="]

if __name__ == "__main__":
    unittest.main()
