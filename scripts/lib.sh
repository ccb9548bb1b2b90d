# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers that every script in this folder sources. Sourcing has no effect
# but to define functions and the three variables below.

LL_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LL_BUILD=${LUSTRE_LITE_BUILD:-$LL_ROOT/build}
LL_CACHE=${LUSTRE_LITE_CACHE:-${HOME:-/root}/.cache/lustre-lite}
export LL_ROOT LL_BUILD LL_CACHE

# say TEXT...: a progress line. Standard output belongs to results.
say() {
	printf '%s: %s\n' "${LL_NAME:-${0##*/}}" "$*" >&2
}

# die TEXT...: say what is wrong and end with status 1.
die() {
	printf '%s: error: %s\n' "${LL_NAME:-${0##*/}}" "$*" >&2
	exit 1
}

# die_usage TEXT...: the command line is wrong; status 2.
die_usage() {
	printf '%s: error: %s (try --help)\n' "${LL_NAME:-${0##*/}}" "$*" >&2
	exit 2
}

# print_help FILE: the comment block at the top of a script is its help text.
print_help() {
	awk 'NR == 1 || /SPDX-License/ { next } !/^#/ { exit }
	     { sub(/^# ?/, ""); if (seen || $0 != "") { print; seen = 1 } }' "$1"
}

# need_command NAME SET: stop when a program is missing, naming what installs it.
need_command() {
	command -v "$1" >/dev/null ||
		die "$1 is not installed; run: scripts/deps $2"
}

# take_lock FILE: hold an exclusive lock until this process ends; says so when
# another process has it.
take_lock() {
	local fd
	mkdir -p "$(dirname "$1")"
	exec {fd}>"$1"
	if ! flock -n "$fd"; then
		say "waiting for another process that holds $1"
		flock "$fd"
	fi
}

# logged LOG WHAT COMMAND...: run COMMAND with its output in LOG, say WHAT,
# a line every 30 seconds, and how long it took; on failure show the end of
# LOG and name it.
logged() {
	local log=$1 what=$2 start=$SECONDS pid status=0 next=30
	shift 2
	mkdir -p "$(dirname "$log")"
	say "$what"
	"$@" >>"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if ((SECONDS - start >= next)); then
			say "$what: still running after $((SECONDS - start)) s"
			next=$((next + 30))
		fi
	done
	wait "$pid" || status=$?
	if ((status)); then
		tail -n 15 "$log" >&2
		say "$what: failed with status $status, log: $log"
		return "$status"
	fi
	if ((SECONDS - start >= 5)); then
		say "$what: done in $((SECONDS - start)) s"
	fi
	return 0
}
