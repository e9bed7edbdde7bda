#!/bin/bash
# Who includes whom: tools/layers.txt.
source "$(dirname "$0")/lint-frame.sh"

# Prints "folder:postgres: allowed allowed ..." per layer.
layers=$(sed -E 's/#.*//; /^[[:space:]]*$/d' tools/layers.txt | awk '{ printf "%s:%s:", $1, $2; for (i = 3; i <= NF; i++) printf " %s", $i; print " " }')

# The #include lines of src/ as "path:line:folder:"name" or <name>"
includes=$(c_code '^src/.*\.[ch]$' | sed -nE 's/^(src\/)([^:]*):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*(["<][^">]*[">]).*/\1\2:\3:\4/p')

begin 'includes follow the layers of tools/layers.txt' \
	'a lower layer that knows an upper one cannot be tested, or understood, without it' \
	'call upward through a function pointer given at open, or move the code to the layer it belongs to'
violates < <(
	awk -v layers="$layers" '
	BEGIN {
		n = split(layers, line, "\n")
		for (i = 1; i <= n; i++)
		{
			split(line[i], f, ":")
			postgres[f[1]] = f[2]
			allowed[f[1]] = f[3]
		}
	}
	{
		split($0, part, ":")
		path = part[1]
		name = substr($0, length(part[1]) + length(part[2]) + 3)
		target = substr(name, 2, length(name) - 2)
		place = path ":" part[2] ": "
		folder = path
		sub(/^src\//, "", folder)
		if (folder ~ /\//) sub(/\/.*/, "", folder); else folder = "."
		if (!(folder in postgres))
		{
			print place "the folder src/" folder " is not in tools/layers.txt"
			next
		}
		if (target ~ /^\.\.?\//)
		{
			print place "includes " name ": write \"folder/file.h\", relative to src/"
			next
		}
		other = target
		if (other ~ /\//) sub(/\/.*/, "", other); else other = ""
		if (name ~ /^"/ && other in postgres)
		{
			if (other == folder)
				next
			if (index(allowed[folder], " " other " ") == 0)
				print place folder " must not include " other ": " name
		}
		else if (target ~ /^curl\//)
		{
			if (path != "src/store/http.c")
				print place "only store/http.c knows libcurl"
		}
		else if (postgres[folder] == "no" && name ~ /^"/)
		{
			file = "src/" folder "/" target
			if ((getline unused < file) < 0)
				print place folder " knows no PostgreSQL: " name
			close(file)
		}
		else if (postgres[folder] == "no" && target ~ /^(postgres|c|fmgr|libpq-fe)\.h$|^(access|catalog|commands|executor|foreign|lib|libpq|nodes|optimizer|port|storage|utils)\//)
			print place folder " knows no PostgreSQL: " name
	}' <<<"$includes"
)

begin 'the store and the unit tests stand alone' \
	'mock-tablestore is built without src/, test/ without PostgreSQL' \
	'copy the idea, not the header; test PostgreSQL code by sql/'
violates < <(
	c_code '^mock-tablestore/.*\.[ch]$' | grep -aE '#[[:space:]]*include[[:space:]]*"(\.\./)*(src|model|store|table|remote|plan|txn|exec)/' || true
	c_code '^test/.*\.[ch]$' | grep -aE '#[[:space:]]*include[[:space:]]*["<]((table|remote|plan|txn|exec)/|postgres|fmgr)' || true
)
finish
