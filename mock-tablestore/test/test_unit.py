"""The C tests of single source files (test/unit), against the ASan build."""
import glob
import os
import re
import subprocess
import unittest

from harness import HERE

ROOT = os.path.dirname(HERE)


class Unit(unittest.TestCase):
    def test_programs(self):
        sources = glob.glob(os.path.join(HERE, "unit", "unit_*.c"))
        self.assertGreaterEqual(len(sources), 6)
        for source in sorted(sources):
            name = os.path.basename(source)[:-2]
            program = os.path.join(ROOT, "build-asan", name)
            if not os.path.exists(program):
                self.skipTest("build-asan/%s is not built" % name)
            with self.subTest(name):
                r = subprocess.run([program], capture_output=True, text=True,
                                   timeout=60)
                self.assertEqual((r.returncode, r.stderr), (0, ""), r.stdout)
                self.assertRegex(r.stdout, re.compile(
                    r"^[1-9]\d+ checks, 0 failed$", re.M))


if __name__ == "__main__":
    unittest.main()
