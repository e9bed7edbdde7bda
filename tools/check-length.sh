#!/bin/bash
# How long functions, files and lines may be.
source "$(dirname "$0")/lint-frame.sh"

begin 'a function has at most 100 lines' \
	'what does not fit on a screen or two is not understood at once (aim for 60)' \
	'split it where its steps have names'
violates < <(
	# PostgreSQL style: a body begins and ends with a brace in column 1.
	c_code "$c_files" | awk '
	{
		match($0, /^[^:]*:[0-9]+:/)
		split($0, part, ":")
		code = substr($0, RLENGTH + 1)
	}
	code ~ /^[A-Za-z_].*\(/ && code !~ /;$/ { name = code; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	code ~ /^\{/ { from = part[2] }
	code ~ /^\}/ && code !~ /^\}.*;/ {
		if (from > 0 && part[2] - from + 1 > 100)
			printf "%s:%d: %s has %d lines\n", part[1], from, name, part[2] - from + 1
		from = 0
	}'
)

begin 'a file has at most 1000 lines, a header 200, a test in sql/ 150' \
	'one file answers one question; one test file has one topic' \
	'find the second question and give it its own file'
violates < <(
	list_files "$c_files|^sql/.*\.sql$|^tools/" | xargs -r awk '
	function limit(file)
	{
		return file ~ /\.h$/ ? 200 : file ~ /\.sql$/ ? 150 : 1000
	}
	function done()
	{
		if (name != "" && lines > limit(name))
			printf "%s: %d lines, at most %d\n", name, lines, limit(name)
	}
	FNR == 1 { done(); name = FILENAME }
	{ lines = FNR }
	END { done() }'
)

begin 'a line of C has at most 100 columns (tabs are 4 wide), strings not counted' \
	'two files must fit side by side (aim for 80)' \
	'break the line; messages stay whole, so that they can be searched for'
violates < <(
	list_files "$c_files" | xargs -r awk '
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		while ((at = index(line, "\t")) > 0)
			line = substr(line, 1, at - 1) substr("    ", 1, 4 - (at - 1) % 4) substr(line, at + 1)
		if (length(line) > 100)
			printf "%s:%d: %d columns\n", FILENAME, FNR, length(line)
	}'
)
finish
