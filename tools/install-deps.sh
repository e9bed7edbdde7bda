#!/bin/bash
# Installs the Debian packages that building and testing need, as far as they
# are missing; as root or through sudo, without questions.  Quick and silent
# when nothing is missing, and content with what did not come from packages
# (another PostgreSQL by PG_CONFIG, another Node.js in PATH).
set -euo pipefail

installed()
{
	dpkg-query -W -f '${db:Status-Abbrev}\n' "$1" 2>/dev/null | grep -q '^.i'
}

known()
{
	apt-cache show "$1" 2>/dev/null | grep -q '^Package:'
}

# Prints the missing packages that do not depend on what apt knows.
missing_packages()
{
	local package

	for package in build-essential pkg-config libcurl4-openssl-dev libssl-dev libyajl-dev libicu-dev \
		libmicrohttpd-dev libsqlite3-dev python3 python3-azure openssl curl libipc-run-perl \
		ca-certificates util-linux spin; do
		installed "$package" || echo "$package"
	done
	# Azurite 3.35.0 needs 18 or later.
	if ! node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' 2>/dev/null; then
		echo nodejs
	fi
	command -v npm >/dev/null || echo npm
}

have_postgres()
{
	local pg_config=${PG_CONFIG:-pg_config}

	[ -f "$("$pg_config" --pgxs 2>/dev/null)" ] && [ -x "$("$pg_config" --bindir)/initdb" ]
}

# The servers that are installed get their build files; otherwise version 15,
# which Debian 12 has, or else the release's own.
postgres_packages()
{
	local dir found=

	for dir in /usr/lib/postgresql/*/bin/postgres; do
		[ -x "$dir" ] || continue
		found=${dir#/usr/lib/postgresql/}
		echo "postgresql-server-dev-${found%%/*}"
	done
	[ -z "$found" ] || return 0
	if known postgresql-15 && known postgresql-server-dev-15; then
		echo postgresql-15 postgresql-server-dev-15
	else
		echo postgresql postgresql-server-dev-all
	fi
}

# Root, or somebody who may become it.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "missing packages: ${wanted[*]}" >&2
		echo "install them as root, or install sudo" >&2
		exit 1
	fi
}

apt_get()
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@"
}

if ! command -v apt-get >/dev/null; then
	have_postgres || { echo "install PostgreSQL with its server headers" >&2; exit 1; }
	exit 0
fi

mapfile -t wanted < <(missing_packages)
if have_postgres && [ ${#wanted[@]} -eq 0 ]; then
	exit 0
fi
# On a fresh machine apt knows no package until its lists are fetched.
known libyajl-dev || apt_get update
if ! have_postgres; then
	read -r -a postgres <<<"$(postgres_packages | tr '\n' ' ')"
	wanted+=("${postgres[@]}")
fi
echo "installing: ${wanted[*]}"
if ! apt_get install --no-install-recommends "${wanted[@]}"; then
	# The lists may be older than the mirror.
	apt_get update
	apt_get install --no-install-recommends "${wanted[@]}"
fi
