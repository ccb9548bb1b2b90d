#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: the parameters tree and lctl, against a sysfs tree with the same values
# Cpus: 2
# Memory: 3G
# Limit: 600
# File: /usr/bin/find:/opt/gnu/find
# File: /usr/bin/true:/opt/gnu/true
#
# Row: get_param >= 10 times lctl get_param -R '*', 36 000 values: faster, each, than open, read and close in sysfs
# Row: list_param >= 5 times lctl list_param -R '*', 36 000 names: faster, each, than GNU find over sysfs
# Row: set_param >= 5 times lctl set_param 'sample.*.NAME=N', 1 000 values: faster, each, than open, write and close in sysfs
# Row: set_process - - times the same with the start and end of lctl, which one value costs too
# Row: get_one <= 1.3 times lctl get_param NAME: its time from start to end to that of /bin/true
# Row: syscalls <= 60 calls lctl get_param -R '*', 36 000 values: system calls
# Row: memory <= 1 times an entry: its memory to that of an attribute in sysfs that is not open
# Row: readers >= 1.8 times readers of one value each, on two processors: their rate to that of one
# Row: readers_same - - times readers of the same value, on two processors: their rate to that of one
# Row: readers_tree >= 1.8 times readers of 36 values a call each, on two processors: their rate to that of one
# Row: lookup <= 1.5 times looking up among 1 000 000 siblings: its time to that among ten
# Row: add - - times adding 1 000 000 children: the time of each to that with 10 000
# Row: list - - times listing 1 000 000 children: the time of each to that with 10 000
# Row: delete - - times deleting 1 000 000 children: the time of each to that with 10 000
#
# What prints does it to /dev/null, since the loops over sysfs print nothing: they
# open, read or write, and close, know the names before their clock starts, and
# their time is that of the loop alone. That of lctl is the time of its process,
# but for set_param less that of a process which sets one value: of 1 000 values
# the start of a program would be the larger part.

# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"

ENTRIES=36000
DIRS=1000
MEMORY_ENTRIES=100800
MANY=1000000
LOOKUPS=200000
SYSFS=/sys/kernel/params_sample
KNOB=max_rpcs_in_flight
FIRST=sample/lustre-OST0000
NEXT=sample/lustre-OST0001
if [ "$BENCH_QUICK" ]; then
	MANY=100000
	LOOKUPS=50000
fi

# Nanoseconds, or reads a second.
lctl_get() { took lctl get_param -R '*'; }
lctl_list() { took lctl list_param -R '*'; }
# By its path, as /opt/gnu/true: a search through $PATH is not part of the program.
lctl_one() { took -n 20 "$(command -v lctl)" get_param sample.lustre-OST0000.active; }
lctl_set() { took lctl set_param "sample.*.$KNOB=9"; }
lctl_set_one() { took -n 5 lctl set_param "sample.lustre-OST0000.$KNOB=9"; }
find_names() { took /opt/gnu/find "$SYSFS"; }
true_one() { took -n 20 /opt/gnu/true; }
sysfs_get() { loop read "$SYSFS"; }
sysfs_set() { loop write "$SYSFS" "$KNOB" 9; }
one_reader() { number read-rate 1 400 $FIRST/active; }
two_readers() { number read-rate 2 400 $FIRST/active $NEXT/active; }
two_readers_same() { number read-rate 2 400 $FIRST/active; }
one_tree_reader() { number read-rate -R 1 400 $FIRST; }
two_tree_readers() { number read-rate -R 2 400 $FIRST $NEXT; }

# Less than nothing does not count as time.
lctl_set_rest() {
	rest_all=$(lctl_set) || exit 1
	rest_one=$(lctl_set_one) || exit 1
	calc "$rest_all > $rest_one ? ($rest_all - $rest_one) * $DIRS / ($DIRS - 1) : 1" %.0f
}

loop() {
	loop_out=$(sysfs-loop "$@" 2>&1) || give_up "sysfs-loop $*" "$loop_out"
	echo "${loop_out#* }"
}

# faster NAME MINE FLOOR N: how many times MINE is faster than FLOOR, both for N.
faster() {
	pairs "$3" "$2"
	row "$1" "$PAIRS_RATIO" "$(us "$PAIRS_B" "$4") us against $(us "$PAIRS_A" "$4") us"
}

# gains NAME TWO ONE: how many times the rate TWO is the rate ONE.
gains() {
	pairs "$2" "$3"
	row "$1" "$PAIRS_RATIO" "$PAIRS_A reads/s against $PAIRS_B"
}

get_one() {
	pairs lctl_one true_one
	row get_one "$PAIRS_RATIO" "$(us "$PAIRS_A") us against $(us "$PAIRS_B") us"
}

syscalls() {
	syscount /tmp/calls lctl get_param -R '*' >/dev/null || exit 1
	row syscalls "$(cat /tmp/calls)" 'from the first instruction to the end'
}

# The same number of values on both sides; those that fail or are slow on purpose
# are not there.
speed() {
	load params_sample entries=$ENTRIES sysfs=1 extras=0
	expect_eq 'values in the tree' $ENTRIES "$(lctl list_param 'sample.*.*' | wc -l)"
	expect_eq 'values in sysfs' $ENTRIES "$(find "$SYSFS" -type f | wc -l)"
	faster get_param lctl_get sysfs_get $ENTRIES
	faster list_param lctl_list find_names $ENTRIES
	faster set_param lctl_set_rest sysfs_set $DIRS
	faster set_process lctl_set sysfs_set $DIRS
	expect_eq 'the last group was set' 9 "$(lctl get_param -n sample.lustre-OST03e7.$KNOB)"
	get_one
	syscalls
	processors 2
	gains readers two_readers one_reader
	gains readers_same two_readers_same one_reader
	gains readers_tree two_tree_readers one_tree_reader
	processors 1
	unload params_sample
}

# used: KiB that the kernel has allocated for objects, its caches apart.
used() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.3
	awk '/^(Slab|VmallocUsed):/ { kb += $2 } END { print kb }' /proc/meminfo
}

# memory_with PARAMETER...: KiB in use with the sample loaded. The same values are
# there each time, what differs is the trees that they are in.
memory_with() {
	load params_sample entries=$MEMORY_ENTRIES own_stats=0 extras=0 "$@" >/dev/null
	used
	unload params_sample >/dev/null
}

# bytes A B: from KiB to the bytes of an entry.
bytes() {
	calc "($1 - $2) * 1024 / $MEMORY_ENTRIES" %.1f
}

memory() {
	: >/tmp/memory
	for _ in 1 2 3; do
		memory_bare=$(memory_with tree=0) || exit 1
		memory_tree=$(memory_with tree=1) || exit 1
		memory_sysfs=$(memory_with tree=0 sysfs=1) || exit 1
		memory_tree=$(bytes "$memory_tree" "$memory_bare")
		memory_sysfs=$(bytes "$memory_sysfs" "$memory_bare")
		echo "$memory_tree $memory_sysfs $(calc "$memory_tree / $memory_sysfs")" >>/tmp/memory
	done
	row memory "$(spread 3 </tmp/memory)" \
		"$(median 1 </tmp/memory) bytes against $(median 2 </tmp/memory), their directories included"
}

# said TEXT: microseconds in the last line "TEXT in N us" of the sample.
said() {
	dmesg | sed -n "s/.*params_sample: $1 in \([0-9]*\) us\$/\1/p" | tail -n 1
}

# grow N: add N children to a directory, list them, look some up and delete them:
# nanoseconds for each in $ADD, $LIST and $DELETE; lookups, "MANY FEW", in /tmp/lookups.
grow() {
	load params_sample entries=36 wide="$1"
	ADD=$(calc "$(said "added $1 children to wide") * 1000 / $1" %.0f)
	expect_eq "names listed" "$1" "$(lctl list_param 'sample.wide.*' | wc -l)"
	: >/tmp/lists
	for _ in 1 2 3; do
		took lctl list_param 'sample.wide.*' >>/tmp/lists || exit 1
	done
	LIST=$(calc "$(median </tmp/lists) / $1" %.0f)
	: >/tmp/lookups
	for _ in $(seq "$BENCH_PAIRS"); do
		lctl set_param -n sample.measure.lookups=$LOOKUPS || exit 1
		lctl get_param -n sample.measure.wide_ns sample.measure.few_ns | paste -s -d ' ' - >>/tmp/lookups
	done
	unload params_sample
	DELETE=$(calc "$(said "removed $1 children of wide") * 1000 / $1" %.0f)
}

scale() {
	grow 10000
	add=$ADD list=$LIST delete=$DELETE
	grow $MANY
	row lookup "$(awk '{ printf "%.4f\n", $1 / $2 }' /tmp/lookups | spread)" \
		"$(median 1 </tmp/lookups) ns against $(median 2 </tmp/lookups) ns"
	row add "$(calc "$ADD / $add")" "$(us "$ADD") us against $(us "$add") us"
	row list "$(calc "$LIST / $list")" "$(us "$LIST") us against $(us "$list") us"
	row delete "$(calc "$DELETE / $delete")" "$(us "$DELETE") us against $(us "$delete") us"
}

# A thousandth of a second has so many nanoseconds as one that reads does reads in it.
read_ns() { calc "1000000000 / $(number read-rate 1 50 $FIRST/active)" %.0f; }
tree_read_ns() { calc "1000000000 / $(number read-rate -R 1 50 $FIRST)" %.0f; }
lookup_ns() { lctl set_param -n sample.measure.lookups=20000 && number lctl get_param -n sample.measure.wide_ns; }

counts() {
	load params_sample entries=$ENTRIES extras=0
	counted get_param $ENTRIES lctl_get
	counted list_param $ENTRIES lctl_list
	counted set_param $DIRS lctl_set_rest
	counted get_one 1 lctl_one
	counted readers 1 read_ns
	counted readers_tree 1 tree_read_ns
	unload params_sample
	load params_sample entries=36 wide=10000
	counted lookup 1 lookup_ns
	unload params_sample
	unload libcfs
}

if [ "$BENCH_COUNT" ]; then
	load libcfs
	counts
	exit
fi
processors 1
load libcfs
speed
memory
scale
memused_zero
unload libcfs
