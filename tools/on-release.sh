#!/bin/bash
# A command on another Debian release, for the PostgreSQL that comes with it
# (trixie: 17, sid: 18): as root, in a chroot that debootstrap makes once.
#
#   tools/on-release.sh RELEASE [COMMAND...]
#
# The files of this checkout as they are now (not what was built) are copied to
# /src there, and COMMAND runs in it; without one it builds and runs pg_regress
# and the isolation tests on the mock.  The chroots stay in build/releases, or
# where ITABLE_RELEASES says, 1 GB each.  Packages come from the mirror of this
# machine.
source "$(dirname "$0")/testbed.sh"

[ $# -gt 0 ] || die "usage: on-release.sh RELEASE [COMMAND...]"
[ "$(id -u)" = 0 ] || die "chroot needs root"
release=$1
shift
releases=${ITABLE_RELEASES:-$root/build/releases}
tree=$releases/$release

# The first mirror that apt knows, in either format of its lists.
mirror()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -oE '^(deb|URIs:) .*' | grep -oE 'https?://[^ ]+' | head -n 1
}

make_tree()
{
	command -v debootstrap >/dev/null || die "install debootstrap"
	say "making $tree"
	mkdir -p "$releases"
	rm -rf "$tree.new"
	debootstrap --variant=minbase --include=ca-certificates,git "$release" "$tree.new" "$(mirror)" >&2 ||
		die "debootstrap failed; see $tree.new/debootstrap/debootstrap.log"
	mv "$tree.new" "$tree"
}

copy_checkout()
{
	mkdir -p "$tree/src"
	# Objects of the last time stay, unless their sources have gone.
	(cd "$root" && git ls-files --cached --others --exclude-standard) >"$workdir/files"
	(cd "$tree/src" && find . -type f ! -path './build/*' ! -name '*.[od]' ! -name '*.so' ! -path '*/node_modules/*' |
		sed 's,^\./,,' | sort | comm -23 - <(sort "$workdir/files") | xargs -r -d '\n' rm -f)
	tar -C "$root" -cf - --ignore-failed-read -T "$workdir/files" | tar -C "$tree/src" -xf -
}

clean_up_at_exit
make_workdir release
[ -d "$tree" ] || make_tree
copy_checkout
if [ $# -eq 0 ]; then
	set -- bash -c 'tools/install-deps.sh && make -s -j2 all mock &&
		tools/run-regress.sh --mock && tools/run-regress.sh --isolation --mock'
fi
# A namespace of its own for mounts and processes: nothing is left of either.
# shellcheck disable=SC2016
run_command unshare --mount --pid --fork --kill-child bash -c '
	mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp" &&
	chmod 1777 "$0/tmp" && tree=$0 && exec chroot "$tree" bash -c '\''cd /src && exec "$@"'\'' bash "$@"' \
	"$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" "$@"
