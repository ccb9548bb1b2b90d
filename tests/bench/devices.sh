#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: object devices and lctl, against one open, read and close of an attribute in sysfs
# Cpus: 2
# Memory: 3G
# Limit: 600
#
# Row: setup <= 6 times attach and setup of a device, 1 000 of them in one lctl: the time of each to that of open, read and close in sysfs
# Row: cleanup <= 40 times cleanup and detach of a device, likewise
# Row: list <= 2 us lctl dl, 8 000 devices: its time less that of lctl dl with none, for each
# Row: lookup <= 1.5 times looking a device up by name among 100 000: its time to that among ten
# Row: memory <= 12 KiB a device that is set up and idle
#
# The time of lctl is that of its process, its commands are read from a file. Lists
# go to /dev/null.

# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"

FILES=3600
DEVICES=1000
LISTED=8000
MANY=100000
LOOKUPS=100000
SYSFS=/sys/kernel/params_sample
if [ "$BENCH_QUICK" ]; then
	DEVICES=200
	MANY=20000
	LOOKUPS=20000
fi

# Nanoseconds for one.
sysfs_read() {
	read_out=$(sysfs-loop read "$SYSFS" 2>&1) || give_up "sysfs-loop read" "$read_out"
	calc "${read_out#* } / $FILES" %.1f
}

batch() {
	batch_took=$(took lctl <"$1") || exit 1
	calc "$batch_took / $DEVICES" %.1f
}

setup_one() {
	batch /tmp/setup || exit 1
	batch /tmp/cleanup >/dev/null
}

cleanup_one() {
	batch /tmp/setup >/dev/null || exit 1
	batch /tmp/cleanup
}

# batches: the commands of 1 000 devices.
batches() {
	for i in $(seq "$DEVICES"); do
		printf 'attach obdecho es%s es%s_UUID\nsetup\n' "$i" "$i" >>/tmp/setup
		printf 'device es%s\ncleanup\ndetach\n' "$i" >>/tmp/cleanup
	done
}

# life ROW FUNCTION
life() {
	pairs "$2" sysfs_read
	row "$1" "$PAIRS_RATIO" "$(us "$PAIRS_A") us against $(us "$PAIRS_B") us"
}

# lists: the times of BENCH_PAIRS lists.
lists() {
	took lctl dl >/dev/null || exit 1
	for _ in $(seq "$BENCH_PAIRS"); do
		took -n 3 lctl dl || exit 1
	done
}

list() {
	lists >/tmp/none || exit 1
	number obd-rate make $LISTED >/dev/null || exit 1
	expect_eq 'devices listed' $LISTED "$(lctl dl | wc -l)"
	lists >/tmp/listed || exit 1
	number obd-rate remove $LISTED >/dev/null || exit 1
	lists >>/tmp/none || exit 1
	list_none=$(median </tmp/none)
	row list "$(awk -v none="$list_none" -v n=$LISTED '{ printf "%.4f\n", ($1 - none) / n / 1000 }' /tmp/listed | spread)" \
		"$(us "$(median </tmp/listed)") us against $(us "$list_none") us with none"
}

# lookups COUNT: nanoseconds for one among COUNT devices, BENCH_PAIRS times.
lookups() {
	number obd-rate make "$1" >/dev/null || exit 1
	number obd-rate lookup $LOOKUPS "$1" >/dev/null || exit 1
	for _ in $(seq "$BENCH_PAIRS"); do
		number obd-rate lookup $LOOKUPS "$1" || exit 1
	done
	number obd-rate remove "$1" >/dev/null || exit 1
}

lookup() {
	lookups 10 >/tmp/few || exit 1
	lookups $MANY >/tmp/many || exit 1
	row lookup "$(paste /tmp/many /tmp/few | awk '{ printf "%.4f\n", $1 / $2 }' | spread)" \
		"$(median </tmp/many) ns against $(median </tmp/few) ns, the call included"
}

# used: KiB that the kernel has allocated for objects, its caches apart.
used() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.3
	awk '/^(Slab|VmallocUsed|Percpu):/ { kb += $2 } END { print kb }' /proc/meminfo
}

memory() {
	: >/tmp/memory
	for _ in 1 2 3; do
		memory_without=$(used)
		batch /tmp/setup >/dev/null || exit 1
		expect_eq 'devices set up' "$DEVICES" "$(lctl dl | grep -c ' UP obdecho ')"
		memory_with=$(used)
		batch /tmp/cleanup >/dev/null || exit 1
		calc "($memory_with - $memory_without) / $DEVICES" '%.3f\n' >>/tmp/memory
	done
	row memory "$(spread </tmp/memory)" "slab, vmalloc and percpu, with $DEVICES of them"
}

# Setup and cleanup in turn, as a device has to go before it can come again.
counts() {
	load obdclass max_devices=200000
	load ptlrpc
	load obdecho
	batches
	counted life $DEVICES lives
	number obd-rate make $LISTED >/dev/null || exit 1
	counted list $LISTED list_one
	counted lookup 1 lookup_one
	number obd-rate remove $LISTED >/dev/null || exit 1
	unload_all
}

lives() {
	lives_setup=$(took lctl </tmp/setup) || exit 1
	lives_cleanup=$(took lctl </tmp/cleanup) || exit 1
	echo $((lives_setup + lives_cleanup))
}

list_one() {
	took lctl dl
}

lookup_one() {
	number obd-rate lookup 2000 $LISTED
}

if [ "$BENCH_COUNT" ]; then
	DEVICES=200
	load libcfs
	counts
	exit
fi
processors 1
load libcfs
load obdclass max_devices=200000
load ptlrpc
load obdecho
load params_sample entries=$FILES tree=0 sysfs=1 extras=0
expect_eq 'values in sysfs' $FILES "$(find "$SYSFS" -type f | wc -l)"
batches
life setup setup_one
life cleanup cleanup_one
unload params_sample
memory
list
lookup
expect_output '' lctl dl
unload_all
memused_zero
