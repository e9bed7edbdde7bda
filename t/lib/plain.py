"""A plain client of the store, to write what itable_fdw never would."""
import base64
import email.utils
import hashlib
import hmac
import json
import urllib.error
import urllib.parse
import urllib.request

import bed


def request(method, table, partition_key, row_key, properties=None):
    """One entity: PUT (insert or replace), DELETE (whatever its ETag), GET (None: not there)."""
    keys = ["'%s'" % urllib.parse.quote(key.replace("'", "''"), safe="") for key in (partition_key, row_key)]
    url = "%s/%s(PartitionKey=%s,RowKey=%s)" % (bed.ENDPOINT, table, keys[0], keys[1])
    headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2019-02-02",
               "Accept": "application/json;odata=nometadata", "DataServiceVersion": "3.0;NetFx"}
    body = None
    if properties is not None:
        body = json.dumps(dict(properties, PartitionKey=partition_key, RowKey=row_key)).encode()
        headers["Content-Type"] = "application/json"
    if method == "DELETE":
        headers["If-Match"] = "*"
    text = "%s\n\n%s\n%s\n/%s%s" % (method, headers.get("Content-Type", ""), headers["x-ms-date"], bed.ACCOUNT,
                                    urllib.parse.urlsplit(url).path)
    digest = hmac.new(base64.b64decode(bed.KEY), text.encode(), hashlib.sha256).digest()
    headers["Authorization"] = "SharedKey %s:%s" % (bed.ACCOUNT, base64.b64encode(digest).decode())
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=20) as reply:
            answer = reply.read()
            return json.loads(answer) if method == "GET" else True
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise SystemExit("%s %s: %s" % (method, url, error.read().decode()))


def put(table, partition_key, row_key, **properties):
    return request("PUT", table, partition_key, row_key, properties)


def delete(table, partition_key, row_key):
    return request("DELETE", table, partition_key, row_key)


def get(table, partition_key, row_key):
    return request("GET", table, partition_key, row_key)
