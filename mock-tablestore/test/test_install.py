"""make install, the man page, and that all manuals name the same options."""
import os
import re
import subprocess
import tempfile
import unittest

from harness import BINARY, HERE

TOP = os.path.join(HERE, "..")


def read(name):
    with open(os.path.join(TOP, name)) as f:
        return f.read()


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


class Manuals(unittest.TestCase):
    def setUp(self):
        self.help = subprocess.run([BINARY, "--help"], capture_output=True,
                                   text=True, timeout=20).stdout
        page = read("mock-tablestore.1").replace("\\-", "-")
        self.page = page
        self.entries = set(re.findall(r"^\.BI? (--[a-z-]+)", page, re.M))

    def test_help_and_man_page_have_the_same_options(self):
        in_help = {line.split()[0] for line in self.help.splitlines()
                   if line.startswith("  --")}
        self.assertGreater(len(in_help), 12)
        self.assertEqual(in_help, self.entries)

    def test_the_program_takes_every_option_of_the_man_page(self):
        for option in self.entries - {"--help", "--version"}:
            r = subprocess.run([BINARY, option, "x", "--no-such-option"],
                               timeout=20, capture_output=True, text=True)
            self.assertNotIn("unknown option " + option, r.stderr)
            self.assertEqual(r.returncode, 2)

    def test_readme_names_every_option(self):
        rows = [line for line in read("README.md").splitlines()
                if line.startswith("| `--")]
        self.assertEqual(options_of("\n".join(rows)), self.entries)

    def test_every_row_of_the_comparison_names_its_test(self):
        rows = []
        for line in read("README.md").split("## What it does")[1].splitlines():
            cells = [c.strip() for c in line.split("|")]
            if len(cells) == 7:
                rows.append(cells[1:-1])
        self.assertEqual(rows[0], ["", "this", "Azurite 3.35", "service",
                                   "test"])
        self.assertGreater(len(rows), 35)
        for row in rows[2:]:
            for name in row[-1].split(", "):
                where = "bench/bench.py" if name == "bench" else \
                    "test/test_%s.py" % name
                self.assertTrue(os.path.exists(os.path.join(TOP, where)),
                                row)

    def test_pages_under_mock_are_in_both(self):
        for text in (self.help, self.page, read("README.md")):
            for name in ("journal", "counters", "faults", "clock", "reset"):
                self.assertIn("/__mock/" + name, text)

    def test_version_of_the_man_page(self):
        r = subprocess.run([BINARY, "--version"], capture_output=True,
                           text=True, timeout=20)
        self.assertIn('"%s"' % r.stdout.strip(), self.page)

    def test_man_page_is_well_formed(self):
        for line in self.page.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|TP|PP|BI?|I|RI|RS|RE|nf|"
                                 r"fi|BR|IR)( |$)")
        self.assertEqual(self.page.count("\n.nf"), self.page.count("\n.fi"))


class Install(unittest.TestCase):
    def make(self, *args):
        r = subprocess.run(["make", "-s", "-C", TOP, *args], timeout=120,
                           capture_output=True, text=True)
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)

    def test_install_and_uninstall(self):
        with tempfile.TemporaryDirectory() as d:
            where = ["DESTDIR=" + d, "PREFIX=/usr"]
            self.make("install", *where)
            program = os.path.join(d, "usr/bin/mock-tablestore")
            page = os.path.join(d, "usr/share/man/man1/mock-tablestore.1")
            r = subprocess.run([program, "--version"], capture_output=True,
                               text=True, timeout=20)
            self.assertEqual(r.returncode, 0)
            self.assertEqual(os.stat(page).st_mode & 0o777, 0o644)
            self.assertEqual(os.stat(program).st_mode & 0o777, 0o755)
            self.make("uninstall", *where)
            self.assertEqual([f for _, _, files in os.walk(d)
                              for f in files], [])


if __name__ == "__main__":
    unittest.main()
