"""--oauth: bearer tokens, what they must claim, and the 401 challenge."""
import http.client
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import jwt
from harness import ACCOUNT, BINARY, HERE, JSON, Case, Client, Server
from test_tls import SecureClient, make_certificate

CHALLENGE = re.compile(
    r"^Bearer authorization_uri=https://login\.microsoftonline\.com/"
    r"[0-9a-f-]{36}/oauth2/authorize resource_id=https://storage\.azure\.com$")
VERSION = "2020-12-06"


class Tokens(Case):
    options = ("--oauth", "basic", "--oauth-http",
               "--queue-listen", "127.0.0.1:0")

    def ask(self, token, path="/Tables", version=VERSION, scheme="Bearer ",
            **headers):
        h = {"Accept": JSON + "nometadata", "x-ms-version": version,
             "Authorization": None if token is None else scheme + token}
        h.update(headers)
        return self.client.raw("GET", "/" + ACCOUNT + path, None,
                               {k: v for k, v in h.items() if v is not None})

    def challenged(self, reply, why):
        self.status(reply, 401, "InvalidAuthenticationInfo")
        self.assertRegex(reply.headers["WWW-Authenticate"], CHALLENGE)
        self.assertTrue(reply.is_front_end(), reply)
        self.assertIn("refer to the information in the www-authenticate",
                      reply.message())
        self.assertIn(why, reply.message())

    def test_a_good_token_may_do_everything(self):
        good = jwt.token()
        r = self.ask(good)
        self.assertEqual(self.status(r, 200).json(),
                         {"value": [{"TableName": "tab"}]})
        h = {"Authorization": "Bearer " + good}
        c = self.client
        self.status(c.request("POST", "/tab", {"PartitionKey": "p",
                                               "RowKey": "r"}, h), 201)
        self.status(c.get("tab", "p", "r", **h), 200)
        self.status(c.batch([("DELETE", "tab" + c.entity_path(
            "", "p", "r")[1:], None, {"If-Match": "*"})], headers=h), 202)
        self.assertEqual(c.rows("tab"), [])
        self.status(c.request("GET", "/tab?comp=acl", headers=h), 200)
        self.status(self.ask(good, scheme="bearer "), 200)

    def test_claims(self):
        now = int(time.time())
        for why, changes in [
                ("Lifetime validation failed. The token is expired.",
                 {"exp": now - 1}),
                ("Lifetime validation failed. The token is not yet valid.",
                 {"nbf": now + 60}),
                ("not all of the numbers", {"exp": None}),
                ("not all of the numbers", {"nbf": "soon"}),
                ("not all of the numbers", {"iat": None}),
                ("Issuer validation failed", {"iss": "https://evil.example"}),
                ("Issuer validation failed", {"iss": None}),
                ("Audience validation failed", {"aud": None}),
                ("Audience validation failed",
                 {"aud": "https://management.azure.com/"}),
                ("Audience validation failed",
                 {"aud": "https://storage.azure.com.evil.example"}),
                ("Audience validation failed",
                 {"aud": "https://other.table.core.windows.net"}),
                ("Audience validation failed",
                 {"aud": "https://%s.queue.core.windows.net" % ACCOUNT}),
                ("Audience validation failed",
                 {"aud": ["https://storage.azure.com"]})]:
            self.challenged(self.ask(jwt.token(**changes)), why)

    def test_audiences_and_issuers_that_are_taken(self):
        for aud in ("https://storage.azure.com/",
                    "e406a681-f3d4-42a8-90b6-c2b029497af1",
                    "https://%s.table.core.windows.net" % ACCOUNT,
                    "https://%s.table.core.usgovcloudapi.net/" % ACCOUNT):
            self.status(self.ask(jwt.token(aud=aud)), 200)
        self.status(self.ask(jwt.token(
            iss="https://sts.chinacloudapi.cn/x/")), 200)

    def test_no_jwt_at_all(self):
        good = jwt.token().split(".")
        for text in ("", "x", "a.b.c", ".".join(good[:2]), "..",
                     ".".join(["!!", good[1], ""]),
                     ".".join([good[0], jwt.part(b"[1]"), ""]),
                     ".".join([good[0], jwt.part(b'{"a":'), ""]),
                     ".".join([good[0], jwt.part(b"{}\0"), ""]),
                     good[0] + "." + "A" * 40000 + ".c"):
            self.challenged(self.ask(text), "The token is no JWT.")
        self.challenged(self.ask(jwt.token(body={})), "Lifetime")

    def test_its_clock_can_be_moved(self):
        good = jwt.token()
        self.client.mock("POST", "clock", {"advance_ms": 3600 * 1000 + 5000})
        self.addCleanup(self.client.mock, "DELETE", "clock")
        self.challenged(self.ask(good), "expired")

    def test_versions(self):
        for version in (None, "2015-02-21"):
            r = self.ask(jwt.token(), version=version)
            self.status(r, 403, "AuthenticationFailed")
            self.assertIn("not supported in this version", r.message())
        self.status(self.ask(jwt.token(), version="2019-02-02"), 200)

    def test_without_credentials(self):
        self.challenged(self.ask(None), "")
        for version in (None, "2019-07-07"):
            r = self.ask(None, version=version)
            self.status(r, 403, "AuthenticationFailed")
            self.assertTrue(r.is_front_end(), r)
            self.assertNotIn("WWW-Authenticate", r.headers)

    def test_unknown_account(self):
        r = self.client.raw("GET", "/nobody/Tables", None, {
            "Authorization": "Bearer " + jwt.token(),
            "x-ms-version": VERSION})
        self.status(r, 403, "AuthenticationFailed")

    def test_queues(self):
        c = self.fresh()
        c.connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.queue_port, timeout=30)

        def ask(aud):
            return c.raw("GET", "/%s?comp=list" % ACCOUNT, None, {
                "Authorization": "Bearer " + jwt.token(aud=aud),
                "x-ms-version": VERSION})

        self.assertEqual(ask("https://storage.azure.com").status, 200)
        self.assertEqual(ask("https://%s.queue.core.windows.net"
                             % ACCOUNT).status, 200)
        r = ask("https://%s.table.core.windows.net" % ACCOUNT)
        self.assertEqual(r.status, 401)
        self.assertRegex(r.headers["WWW-Authenticate"], CHALLENGE)
        self.assertIn(b"<Error><Code>InvalidAuthenticationInfo</Code>",
                      r.body)


class Options(unittest.TestCase):
    def ask(self, *options):
        server = Server(*options)
        self.addCleanup(server.close)
        c = Client(server.port)
        self.addCleanup(c.close)
        return c.raw("GET", "/%s/Tables" % ACCOUNT, None, {
            "Authorization": "Bearer " + jwt.token(), "Accept": JSON +
            "nometadata", "x-ms-version": VERSION})

    def test_not_over_http(self):
        r = self.ask("--oauth", "basic")
        self.assertEqual((r.status, r.error()), (403, "AuthenticationFailed"))
        self.assertIn("Bearer is not allowed with HTTP", r.message())

    def test_not_without_the_option(self):
        r = self.ask("--oauth-http")
        self.assertEqual((r.status, r.error()),
                         (401, "InvalidAuthenticationInfo"))
        self.assertIn("without --oauth basic", r.message())

    def test_unknown_level(self):
        r = subprocess.run([BINARY, "--oauth", "full"], capture_output=True,
                           text=True, timeout=20)
        self.assertEqual(r.returncode, 2)
        self.assertIn("--oauth knows basic and none", r.stderr)


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class OverTls(unittest.TestCase):
    """The official Python client with a token credential, challenge and all."""

    def test_client(self):
        d = tempfile.mkdtemp(prefix="mts-bearer-")
        self.addCleanup(shutil.rmtree, d)
        cert, key = make_certificate(d, "server")
        server = Server("--tls-cert", cert, "--tls-key", key, "--oauth",
                        "basic")
        self.addCleanup(server.close)
        plain = SecureClient(server.port, cert)
        self.addCleanup(plain.close)
        r = plain.raw("GET", "/%s/Tables" % ACCOUNT, None, {
            "Authorization": "Bearer " + jwt.token(), "x-ms-version": VERSION,
            "Accept": JSON + "nometadata"})
        self.assertEqual(r.status, 200, r)
        script = os.path.join(HERE, "bearer_client.py")
        python = "/usr/bin/python3"
        run = subprocess.run([python, script, str(server.port), cert],
                             capture_output=True, text=True, timeout=60)
        if "ModuleNotFoundError" in run.stderr:
            self.skipTest(run.stderr.splitlines()[-1])
        self.assertEqual((run.returncode, run.stdout), (0, "good\n"),
                         run.stderr)


if __name__ == "__main__":
    unittest.main()
