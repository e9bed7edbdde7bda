# shellcheck shell=bash
# Sourced by the check-*.sh scripts: which files there are, how a violation is
# told, how a check ends.
#
# A check says its rule, why it is one and how to mend things once; then one
# line per place.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
violations=0
# Our texts hold more than ASCII, whatever the caller's locale says.
export LC_ALL=C.UTF-8

# Prints the files git knows or would add, whose path matches the pattern
# (a regular expression); without a repository, all but the built ones.
list_files()
{
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard
	else
		find . -type f -not -path './.git/*' -not -path '*/node_modules/*' -not -path '*/build*/*' |
			sed 's,^\./,,'
	fi | LC_ALL=C sort -u | { grep -E -- "$1" || true; } | while IFS= read -r file; do
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done
}

# Our C files; for the checks that source this.
# shellcheck disable=SC2034
c_files='^(src|mock-tablestore/src|mock-tablestore/test|test)/.*\.[ch]$'

# Prints C code as "path:line:code" with comments and the contents of strings
# blanked, so that what is said in them cannot break a rule.
c_code()
{
	list_files "$1" | xargs -r python3 tools/c-code.py
}

rule()
{
	rule_text=$1 reason_text=$2 fix_text=$3
}

# Reads places, one per line, and complains about each.
violates()
{
	local place

	while IFS= read -r place; do
		if [ "$violations" -eq 0 ]; then
			printf 'RULE    %s\nREASON  %s\nFIX     %s\n' "$rule_text" "$reason_text" "$fix_text"
		fi
		printf '  %s\n' "$place"
		violations=$((violations + 1))
	done
}

# A check may have several rules: each begins here and ends with the next.
begin()
{
	total=$((${total:-0} + violations))
	violations=0
	rule "$@"
}

finish()
{
	total=$((${total:-0} + violations))
	[ "$total" -eq 0 ]
}
