#!/bin/bash
# Nothing in the repository may depend on one machine or one download server.
source "$(dirname "$0")/lint-frame.sh"

begin 'lock files name versions and checksums, not addresses' \
	'who builds elsewhere has another mirror; npm takes it from its own settings' \
	'npm install with omit-lockfile-registry-resolved=true (test/azurite/.npmrc)'
violates < <(
	list_files '(^|/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock)$' |
		xargs -r grep -InHE '"resolved"|"(https?|git\+[a-z]+)://[^"]*\.tgz' || true
)

begin 'no host of a package registry' \
	'the machine'"'"'s own configuration says where packages come from' \
	'use the ordinary client without an address'
violates < <(
	list_files . | grep -avE '^tools/check-registry\.sh$|\.(gz|png)$' |
		xargs -r grep -InHE 'registry\.(npmjs|yarnpkg)\.|npm\.pkg\.|files\.pythonhosted\.|deb\.debian\.org|^registry[[:space:]]*=' || true
)

begin 'no absolute path of somebody'"'"'s machine' \
	'it does not exist on the next one' \
	'derive the path from the script'"'"'s own place, or take it as an argument'
violates < <(
	list_files . | grep -avE '\.(gz|png)$' |
		xargs -r grep -InHE '(^|[^A-Za-z0-9_.*}-])/(wor[k]|roo[t]|home/[a-z]+)/' || true
)
finish
