#!/usr/bin/env python3
"""Runs every test_*.py of this folder (or those named) and sums up.

The last line is always "N passed, N failed", with ", N skipped" if any was;
the exit status tells the truth.
A sanitizer report makes the server end with another status than 0, which the
harness turns into a failure of the class that started it.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True


class Result(unittest.TextTestResult):
    """Counts the tests that passed."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(names):
    loader = unittest.TestLoader()
    if names:
        modules = [os.path.basename(n).removesuffix(".py") for n in names]
        suite = loader.loadTestsFromNames(modules)
    else:
        suite = loader.discover(HERE, pattern="test_*.py")
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=1,
                                     resultclass=Result)
    result = runner.run(suite)
    bad = len(result.failures) + len(result.errors) + \
        len(result.unexpectedSuccesses)
    skipped = ", %d skipped" % len(result.skipped) if result.skipped else ""
    print("%d passed, %d failed%s" % (result.passed, bad, skipped))
    return 1 if bad or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
