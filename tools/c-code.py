#!/usr/bin/env python3
"""Prints C files as "path:line:code", comments and string contents blanked."""
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\b')


def blank(match):
    """Keeps the line structure; of a string only its quotes."""
    text = match.group(0)
    if text[0] in '"\'':
        return text[0] + text[-1]
    return re.sub(r'[^\n]', ' ', text)


for path in sys.argv[1:]:
    with open(path, encoding='utf-8', errors='replace') as file:
        source = file.read()
    raw = source.split('\n')
    for number, line in enumerate(TOKEN.sub(blank, source).split('\n'), 1):
        if INCLUDE.match(line):
            line = raw[number - 1]      # here the string is what matters
        if line.strip():
            print(f'{path}:{number}:{line.rstrip()}')
