"""A server per test class, and a client that shares no code with it.

Starts the sanitizer build on a free loopback port, signs requests with
Python's own HMAC and speaks plain sockets, so that a test can also send what
no client library would.  Servers are stopped by the pid that was started.
"""
import base64
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ.get("MTS_BINARY") or os.path.join(
    HERE, "..", "build-asan", "mock-tablestore")
ACCOUNT = "devstoreaccount1"
KEY = ("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6"
       "tq/K1SZFPTOtr/KBHBeksoGMGw==")
JSON = "application/json;odata="
METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"


class Server:
    """One server process in a directory of its own."""

    def __init__(self, *options, workdir=None):
        self.dir = workdir or tempfile.mkdtemp(prefix="mts-test-")
        self.own_dir = workdir is None
        self.options = options
        self.process = None
        self.start()

    def start(self):
        port_file = os.path.join(self.dir, "port")
        if os.path.exists(port_file):
            os.remove(port_file)
        env = dict(os.environ)
        env["ASAN_OPTIONS"] = "halt_on_error=1:exitcode=99:detect_leaks=1"
        env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
        self.stderr_path = os.path.join(self.dir, "stderr")
        with open(self.stderr_path, "ab") as err:
            self.process = subprocess.Popen(
                [BINARY, "--listen", "127.0.0.1:0", "--port-file", port_file,
                 *self.options], stderr=err, env=env)
        deadline = time.monotonic() + 20
        while not os.path.exists(port_file):
            if self.process.poll() is not None or \
                    time.monotonic() > deadline:
                raise AssertionError("server did not start: " + self.stderr())
            time.sleep(0.005)
        with open(port_file) as f:
            ports = [int(line) for line in f]
        self.port = ports[0]
        self.queue_port = ports[1] if len(ports) > 1 else None

    def stderr(self):
        with open(self.stderr_path, errors="replace") as f:
            return f.read()

    def stop(self, sig=signal.SIGTERM):
        """Ends it and returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sig)
        return self.process.wait(timeout=20)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        status = self.stop()
        stderr = self.stderr()
        if self.own_dir:
            shutil.rmtree(self.dir)
        if status != 0 or "Sanitizer" in stderr or "runtime error" in stderr:
            raise AssertionError("server ended with %d:\n%s"
                                 % (status, stderr))


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def is_front_end(self):
        """Is it an error from before the table server, with its headers?"""
        return (self.headers["Content-Type"] == "application/xml" and
                self.body.startswith(b'<?xml version="1.0" encoding="utf-8"?>'
                                     b"<m:error xmlns:m=") and
                self.headers["x-ms-error-code"] == self.error() and
                "Cache-Control" not in self.headers)

    def error(self):
        """The error code of an odata.error or m:error body."""
        if self.body.startswith(b"<?xml"):
            return self.xml_error("code")
        return self.json()["odata.error"]["code"]

    def message(self):
        if self.body.startswith(b"<?xml"):
            return self.xml_error("message")
        return self.json()["odata.error"]["message"]["value"]

    def xml_error(self, name):
        return ET.fromstring(self.body).findtext("{%s}%s" % (METADATA, name))

    def etag(self):
        return self.headers["ETag"]

    def __repr__(self):
        return "%d %r %r" % (self.status, dict(self.headers), self.body[:600])


def sign(key, text):
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256)
    return base64.b64encode(digest.digest()).decode()


def now():
    return email.utils.formatdate(usegmt=True)


def quote_key(key):
    return urllib.parse.quote(key.replace("'", "''"), safe="")


class Client:
    """Signed requests over one kept-alive connection."""

    def __init__(self, port, account=ACCOUNT, key=KEY, level="nometadata"):
        self.port = port
        self.account = account
        self.key = key
        self.level = level
        self.connection = http.client.HTTPConnection("127.0.0.1", port,
                                                     timeout=30)

    def close(self):
        self.connection.close()

    def raw(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body=body,
                                headers=headers or {})
        answer = self.connection.getresponse()
        return Reply(answer.status, answer.headers, answer.read())

    def headers(self, method, path, extra=None, lite=True):
        """Headers of a request, None values dropped, with a signature."""
        h = {"x-ms-date": now(), "x-ms-version": "2019-02-02",
             "Accept": JSON + self.level, "DataServiceVersion": "3.0"}
        h.update(extra or {})
        h = {k: v for k, v in h.items() if v is not None}
        resource = "/" + self.account + path.split("?")[0]
        for item in path.partition("?")[2].split("&"):
            if item.startswith("comp="):
                resource += "?" + item
        date = h.get("x-ms-date", h.get("Date", ""))
        if lite:
            text = date + "\n" + resource
            scheme = "SharedKeyLite"
        else:
            text = "\n".join([method, h.get("Content-MD5", ""),
                              h.get("Content-Type", ""), date, resource])
            scheme = "SharedKey"
        if "Authorization" not in h:
            h["Authorization"] = "%s %s:%s" % (scheme, self.account,
                                               sign(self.key, text))
        return h

    def request(self, method, path, body=None, headers=None, lite=True):
        """path is behind the account, query included, encoded."""
        extra = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        if body is not None:
            extra.setdefault("Content-Type", "application/json")
        path = "/" + self.account + path
        return self.raw(method, path, body,
                        self.headers(method, path, extra, lite))

    def mock(self, method, path, body=None):
        if isinstance(body, dict):
            body = json.dumps(body)
        return self.raw(method, "/__mock/" + path, body)

    def create_table(self, name):
        return self.request("POST", "/Tables", {"TableName": name})

    def insert(self, table, entity, prefer="return-no-content", **headers):
        h = dict(headers)
        if prefer:
            h["Prefer"] = prefer
        return self.request("POST", "/" + table, entity, h)

    def entity_path(self, table, pk, rk):
        return "/%s(PartitionKey='%s',RowKey='%s')" % (
            table, quote_key(pk), quote_key(rk))

    def get(self, table, pk, rk, query="", **headers):
        return self.request("GET", self.entity_path(table, pk, rk) + query,
                            headers=headers)

    def write(self, method, table, pk, rk, body=None, etag=None, **headers):
        h = dict(headers)
        if etag:
            h["If-Match"] = etag
        return self.request(method, self.entity_path(table, pk, rk), body, h)

    def query(self, table, **params):
        """params without the $: filter, select, top; others as they are."""
        names = {"filter": "$filter", "select": "$select", "top": "$top",
                 "format": "$format"}
        pairs = [(names.get(k, k), str(v)) for k, v in params.items()]
        text = urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote)
        return self.request("GET", "/%s()%s" % (table,
                                                "?" + text if text else ""))

    def rows(self, table, **params):
        """RowKeys of all pages of a query."""
        found = []
        while True:
            r = self.query(table, **params)
            if r.status != 200:
                raise AssertionError(repr(r))
            found += [e["RowKey"] for e in r.json()["value"]]
            pk = r.headers.get("x-ms-continuation-NextPartitionKey")
            if pk is None:
                return found
            params["NextPartitionKey"] = pk
            rk = r.headers.get("x-ms-continuation-NextRowKey")
            params.pop("NextRowKey", None)
            if rk is not None:
                params["NextRowKey"] = rk

    def batch(self, parts, boundary="batch_1", changeset="changeset_1",
              headers=None):
        """parts: (method, url, body, {header: value})."""
        body = batch_body(parts, boundary, changeset)
        h = {"Content-Type": "multipart/mixed; boundary=" + boundary}
        h.update(headers or {})
        return self.request("POST", "/$batch", body, h)


def batch_part(method, url, body, headers):
    lines = ["Content-Type: application/http",
             "Content-Transfer-Encoding: binary", "",
             "%s %s HTTP/1.1" % (method, url)]
    h = {"Accept": JSON + "minimalmetadata", "Content-Type":
         "application/json"}
    h.update(headers)
    lines += ["%s: %s" % i for i in h.items() if i[1] is not None]
    text = json.dumps(body) if isinstance(body, dict) else body or ""
    return "\r\n".join(lines + ["", text])


def batch_body(parts, boundary, changeset):
    text = "--%s\r\nContent-Type: multipart/mixed; boundary=%s\r\n\r\n" % (
        boundary, changeset)
    for part in parts:
        text += "--%s\r\n%s\r\n" % (changeset, batch_part(*part))
    return text + "--%s--\r\n--%s--\r\n" % (changeset, boundary)


def batch_statuses(reply):
    return [int(line.split()[1]) for line in
            reply.body.decode().split("\r\n") if line.startswith("HTTP/1.1 ")]


def batch_error(reply):
    """(index, code) of a failed batch."""
    text = reply.body.decode()
    error = json.loads(text[text.index("{"):text.rindex("}") + 1])
    error = error["odata.error"]
    return int(error["message"]["value"].split(":")[0]), error["code"]


class Case(unittest.TestCase):
    """Tests of one class share a server and start with a fresh table."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)
        cls.client = Client(cls.server.port)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.close()

    def setUp(self):
        self.client.mock("DELETE", "faults")
        self.client.mock("POST", "reset")
        self.client.create_table("tab")

    def fresh(self, **kw):
        c = Client(self.server.port, **kw)
        self.addCleanup(c.close)
        return c

    def status(self, reply, status, code=None):
        self.assertEqual(reply.status, status, reply)
        if code:
            self.assertEqual(reply.error(), code, reply)
        return reply
