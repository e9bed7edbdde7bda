"""Signs shared access signatures; shares no code with the server."""
import time
import urllib.parse

from harness import ACCOUNT, KEY, sign


def when(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time()
                                                           + seconds))


def query(fields):
    pairs = [(k, v) for k, v in fields.items() if v is not None]
    return urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote)


def table_sas(table, key=KEY, account=ACCOUNT, **fields):
    """The query string of a service SAS; fields by their short names."""
    f = {"sv": "2019-02-02", "tn": table, "sp": "r", "se": when(600)}
    f.update(fields)
    f = {k: v for k, v in f.items() if v is not None}

    def get(name):
        return f.get(name, "")

    prefix = "/table" if get("sv") >= "2015-02-21" else ""
    lines = [get("sp"), get("st"), get("se"),
             "%s/%s/%s" % (prefix, account, f["tn"].lower()), get("si")]
    if get("sv") >= "2015-04-05":
        lines += [get("sip"), get("spr")]
    text = "\n".join(lines + [get("sv"), get("spk"), get("srk"), get("epk"),
                              get("erk")])
    return query(dict(f, sig=sign(key, text)))


def queue_sas(queue, key=KEY, account=ACCOUNT, **fields):
    f = {"sv": "2019-02-02", "sp": "r", "se": when(600)}
    f.update(fields)
    f = {k: v for k, v in f.items() if v is not None}

    def get(name):
        return f.get(name, "")

    text = "\n".join([get("sp"), get("st"), get("se"),
                      "/queue/%s/%s" % (account, queue), get("si"),
                      get("sip"), get("spr"), get("sv")])
    return query(dict(f, sig=sign(key, text)))


def account_sas(key=KEY, account=ACCOUNT, **fields):
    f = {"sv": "2019-02-02", "ss": "t", "srt": "sco", "sp": "rwdlau",
         "se": when(600)}
    f.update(fields)
    f = {k: v for k, v in f.items() if v is not None}
    lines = [account] + [f.get(k, "") for k in
                         ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")]
    if f["sv"] >= "2020-12-06":
        lines.append(f.get("ses", ""))
    return query(dict(f, sig=sign(key, "\n".join(lines) + "\n")))
