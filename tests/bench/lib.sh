# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# What a benchmark measures with, in the virtual machine. A benchmark starts
# with:   . "$LL_BENCH"
# which brings the scenarios' library too. Each row that it declares at its top it
# reports once, with `row`; scripts/bench makes the table.

# shellcheck source=tests/vm/lib.sh
. "$LL_LIB"

# A measurement that fails must not pass for a figure.
set -u

BENCH_PAIRS=${BENCH_PAIRS:-9}
# Not empty: the clock counts instructions, and the script only reports those.
BENCH_COUNT=${BENCH_COUNT:-}

# number COMMAND...: the first of the numbers that COMMAND prints; no number or a
# status other than 0 ends the script.
number() {
	number_out=$("$@" 2>&1) || give_up "$*" "$number_out"
	is_number "${number_out%% *}" || give_up "$*" "no number: $number_out"
	echo "${number_out%% *}"
}

# took COMMAND...: nanoseconds from the start of COMMAND to its end, its output
# thrown away; with -n N first, one of N runs.
took() {
	took_out=$(spawn-time "$@" 2>&1) || give_up "$*" "$took_out"
	[ "${took_out#* }" = 0 ] || give_up "$*" "status ${took_out#* }"
	echo "${took_out% *}"
}

is_number() {
	case $1 in
	*[!0-9.]* | '') return 1 ;;
	esac
}

# give_up WHAT WHY: end the subshell and, through its status, the script. What it
# says goes to the log, not into the figures.
give_up() {
	printf 'not ok - %s\n    %s\n' "$1" "$2" >&2
	exit 1
}

# calc EXPRESSION [FORMAT]
calc() {
	awk "BEGIN { printf \"${2:-%.4f}\", ($1) }"
}

# spread [N]: lowest, median and highest of field N of the lines on the standard input.
spread() {
	awk -v n="${1:-1}" '{ print $n }' | sort -g | awk '{ v[NR] = $1 }
		END { print v[1], NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[NR] }'
}

# median [N]
median() {
	spread "${1:-1}" | cut -d ' ' -f 2
}

# processors N: from now on only the first N run. One that waits turns at full speed
# (idle=poll) and takes the host's time from the one that works.
processors() {
	for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
		[ "${cpu##*cpu}" -lt "$1" ] && cpu_wanted=1 || cpu_wanted=0
		[ "$(cat "$cpu/online")" = "$cpu_wanted" ] || echo "$cpu_wanted" >"$cpu/online"
	done
}

# pairs A B: run the functions A and B in turn, BENCH_PAIRS times, each of them first
# in half of the pairs: what goes on outside of the machine meanwhile slows both.
# Each prints a number. Leaves the medians in $PAIRS_A and $PAIRS_B, and in
# $PAIRS_RATIO lowest, median and highest of A/B, pair by pair.
# shellcheck disable=SC2034
pairs() {
	: >/tmp/pairs
	"$1" >/dev/null || exit 1
	"$2" >/dev/null || exit 1
	for pair in $(seq "$BENCH_PAIRS"); do
		if [ $((pair % 2)) = 0 ]; then
			pair_a=$("$1") || exit 1
			pair_b=$("$2") || exit 1
		else
			pair_b=$("$2") || exit 1
			pair_a=$("$1") || exit 1
		fi
		echo "$pair_a $pair_b" >>/tmp/pairs
	done
	PAIRS_A=$(median 1 </tmp/pairs)
	PAIRS_B=$(median 2 </tmp/pairs)
	PAIRS_RATIO=$(awk '{ printf "%.4f\n", $1 / $2 }' /tmp/pairs | spread)
}

# row NAME VALUE TEXT: a figure, and what it was made of. VALUE is one number, or
# lowest, median and highest as `spread` prints them.
row() {
	row_name=$1
	row_text=$3
	# shellcheck disable=SC2086
	set -- $2
	echo "row|$row_name|${2:-$1}|$1|${3:-$1}|$row_text"
}

# us NANOSECONDS [N]: as microseconds, for one of N.
us() {
	calc "$1 / ${2:-1} / 1000" %.3f
}

# slept: nanoseconds that the first processor has been idle. While it is, the clock of a
# machine that counts instructions jumps from timer to timer.
slept() {
	awk '/idle_sleeptime/ { print $3; exit }' /proc/timer_list
}

# counted ROW N FUNCTION: the instructions of each of N operations, which FUNCTION times
# together; the median of three, after one that warms up.
counted() {
	"$3" >/dev/null || exit 1
	: >/tmp/counted
	for _ in 1 2 3; do
		counted_slept=$(slept)
		counted_took=$("$3") || exit 1
		calc "($counted_took - ($(slept) - $counted_slept)) / $2" '%.0f\n' >>/tmp/counted
	done
	echo "count|$1|$(median </tmp/counted)"
}
