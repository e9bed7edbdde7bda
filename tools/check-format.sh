#!/bin/bash
# How many files differ from .clang-format.  PostgreSQL's own layout (pgindent)
# cannot be described to clang-format exactly, so this informs and fails only
# when ITABLE_STRICT_FORMAT=1.
source "$(dirname "$0")/lint-frame.sh"

format=$(command -v clang-format-14 || true)
[ -n "$format" ] || exit 0
[ "${ITABLE_STRICT_FORMAT:-0}" = 1 ] || exit 0
begin 'C files are laid out by .clang-format' \
	'nobody should argue about blanks' \
	'clang-format-14 -i FILE, then look at declarations'
violates < <(
	list_files "$c_files" | while IFS= read -r file; do
		"$format" --dry-run -Werror "$file" 2>/dev/null || echo "$file"
	done
)
finish
