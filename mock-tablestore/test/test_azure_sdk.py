"""The official Python client (Debian's python3-azure), where installed.

Skipped without it: the package is large and `make deps` leaves it out.
"""
import datetime
import unittest
import uuid

from harness import ACCOUNT, KEY, Server

try:
    from azure.core import MatchConditions
    from azure.core.credentials import AzureNamedKeyCredential
    from azure.core.exceptions import (HttpResponseError,
                                       ResourceExistsError,
                                       ResourceNotFoundError)
    from azure.data.tables import (EdmType, EntityProperty,
                                   TableServiceClient,
                                   TableTransactionError, UpdateMode)
    MISSING = None
except ImportError as missing:
    MISSING = str(missing)


@unittest.skipIf(MISSING, MISSING)
class OfficialClient(unittest.TestCase):
    def setUp(self):
        server = Server()
        self.addCleanup(server.close)
        self.service = TableServiceClient(
            endpoint="http://127.0.0.1:%d/%s" % (server.port, ACCOUNT),
            credential=AzureNamedKeyCredential(ACCOUNT, KEY))
        self.addCleanup(self.service.close)
        self.table = self.service.create_table("Movies")

    def test_entities(self):
        e = {"PartitionKey": "p'\u00e9", "RowKey": "r +%", "s": "x", "i": 5,
             "d": 3.0, "big": EntityProperty(2 ** 40, EdmType.INT64),
             "b": True, "bin": b"\0\1\xff", "g": uuid.uuid4(),
             "t": datetime.datetime(2020, 1, 2, 3, 4, 5, 120000,
                                    tzinfo=datetime.timezone.utc)}
        self.table.create_entity(e)
        got = self.table.get_entity(e["PartitionKey"], e["RowKey"])
        for name in ("s", "i", "d", "big", "b", "bin", "g", "t"):
            self.assertEqual(got[name], e[name])
        with self.assertRaises(ResourceExistsError):
            self.table.create_entity(e)
        short = {k: e[k] for k in ("PartitionKey", "RowKey")}
        condition = {"etag": got.metadata["etag"],
                     "match_condition": MatchConditions.IfNotModified}
        self.table.update_entity(short, mode=UpdateMode.MERGE, **condition)
        with self.assertRaises(HttpResponseError) as caught:
            self.table.update_entity(short, mode=UpdateMode.REPLACE,
                                     **condition)
        self.assertEqual(caught.exception.status_code, 412)
        for name in ("t", "g", "bin"):
            found = list(self.table.query_entities(name + " eq @v",
                                                   parameters={"v": e[name]}))
            self.assertEqual(len(found), 1, name)
        self.table.delete_entity(e["PartitionKey"], e["RowKey"])
        with self.assertRaises(ResourceNotFoundError):
            self.table.get_entity(e["PartitionKey"], e["RowKey"])

    def test_transactions_and_pages(self):
        for at in range(0, 1500, 100):
            done = self.table.submit_transaction(
                [("create", {"PartitionKey": "b", "RowKey": "%05d" % i,
                             "n": i}) for i in range(at, at + 100)])
            self.assertEqual(len(done), 100)
            self.assertIn("etag", done[0])
        found = self.table.query_entities("PartitionKey eq 'b' and n ge 50")
        self.assertEqual(len(list(found)), 1450)
        pages = self.table.list_entities(results_per_page=300)
        self.assertEqual(len(list(pages)), 1500)
        with self.assertRaises(TableTransactionError) as caught:
            self.table.submit_transaction(
                [("create", {"PartitionKey": "b", "RowKey": "new"}),
                 ("create", {"PartitionKey": "b", "RowKey": "00001"})])
        self.assertEqual(caught.exception.index, 1)
        self.table.submit_transaction(
            [("update", {"PartitionKey": "b", "RowKey": "00001"},
              {"mode": "merge"}),
             ("upsert", {"PartitionKey": "b", "RowKey": "00002"},
              {"mode": "replace"}),
             ("delete", {"PartitionKey": "b", "RowKey": "00003"})])

    def test_tables(self):
        with self.assertRaises(ResourceExistsError):
            self.service.create_table("movies")
        self.assertEqual([t.name for t in self.service.list_tables()],
                         ["Movies"])
        self.service.delete_table("Movies")
        self.assertEqual(list(self.service.list_tables()), [])


if __name__ == "__main__":
    unittest.main()
