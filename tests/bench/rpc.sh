#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: requests over TCP between a client and a target of one machine, against plain TCP in the kernel
# Cpus: 2
# Memory: 2G
# Limit: 900
#
# Row: ping >= 0.7 times pings of a target in a second, to exchanges of as many bytes over plain TCP
# Row: inflight >= 4 times pings in a second, 16 at a time: to those one at a time
# Row: read >= 0.9 times MiB in a second, read in pieces of 1 MiB without CRC, to a plain TCP stream of such
# Row: write >= 0.9 times likewise, written
# Row: read-crc >= 0.9 times likewise, read with CRC, to a plain TCP stream with one at both ends
# Row: write-crc >= 0.9 times likewise, written with CRC
# Row: crc - - - what the CRC alone costs: a plain TCP stream with one at both ends, to one without
# Row: latency <= 5 times the time in which 99 of 100 pings are answered while reads and writes take all they get, to that without them
# Row: lock <= 1.2 times enqueue and cancel of a lock: the time of both to that of two pings
# Row: match <= 0.02 times an extent lock that the client has: its time to that of a ping
# Row: many-locks <= 1.5 times enqueue and cancel with 10 000 locks on the resource: its time to that with ten
# Row: imports <= 1.2 times a ping with 1 000 imports on one connection: its time to that with one
# Row: local-ping >= 2 times pings of a target in a second inside one kernel: to those over TCP
# Row: local-read >= 2 times MiB in a second inside one kernel, as read, to a plain TCP stream
# Row: local-write >= 1.5 times likewise, written
# Row: connection <= 64 KiB a connection that is open and idle, both ends of it
#
# All over 127.0.0.1@tcp, and TCP but for the rows local-*: these are over 127.0.0.1@tcp1, a
# peer of its own, whose connection is made with local_conn. The floor is the module tcp_floor.

# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"

NODE=127.0.0.1
FLOOR=/sys/module/tcp_floor/parameters
# Bytes of a ping: head of the frame and message, either way.
PING_BYTES=176
PINGS=5000
PIECES=256
IMPORTS=1000
LOCKS=10000
LOCKS_FEW=10
CONNECTIONS=200
BULK_INFLIGHT=8
CLIENT=ec
if [ "$BENCH_QUICK" ]; then
	PINGS=1000
	PIECES=64
	IMPORTS=100
	LOCKS=2000
	CONNECTIONS=50
fi

# echo_rate FIELD OPTION...: a number of what lctl echo_test says; every call must do well.
echo_rate() {
	echo_field=$1
	shift
	echo_out=$(lctl echo_test "$CLIENT" "$@" --json 2>&1) || give_up "echo_test $*" "$echo_out"
	echo_value=$(printf '%s\n' "$echo_out" | sed -n "s/.*\"$echo_field\": \\([0-9.]*\\).*/\\1/p")
	is_number "$echo_value" || give_up "echo_test $*" "no $echo_field: $echo_out"
	echo "$echo_value"
}

# floor NAME BYTES COUNT: what plain TCP does in a second.
floor() {
	echo "$2 $3" >"$FLOOR/$1" || give_up "tcp_floor $1" "it failed"
	number cat "$FLOOR/$1"
}

pings() {
	echo_rate calls_per_second --op ping --calls $PINGS
}

pings_16() {
	echo_rate calls_per_second --op ping --calls $PINGS --inflight 16
}

plain_pings() {
	floor ping $PING_BYTES $PINGS
}

plain_stream() {
	calc "$(floor stream 1048576 $PIECES) / 1024" %.1f
}

# The same, but both ends compute the CRC32C of each piece.
plain_stream_crc() {
	calc "$(floor stream_crc 1048576 $PIECES) / 1024" %.1f
}

# bulk OP: MiB in a second.
bulk() {
	calc "$(echo_rate bytes_per_second --op "$1" --size 1M --calls $PIECES --inflight $BULK_INFLIGHT) / 1048576" %.1f
}

reads() {
	bulk read
}

writes() {
	bulk write
}

# Nanoseconds of one call.
ping_ns() {
	echo_rate average --op ping --calls $PINGS
}

# Nanoseconds in which 99 of 100 pings are answered.
ping_p99() {
	echo_rate p99 --op ping --calls $PINGS
}

# The same, beside reads and writes.
ping_p99_beside_bulk() {
	for beside in read write; do
		lctl echo_test ec --op $beside --size 1M --calls 1000000 --inflight $BULK_INFLIGHT >/dev/null 2>&1 &
		beside_pids="${beside_pids-} $!"
	done
	sleep 1
	ping_p99
	# shellcheck disable=SC2086
	kill $beside_pids
	# shellcheck disable=SC2086
	wait $beside_pids 2>/dev/null
	beside_pids=
}

two_pings_ns() {
	calc "2 * $(ping_ns)" %.0f
}

lock_ns() {
	echo_rate average --op lock --calls $((PINGS / 2)) --resource 5
}

# Nanoseconds of a lock that is in the client's cache.
match_ns() {
	echo_rate average --op lock --calls $((PINGS * 4)) --resource 6 --mode PR --extent 0-EOF --keep
}

# Nanoseconds of enqueue and cancel of an extent after all others of the resource.
extent_ns() {
	echo_rate average --op lock --calls $((PINGS / 2)) --resource 7 --mode PW --extent 1T-EOF --exact
}

# locks_up FIRST LAST: the client has these locks of resource 7, each of a page of its own.
locks_up() {
	awk -v first="$1" -v last="$2" 'BEGIN { for (n = first; n <= last; n++)
		printf "echo_test ec --op lock --calls 1 --resource 7 --mode PW --extent %d-%d --exact --keep\n",
			n * 4096, n * 4096 + 4095 }' >/tmp/locks
	check "locks $1 to $2 are taken" sh -c 'lctl </tmp/locks >/dev/null'
}

# The time with few locks and with many, as that of imports.
many_locks() {
	require lctl set_param -n "ldlm.namespaces.*.lru_size=$((LOCKS + 100))"
	locks_up 1 $LOCKS_FEW
	pairs extent_ns ping_ns
	locks_few=$PAIRS_RATIO
	locks_few_ns=$PAIRS_A
	locks_up $((LOCKS_FEW + 1)) $LOCKS
	check "there are $LOCKS locks" \
		test "$(lctl get_param -n ldlm.namespaces.filter-es_UUID.lock_count)" -ge $LOCKS
	pairs extent_ns ping_ns
	# shellcheck disable=SC2086
	row many-locks "$(middle_ratio $PAIRS_RATIO $locks_few)" \
		"$(us "$PAIRS_A") us with $LOCKS locks, $(us "$locks_few_ns") us with $LOCKS_FEW"
	require lctl set_param -n 'ldlm.namespaces.*.lru_size=clear'
	require lctl set_param -n 'ldlm.namespaces.*.lru_size=0'
}

# rate ROW UNIT FUNCTION FLOOR: a row of two rates.
rate() {
	pairs "$3" "$4"
	row "$1" "$PAIRS_RATIO" "$PAIRS_A $2 against $PAIRS_B"
}

# with_crc 0|1 off|on: for messages, for bulk data; the node says it when it connects.
with_crc() {
	require lctl set_param -n "ptlrpc.crc=$1" "ptlrpc.bulk_crc=$2"
	require lctl network reset
	wait_for 20 lctl echo_test ec --op ping --calls 1
}

client_up() {
	require lctl add_uuid server "$NODE@tcp"
	require lctl attach osc cli cli_UUID
	require lctl --device cli setup es_UUID server
	require lctl attach echo_client ec ec_UUID
	require lctl --device ec setup cli
	require lctl echo_test ec --op ping --calls 1
}

# over_local FUNCTION: its figure inside one kernel.
over_local() {
	CLIENT=lec
	"$1"
	CLIENT=ec
}

local_pings() { over_local pings; }
local_reads() { over_local reads; }
local_writes() { over_local writes; }

local_up() {
	require lctl set_param -n ptlrpc.local_conn=1
	require lctl add_uuid near "$NODE@tcp1"
	require lctl attach osc lcli lcli_UUID
	require lctl --device lcli setup es_UUID near
	require lctl attach echo_client lec lec_UUID
	require lctl --device lec setup lcli
	require lctl echo_test lec --op ping --calls 1
	expect_eq "a local connection" yes "$(lctl conn_list | grep -q 'local->local' && echo yes)"
}

# Other imports to the same target; all share the connection.
imports_up() {
	for i in $(seq 2 $IMPORTS); do
		printf 'attach osc cli%s cli%s_UUID\nsetup es_UUID server\n' "$i" "$i"
		printf 'attach echo_client ec%s ec%s_UUID\nsetup cli%s\n' "$i" "$i" "$i"
	done >/tmp/imports
	check "imports are set up" sh -c 'lctl </tmp/imports'
	wait_for 120 imports_full
	expect_eq "connections" 4 "$(lctl conn_list | grep -c OPEN)"
}

imports_full() {
	[ "$(lctl get_param -n 'osc.*.state' | grep -c 'current_state: FULL')" -ge "$IMPORTS" ]
}

imports_down() {
	for i in $(seq 2 $IMPORTS); do
		printf 'device ec%s\ncleanup\ndetach\ndevice cli%s\ncleanup\ndetach\n' "$i" "$i"
	done >/tmp/imports
	check "imports are gone" sh -c 'lctl </tmp/imports'
}

# The time of a ping with one import and with all, which cannot be taken in turn: what
# is compared is the time to a plain exchange just beside it.
imports() {
	pairs pings plain_pings
	imports_few=$PAIRS_RATIO
	imports_few_rate=$PAIRS_A
	imports_up
	pairs pings plain_pings
	# shellcheck disable=SC2086
	row imports "$(middle_ratio $imports_few $PAIRS_RATIO)" \
		"$imports_few_rate pings in a second with one, $PAIRS_A with $IMPORTS"
	imports_down
}

# Lowest, median and highest of both: the middle ones are the figure.
middle_ratio() {
	calc "$2 / $5 * 0.999999" "%.4f "
	calc "$2 / $5" "%.4f "
	calc "$2 / $5 * 1.000001" %.4f
}

# used: KiB that the kernel has allocated for objects and sockets, its caches apart.
used() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	awk '/^(Slab|VmallocUsed|Percpu|KernelStack):/ { kb += $2 } END { print kb }' /proc/meminfo
}

# Many nodes that are all this one, each with a connection of its own: what the kernel
# keeps for both ends of one, the node and its peer.
connections() {
	: >/tmp/memory
	for round in 1 2 3; do
		memory_without=$(used)
		: >/tmp/held
		wire-hold $CONNECTIONS "127.0.$round.1" $NODE >/tmp/held &
		holder=$!
		wait_for 60 test -s /tmp/held
		expect_eq "connections that are held" $CONNECTIONS "$(cat /tmp/held)"
		memory_with=$(used)
		kill "$holder"
		wait "$holder"
		calc "($memory_with - $memory_without) / $CONNECTIONS" '%.3f\n' >>/tmp/memory
		sleep 1
	done
	row connection "$(spread </tmp/memory)" "slab, vmalloc, percpu and stacks, with $CONNECTIONS of them"
}

# calls OP N [OPTION...]: nanoseconds of N calls, the start of lctl included.
calls() {
	calls_op=$1
	calls_n=$2
	shift 2
	took lctl echo_test ec --op "$calls_op" --calls "$calls_n" "$@"
}

count_pings() { calls ping $PINGS; }
count_locks() { calls lock $PINGS --resource 5; }
count_reads() { calls read $PIECES --size 1M; }
count_writes() { calls write $PIECES --size 1M; }

counts() {
	PINGS=500
	PIECES=16
	with_crc 1 on
	counted ping $PINGS count_pings
	counted lock $PINGS count_locks
	counted read-crc $PIECES count_reads
	counted write-crc $PIECES count_writes
	with_crc 0 off
	counted read $PIECES count_reads
	counted write $PIECES count_writes
	require obd-away
	unload_all
}

load_all
[ "$BENCH_COUNT" ] || load tcp_floor
require lctl set_param -n ptlrpc.local_conn=0
require lctl attach obdecho es es_UUID
require lctl --device es setup 64M
client_up
if [ "$BENCH_COUNT" ]; then
	counts
	exit
fi
rate ping "pings in a second" pings plain_pings
rate inflight "pings in a second" pings_16 pings
pairs lock_ns two_pings_ns
row lock "$PAIRS_RATIO" "$(us "$PAIRS_A") us against $(us "$PAIRS_B") us"
pairs match_ns ping_ns
row match "$PAIRS_RATIO" "$(us "$PAIRS_A") us against $(us "$PAIRS_B") us"
many_locks
pairs ping_p99_beside_bulk ping_p99
row latency "$PAIRS_RATIO" "$(us "$PAIRS_A") us against $(us "$PAIRS_B") us"
with_crc 0 off
rate read MiB/s reads plain_stream
rate write MiB/s writes plain_stream
with_crc 1 on
rate read-crc MiB/s reads plain_stream_crc
rate write-crc MiB/s writes plain_stream_crc
rate crc MiB/s plain_stream_crc plain_stream
imports
with_crc 0 off
local_up
rate local-ping "pings in a second" local_pings pings
rate local-read MiB/s local_reads plain_stream
rate local-write MiB/s local_writes plain_stream
connections
require obd-away
unload_all
memused_zero
