#!/bin/bash
# Our scripts pass shellcheck, where it is installed.
source "$(dirname "$0")/lint-frame.sh"

command -v shellcheck >/dev/null || exit 0
begin 'shell scripts pass shellcheck' \
	'most errors in shell scripts are quoting errors' \
	'see the wiki page of the code it names'
violates < <(
	list_files '\.sh$|^\.ci/run$' |
		xargs -r shellcheck -x -P SCRIPTDIR -e SC1091 -S warning -f gcc || true
)
finish
