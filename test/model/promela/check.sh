#!/bin/bash
# Runs the Promela models of the index protocol (docs/PROTOCOL.md).
#
#   check.sh [--full] [MODEL...]    all, or those of index, outcome, unique ...
#   check.sh --trail MODEL FLAGS    how a broken variant breaks, step by step
#
# A line of "runs" is a configuration: one that HOLDS must be searched to its
# end, without any assertion failing; one that is BROKEN on purpose must fail
# one, and the trail must replay.  A search that was cut short (memory, depth,
# time) is a failure; so is, in a run that is called WHOLE, a statement that is
# never reached: a harness that finds nothing proves nothing.  Needs spin and a C
# compiler.  MODEL_MB bounds the memory of a search (two run at a time).
set -u
cd "$(dirname "$0")" || exit 1

# when whole|holds|broken model flags...; a broken variant's last flag is its name
runs()
{
	cat <<'RUNS'
short whole index -DWRITERS=1
short holds index -DWRITERS=2 -DREPAIRERS=0 -DSTRAY=0
short holds index -DWRITERS=1 -DPOINTER
short holds index -DWRITERS=1 -DPOINTER -DTOUCHOLD
short holds index -DWRITERS=2 -DREPAIRERS=0 -DSTRAY=0 -DPOINTER
short holds index -DWRITERS=1 -DDIRECT -DNODELETE -DAGED
full holds index -DWRITERS=2 -DSTRAY=0 -DPOINTER
full holds index -DWRITERS=2 -DSTRAY=0
full holds index -DWRITERS=2 -DREPAIRERS=0
full holds index -DWRITERS=1 -DREPAIRERS=2
short broken index -DWRITERS=1 -DSTRAY=0 -DNOFENCE
short broken index -DWRITERS=1 -DSTRAY=0 -DFACTFIRST
short broken index -DWRITERS=1 -DSTRAY=0 -DVERIFYANY
short broken index -DWRITERS=1 -DSTRAY=0 -DDELETEANY
short broken index -DWRITERS=1 -DSTRAY=0 -DCHECKEXIST
short broken index -DWRITERS=1 -DSTRAY=0 -DNOTOUCHOLD
short broken index -DWRITERS=1 -DSTRAY=0 -DCOMMITALONE
short broken index -DWRITERS=1 -DSTRAY=0 -DFACTBEFORE
short broken index -DWRITERS=2 -DSTRAY=0 -DUNDOENTRIES
short broken index -DWRITERS=1 -DSTRAY=0 -DPOINTER -DNOFENCE
short broken index -DWRITERS=1 -DSTRAY=0 -DPOINTER -DFACTFIRST
short broken index -DWRITERS=1 -DSTRAY=0 -DPOINTER -DDELETEANY
short broken index -DWRITERS=1 -DSTRAY=0 -DPOINTER -DCHECKEXIST
short broken index -DWRITERS=1 -DSTRAY=0 -DPOINTER -DCOMMITALONE
short broken index -DWRITERS=2 -DREPAIRERS=0 -DSTRAY=0 -DAGED -DDIRECT
short broken index -DWRITERS=1 -DSTRAY=0 -DNODELETE -DDIRECT
short whole outcome -DWRITERS=2
full holds outcome -DWRITERS=3
short broken outcome -DNOIDS
short broken outcome -DCONTENTS
short broken outcome -DNOPROOF
short broken outcome -DKEEPSTUBID
short broken outcome -DBLINDRETRY
short whole unique -DWRITERS=1 -DCOVERING
short holds unique -DWRITERS=2 -DREPAIRERS=0 -DSTRAY=0
full holds unique -DWRITERS=2 -DREPAIRERS=0
full holds unique -DWRITERS=2 -DREPAIRERS=0 -DCOVERING
full holds unique -DWRITERS=2 -DSTRAY=0
full holds unique -DWRITERS=1 -DREPAIRERS=2
short broken unique -DSTRAY=0 -DSTEALUNFENCED
short broken unique -DSTRAY=0 -DCLAIMEXIST
short broken unique -DSTRAY=0 -DCLAIMLATE
short broken unique -DSTRAY=0 -DRELEASEANY
short broken unique -DSTRAY=0 -DUNDOTAKEN
short broken unique -DSTRAY=0 -DREPAIRERS=0 -DOWNERFIRST
short broken unique -DWRITERS=1 -DNOFENCE
short whole build -DWRITERS=1
short holds build -DPOINTER
full holds build -DWRITERS=2 -DPOINTER
full holds build -DWRITERS=2
short broken build -DPOINTER -DNOLEASE
short broken build -DPOINTER -DNOWAIT
short broken build -DPOINTER -DONELEASE
short broken build -DPOINTER -DSTALEPLAN
short broken build -DNODEPRECATE
full broken build -DWRITERS=2 -DVERIFYEARLY
short whole colocated -DWRITERS=2
full holds colocated -DWRITERS=3
short broken colocated -DSEPARATE
short broken colocated -DUNGUARDED
short holds outbox -DWORKERS=1
short whole outbox -DWORKERS=1 -DREPAIRERS=1 -DSLOTS=1
short holds outbox -DWORKERS=2 -DSLOTS=1
full holds outbox -DWORKERS=2 -DSLOTS=1 -DOVERTAKE
full holds outbox -DWORKERS=2
full holds outbox -DWORKERS=1 -DREPAIRERS=1
full holds outbox -DWORKERS=2 -DREPAIRERS=1 -DSLOTS=1
short broken outbox -DWORKERS=1 -DSEPARATE
short broken outbox -DWORKERS=1 -DOUTBOXFIRST
short broken outbox -DWORKERS=1 -DDELETEFIRST
short broken outbox -DWORKERS=1 -DONEOUTBOX
short broken outbox -DWORKERS=2 -DSLOTS=1 -DOVERTAKE -DNOFENCE
short broken outbox -DWORKERS=2 -DSLOTS=1 -DOVERTAKE -DNOTOUCHOLD -DUNSETTLED
short broken outbox -DWORKERS=2 -DSLOTS=1 -DOVERTAKE -DDELETEANY
short broken outbox -DWORKERS=2 -DSLOTS=1 -DNOBATON
short broken outbox -DWORKERS=2 -DSLOTS=1 -DSTALEREAD
short broken outbox -DWORKERS=2 -DSLOTS=1 -DRELEASEFIRST
RUNS
}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
trap 'exit 130' INT TERM HUP

# Compiles the model in the present directory: make_pan MODEL CFLAGS -- FLAGS
make_pan()
{
	local model=$1 cflags=$2
	shift 3

	# spin itself knows no bound: a macro that expands for ever eats the machine
	(ulimit -v 2000000 && spin -a "$@" "$model.pml") >spin.log 2>&1
	[ -f pan.c ] || { tail -n 3 spin.log; return 1; }
	# shellcheck disable=SC2086
	${CC:-cc} $cflags -w -DSAFETY -DCOLLAPSE -DMEMLIM="$megabytes" -o pan pan.c
}

states()
{
	awk '/states, stored/ { print $1; exit }' pan.log
}

# Everything a search must not say if it is to prove something.
cut_short()
{
	grep -E 'Search not completed|depth too small|memory limit|out of memory|aborted|inherits|resize' pan.log
}

run_holds()
{
	make_pan "$1" -O1 -- "${@:2}" || return 1
	timeout "$seconds" ./pan -m"$depth" -w"$hash" >pan.log 2>&1 || { tail -n 3 pan.log; echo "exit code $?"; return 1; }
	cut_short && return 1
	grep -q 'errors: 0' pan.log || { grep -E 'errors:|assertion|violated' pan.log; return 1; }
	[ "$(states)" -gt 100 ] || { echo 'hardly a state'; return 1; }
}

run_whole()
{
	run_holds "$@" || return 1
	if sed -n '/^unreached in/,$p' pan.log | grep -v -e '-end-' | grep ', state '; then
		echo 'never reached'
		return 1
	fi
}

run_broken()
{
	# breadth first: the shortest way to the error
	make_pan "$1" '-O0 -DBFS' -- "${@:2}" || return 1
	timeout "$seconds" ./pan -w"$hash" >pan.log 2>&1
	if ! grep -q 'errors: 1' pan.log || ! grep -q 'assertion violated' pan.log || [ ! -s "$1.pml.trail" ]; then
		grep -E 'errors:|violated' pan.log
		echo 'not caught'
		return 1
	fi
	spin -t "${@:2}" "$1.pml" >trail.log 2>&1
	grep -q 'assertion violated' trail.log || { echo 'the trail does not replay'; return 1; }
}

# One line of runs, in a directory of its own; prints one line.
run_one()
{
	local verdict=$2 model=$3 dir note started=$SECONDS
	shift 3

	dir=$(mktemp -d "$build/run.XXXXXX")
	cp "$model.pml" "$dir/"
	cd "$dir" || exit 1
	if ! "run_$verdict" "$model" "$@" >said.log 2>&1; then
		printf 'not ok %s %s: %s\n' "$model" "$*" "$(tr '\n' ' ' <said.log)"
	elif [ "$verdict" != broken ]; then
		printf 'ok %-6s %s %s: %s states, %d s\n' "$verdict" "$model" "$*" "$(states)" $((SECONDS - started))
	else
		note=$(sed -n 's/^ *\([0-9]*\):.*assertion violated.*/\1/p; s/.*trail ends after \([0-9]*\) steps.*/\1/p' trail.log | tail -1)
		printf 'ok caught %s %s: %s states, a trail of %s steps\n' "$model" "$*" "$(states)" "$note"
	fi
	cd "$build" && rm -rf "$dir"
}

if ! command -v spin >/dev/null; then
	echo 'spin is missing: run "make deps"'
	echo '0 passed, 1 failed'
	exit 1
fi

when='^short '
megabytes=${MODEL_MB:-1000} depth=1000000 hash=20 seconds=120
while [ $# -gt 0 ]; do
	case $1 in
		--full)
			when='^(short|full) '
			megabytes=${MODEL_MB:-7000} depth=30000000 hash=26 seconds=7200
			;;
		--trail)
			cp "$2.pml" "$build/"
			cd "$build" || exit 1
			run_broken "${@:2}" && spin -t -p -g "${@:3}" "$2.pml"
			exit
			;;
		*) break ;;
	esac
	shift
done
models=$(echo "${*:-[a-z]*}" | tr ' ' '|')

export build megabytes depth hash seconds
export -f run_one run_whole run_holds run_broken make_pan states cut_short
# shellcheck disable=SC2016
runs | grep -E "$when(whole|holds|broken) ($models)( |$)" |
	xargs -P "${MODEL_JOBS:-2}" -L 1 bash -c 'run_one "$@"' run_one | tee "$build/all.log"

passed=$(grep -c '^ok ' "$build/all.log")
failed=$(grep -c '^not ok ' "$build/all.log")
planned=$(runs | grep -cE "$when(whole|holds|broken) ($models)( |$)")
if [ $((passed + failed)) -ne "$planned" ]; then
	echo "not ok: $planned runs were planned, $((passed + failed)) have reported"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
