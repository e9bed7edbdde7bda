#!/bin/bash
# Every test is one that runs, and every expectation belongs to a test.
source "$(dirname "$0")/lint-frame.sh"

# Complains when $1/NAME.$2 has no $3/NAME.$4.
pairs()
{
	local file name

	for file in "$1"/*."$2"; do
		[ -e "$file" ] || continue
		name=$(basename "$file" ".$2")
		[ -e "$3/$name.$4" ] || echo "$file has no $3/$name.$4"
	done
}

begin 'each test has its expected output, each expected output its test' \
	'a file that no test reads looks like a test' \
	'add the other file, or remove this one'
violates < <(
	pairs sql sql expected out
	pairs expected out sql sql
	pairs specs spec specs/expected out
	pairs specs/expected out specs spec
)

begin 'files in t/ are executable *.sh, *.py or *.pl' \
	'tools/run-tap.sh starts just those' \
	'chmod +x; helpers belong to t/lib/'
violates < <(
	for file in t/*; do
		[ -f "$file" ] || continue
		case $file in
			*.sh | *.py | *.pl) [ -x "$file" ] || echo "$file is not executable" ;;
			*) echo "$file is not a test" ;;
		esac
	done
)

begin 'scripts in tools/ that are run are executable' \
	'the Makefile calls them' \
	'chmod +x'
violates < <(
	for file in tools/*.sh .ci/run; do
		case $file in
			tools/testbed.sh | tools/lint-frame.sh) continue ;;
		esac
		[ -x "$file" ] || echo "$file is not executable"
	done
)
finish
