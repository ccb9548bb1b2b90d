# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What a lane is, and helpers that lanes source.
#
# A lane is an executable in scripts/check.d. It has these lines at its top:
#	# Lane: one line that says what it tests
#	# When: quick | check | demand	(quick is in every run)
#	# Order: where in the queue; the lowest starts first
#	# Packages: the sets of scripts/deps that it needs; left out: all
#	# Slice: NAME, of a lane that only some commits run; see slices.sh
#	# Part: NAME TEXT, of a lane that does more in that slice; any number of lines
#	# Kernels: names that scripts/kernel must have ready before it starts
#	# Quick-kernels: the same for --quick; left out: none
#	# Machines: none, of a lane that boots none of its kernels
#	# Nice: how far it steps back (default: 5 without machines, else 0)
#	# Limit: seconds after which it is ended and has failed
# and is given
#	LL_RESULTS	file to which it appends a line for each test:
#			pass NAME / fail NAME LOG / skip NAME REASON...
#			again NAME REASON..., of what was repeated before it passed
#			NAME has no blanks
#	LL_LOGS		directory for its logs
#	LL_JOBS		processors it may use
#	LL_QUICK	1 in a quick run
#	LL_SLICES	the slices of this run; ask in_slice NAME
#	LUSTRE_LITE_FULL	1 when every round of every test is wanted (tests/unit/rounds.h)
# What it prints is progress; output of tools goes to files. Its status says
# whether it could do its work; a failed test need not change it.
#
# Run by hand, a lane takes all processors and leaves its results in
# build/check/LANE.

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/ccache.sh
. "$LL_ROOT/scripts/ccache.sh"
# shellcheck source=scripts/check.d/slices.sh
. "$(dirname "${BASH_SOURCE[0]}")/slices.sh"

LANE=${LL_NAME:-${0##*/}}
LL_LOGS=${LL_LOGS:-$LL_BUILD/check/$LANE}
LL_JOBS=${LL_JOBS:-$(nproc)}
LL_QUICK=${LL_QUICK:-}
if [[ -z ${LL_RESULTS:-} ]]; then
	LL_RESULTS=$LL_LOGS/results
	mkdir -p "$LL_LOGS"
	: >"$LL_RESULTS"
fi
export LL_LOGS LL_JOBS LL_QUICK LL_RESULTS

pass() {
	printf 'pass %s\n' "${1// /_}" >>"$LL_RESULTS"
}

# fail NAME LOG
fail() {
	printf 'fail %s %s\n' "${1// /_}" "$2" >>"$LL_RESULTS"
	printf 'FAILED %s, log: %s\n' "$1" "$2"
}

# skip NAME REASON...
skip() {
	printf 'skip %s %s\n' "${1// /_}" "${*:2}" >>"$LL_RESULTS"
}

# log_of NAME: the file for what a test prints.
log_of() {
	local name=${1//\//_}
	printf '%s/%s.log\n' "$LL_LOGS" "${name// /_}"
}

# again NAME REASON...
again() {
	printf 'again %s %s\n' "${1// /_}" "${*:2}" >>"$LL_RESULTS"
}

# expect NAME COMMAND...: a test that passes when the command ends with status
# 0; its output is the log.
expect() {
	local name=$1 log
	log=$(log_of "$1")
	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		pass "$name"
	else
		echo "status $?: $*" >>"$log"
		fail "$name" "$log"
	fi
}

# expect_silence NAME COMMAND...: the same, and it must not print anything.
expect_silence() {
	local name=$1 log
	log=$(log_of "$1")
	shift
	if "$@" >"$log" 2>&1 </dev/null && [[ ! -s $log ]]; then
		pass "$name"
	else
		echo "(ran: $*)" >>"$log"
		fail "$name" "$log"
	fi
}

# build_utils: the tools, in build/utils, without a warning; one lane at a time.
build_utils() (
	take_lock "$LL_BUILD/.lock-utils"
	logged "$LL_LOGS/build-utils.log" "building the tools" \
		make -C "$LL_ROOT" "-j$LL_JOBS" utils CMAKE_FLAGS="-DLL_WERROR=ON $(ccache_cmake | paste -sd ' ')"
)

# sanitized_tree NAME: unit tests and fuzz targets under ASan and UBSan, by clang, as
# two lanes want them; one builds, the other finds it built. A failure is one of the
# test NAME. The directory is $SANITIZED.
SANITIZED=$LL_BUILD/sanitized
sanitized_tree() (
	take_lock "$LL_BUILD/.lock-sanitized"
	log=$LL_LOGS/$(basename "$1")-build.log
	logged "$log" "building the unit tests and fuzzers" sanitized_build || {
		fail "$1" "$log"
		return 1
	}
)

sanitized_build() {
	local launcher
	mapfile -t launcher < <(ccache_cmake)
	cmake -S "$LL_ROOT" -B "$SANITIZED" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DLL_FUZZ=ON -DLL_WERROR=ON \
		-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ "${launcher[@]}" \
		-DCMAKE_C_FLAGS_DEBUG='-O1 -g1' -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' &&
		cmake --build "$SANITIZED" -j "$LL_JOBS"
}

# stock_modules [OPTION...]: a run of the check has one build of the modules for the stock kernel,
# with W=1 and warnings as errors; prints the directory. (sparse looks at it later, with --sparse:
# machines wait for the modules.)
stock_modules() {
	build_modules stock --werror "$@"
}

# build_modules ARGUMENT...: scripts/build-modules; prints the directory.
build_modules() {
	"$LL_ROOT/scripts/build-modules" -j "$LL_JOBS" "$@"
}
