"""Requests that mean two things, crowds of connections, clients that stall."""
import glob
import os
import re
import resource
import signal
import socket
import time
import unittest

from harness import ACCOUNT, Case

PATH = "/%s/tab" % ACCOUNT
BODY = b'{"PartitionKey":"p","RowKey":"r"}'
JSON = {"Content-Type": "application/json", "Prefer": "return-no-content"}
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
BUSY = 128          # what libmicrohttpd takes from epoll at once


class HostileCase(Case):
    def head(self, method, path, extra=None, version="HTTP/1.1"):
        h = self.client.headers(method, path, extra)
        h["Host"] = "x"
        return ("%s %s %s\r\n" % (method, path, version) + "".join(
            "%s: %s\r\n" % i for i in h.items())).encode()

    def connect(self, timeout=10):
        s = socket.create_connection(("127.0.0.1", self.server.port),
                                     timeout=timeout)
        self.addCleanup(s.close)
        return s

    def all_of(self, s):
        """What comes until the server closes."""
        data = b""
        while True:
            try:
                more = s.recv(65536)
            except ConnectionResetError:
                return data
            if not more:
                return data
            data += more

    def send(self, data):
        s = self.connect()
        s.sendall(data)
        return self.all_of(s)

    def refused(self, data, status, code, says=None):
        """One answer, then the connection is closed and nothing was done."""
        self.client.mock("DELETE", "journal")
        answer = self.send(data)
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answer),
                         [b"%d" % status], answer)
        self.assertIn(b"<m:code>%s<" % code.encode(), answer)
        if says:
            self.assertIn(says, answer.decode())
        journal = self.client.mock("GET", "journal").body.decode()
        self.assertEqual(len(journal.splitlines()), 1, journal)
        self.assertEqual(self.client.rows("tab"), [])


class Framing(HostileCase):
    def post(self, more, body=BODY):
        return self.head("POST", PATH, JSON) + more + b"\r\n" + body

    def test_two_lengths(self):
        for a, b in ((33, 5), (5, 33), (0, 33), (33, 33)):
            self.refused(self.post(b"Content-Length: %d\r\nContent-Length: "
                                   b"%d\r\n" % (a, b), BODY + SMUGGLED),
                         400, "InvalidHeaderValue", "twice")

    def test_length_and_chunks(self):
        body = b"21\r\n" + BODY + b"\r\n0\r\n\r\n" + SMUGGLED
        for more in (b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                     b"transfer-encoding: chunked\r\ncontent-length: 33\r\n"):
            self.refused(self.post(more, body), 400, "InvalidHeaderValue",
                         "exclude")

    def test_encodings(self):
        body = b"21\r\n" + BODY + b"\r\n0\r\n\r\n" + SMUGGLED
        for name in (b"identity", b"gzip, chunked", b"xchunked", b"",
                     b"chunked, chunked"):
            self.refused(self.post(b"Transfer-Encoding: %s\r\n" % name, body),
                         400, "InvalidHeaderValue", "only")
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n"
                               b"Transfer-Encoding: identity\r\n", body),
                     400, "InvalidHeaderValue", "twice")

    def test_names(self):
        for line in (b"Content-Length : 33", b"a b: c", b"a\x01: c",
                     b"X-\xe9: c", b"a(b): c"):
            self.refused(self.post(b"Content-Length: 33\r\n" + line + b"\r\n"),
                         400, "InvalidHeaderValue", "name")

    def test_hosts(self):
        plain = self.head("GET", PATH)
        self.refused(plain + b"Host: y\r\n\r\n", 400, "InvalidHeaderValue",
                     "Host")
        self.refused(plain.replace(b"Host: x\r\n", b"") + b"\r\n", 400,
                     "HostInformationNotPresent")
        old = self.head("GET", PATH, version="HTTP/1.0")
        answer = self.send(old.replace(b"Host: x\r\n", b"") + b"\r\n")
        self.assertIn(b" 200 OK", answer)

    def test_no_length(self):
        for method in ("POST", "PUT"):
            self.refused(self.head(method, PATH, JSON) + b"\r\n", 411,
                         "MissingContentLengthHeader")
        # Those of curl -X POST to the mock's own endpoints are fine.
        s = self.connect()
        s.sendall(b"POST /__mock/reset HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b" 204 ", s.recv(1000))

    def test_two_methods(self):
        self.refused(self.head("POST", PATH) + b"Content-Length: 0\r\n"
                     b"X-HTTP-Method: MERGE\r\nX-HTTP-Method: DELETE\r\n\r\n",
                     400, "XMethodIncorrectCount")

    def test_chunks(self):
        chunked = self.head("POST", PATH, JSON) + \
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        good = b"21;ext=1\r\n" + BODY + b"\r\n0\r\nIf-Match: *\r\n\r\n"
        self.assertIn(b" 204 ", self.send(chunked + good))
        for bad in (b"zz\r\n", b"-1\r\n", b"fffffffffffffffff\r\n",
                    b"2\r\n{}XX0\r\n\r\n"):
            answer = self.send(chunked + bad)
            self.assertRegex(answer, rb"^HTTP/1.1 4\d\d ")
        self.assertEqual(self.client.rows("tab"), ["r"])

    def test_forms_of_the_url(self):
        for url, status in ((b"http://x" + PATH.encode(), 200),
                            (PATH.encode() + b"%00", 400),
                            (PATH.encode() + b"%zz", 400),
                            (PATH.encode() + b"%4", 400),
                            (PATH.encode() + b"%c0%af", 400),
                            (PATH.encode() + b"(PartitionKey='%ed%a0%80',"
                             b"RowKey='')", 400),
                            (PATH.encode() + b"#x", 400),
                            (PATH.encode() + b"/", 400)):
            path = url.decode().replace("http://x", "")
            head = self.head("GET", path).replace(path.encode(), url, 1)
            answer = self.send(head + b"Connection: close\r\n\r\n")
            self.assertIn(b"HTTP/1.1 %d " % status, answer, url)

    def test_too_much(self):
        plain = self.head("GET", PATH)
        answer = self.send(plain + b"X: " + b"a" * 70000 + b"\r\n\r\n")
        self.assertIn(b"HTTP/1.1 431 ", answer)
        answer = self.send(plain + b"".join(b"X%d: a\r\n" % i for i in
                                            range(3000)) + b"\r\n")
        self.assertIn(b"HTTP/1.1 431 ", answer)
        answer = self.send(b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n")
        self.assertIn(b"HTTP/1.1 414 ", answer)


class Crowds(HostileCase):
    def ask(self, extra=None):
        return self.head("GET", PATH, extra) + b"\r\n"

    def test_half_closed(self):
        """A client that has said all gets its answer and then the end."""
        s = self.connect(5)
        s.sendall(self.ask())
        s.shutdown(socket.SHUT_WR)
        answer = self.all_of(s)
        self.assertIn(b" 200 OK", answer)
        self.assertTrue(answer.endswith(b'{"value":[]}'))
        s = self.connect(5)
        s.sendall(self.ask())
        self.assertIn(b" 200 OK", s.recv(65536))
        s.shutdown(socket.SHUT_WR)
        self.assertEqual(self.all_of(s), b"")

    def thread_of(self, ports):
        """epoll's descriptor (one per thread) by client port."""
        proc = "/proc/%d/" % self.server.process.pid
        remote = {}
        with open(proc + "net/tcp") as f:
            for line in f.readlines()[1:]:
                fields = line.split()
                remote[fields[9]] = int(fields[2].split(":")[1], 16)
        threads = {}
        for path in glob.glob(proc + "fdinfo/*"):
            with open(path) as f:
                for fd in re.findall(r"tfd: +(\d+)", f.read()):
                    inode = re.findall(r"\d+", os.readlink(proc + "fd/" + fd))
                    port = remote.get(inode[0]) if inode else None
                    if port in ports:
                        threads[port] = path
        return threads

    def test_as_many_as_the_library_takes_at_once(self):
        """Exactly 128 events on one thread once waited for the 129th."""
        socks = [self.connect() for _ in range(5 * BUSY)]
        for s in socks:
            s.sendall(self.ask())
            self.assertIn(b" 200 OK", s.recv(65536))
        ports = {s.getsockname()[1]: s for s in socks}
        threads = self.thread_of(ports)
        by_thread = {}
        for port, thread in threads.items():
            by_thread.setdefault(thread, []).append(ports[port])
        crowd = max(by_thread.values(), key=len)[:BUSY]
        self.assertEqual(len(crowd), BUSY)
        pid = self.server.process.pid
        for _ in range(3):
            os.kill(pid, signal.SIGSTOP)
            try:
                for s in crowd:
                    s.sendall(self.ask())
            finally:
                os.kill(pid, signal.SIGCONT)
            for s in crowd:
                self.assertIn(b" 200 OK", s.recv(65536))

    def test_ten_thousand_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = min(10000, hard - 200)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        idle = []
        try:
            for i in range(count):
                s = socket.create_connection(("127.0.0.1", self.server.port),
                                             timeout=10)
                idle.append(s)
                if i % 3 == 1:      # slow: half a request, never the rest
                    s.sendall(b"GET /x HTTP/1.1\r\nHo")
                elif i % 3 == 2:
                    s.sendall(self.head("POST", PATH, JSON)
                              + b"Content-Length: 33\r\n\r\n{")
            began = time.monotonic()
            c = self.fresh()
            for i in range(50):
                self.status(c.insert("tab", {"PartitionKey": "p",
                                             "RowKey": str(i)}), 204)
            c.close()
            self.assertLess(time.monotonic() - began, 20)
        finally:
            for s in idle:
                s.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.assertEqual(len(self.client.rows("tab")), 50)


class Deep(HostileCase):
    def test_parentheses(self):
        for n in (1, 50, 100, 10000):
            text = "(" * n + "n eq 1" + ")" * n
            r = self.client.query("tab", filter=text)
            self.assertIn(r.status, (200, 400), n)
        self.assertEqual(self.client.query("tab", filter="(" * 10000).status,
                         400)
        self.status(self.client.query("tab", filter="not " * 5000 + "b"), 400)

    def test_json(self):
        for text in ("[" * 100000, '{"a":' * 100000, "{" * 100000,
                     '{"PartitionKey":"p","RowKey":"r","a":' + "[" * 1000
                     + "]" * 1000 + "}"):
            self.status(self.client.insert("tab", text), 400)

    def test_xml(self):
        r = self.client.request("PUT", "/tab?comp=acl", "<a>" * 100000)
        self.status(r, 400, "InvalidXmlDocument")
        bomb = ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbb">'
                '<!ENTITY c "&b;&b;&b;&b;">]><SignedIdentifiers>&c;'
                "</SignedIdentifiers>")
        self.status(self.client.request("PUT", "/tab?comp=acl", bomb), 400,
                    "InvalidXmlDocument")

    def test_a_thousand_operations(self):
        r = self.client.batch([("POST", "/tab", {
            "PartitionKey": "p", "RowKey": str(i)}, {}) for i in range(1000)])
        self.assertIn(b"400 Bad Request", r.body)
        self.assertIn(b"InvalidInput", r.body)
        self.assertEqual(self.client.rows("tab"), [])

    def test_bytes_that_are_no_text(self):
        for text in (b'{"PartitionKey":"p","RowKey":"\xff\xfe"}',
                     b'{"PartitionKey":"p","RowKey":"a\0b"}',
                     b'{"PartitionKey":"p","RowKey":"\xed\xa0\x80"}',
                     b'{"PartitionKey":"p","RowKey":"\\ud800"}', b"\0\0\0",
                     BODY.decode().encode("utf-16")):
            path = "/%s/tab" % ACCOUNT
            r = self.client.raw("POST", path, text,
                                self.client.headers("POST", path, JSON))
            self.assertEqual(r.status, 400, (text, r))
        self.assertEqual(self.client.rows("tab"), [])


if __name__ == "__main__":
    unittest.main()
