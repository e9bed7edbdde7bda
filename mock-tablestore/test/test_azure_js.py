"""The official JavaScript clients: @azure/data-tables, @azure/storage-queue.

test/js has their versions; npm ci fetches them once.  Without npm or node the
tests count as skipped; with them, whatever else goes wrong is a failure.
"""
import fcntl
import json
import os
import shutil
import subprocess
import unittest

from harness import ACCOUNT, HERE, KEY, Server

FOLDER = os.path.join(HERE, "js")
LOCK = os.path.join(FOLDER, "package-lock.json")


def install():
    """npm ci, unless node_modules is already what the lock file says."""
    stamp = os.path.join(FOLDER, "node_modules", ".installed-lock.json")
    with open(os.path.join(FOLDER, ".npmrc")) as guard, open(LOCK) as f:
        fcntl.flock(guard, fcntl.LOCK_EX)
        wanted = f.read()
        if os.path.exists(stamp):
            with open(stamp) as have:
                if have.read() == wanted:
                    return
        r = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"],
                           cwd=FOLDER, capture_output=True, text=True,
                           timeout=300)
        if r.returncode != 0:
            raise AssertionError("npm ci failed:\n" + r.stderr[-2000:])
        with open(stamp, "w") as have:
            have.write(wanted)


@unittest.skipUnless(shutil.which("npm") and shutil.which("node"),
                     "npm or node is not installed")
class OfficialClients(unittest.TestCase):
    options = ()
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        install()
        cls.server = Server("--queue-listen", "127.0.0.1:0", *cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def drive(self, script, port, expected):
        """Every check of the script must have run and said ok."""
        root = "http://127.0.0.1:%d" % port
        r = subprocess.run(["node", "-r", os.path.join(FOLDER, "node18.js"),
                            os.path.join(FOLDER, script),
                            root + "/" + ACCOUNT, ACCOUNT, KEY, root],
                           capture_output=True, text=True, timeout=120)
        said = {}
        for line in r.stdout.splitlines():
            verdict, name, *why = line.split(" ", 2)
            said[name] = "ok" if verdict == "ok" else json.loads(why[0])
        self.assertEqual(said, dict.fromkeys(expected, "ok"), r.stderr)
        self.assertEqual(r.returncode, 0, r.stderr)

    def test_tables(self):
        self.drive("tables.js", self.server.port,
                   ["tables", "types", "writes", "queries", "transactions",
                    "signatures", "policies", "properties"])

    def test_when_things_go_wrong(self):
        self.drive("robust.js", self.server.port,
                   ["throttled", "cancelled", "serverTimeout", "lostReplies",
                    "brokenReplies", "oddPages", "limits",
                    "connectionStrings"])

    def test_queues(self):
        self.drive("queues.js", self.server.queue_port,
                   ["queues", "messages", "timing", "signatures", "service"])

    def test_lock_file_names_no_address(self):
        with open(LOCK) as f:
            lock = f.read()
        self.assertNotIn('"resolved"', lock)
        self.assertNotIn(".tgz", lock)


class OfficialClientsStrict(OfficialClients):
    """They do nothing that --strict objects to."""
    options = ("--strict",)


if __name__ == "__main__":
    unittest.main()
