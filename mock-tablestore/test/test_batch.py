"""$batch: all or nothing, its limits, and the forms it may have."""
import unittest

from harness import (Case, JSON, batch_error, batch_part, batch_statuses,
                     KEY)

NO = {"Prefer": "return-no-content"}


def entity(row, pk="p", **props):
    return dict(props, PartitionKey=pk, RowKey=row)


class Batches(Case):
    def failed(self, reply, index, code, status):
        self.status(reply, 202)
        self.assertEqual(batch_statuses(reply), [status])
        self.assertEqual(batch_error(reply), (index, code), reply)

    def test_all_operations(self):
        for row in ("replace", "merge", "delete"):
            self.client.insert("tab", entity(row, a=1, b=2))
        path = lambda row: self.client.entity_path("tab", "p", row)
        r = self.client.batch([
            ("POST", "/tab", entity("insert"), NO),
            ("PUT", path("replace"), {"c": 1}, {"If-Match": "*"}),
            ("MERGE", path("merge"), {"c": 1}, {"If-Match": "*"}),
            ("DELETE", path("delete"), None, {"If-Match": "*"}),
            ("PUT", path("up1"), {"c": 1}, {}),
            ("PATCH", path("up2"), {"c": 1}, {}),
            ("POST", "/tab", entity("echo"), {"Content-ID": "9"})])
        self.assertEqual(batch_statuses(r), [204] * 6 + [201])
        text = r.body.decode()
        self.assertEqual(text.count("\r\nETag: W/"), 6)
        self.assertEqual(text.count("\r\nDataServiceId: "), 1)
        self.assertEqual(text.count("\r\nContent-ID: 9\r\n"), 1)
        self.assertIn('"RowKey":"echo"', text)
        self.assertEqual(self.client.rows("tab"), [
            "echo", "insert", "merge", "replace", "up1", "up2"])
        self.assertEqual(self.client.get("tab", "p", "merge").json()["a"], 1)
        self.assertNotIn("a", self.client.get("tab", "p", "replace").json())
        etag = self.client.get("tab", "p", "up1").etag()
        self.assertIn(etag, text)

    def test_failure_leaves_nothing(self):
        self.client.insert("tab", entity("3"))
        r = self.client.batch([("POST", "/tab", entity(str(i)), NO)
                               for i in range(6)])
        self.failed(r, 3, "EntityAlreadyExists", 409)
        self.assertEqual(self.client.rows("tab"), ["3"])

    def test_error_carries_the_content_id(self):
        parts = [("POST", "/tab", entity(str(i)),
                  dict(NO, **{"Content-ID": "c%d" % i})) for i in range(3)]
        self.client.insert("tab", entity("1"))
        r = self.client.batch(parts)
        self.failed(r, 1, "EntityAlreadyExists", 409)
        self.assertIn("\r\nContent-ID: c1\r\n", r.body.decode())

    def test_failures_of_every_kind(self):
        self.client.insert("tab", entity("old"))
        path = self.client.entity_path
        good = ("POST", "/tab", entity("new"), NO)
        for part, code, status in [
                (("DELETE", path("tab", "p", "x"), None, {"If-Match": "*"}),
                 "ResourceNotFound", 404),
                (("PUT", path("tab", "p", "old"), {}, {
                    "If-Match": "W/\"datetime'2000-01-01T00%3A00%3A00Z'\""}),
                 "UpdateConditionNotSatisfied", 412),
                (("DELETE", path("tab", "p", "old"), None, {}),
                 "MissingRequiredHeader", 400),
                (("POST", "/tab", {"RowKey": "x"}, NO),
                 "PropertiesNeedValue", 400),
                (("POST", "/tab", "nonsense", NO), "InvalidInput", 400),
                (("POST", "/tab", entity("a/b"), NO), "OutOfRangeInput", 400),
                (("POST", "/tab", entity("x", pk="other"), NO),
                 "CommandsInBatchActOnDifferentPartitions", 400),
                (("POST", "/tab", entity("new"), NO), "InvalidDuplicateRow",
                 400),
                (("PUT", path("tab", "p", "new"), {}, {}),
                 "InvalidDuplicateRow", 400),
                (("GET", path("tab", "p", "old"), None, {}), "InvalidInput",
                 400),
                (("DELETE", "/Tables('tab')", None, {}), "InvalidInput",
                 400)]:
            self.failed(self.client.batch([good, part]), 1, code, status)
            self.assertEqual(self.client.rows("tab"), ["old"])

    def test_layout_of_a_failure(self):
        """As recorded of the service, but for the names of boundaries."""
        part = ("POST", "/tab", entity("old"), NO)
        r = self.client.batch([part])
        r = self.client.batch([part])
        text = r.body.decode()
        boundary = r.headers["Content-Type"].split("boundary=")[1]
        inner = text.split("boundary=")[1].split("\r\n")[0]
        self.assertEqual(
            text.split("{")[0],
            "--%s\r\nContent-Type: multipart/mixed; boundary=%s\r\n\r\n"
            "--%s\r\nContent-Type: application/http\r\n"
            "Content-Transfer-Encoding: binary\r\n\r\n"
            "HTTP/1.1 409 Conflict\r\nX-Content-Type-Options: nosniff\r\n"
            "Cache-Control: no-cache\r\n"
            "Preference-Applied: return-no-content\r\n"
            "DataServiceVersion: 3.0;\r\nContent-Type: application/json;"
            "odata=minimalmetadata;streaming=true;charset=utf-8\r\n\r\n"
            % (boundary, inner, inner))
        self.assertTrue(text.endswith("}\r\n--%s--\r\n--%s--\r\n"
                                      % (inner, boundary)), text)
        self.assertIn('"value":"0:The specified entity already exists.\\n'
                      'RequestId:', text)

    def test_one_table(self):
        self.client.create_table("tab2")
        r = self.client.batch([("POST", "/tab", entity("1"), NO),
                               ("POST", "/tab2", entity("2"), NO)])
        self.failed(r, 1, "CommandsInBatchActOnDifferentPartitions", 400)

    def test_missing_table(self):
        r = self.client.batch([("POST", "/nope", entity("1"), NO)])
        self.failed(r, 0, "TableNotFound", 404)

    def test_100_and_101(self):
        parts = [("POST", "/tab", entity("%03d" % i), NO)
                 for i in range(101)]
        self.failed(self.client.batch(parts), 99, "InvalidInput", 400)
        self.assertEqual(self.client.rows("tab"), [])
        r = self.client.batch(parts[:100])
        self.assertEqual(batch_statuses(r), [204] * 100)
        self.assertEqual(len(self.client.rows("tab")), 100)

    def test_4_mib(self):
        big = [("POST", "/tab", entity(str(i), s="x" * 32000, t="y" * 32000),
                NO) for i in range(70)]
        r = self.client.batch(big)
        self.status(r, 413, "RequestBodyTooLarge")
        self.assertEqual(self.client.rows("tab"), [])
        self.assertEqual(batch_statuses(self.client.batch(big[:60])),
                         [204] * 60)

    def test_urls(self):
        base = "/devstoreaccount1"
        for i, url in enumerate([
                "/tab", "tab", base + "/tab",
                "http://127.0.0.1:%d%s/tab" % (self.server.port, base),
                "https://somewhere.example%s/tab" % base, "/tab()"]):
            r = self.client.batch([("POST", url, entity(str(i)), NO)])
            self.assertEqual(batch_statuses(r), [204], url)

    def test_boundaries(self):
        for i, (outer, inner) in enumerate([
                ("a", "b"), ("batch_a1", "changeset_2"), ("----x", "y--"),
                ("same", "same2")]):
            r = self.client.batch([("POST", "/tab", entity(str(i)), NO)],
                                  outer, inner)
            self.assertEqual(batch_statuses(r), [204], outer)
        r = self.client.batch([("POST", "/tab", entity("q"), NO)], headers={
            "Content-Type": 'multipart/mixed; boundary="batch_1"'})
        self.assertEqual(batch_statuses(r), [204])

    def test_bare_line_feeds(self):
        body = ("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n" +
                batch_part("POST", "/tab", entity("1"), NO)
                .replace("\r\n", "\n") + "\n--c--\n--b--\n")
        r = self.client.request("POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=b"})
        self.assertEqual(batch_statuses(r), [204])

    def test_lone_query(self):
        self.client.insert("tab", entity("1", a=5))
        get = self.client.entity_path("tab", "p", "1")
        for url in ("/tab()?$filter=a%20eq%205", get):
            body = "--b\r\n" + batch_part("GET", url, None, {}) + \
                "\r\n\r\n--b--\r\n"
            r = self.client.request("POST", "/$batch", body, {
                "Content-Type": "multipart/mixed; boundary=b"})
            self.assertEqual(batch_statuses(r), [200])
            self.assertIn('"a":5', r.body.decode())
        missing = self.client.entity_path("tab", "p", "2")
        body = "--b\r\n" + batch_part("GET", missing, None, {}) + \
            "\r\n\r\n--b--\r\n"
        r = self.client.request("POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=b"})
        self.assertEqual(batch_statuses(r), [404])

    def test_a_query_must_be_alone(self):
        get = batch_part("GET", "/tab()", None, {})
        body = "--b\r\n" + get + "\r\n\r\n--b\r\n" + get + "\r\n\r\n--b--\r\n"
        r = self.client.request("POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=b"})
        self.status(r, 400, "InvalidInput")

    def test_broken_multiparts(self):
        change = "Content-Type: multipart/mixed; boundary=c\r\n\r\n"
        for body in ("", "--b--\r\n", "--b\r\n", "nothing",
                     "--b\r\n" + change + "--b--\r\n",
                     "--b\r\n" + change + "--c--\r\n--b--\r\n",
                     "--b\r\n" + change + "--c\r\n--b--\r\n",
                     "--b\r\n" + change + "--c\r\n\r\nPOST\r\n--c--"):
            r = self.client.request("POST", "/$batch", body, {
                "Content-Type": "multipart/mixed; boundary=b"})
            self.status(r, 400, "InvalidInput")
        for kind in ("application/json", "multipart/mixed", "",
                     "multipart/mixed; boundary="):
            r = self.client.request("POST", "/$batch", "x",
                                    {"Content-Type": kind})
            self.status(r, 400, "InvalidInput")

    def test_broken_request_lines(self):
        for line in ("", "POST", "POST /tab", "/tab HTTP/1.1"):
            part = "Content-Type: application/http\r\n\r\n%s\r\n\r\n{}" % line
            body = ("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
                    "--c\r\n%s\r\n--c--\r\n--b--\r\n" % part)
            r = self.client.request("POST", "/$batch", body, {
                "Content-Type": "multipart/mixed; boundary=b"})
            self.failed(r, 0, "InvalidInput", 400)

    def test_two_changesets(self):
        one = ("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c"
               "\r\n%s\r\n--c--\r\n")
        body = one % batch_part("POST", "/tab", entity("1"), NO) + \
            one % batch_part("POST", "/tab", entity("2"), NO) + "--b--\r\n"
        r = self.client.request("POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=b"})
        self.assertEqual(batch_statuses(r), [204, 400])
        self.assertIn(b"InvalidInput", r.body)
        self.assertEqual(self.client.rows("tab"), ["1"])
        query = "--b\r\n" + batch_part("GET", "/tab", None, {}) + "\r\n"
        for parts in (body[:-len("--b--\r\n")] + query, query + body):
            r = self.client.request("POST", "/$batch", parts, {
                "Content-Type": "multipart/mixed; boundary=b"})
            self.status(r, 400, "InvalidInput")

    def test_outer_signature_counts(self):
        c = self.fresh(key=KEY.replace("E", "F", 1))
        self.status(c.batch([("POST", "/tab", entity("1"), NO)]), 403)

    def test_level_of_the_echo(self):
        r = self.client.batch([("POST", "/tab", entity("1"),
                                {"Accept": JSON + "nometadata"})])
        self.assertNotIn("odata.metadata", r.body.decode())


if __name__ == "__main__":
    unittest.main()
