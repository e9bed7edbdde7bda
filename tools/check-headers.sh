#!/bin/bash
# The comment that opens every C file.
source "$(dirname "$0")/lint-frame.sh"

begin 'a C file opens with a comment of at most 15 lines, a header of at most 25' \
	'it says which question the file answers, what it does not do, who calls it, what is easy to break' \
	'write that comment; what is longer belongs to docs/'
violates < <(
	list_files "$c_files" | xargs -r awk '
	FNR == 1 { open = ($0 ~ /^\/\*/); if (!open) print FILENAME ":1: no opening comment" }
	open && /\*\// {
		open = 0
		most = FILENAME ~ /\.h$/ ? 25 : 15
		text = FNR > 1 && /^[ \t]*\*\/[ \t]*$/ ? FNR - 2 : FNR
		if (text > most)
			printf "%s:1: the comment has %d lines, at most %d\n", FILENAME, text, most
	}'
)
finish
