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

# figure ROUND NAME AT NUMBER: one of the numbers that `against` compares; the log has it, too.
figure() {
	echo "$@" | tee -a /tmp/figures
}

# take NAME AT...: the function take_NAME at each of these, in turn; in each round another one is the
# first. It prints a number; the place is its argument. $round is the number of the round.
# shellcheck disable=SC2154
take() {
	take_name=$1
	shift
	for _ in $(seq $((round % $#))); do
		take_first=$1
		shift
		set -- "$@" "$take_first"
	done
	for take_at in "$@"; do
		take_number=$("take_$take_name" "$take_at") || exit 1
		figure "$round" "$take_name" "$take_at" "$take_number"
	done
}

# figures NAME AT: the median.
figures() {
	awk -v name="$1" -v at="$2" '$2 == name && $3 == at { print $4 }' /tmp/figures | median
}

# against ROW UNIT NAME AT NAME AT: a row of the ratios of two figures, round by round.
against() {
	against_ratio=$(awk -v a="$3 $4" -v b="$5 $6" '
		$2 " " $3 == a { value[$1] = $4 }
		$2 " " $3 == b { floor[$1] = $4 }
		END { for (round in value) printf "%.4f\n", value[round] / floor[round] }' /tmp/figures | spread)
	row "$1" "$against_ratio" "$(figures "$3" "$4") $2 against $(figures "$5" "$6")"
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

# nfs_up DIRECTORY: a server of NFS 4 alone; the directory, a file system of its own, is its root.
nfs_up() {
	mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/sm /run/rpc_pipefs
	: >/etc/exports
	: >/var/lib/nfs/etab
	: >/var/lib/nfs/rmtab
	require modprobe nfsd
	require modprobe nfsv4
	require mount -t nfsd nfsd /proc/fs/nfsd
	at_exit 'umount /proc/fs/nfsd'
	require mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
	at_exit 'umount /run/rpc_pipefs'
	nfs_export "$1" fsid=0
	require rpc.mountd --no-nfs-version 3
	require rpc.nfsd --no-nfs-version 3 --port 2049 4
	at_exit 'rpc.nfsd 0; killall rpc.mountd'
}

# nfs_export DIRECTORY OPTIONS: a file system of its own, with these options besides those that all have.
nfs_export() {
	require exportfs -o "rw,no_root_squash,no_subtree_check,insecure,$2" "127.0.0.1:$1"
}

# What follows needs fs.sh, and $FS_DIR on a file system of its own. A place is a directory below /mnt: lite
# is a client of targets of this node, ext4 the directory of a disk itself, others are NFS of such a
# directory. All talk over TCP.

# lite_place OSTS SIZE: disks of SIZE.
lite_place() {
	require lctl set_param -n ptlrpc.local_conn=0
	fs_disk mdt0 "$2"
	for lite_ost in $(seq 0 $(($1 - 1))); do
		fs_disk "ost$lite_ost" "$2"
	done
	fs_make 0 127.0.0.1@tcp lustre "$1"
	fs_client 0 127.0.0.1@tcp:/lustre lite
	wait_for 60 nothing_down
}

ext4_place() {
	fs_disk ext4 "$1"
	ln -s "$FS_DIR/ext4" /mnt/ext4
}

# nfs_places SIZE NAME...: NAME is sync or async, which is how the server writes.
nfs_places() {
	nfs_size=$1
	shift
	nfs_up "$FS_DIR"
	# Clients of an earlier server are not waited for.
	echo Y >/proc/fs/nfsd/v4_end_grace
	nfs_id=0
	for nfs_name in "$@"; do
		nfs_id=$((nfs_id + 1))
		fs_disk "$nfs_name" "$nfs_size"
		nfs_export "$FS_DIR/$nfs_name" "$nfs_name,fsid=$nfs_id"
		mkdir -p "/mnt/$nfs_name"
		require mount.nfs4 "127.0.0.1:/$nfs_name" "/mnt/$nfs_name" -o vers=4.2
		at_exit "umount /mnt/$nfs_name"
	done
}

# cold: nothing of any place is cached, neither at the client nor at the server.
cold() {
	lctl set_param -n 'ldlm.namespaces.*-mdc-*.lru_size=clear' 'ldlm.namespaces.*-osc-*.lru_size=clear'
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# rate OP PATH COUNT [THREADS]: the number that fs-rate prints.
rate() {
	number fs-rate "$@"
}

# requests: to all targets, but for those that no operation of a file waits for.
requests() {
	lctl get_param -n 'mds.MDS.mdt.stats' 'ost.OSS.*.stats' | awk '
		$1 == "req_waittime" { n += $2 }
		$1 ~ /^(obd_ping|(mds|ost)_(connect|disconnect|statfs|create|destroy))$/ { n -= $2 }
		END { print n }'
}

# rpcs ROW OP PATH COUNT: requests for each operation of fs-rate.
rpcs() {
	rpcs_before=$(requests)
	rate "$2" "$3" "$4" >/dev/null || exit 1
	row "$1" "$(calc "($(requests) - $rpcs_before) / $4")" "$2, $4 times"
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
