"""HTTP itself: headers, keep-alive, chunked and slow bodies, raw sockets."""
import socket
import unittest

from harness import ACCOUNT, Case

GUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


class Http(Case):
    def socket(self):
        s = socket.create_connection(("127.0.0.1", self.server.port),
                                     timeout=10)
        self.addCleanup(s.close)
        return s

    def head(self, method, path, extra):
        h = self.client.headers(method, path, extra)
        h["Host"] = "127.0.0.1:%d" % self.server.port
        return "%s %s HTTP/1.1\r\n" % (method, path) + "".join(
            "%s: %s\r\n" % item for item in h.items()) + "\r\n"

    def read(self, s):
        """Status and body of one reply with a Content-Length."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += s.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while len(body) < length:
            body += s.recv(65536)
        return int(head.split()[1]), body

    def test_response_headers(self):
        r = self.client.query("tab")
        self.assertEqual(r.headers["Cache-Control"], "no-cache")
        self.assertEqual(r.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(r.headers["Server"],
                         "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0")
        self.assertRegex(r.headers["x-ms-request-id"], GUID)
        self.assertEqual(r.headers["x-ms-version"], "2019-02-02")
        self.assertTrue(r.headers["Date"].endswith("GMT"))
        other = self.client.request("GET", "/tab", headers={
            "x-ms-version": "2020-12-06", "x-ms-client-request-id": "me"})
        self.assertEqual(other.headers["x-ms-version"], "2020-12-06")
        self.assertEqual(other.headers["x-ms-client-request-id"], "me")
        self.assertNotEqual(other.headers["x-ms-request-id"],
                            r.headers["x-ms-request-id"])

    def test_error_body(self):
        r = self.client.get("tab", "p", "r")
        lines = r.message().split("\n")
        self.assertEqual(lines[0], "The specified resource does not exist.")
        self.assertEqual(lines[1], "RequestId:" +
                         r.headers["x-ms-request-id"])
        self.assertRegex(lines[2], r"^Time:\d{4}-.*\.\d{7}Z$")
        self.assertEqual(r.json()["odata.error"]["message"]["lang"], "en-US")

    def test_connections_are_kept(self):
        self.client.mock("DELETE", "journal")
        for _ in range(3):
            self.client.query("tab")
        lines = self.client.mock("GET", "journal").body.decode().splitlines()
        self.assertEqual(len({line.split("\t")[6] for line in lines}), 1)
        self.assertEqual(len(lines), 3)

    def test_pipelined_and_split_requests(self):
        s = self.socket()
        path = "/%s/tab" % ACCOUNT
        text = (self.head("GET", path, {}) * 2).encode()
        for i in range(0, len(text), 50):
            s.sendall(text[i:i + 50])
        data = b""
        while data.count(b'{"value":[]}') < 2:
            more = s.recv(65536)
            self.assertTrue(more, data)
            data += more
        self.assertEqual(data.count(b"HTTP/1.1 200 "), 2)

    def test_expect_100_continue(self):
        s = self.socket()
        body = b'{"PartitionKey":"p","RowKey":"r"}'
        s.sendall(self.head("POST", "/%s/tab" % ACCOUNT, {
            "Expect": "100-continue", "Content-Type": "application/json",
            "Prefer": "return-no-content",
            "Content-Length": str(len(body))}).encode())
        self.assertTrue(s.recv(1000).startswith(b"HTTP/1.1 100 "))
        s.sendall(body)
        self.assertEqual(self.read(s)[0], 204)

    def test_chunked_request_body(self):
        s = self.socket()
        s.sendall(self.head("POST", "/%s/tab" % ACCOUNT, {
            "Transfer-Encoding": "chunked", "Prefer": "return-no-content",
            "Content-Type": "application/json"}).encode())
        for piece in (b'{"PartitionKey":"p",', b'"RowKey":"chunk"}'):
            s.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        s.sendall(b"0\r\n\r\n")
        self.assertEqual(self.read(s)[0], 204)
        self.assertEqual(self.client.rows("tab"), ["chunk"])

    def test_long_filter(self):
        text = "RowKey eq 'x'" + " or n eq 1234567" * 1900
        self.assertGreater(len(text), 30000)
        self.assertEqual(self.client.rows("tab", filter=text), [])

    def test_garbage_does_not_hurt(self):
        for junk in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n",
                     b"GET / HTTP/9.9\r\n\r\n", b"POST /x HTTP/1.1\r\n"
                     b"Content-Length: -5\r\n\r\n",
                     b"GET " + b"a" * 200000 + b" HTTP/1.1\r\n\r\n"):
            s = self.socket()
            try:
                s.sendall(junk)
                s.shutdown(socket.SHUT_WR)
                s.recv(1000)
            except OSError:
                pass
        self.status(self.client.query("tab"), 200)

    def test_client_that_hangs_up_in_the_body(self):
        s = self.socket()
        s.sendall(self.head("POST", "/%s/tab" % ACCOUNT, {
            "Content-Length": "1000"}).encode() + b"{")
        s.close()
        self.status(self.client.query("tab"), 200)

    def test_a_204_has_no_body(self):
        r = self.client.insert("tab", {"PartitionKey": "p", "RowKey": "r"})
        self.assertEqual((r.status, r.body), (204, b""))
        self.assertIsNone(r.headers["Content-Type"])
        self.assertEqual(r.headers["Content-Length"], "0")

    def test_large_bodies_are_chunked(self):
        for i in range(50):
            self.client.insert("tab", {"PartitionKey": "p", "RowKey": str(i),
                                       "s": "x" * 2000})
        r = self.client.query("tab")
        self.assertEqual(r.headers["Transfer-Encoding"], "chunked")
        self.assertEqual(len(r.json()["value"]), 50)
        r = self.client.query("tab", top=1)
        self.assertEqual(int(r.headers["Content-Length"]), len(r.body))


if __name__ == "__main__":
    unittest.main()
