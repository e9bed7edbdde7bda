"""A client of the queue service: its signatures and its XML."""
import base64
import urllib.parse
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

from harness import Client, now, sign

SIGNED = ["Content-Encoding", "Content-Language", "Content-Length",
          "Content-MD5", "Content-Type", "Date", "If-Modified-Since",
          "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"]


class QueueReply:
    def __init__(self, reply):
        self.status = reply.status
        self.headers = reply.headers
        self.body = reply.body

    def xml(self):
        return ET.fromstring(self.body)

    def error(self):
        code = self.xml().findtext("Code")
        if code != self.headers["x-ms-error-code"]:
            raise AssertionError(repr(self))
        return code

    def messages(self):
        return [{e.tag: e.text or "" for e in m} for m in self.xml()]

    def __repr__(self):
        return "%d %r %r" % (self.status, dict(self.headers), self.body[:400])


class QueueClient(Client):
    def headers(self, method, path, extra=None, lite=False):
        h = {"x-ms-date": now(), "x-ms-version": "2021-02-12"}
        h.update(extra or {})
        h = {k: v for k, v in h.items() if v is not None}
        if "Authorization" in h:
            return h
        canonical = "".join("%s:%s\n" % (k.lower(), v.strip()) for k, v in
                            sorted(h.items(), key=lambda i: i[0].lower())
                            if k.lower().startswith("x-ms-"))
        where, _, query = path.partition("?")
        resource = "/" + self.account + where
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        lines = [method]
        for name in SIGNED:
            if lite and name not in ("Content-MD5", "Content-Type", "Date"):
                continue
            value = h.get(name, "")
            if name == "Content-Length" and value == "0":
                value = ""
            if name == "Date" and "x-ms-date" in h:
                value = ""
            lines.append(value)
        if lite:
            resource += "".join("?comp=" + v for k, v in pairs if k == "comp")
        else:
            resource += "".join("\n%s:%s" % (k.lower(), v)
                                for k, v in sorted(pairs))
        text = "\n".join(lines) + "\n" + canonical + resource
        h["Authorization"] = "%s %s:%s" % (
            "SharedKeyLite" if lite else "SharedKey", self.account,
            sign(self.key, text))
        return h

    def ask(self, method, path, body=None, headers=None, lite=False):
        extra = dict(headers or {})
        body = body.encode() if isinstance(body, str) else body
        if body is not None:
            extra["Content-Length"] = str(len(body))
            extra.setdefault("Content-Type", "application/xml")
        elif method in ("PUT", "POST"):
            extra["Content-Length"] = "0"
        path = "/" + self.account + path
        return QueueReply(self.raw(method, path, body,
                                   self.headers(method, path, extra, lite)))

    def create(self, queue, **metadata):
        return self.ask("PUT", "/" + queue, None, {"x-ms-meta-" + k: v for
                                                   k, v in metadata.items()})

    def put(self, queue, text, query=""):
        return self.ask("POST", "/%s/messages%s" % (queue, query),
                        "<QueueMessage><MessageText>%s</MessageText>"
                        "</QueueMessage>" % escape(text))

    def get(self, queue, query=""):
        r = self.ask("GET", "/%s/messages%s" % (queue, query))
        if r.status != 200:
            raise AssertionError(repr(r))
        return r.messages()

    def texts(self, queue, query=""):
        return [m["MessageText"] for m in self.get(queue, query)]

    def one(self, method, queue, message, query="", body=None):
        receipt = urllib.parse.quote(message["PopReceipt"], safe="")
        return self.ask(method, "/%s/messages/%s?popreceipt=%s%s" % (
            queue, message["MessageId"], receipt, query), body)

    def count(self, queue):
        r = self.ask("GET", "/%s?comp=metadata" % queue)
        return int(r.headers["x-ms-approximate-messages-count"])


def encoded(text):
    return base64.b64encode(text.encode()).decode()
