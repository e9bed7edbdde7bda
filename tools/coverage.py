#!/usr/bin/env python3
"""Adds up gcov's counters of all builds in a tree; called by tools/coverage.sh.

    coverage.py TREE COUNTERS LINES

TREE has the sources and *.gcno, COUNTERS the *.gcda under their absolute names.  Prints a table of the folders of
src/, its files that are run least, and the places that raise errors which nothing reached; LINES gets all lines that never ran."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

RAISES = re.compile(r"\b(ereport|elog)\s*\(\s*(ERROR|FATAL)|\bitable_report(_\w+)?\(.*;")


def counts(tree, counters):
    """file -> line -> how often, over all builds that have the file."""
    found = collections.defaultdict(lambda: collections.defaultdict(int))
    for folder, _, names in os.walk(tree):
        notes = [os.path.join(folder, name) for name in names if name.endswith(".gcno")]
        for note in notes:
            data = counters + note[:-5] + ".gcda"
            if os.path.exists(data):
                shutil.copy(data, note[:-5] + ".gcda")
        if not notes:
            continue
        output = subprocess.run(["gcov", "--json-format", "--stdout"] + notes, cwd=tree, capture_output=True, text=True, check=True).stdout
        for text in output.splitlines():
            for file in json.loads(text)["files"]:
                name = os.path.relpath(os.path.join(tree, file["file"]), tree)
                if name.startswith("src/") and name.endswith(".c"):
                    for line in file["lines"]:
                        found[name][line["line_number"]] += line["count"]
    return found


def share(lines):
    ran = sum(1 for count in lines if count > 0)
    return ran, len(lines), 100.0 * ran / max(len(lines), 1)


def main(tree, counters, report):
    found = counts(tree, counters)
    folders = collections.defaultdict(list)
    for name, lines in found.items():
        folders[os.path.dirname(name)].extend(lines.values())
    print("%-14s %6s %6s %6s" % ("folder", "run", "lines", "%"))
    for folder in sorted(folders):
        print("%-14s %6d %6d %6.1f" % ((folder,) + share(folders[folder])))
    print("%-14s %6d %6d %6.1f" % (("all",) + share([count for lines in folders.values() for count in lines])))
    print("\nleast run:")
    for part, name in sorted((share(lines.values())[2], name) for name, lines in found.items())[:12]:
        print("%6.1f  %s" % (part, name))
    missed, raises = [], 0
    with open(report, "w", encoding="utf-8") as out:
        for name in sorted(found):
            with open(os.path.join(tree, name), encoding="utf-8") as file:
                text = file.read().split("\n")
            for number, count in sorted(found[name].items()):
                line = text[number - 1]
                if count == 0:
                    out.write("%s:%d: %s\n" % (name, number, line.strip()))
                if RAISES.search(line) and not line[0].isalpha():
                    raises += 1
                    if count == 0:
                        more = " ".join(part.strip() for part in text[number - 1:number + 4])
                        words = re.search(r'"(?:[^"\\]|\\.)*"', more)
                        missed.append("%s:%d %s" % (name, number, words.group(0) if words else line.strip()))
    print("\n%d of %d places that raise an error were not reached:" % (len(missed), raises))
    print("\n".join(missed))


main(*sys.argv[1:])
