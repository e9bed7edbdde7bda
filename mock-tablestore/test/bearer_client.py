"""Started by test_bearer.py: the official client with a token credential."""
import sys

from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError
from azure.data.tables import TableServiceClient

import jwt

PORT, CERT = sys.argv[1:]


class Credential:
    def __init__(self, **changes):
        self.changes = changes
        self.scopes = []

    def get_token(self, *scopes, **kw):
        self.scopes += scopes
        return AccessToken(jwt.token(**self.changes), jwt.claims()["exp"])


def client(credential):
    return TableServiceClient(
        endpoint="https://localhost:%s/devstoreaccount1" % PORT,
        credential=credential, connection_verify=CERT, retry_total=0)


good = Credential()
tables = client(good)
tab = tables.create_table("frompython")
tab.create_entity({"PartitionKey": "p", "RowKey": "r", "n": 1})
tab.submit_transaction([("upsert", {"PartitionKey": "p", "RowKey": "s"})])
assert [e["RowKey"] for e in tab.list_entities()] == ["r", "s"]
assert good.scopes[0] == "https://storage.azure.com/.default", good.scopes
try:
    list(client(Credential(aud="https://graph.microsoft.com")).list_tables())
    raise AssertionError("a token for something else was taken")
except ClientAuthenticationError as e:
    assert e.status_code == 401, e
print("good")
