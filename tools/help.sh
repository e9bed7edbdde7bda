#!/bin/bash
# Lists the targets of a Makefile: the lines `target: ... ## what it does`,
# under the headings `##@ heading`.
set -euo pipefail

awk -F ':.*## ' '
	/^##@ /              { printf "\n%s\n", substr($0, 5); next }
	/^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $1, $2 }
' "${1:?usage: help.sh MAKEFILE}"
