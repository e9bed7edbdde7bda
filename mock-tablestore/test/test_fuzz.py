"""The fuzz targets' seeds and some thousand mutations, the same every time."""
import glob
import os
import subprocess
import unittest

from harness import HERE

ROOT = os.path.dirname(HERE)
MUTATIONS = os.environ.get("MTS_FUZZ_MUTATIONS", "40000")


class Fuzz(unittest.TestCase):
    def test_targets(self):
        sources = glob.glob(os.path.join(HERE, "fuzz", "fuzz_*.c"))
        self.assertGreaterEqual(len(sources), 5)
        running = []
        for source in sorted(sources):
            name = os.path.basename(source)[:-2]
            program = os.path.join(ROOT, "build-asan", name)
            if not os.path.exists(program):
                self.skipTest("build-asan/%s is not built" % name)
            seeds = os.path.join(HERE, "fuzz", "seeds", name[5:])
            running.append((name, subprocess.Popen(
                [program, seeds, MUTATIONS], cwd=ROOT, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
        for name, process in running:
            out = process.communicate(timeout=100)[0]
            with self.subTest(name):
                self.assertEqual(process.returncode, 0, out[-3000:])
                self.assertIn("%s mutations" % MUTATIONS, out)


if __name__ == "__main__":
    unittest.main()
