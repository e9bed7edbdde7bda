"""Bearer tokens like those of Entra ID, signed by nobody."""
import base64
import json
import time


def part(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def claims(**changes):
    """Those of a good token; a change to None leaves one out."""
    now = int(time.time())
    c = {"aud": "https://storage.azure.com",
         "iss": "https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/",
         "iat": now - 60, "nbf": now - 60, "exp": now + 3600,
         "name": "J\u00fcrgen <?>\u00ff\u00fe", "ver": "1.0"}
    c.update(changes)
    return {k: v for k, v in c.items() if v is not None}


def token(body=None, head=None, **changes):
    return ".".join([part(head or {"typ": "JWT", "alg": "RS256"}),
                     part(claims(**changes) if body is None else body),
                     part(b"no signature")])
