"""Shared access signatures of tables and accounts."""
import json
import unittest

from harness import (ACCOUNT, Case, JSON, batch_body, batch_error,
                     batch_statuses, quote_key)
from sas import account_sas, table_sas, when

POLICY = ("<SignedIdentifiers><SignedIdentifier><Id>%s</Id><AccessPolicy>"
          "<Start>%s</Start><Expiry>%s</Expiry><Permission>%s</Permission>"
          "</AccessPolicy></SignedIdentifier></SignedIdentifiers>")


class Sas(Case):
    def setUp(self):
        super().setUp()
        self.client.mock("DELETE", "clock")
        for pk in "abcd":
            for rk in "123":
                self.client.insert("tab", {"PartitionKey": pk, "RowKey": rk})

    def ask(self, sas, method, path, body=None, headers=None):
        h = {"Accept": JSON + "nometadata", "x-ms-version": "2019-02-02"}
        if body is not None:
            h["Content-Type"] = "application/json"
            body = json.dumps(body) if isinstance(body, dict) else body
        h.update(headers or {})
        mark = "&" if "?" in path else "?"
        return self.client.raw(method, "/" + ACCOUNT + path + mark + sas,
                               body, h)

    def entity(self, pk, rk):
        return "/tab(PartitionKey='%s',RowKey='%s')" % (quote_key(pk),
                                                        quote_key(rk))

    def keys(self, sas, query=""):
        r = self.status(self.ask(sas, "GET", "/tab" + query), 200)
        return ["%(PartitionKey)s%(RowKey)s" % e for e in r.json()["value"]]

    def outcomes(self, sas):
        """Which of the entity operations the signature allows."""
        new = {"PartitionKey": "z", "RowKey": "z"}
        star = {"If-Match": "*"}
        tries = {
            "query": ("GET", "/tab"), "get": ("GET", self.entity("a", "1")),
            "insert": ("POST", "/tab", new),
            "replace": ("PUT", self.entity("a", "1"), {}, star),
            "merge": ("MERGE", self.entity("a", "1"), {}, star),
            "upsert": ("PUT", self.entity("a", "1"), {}),
            "upmerge": ("PATCH", self.entity("a", "1"), {}),
            "delete": ("DELETE", self.entity("d", "3"), None, star)}
        allowed = set()
        for name, args in tries.items():
            r = self.ask(sas, *args)
            if r.status < 300:
                allowed.add(name)
            else:
                self.status(r, 403, "AuthorizationPermissionMismatch")
        return allowed

    def test_permissions(self):
        for sp, want in [("r", {"query", "get"}), ("a", {"insert"}),
                         ("u", {"replace", "merge"}), ("d", {"delete"}),
                         ("au", {"insert", "replace", "merge", "upsert",
                                 "upmerge"}),
                         ("raud", {"query", "get", "insert", "replace",
                                   "merge", "upsert", "upmerge", "delete"})]:
            self.setUp()
            self.assertEqual(self.outcomes(table_sas("tab", sp=sp)), want, sp)

    def test_signature(self):
        good = table_sas("tab")
        self.status(self.ask(good, "GET", "/tab"), 200)
        self.status(self.ask(table_sas("TAB"), "GET", "/Tab"), 200)
        for bad in (good.replace("sp=r", "sp=raud"),
                    good.replace("tn=tab", "tn=other"),
                    table_sas("tab", key="eHg="),
                    table_sas("tab", account="nobody"),
                    table_sas("tab", sp=None), table_sas("tab", se=None),
                    table_sas("tab", se="soon"),
                    table_sas("tab", sv=None), table_sas("tab", spr="ftp")):
            self.status(self.ask(bad, "GET", "/tab"), 403,
                        "AuthenticationFailed")

    def test_versions_sign_different_texts(self):
        for version in ("2012-02-12", "2014-02-14", "2015-02-21",
                        "2015-04-05", "2018-03-28", "2024-11-04"):
            sas = table_sas("tab", sv=version, spk="a", epk="b")
            self.status(self.ask(sas, "GET", "/tab"), 200)
        for change in ("2015-02-21", "2018-03-28"):
            sas = table_sas("tab", sv="2014-02-14")
            self.status(self.ask(sas.replace("2014-02-14", change), "GET",
                                 "/tab"), 403, "AuthenticationFailed")
        self.status(self.ask(table_sas("tab", sv="2011-08-18"), "GET",
                             "/tab"), 403, "AuthenticationFailed")

    def test_other_resources(self):
        self.client.create_table("other")
        for method, path, body in [
                ("GET", "/other", None), ("GET", "/Tables", None),
                ("POST", "/Tables", {"TableName": "new"}),
                ("DELETE", "/Tables('tab')", None)]:
            r = self.ask(table_sas("tab", sp="raud"), method, path, body)
            self.status(r, 403, "AuthorizationFailure")
        for path in ("/tab?comp=acl", "/?restype=service&comp=properties"):
            r = self.ask(table_sas("tab", sp="raud"), "GET", path)
            self.assertEqual(r.status, 403)
            self.assertIn(b"AuthorizationFailure", r.body)

    def test_times(self):
        for fields, status in [({"st": when(-60)}, 200),
                               ({"st": when(60)}, 403),
                               ({"se": when(-1)}, 403),
                               ({"se": when(86400)[:10]}, 200),
                               ({"se": when(86400)[:16] + "Z"}, 200)]:
            r = self.ask(table_sas("tab", **fields), "GET", "/tab")
            self.assertEqual(r.status, status, fields)
            if status == 403:
                self.assertEqual(r.error(), "AuthenticationFailed")

    def test_expiry_by_the_mocks_clock(self):
        sas = table_sas("tab", se=when(600))
        self.client.mock("POST", "clock", {"advance_ms": 590000})
        self.status(self.ask(sas, "GET", "/tab"), 200)
        self.client.mock("POST", "clock", {"advance_ms": 11000})
        self.status(self.ask(sas, "GET", "/tab"), 403,
                    "AuthenticationFailed")

    def test_address_and_protocol(self):
        for sip, ok in [("127.0.0.1", True), ("127.0.0.0-127.0.0.9", True),
                        ("10.0.0.1", False), ("10.0.0.1-10.0.0.9", False),
                        ("rubbish", False)]:
            r = self.ask(table_sas("tab", sip=sip), "GET", "/tab")
            if ok:
                self.status(r, 200)
            else:
                self.status(r, 403, "AuthorizationSourceIPMismatch")
        self.status(self.ask(table_sas("tab", spr="https,http"), "GET",
                             "/tab"), 200)
        self.status(self.ask(table_sas("tab", spr="https"), "GET", "/tab"),
                    403, "AuthorizationProtocolMismatch")

    def test_ranges_of_queries(self):
        for fields, want in [
                (dict(spk="b"), "b1 b2 b3 c1 c2 c3 d1 d2 d3"),
                (dict(epk="b"), "a1 a2 a3 b1 b2 b3"),
                (dict(spk="b", epk="b"), "b1 b2 b3"),
                (dict(spk="b", srk="2", epk="c", erk="2"), "b2 b3 c1 c2"),
                (dict(spk="b", srk="2", epk="b", erk="2"), "b2"),
                (dict(spk="x"), ""), (dict(epk=""), "")]:
            self.assertEqual(self.keys(table_sas("tab", **fields)),
                             want.split(), fields)
        sas = table_sas("tab", spk="b", epk="c", erk="1")
        self.assertEqual(self.keys(sas, "?$filter=RowKey%20eq%20'1'"),
                         ["b1", "c1"])
        self.assertEqual(self.keys(
            sas, "?$filter=PartitionKey%20eq%20'a'%20or%20PartitionKey%20ge"
            "%20'c'"), ["c1"])
        self.assertEqual(self.keys(sas, "?$top=2"), ["b1", "b2"])

    def test_pages_stay_within_the_range(self):
        sas = table_sas("tab", spk="b", epk="b")
        token = "?$top=2"
        found = []
        while token:
            r = self.status(self.ask(sas, "GET", "/tab" + token), 200)
            found += [e["RowKey"] for e in r.json()["value"]]
            pk = r.headers.get("x-ms-continuation-NextPartitionKey")
            rk = r.headers.get("x-ms-continuation-NextRowKey")
            token = pk and "?$top=2&NextPartitionKey=%s&NextRowKey=%s" % (
                quote_key(pk), quote_key(rk))
        self.assertEqual(found, ["1", "2", "3"])

    def test_ranges_of_reads_and_writes(self):
        sas = table_sas("tab", sp="raud", spk="b", srk="2", epk="c", erk="2")
        star = {"If-Match": "*"}
        for pk, rk, ok in [("b", "1", False), ("b", "2", True),
                           ("c", "2", True), ("c", "3", False),
                           ("a", "9", False), ("bb", "0", True)]:
            where = self.entity(pk, rk)
            key = {"PartitionKey": pk, "RowKey": rk}
            for args in [("PUT", where, {}), ("GET", where),
                         ("MERGE", where, {}, star),
                         ("DELETE", where, None, star),
                         ("POST", "/tab", key)]:
                r = self.ask(sas, *args)
                if ok:
                    self.assertLess(r.status, 300, (args, r))
                else:
                    self.status(r, 403, "AuthorizationFailure")

    def batch(self, sas, parts):
        body = batch_body(parts, "batch_1", "changeset_1")
        return self.ask(sas, "POST", "/$batch", body, {
            "Content-Type": "multipart/mixed; boundary=batch_1"})

    def test_batches(self):
        def part(method, pk, rk, headers):
            return (method, self.entity(pk, rk)[1:], {}, headers)

        star = {"If-Match": "*"}
        sas = table_sas("tab", sp="u", spk="b", epk="b")
        good = part("PUT", "b", "1", star)
        r = self.batch(sas, [good, part("MERGE", "b", "2", star)])
        self.assertEqual(batch_statuses(r), [204, 204])
        r = self.batch(sas, [good, part("PUT", "b", "2", {})])
        self.assertEqual(batch_statuses(r), [403])
        self.assertEqual(batch_error(r),
                         (1, "AuthorizationPermissionMismatch"))
        r = self.batch(sas, [part("PUT", "c", "2", star)])
        self.assertEqual(batch_error(r), (0, "AuthorizationFailure"))
        r = self.batch(table_sas("other", sp="u"), [good])
        self.assertEqual(batch_error(r), (0, "AuthorizationFailure"))

    def put_acl(self, text):
        r = self.client.request("PUT", "/tab?comp=acl", text,
                                {"Content-Type": "application/xml"})
        self.assertEqual(r.status, 204, r)

    def test_stored_policy(self):
        sas = table_sas("tab", sp=None, se=None, si="one")
        self.status(self.ask(sas, "GET", "/tab"), 403,
                    "AuthenticationFailed")
        self.put_acl(POLICY % ("one", when(-60), when(60), "r"))
        self.status(self.ask(sas, "GET", "/tab"), 200)
        self.status(self.ask(sas, "DELETE", self.entity("a", "1"), None,
                             {"If-Match": "*"}), 403,
                    "AuthorizationPermissionMismatch")
        self.status(self.ask(table_sas("tab", sp=None, se=None, si="ONE"),
                             "GET", "/tab"), 403, "AuthenticationFailed")
        both = table_sas("tab", sp="r", se=None, si="one")
        self.status(self.ask(both, "GET", "/tab"), 403,
                    "AuthenticationFailed")
        self.put_acl(POLICY % ("one", when(-60), when(-1), "r"))
        self.status(self.ask(sas, "GET", "/tab"), 403,
                    "AuthenticationFailed")
        self.put_acl("<SignedIdentifiers/>")
        self.status(self.ask(sas, "GET", "/tab"), 403,
                    "AuthenticationFailed")

    def test_policy_and_query_share_the_fields(self):
        self.put_acl("<SignedIdentifiers><SignedIdentifier><Id>p</Id>"
                     "<AccessPolicy><Permission>ra</Permission>"
                     "</AccessPolicy></SignedIdentifier></SignedIdentifiers>")
        self.status(self.ask(table_sas("tab", sp=None, si="p"), "GET",
                             "/tab"), 200)

    def test_policies_go_with_their_table(self):
        sas = table_sas("tab", sp=None, se=None, si="one")
        self.put_acl(POLICY % ("one", when(-60), when(60), "r"))
        self.client.request("DELETE", "/Tables('tab')")
        self.client.create_table("tab")
        self.status(self.ask(sas, "GET", "/tab"), 403,
                    "AuthenticationFailed")

    def test_header_counts_more(self):
        path = "/%s/tab?%s" % (ACCOUNT, table_sas("tab").replace("sig=",
                                                                 "sig=x"))
        h = self.client.headers("GET", path)
        self.assertEqual(self.client.raw("GET", path, None, h).status, 200)


class AccountSas(Sas):
    def outcomes_of(self, sas, calls):
        return [self.ask(sas, *c).status for c in calls]

    def test_everything(self):
        for version in ("2019-02-02", "2020-12-06", "2024-11-04"):
            sas = account_sas(sv=version)
            self.status(self.ask(sas, "GET", "/tab"), 200)
            self.status(self.ask(sas, "GET", "/Tables"), 200)
            r = self.ask(sas, "GET", "/?restype=service&comp=properties")
            self.assertEqual(r.status, 200)
        without_line = account_sas(sv="2019-02-02").replace("2019-02-02",
                                                            "2020-12-06")
        self.status(self.ask(without_line, "GET", "/tab"), 403,
                    "AuthenticationFailed")

    def test_permissions(self):
        for sp, want in [("r", {"query", "get"}), ("a", {"insert"}),
                         ("u", {"replace", "merge"}), ("d", {"delete"}),
                         ("au", {"insert", "replace", "merge", "upsert",
                                 "upmerge"}), ("wl", set())]:
            self.setUp()
            self.assertEqual(self.outcomes(account_sas(sp=sp)), want, sp)

    def test_tables(self):
        for sp, method, path, body in [
                ("l", "GET", "/Tables", None),
                ("c", "POST", "/Tables", {"TableName": "one"}),
                ("w", "POST", "/Tables", {"TableName": "two"}),
                ("d", "DELETE", "/Tables('two')", None)]:
            wrong = "".join(set("rwdlacu") - set(sp) - set("cw"))
            r = self.ask(account_sas(sp=wrong), method, path, body)
            self.status(r, 403, "AuthorizationPermissionMismatch")
            r = self.ask(account_sas(sp=sp), method, path, body)
            self.assertLess(r.status, 300, r)

    def test_resource_types(self):
        calls = {"s": ("GET", "/?restype=service&comp=properties"),
                 "c": ("GET", "/Tables"), "o": ("GET", "/tab")}
        for srt in ("s", "c", "o", "sc", "so", "co", "sco"):
            for one, call in calls.items():
                r = self.ask(account_sas(srt=srt), *call)
                if one in srt:
                    self.assertEqual(r.status, 200, (srt, one))
                else:
                    self.assertEqual(r.status, 403)
                    self.assertIn(b"AuthorizationResourceTypeMismatch",
                                  r.body)

    def test_services(self):
        for ss, status in [("t", 200), ("bfqt", 200), ("q", 403),
                           ("b", 403)]:
            r = self.ask(account_sas(ss=ss), "GET", "/tab")
            self.assertEqual(r.status, status)
            if status == 403:
                self.assertEqual(r.error(), "AuthorizationServiceMismatch")

    def test_acl_needs_the_key(self):
        r = self.ask(account_sas(), "GET", "/tab?comp=acl")
        self.assertEqual(r.status, 403)
        self.assertIn(b"AuthorizationFailure", r.body)

    def test_signature(self):
        good = account_sas()
        for bad in (good.replace("sp=rwdlau", "sp=r"),
                    good.replace("srt=sco", "srt=o"),
                    account_sas(key="eHg="), account_sas(account="x"),
                    account_sas(sp=None), account_sas(se=when(-5)),
                    account_sas(st=when(60))):
            self.status(self.ask(bad, "GET", "/tab"), 403,
                        "AuthenticationFailed")

    def test_secondary(self):
        path = "/%s-secondary/tab?%s" % (ACCOUNT, account_sas())
        h = {"Accept": JSON + "nometadata"}
        self.assertEqual(self.client.raw("GET", path, None, h).status, 200)


for inherited in [n for n in vars(Sas) if n.startswith("test_")]:
    if inherited not in vars(AccountSas):
        setattr(AccountSas, inherited, None)

if __name__ == "__main__":
    unittest.main()
