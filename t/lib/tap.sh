# shellcheck shell=bash
# What the shell tests in t/ share: checks that print TAP, and psql.
# Sourced; ends nothing by itself.

count=0 failed=0

# is NAME FOUND EXPECTED
is()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1: found '$2', expected '$3'"
		failed=$((failed + 1))
	fi
}

sql()
{
	psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"
}

# The last line of a test.
finish()
{
	echo "1..$count"
	[ "$failed" -eq 0 ]
}
