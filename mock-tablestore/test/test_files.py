"""--data on files and disks that are not as they should be."""
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

from harness import BINARY, Client, Server, batch_error, batch_statuses

NOBODY = 65534


class Refused(unittest.TestCase):
    """One line that names the file and says why, and status 1."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="mts-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "data")

    def fill(self):
        server = Server("--data", self.path, workdir=self.dir)
        c = Client(server.port)
        c.create_table("tab")
        for i in range(30):
            c.insert("tab", {"PartitionKey": "p", "RowKey": "%02d" % i,
                             "s": "x" * 3000})
        c.close()
        self.assertEqual(server.stop(), 0)

    def refused(self, *words, path=None, binary=BINARY, **how):
        path = path or self.path
        r = subprocess.run([binary, "--listen", "127.0.0.1:0", "--data",
                            path], capture_output=True, text=True,
                           timeout=20, **how)
        self.assertEqual(r.returncode, 1, r)
        self.assertEqual(len(r.stderr.splitlines()), 1, r.stderr)
        self.assertTrue(r.stderr.startswith("mock-tablestore: %s: " % path),
                        r.stderr)
        for word in words:
            self.assertIn(word, r.stderr)

    def change(self, sql, path=None):
        c = sqlite3.connect(path or self.path)
        c.executescript(sql)
        c.close()

    def overwrite(self, offset, data):
        with open(self.path, "r+b") as f:
            f.seek(offset)
            f.write(data)

    def test_newer(self):
        self.fill()
        self.change("PRAGMA user_version=2")
        before = open(self.path, "rb").read()
        self.refused("format is 2", "newer")
        self.assertEqual(open(self.path, "rb").read(), before)

    def test_of_another_program(self):
        self.change("CREATE TABLE entity(a)")
        self.refused("another program")
        self.change("DROP TABLE entity; VACUUM; PRAGMA application_id=7")
        self.refused("another program")
        self.change("PRAGMA user_version=1")
        self.refused("another program")

    def test_of_the_first_days(self):
        self.fill()
        self.change("PRAGMA application_id=0")
        server = Server("--data", self.path, workdir=self.dir)
        c = Client(server.port)
        self.assertEqual(len(c.rows("tab")), 30)
        c.close()
        server.close()

    def test_empty_file(self):
        open(self.path, "w").close()
        self.fill()
        self.assertGreater(os.path.getsize(self.path), 80000)

    def test_broken_at_its_start(self):
        self.fill()
        self.overwrite(100, b"\xff" * 4000)
        self.refused("malformed")
        self.overwrite(0, b"\xff" * 100)
        self.refused("not a database")

    def test_cut_off(self):
        self.fill()
        os.truncate(self.path, 20000)
        self.refused("malformed")

    def test_open_elsewhere(self):
        server = Server("--data", self.path)
        self.refused("another server has it open", "locked")
        server.close()

    def test_directories(self):
        self.refused("Is a directory", path=self.dir)
        self.refused("No such file", path=self.dir + "/none/data")

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_permissions(self):
        self.fill()
        os.chmod(self.dir, 0o777)
        binary = shutil.copy(BINARY, self.dir)
        how = {"user": NOBODY, "extra_groups": [], "binary": binary,
               "cwd": self.dir}
        os.chmod(self.path, 0o444)
        self.refused("only be read", **how)
        os.chmod(self.path, 0)
        self.refused("Permission denied", **how)
        os.chmod(self.path, 0o666)
        os.chmod(self.dir, 0o555)      # no room for the write-ahead log
        self.refused("its directory must be writable", **how)
        os.chmod(self.dir, 0o777)

    def test_no_name(self):
        r = subprocess.run([BINARY, "--data", ""], capture_output=True,
                           text=True, timeout=20)
        self.assertEqual(r.returncode, 2)
        self.assertIn("--data", r.stderr)


class Disk(unittest.TestCase):
    """No room: refused and said, nothing lost, and well again with room."""

    def setUp(self):
        self.server = Server("--data", os.path.join(tempfile.mkdtemp(
            prefix="mts-test-"), "data"))
        self.addCleanup(shutil.rmtree, os.path.dirname(
            self.server.options[1]))
        self.addCleanup(self.server.close)
        self.c = Client(self.server.port)
        self.c.create_table("tab")

    def limit(self, size):
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE,
                         (size, resource.RLIM_INFINITY))

    def insert(self, key, n=20000):
        return self.c.insert("tab", {"PartitionKey": "p", "RowKey": key,
                                     "s": "x" * n})

    def test_full(self):
        self.limit(1 << 20)
        kept = []
        refused = 0
        for i in range(100):
            key = "%03d" % i
            r = self.insert(key)
            if r.status == 204:
                kept.append(key)
            else:
                self.assertEqual((r.status, r.error()),
                                 (500, "InternalError"))
                refused += 1
        self.assertGreater(refused, 30)
        self.assertGreater(len(kept), 10)
        self.assertEqual(self.c.rows("tab"), kept)
        r = self.c.batch([("POST", "/tab", {
            "PartitionKey": "b", "RowKey": str(i), "s": "y" * 9000}, {})
            for i in range(50)])
        self.assertEqual(batch_statuses(r), [500])
        index, code = batch_error(r)
        self.assertEqual(code, "InternalError")
        self.assertLess(index, 50)
        self.assertRegex(self.server.stderr(), "sqlite: .*(full|I/O)")
        # A kill now loses nothing of what was acknowledged.
        self.server.kill()
        self.server.start()
        self.assertEqual(self.fresh().rows("tab"), kept)

    def fresh(self):
        self.c.close()
        self.c = Client(self.server.port)
        self.addCleanup(self.c.close)
        return self.c

    def test_room_again(self):
        self.limit(1 << 20)
        statuses = [self.insert("a%02d" % i).status for i in range(60)]
        self.assertIn(500, statuses)
        self.limit(resource.RLIM_INFINITY)
        before = self.c.rows("tab")
        self.assertEqual(self.insert("b").status, 204)
        self.assertEqual(self.c.rows("tab"), before + ["b"])
        self.server.kill()
        self.server.start()
        self.assertEqual(self.fresh().rows("tab"), before + ["b"])
        self.c.close()
        self.assertEqual(self.server.stop(), 0)

    def test_broken_while_it_runs(self):
        """Pages that make no sense are an error, not an answer."""
        for i in range(200):
            self.insert("%03d" % i, 5000)
        self.assertEqual(self.server.stop(), 0)
        path = self.server.options[1]
        size = os.path.getsize(path)
        with open(path, "r+b") as f:
            f.seek(size // 2)
            f.write(b"\xa5" * (size // 2))
        self.server.start()
        r = self.fresh().query("tab")
        self.assertEqual((r.status, r.error()), (500, "InternalError"))
        self.assertIn("malformed", self.server.stderr())
        self.c.close()
        self.assertEqual(self.server.stop(signal.SIGTERM), 0)


if __name__ == "__main__":
    unittest.main()
