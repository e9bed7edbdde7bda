"""The command line: options, messages, exit status, signals, files."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import BINARY, KEY, Client, Server


def run(*args):
    return subprocess.run([BINARY, *args], capture_output=True, text=True,
                          timeout=20)


class CommandLine(unittest.TestCase):
    def test_help_and_version(self):
        r = run("--help")
        self.assertEqual(r.returncode, 0)
        for word in ("--listen", "--port-file", "--memory", "--data",
                     "--account", "--key", "--log", "--latency", "--version",
                     "/__mock/faults", "/__mock/journal"):
            self.assertIn(word, r.stdout)
        lines = r.stdout.split("\n")
        lines.remove("  " + KEY)  # whole, to be copied
        self.assertLess(max(map(len, lines)), 81)
        r = run("--version")
        self.assertRegex(r.stdout, r"^mock-tablestore \d+\.\d+\.\d+\n$")

    def test_wrong_command_lines(self):
        for args in (["--nope"], ["-x"], ["word"], ["--listen"],
                     ["--listen", "127.0.0.1"], ["--listen", ":1"],
                     ["--listen", "127.0.0.1:99999"],
                     ["--listen", "127.0.0.1:"], ["--key", "AAAA"],
                     ["--account", "a"], ["--account", "a/b", "--key", "AA"],
                     ["--account", "a", "--key", "!!"],
                     ["--account", "a", "--account", "b"],
                     ["--account", "__mock", "--key", "AAAA"],
                     ["--latency", "x"], ["--latency", "-1"],
                     ["--memory", "--data", "x"]):
            r = run(*args)
            self.assertEqual(r.returncode, 2, args)
            self.assertIn("--help", r.stderr)
            self.assertEqual(r.stdout, "")

    def test_what_cannot_be_opened(self):
        r = run("--listen", "127.0.0.1:0", "--data", "/nonexistent/x")
        self.assertEqual(r.returncode, 1)
        self.assertIn("/nonexistent/x", r.stderr)
        r = run("--listen", "127.0.0.1:0", "--log", "/nonexistent/x")
        self.assertEqual(r.returncode, 1)
        r = run("--listen", "127.0.0.1:0", "--port-file", "/nonexistent/x")
        self.assertEqual(r.returncode, 1)
        self.assertIn("/nonexistent/x", r.stderr)

    def test_port_that_is_taken(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            r = run("--listen", "127.0.0.1:%d" % s.getsockname()[1])
        self.assertEqual(r.returncode, 1)
        self.assertIn("taken", r.stderr)

    def test_given_port(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        server = Server("--listen", "127.0.0.1:%d" % port)
        self.assertEqual(server.port, port)
        server.close()

    def test_signals_end_it_cleanly(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            server = Server()
            c = Client(server.port)
            c.create_table("tab")
            self.assertEqual(server.stop(sig), 0)
            c.close()
            server.close()

    def test_nohup(self):
        """With SIGHUP ignored, as nohup does it, the terminal's end is not."""
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            server = Server()
        finally:
            signal.signal(signal.SIGHUP, before)
        server.process.send_signal(signal.SIGHUP)
        c = Client(server.port)
        self.assertEqual(c.create_table("tab").status, 201)
        c.close()
        server.close()

    def test_signals_wait_for_the_main_thread(self):
        """One that any other thread takes would end it the hard way."""
        with tempfile.TemporaryDirectory() as d:
            server = Server("--data", os.path.join(d, "data"),
                            "--queue-listen", "127.0.0.1:0")
            self.addCleanup(server.stop)
            pid = server.process.pid
            threads = [t for t in os.listdir("/proc/%d/task" % pid)
                       if t != str(pid)]
            self.assertGreater(len(threads), 3)
            for t in threads:
                with open("/proc/%d/task/%s/status" % (pid, t)) as f:
                    mask = int(re.search(r"SigBlk:\s*(\w+)",
                                         f.read()).group(1), 16)
                for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    self.assertTrue(mask >> (sig - 1) & 1, t)
            server.close()

    def test_log(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "log")
            server = Server("--log", path)
            c = Client(server.port)
            c.create_table("tab")
            with open(path) as f:
                self.assertIn("POST /devstoreaccount1/Tables 201", f.read())
            c.close()
            server.close()

    def test_file_that_is_no_database(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "x")
            with open(path, "w") as f:
                f.write("this is not a database, " * 1000)
            r = run("--listen", "127.0.0.1:0", "--data", path)
            self.assertEqual(r.returncode, 1)
            self.assertIn("not a database", r.stderr)


if __name__ == "__main__":
    unittest.main()
