# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Helpers that every script in this directory sources. Sourcing defines functions and
# the variables below, and ends with words where the paths would not work.

LL_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LL_BUILD=${LUSTRE_LITE_BUILD:-$LL_ROOT/build}
# With HOME unset, ~ is the directory that the user database names.
[[ -n ${HOME:-} ]] || { unset HOME; HOME=~; }
LL_CACHE=${LUSTRE_LITE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lustre-lite}
export LL_ROOT LL_BUILD LL_CACHE HOME

# A script here has seen to the packages that it needs; make below it need not.
export LL_DEPS=0

# What tools print is read here, and numbers have points.
export LC_ALL=C.UTF-8
# depmod and modinfo are no programs of a plain user's PATH.
PATH=$PATH:/usr/sbin:/sbin

# say TEXT...: a progress line. Standard output belongs to results.
say() {
	printf '%s: %s\n' "${LL_NAME:-${0##*/}}" "$*" >&2
}

# die TEXT...: print TEXT as an error and end with status 1.
die() {
	printf '%s: error: %s\n' "${LL_NAME:-${0##*/}}" "$*" >&2
	exit 1
}

# die_usage TEXT...: the command line is wrong; status 2.
die_usage() {
	printf '%s: error: %s (try --help)\n' "${LL_NAME:-${0##*/}}" "$*" >&2
	exit 2
}

# check_paths: the kernel's build system takes no blanks in a path, QEMU's options no
# comma, and --file of scripts/vm no colon; make and shells give others a meaning.
check_paths() {
	local path
	for path in "$LL_ROOT" "$LL_BUILD" "$LL_CACHE"; do
		[[ $path == /* ]] || die "$path: the path must be absolute (LUSTRE_LITE_BUILD, LUSTRE_LITE_CACHE, HOME)"
		[[ ! $path =~ [^[:alnum:]/._+@=~-] ]] ||
			die "$path: neither the kernel's build system nor QEMU can handle '${BASH_REMATCH[0]}' in a path; move it" \
				"(the tree itself, LUSTRE_LITE_BUILD or LUSTRE_LITE_CACHE)"
	done
}

# need_machine: what is built and booted here is for x86-64.
need_machine() {
	[[ $(uname -m) == x86_64 ]] || die "this needs an x86-64 machine, and this one is $(uname -m)"
}

# need_free DIRECTORY MEGABYTES FOR: stop when there are not so many free where DIRECTORY is.
need_free() {
	local free
	mkdir -p "$1" || die "the directory $1 cannot be made"
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	((free >= $2)) ||
		die "$3 needs $2 MB more in $1, and there are $free free; LUSTRE_LITE_BUILD and LUSTRE_LITE_CACHE name other places"
}

# need_space DIRECTORY MEGABYTES FOR: the same for a directory that grows to MEGABYTES in all.
need_space() {
	local has
	has=$(du -sm "$1" 2>/dev/null | cut -f 1) || true
	((${has:-0} >= $2)) || need_free "$1" $(($2 - ${has:-0})) "$3"
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

check_paths
