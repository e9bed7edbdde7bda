"""What the benchmarks share: psql on the cluster of tools/with-cluster.sh, whose store is
that of tools/with-store.sh."""
import os
import subprocess
import sys

ENDPOINT = os.environ["ITABLE_TEST_ENDPOINT"]
ACCOUNT = os.environ["ITABLE_TEST_ACCOUNT"]
KEY = os.environ["ITABLE_TEST_KEY"]


def psql(*statements):
    """Output and notices of statements in one session."""
    command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (statements, done.stdout))
    return done.stdout


def make_server():
    """The extension, and server "store" with a user mapping."""
    psql("CREATE EXTENSION IF NOT EXISTS itable_fdw",
         "CREATE SERVER store FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint '%s')" % ENDPOINT,
         "CREATE USER MAPPING FOR CURRENT_USER SERVER store OPTIONS (account '%s', account_key '%s')" % (ACCOUNT, KEY))
