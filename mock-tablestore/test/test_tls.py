"""--tls-cert and --tls-key: https for both services, with a CA of our own."""
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

from harness import ACCOUNT, BINARY, JSON, Client, Server
from sas import account_sas, table_sas


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def make_certificate(directory, name):
    """A self-signed certificate for localhost; returns (cert, key)."""
    cert = os.path.join(directory, name + ".pem")
    key = os.path.join(directory, name + ".key")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
            "-out", cert)
    return cert, key


class SecureClient(Client):
    """The same over TLS, trusting one certificate."""

    def __init__(self, port, ca, host="localhost", **kw):
        super().__init__(port, **kw)
        context = ssl.create_default_context(cafile=ca)
        self.connection = http.client.HTTPSConnection(
            host, port, context=context, timeout=30)


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="mts-tls-")
        cls.cert, cls.key = make_certificate(cls.dir, "server")
        cls.other, cls.other_key = make_certificate(cls.dir, "other")
        cls.server = Server("--tls-cert", cls.cert, "--tls-key", cls.key,
                            "--queue-listen", "127.0.0.1:0")

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        shutil.rmtree(cls.dir)

    def client(self, **kw):
        c = SecureClient(self.server.port, self.cert, **kw)
        self.addCleanup(c.close)
        return c

    def test_trusted(self):
        c = self.client(level="minimalmetadata")
        c.mock("POST", "reset")
        r = c.create_table("tab")
        self.assertEqual(r.status, 201, r)
        self.assertTrue(r.headers["Location"].startswith("https://"))
        big = {"PartitionKey": "p", "RowKey": "r", "v": "x" * 30000}
        self.assertEqual(c.insert("tab", big).status, 204)
        page = c.query("tab")
        self.assertEqual(page.json()["value"][0]["v"], big["v"])
        self.assertTrue(page.json()["odata.metadata"].startswith("https:"))

    def test_many_requests_on_one_connection(self):
        c = self.client()
        c.create_table("many")
        for i in range(50):
            r = c.insert("many", {"PartitionKey": "p", "RowKey": str(i)})
            self.assertEqual(r.status, 204)
        self.assertEqual(len(c.rows("many")), 50)

    def test_delay_over_tls(self):
        c = self.client()
        c.mock("POST", "faults", {"action": "delay", "ms": 50})
        self.assertEqual(c.request("GET", "/Tables").status, 200)

    def test_redirect_stays_with_https(self):
        c = self.client()
        c.mock("POST", "faults", {"action": "redirect"})
        r = c.request("GET", "/Tables")
        self.assertEqual((r.status, r.headers["Location"]),
                         (307, "https://localhost:%d/%s/Tables"
                          % (self.server.port, ACCOUNT)))

    def test_unknown_authority(self):
        c = SecureClient(self.server.port, self.other)
        self.addCleanup(c.close)
        with self.assertRaises(ssl.SSLCertVerificationError):
            c.request("GET", "/Tables")
        self.assertEqual(self.client().request("GET", "/Tables").status, 200)

    def test_wrong_name(self):
        context = ssl.create_default_context(cafile=self.cert)
        with socket.create_connection(("127.0.0.1", self.server.port)) as s:
            with self.assertRaises(ssl.SSLCertVerificationError):
                context.wrap_socket(s, server_hostname="example.test")

    def test_plain_http_fails_cleanly(self):
        c = Client(self.server.port)
        self.addCleanup(c.close)
        with self.assertRaises((http.client.HTTPException, OSError)):
            c.request("GET", "/Tables")
        self.assertEqual(self.client().request("GET", "/Tables").status, 200)

    def test_https_on_a_plain_port_fails(self):
        server = Server()
        self.addCleanup(server.close)
        c = SecureClient(server.port, self.cert)
        self.addCleanup(c.close)
        with self.assertRaises((ssl.SSLError, OSError)):
            c.request("GET", "/Tables")

    def test_https_only_signatures(self):
        self.client().create_table("only")
        h = {"Accept": JSON + "nometadata"}
        for sas in (table_sas("only", spr="https"),
                    account_sas(spr="https"),
                    account_sas(spr="https,http")):
            r = self.client().raw("GET", "/%s/only?%s" % (ACCOUNT, sas),
                                  None, h)
            self.assertEqual(r.status, 200, r)

    def test_queue_service_too(self):
        c = SecureClient(self.server.queue_port, self.cert)
        self.addCleanup(c.close)
        r = c.raw("GET", "/%s?comp=list&%s" % (ACCOUNT, account_sas(ss="q")))
        self.assertEqual(r.status, 200, r)
        self.assertIn(b'ServiceEndpoint="https://', r.body)

    def test_unusable_files(self):
        def run(*args):
            return subprocess.run([BINARY, "--listen", "127.0.0.1:0", *args],
                                  capture_output=True, text=True, timeout=20)

        for args in (["--tls-cert", self.cert], ["--tls-key", self.key]):
            self.assertEqual(run(*args).returncode, 2)
        r = run("--tls-cert", "/nonexistent", "--tls-key", self.key)
        self.assertEqual(r.returncode, 1)
        self.assertIn("/nonexistent", r.stderr)
        r = run("--tls-cert", self.cert, "--tls-key", "/nonexistent")
        self.assertEqual(r.returncode, 1)
        for args in ([self.cert, self.other_key], [self.key, self.key],
                     [self.cert, self.cert]):
            r = run("--tls-cert", args[0], "--tls-key", args[1])
            self.assertEqual(r.returncode, 1, args)
            self.assertIn("TLS", r.stderr)


if __name__ == "__main__":
    unittest.main()
