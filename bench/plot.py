#!/usr/bin/env python3
"""SVG from what bench/compare.py measured.

  bench/plot.py FILE.tsv OUT.svg

Two panels: ratios beside other clients (a bar for each latency, a tick at the goal),
and lookups against table size, by index and by scan.  Needs nothing but Python.
"""
import math
import re
import sys
from xml.sax.saxutils import escape

COLOURS = {"0": "#336791", "10": "#e0782f"}
LEFT, BAR, PANEL = 360, 14, 420


class Drawing:
    def __init__(self):
        self.parts = []
        self.height = 0

    def text(self, x, y, text, anchor="start", size=12, colour="#222"):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" fill="%s">%s</text>'
                          % (x, y, anchor, size, colour, escape(text)))
        self.height = max(self.height, y + 12)

    def line(self, x1, y1, x2, y2, colour="#888", width=1):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%s"/>'
                          % (x1, y1, x2, y2, colour, width))

    def box(self, x, y, width, height, colour):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>'
                          % (x, y, width, height, colour))
        self.height = max(self.height, y + height + 12)

    def save(self, path):
        with open(path, "w") as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">\n'
                       '<rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n'
                       % (LEFT + PANEL + 60, self.height + 10, "\n".join(self.parts)))


def read(path):
    """(latency, what, ours 1/s, theirs 1/s, ratio, goal) of each line."""
    rows = []
    for line in open(path):
        latency, what, ours, _, theirs, _, ratio, goal = line.rstrip("\n").split("\t")
        rows.append((latency, what, float(ours), float(theirs), float(ratio), goal))
    return rows


def goal_of(text, latency):
    """The goal as a number where it holds at this latency."""
    found = re.match(r"([0-9.]+)( at ([0-9]+) ms)?$", text)
    if not found or (found.group(3) and found.group(3) != latency):
        return None
    return float(found.group(1))


def ratios(drawing, rows, y):
    names = []
    for row in rows:
        if not row[1].startswith("lookup") and row[1] not in names:
            names.append(row[1])
    low, high = math.log10(0.1), math.log10(100)

    def at(value):
        return LEFT + (math.log10(min(max(value, 0.1), 100)) - low) / (high - low) * PANEL

    drawing.text(10, y, "Times as fast as the other client (tick: goal)", size=14)
    y += 14
    top = y
    for name in names:
        y += 8
        drawing.text(LEFT - 8, y + BAR, name, "end", 11)
        for latency, what, _, _, ratio, goal in rows:
            if what != name:
                continue
            drawing.box(min(at(1), at(ratio)), y, abs(at(ratio) - at(1)) or 1, BAR - 2, COLOURS.get(latency, "#777"))
            drawing.text(max(at(ratio), at(1)) + 4, y + BAR - 4, "%.1f (%s ms)" % (ratio, latency), size=10)
            wanted = goal_of(goal, latency)
            if wanted:
                drawing.line(at(wanted), y - 2, at(wanted), y + BAR, "#c00", 2)
            y += BAR
    for value in (0.1, 1, 10, 100):
        drawing.line(at(value), top, at(value), y + 6, "#ccc" if value != 1 else "#555")
        drawing.text(at(value), y + 18, "%g" % value, "middle", 10)
    return y + 50


def lookups(drawing, rows, y):
    points = {}
    for latency, what, ours, theirs, _, _ in rows:
        found = re.search(r"among ([0-9]+)", what)
        if found:
            points.setdefault((latency, "index"), []).append((int(found.group(1)), 1000 / ours))
            points.setdefault((latency, "scan"), []).append((int(found.group(1)), 1000 / theirs))
    if not points:
        return
    sizes = [size for line in points.values() for size, _ in line]
    times = [ms for line in points.values() for _, ms in line]
    height = 180

    def place(size, ms):
        wide = math.log10(max(sizes)) - math.log10(min(sizes)) or 1
        high = math.log10(max(times)) - math.log10(min(times)) or 1
        return (LEFT + (math.log10(size) - math.log10(min(sizes))) / wide * (PANEL - 60),
                y + 20 + height - (math.log10(ms) - math.log10(min(times))) / high * height)

    drawing.text(10, y, "One lookup that finds 10 entities, ms (logarithmic)", size=14)
    for (latency, way), line in sorted(points.items()):
        line.sort()
        for (a, b) in zip(line, line[1:]):
            drawing.line(*place(*a), *place(*b), colour=COLOURS.get(latency, "#777"), width=3 if way == "index" else 1.5)
        for size, ms in line:
            x, at = place(size, ms)
            drawing.box(x - 2, at - 2, 4, 4, COLOURS.get(latency, "#777"))
            drawing.text(x, at - 6, "%.1f" % ms, "middle", 10)
        x, at = place(*line[-1])
        drawing.text(x + 14, at + 4, "%s, %s ms" % (way, latency), size=10)
    for size in sorted(set(sizes)):
        drawing.text(place(size, min(times))[0], y + height + 40, "{:,}".format(size), "middle", 10)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = read(sys.argv[1])
    drawing = Drawing()
    lookups(drawing, rows, ratios(drawing, rows, 24))
    drawing.save(sys.argv[2])


main()
