#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: mounts against those of NFS 4.2, and permanent settings until they are at 1, 16 and 64 mounted clients
# Cpus: 2
# Memory: 3G
# Limit: 1500
# Kernel-module: nfsd
# Kernel-module: nfsv4
# Kernel-module: md5
# Package: nfs-kernel-server
# Package: nfs-common
# Package: libtirpc-common
# File: /usr/sbin/exportfs:/usr/sbin/exportfs
# File: /usr/sbin/rpc.mountd:/usr/sbin/rpc.mountd
# File: /usr/sbin/rpc.nfsd:/usr/sbin/rpc.nfsd
# File: /sbin/mount.nfs4:/sbin/mount.nfs4
# File: /etc/netconfig:/etc/netconfig
#
# Row: mount >= 8 times mount and umount of an empty NFS 4.2, its time to that of a client that is a node of its own
# Row: mount-near >= 3 times likewise, to that of a client on the servers' own node
# Row: apply-1 <= 1 times set_param -P --wait at one client: its time to that of ten pings and a write with fsync, in the same directory
# Row: apply-16 <= 16 times at 16 clients: that figure to the one of apply-1
# Row: apply-64 <= 64 times likewise, at 64
# Row: records <= 1.2 times a setting of 1 000 in one command, until all are applied at one client: its time to that of a single one
# Row: big-log - - times a mount that reads a log of 10 000 records: its time to that of an ordinary one
# Row: big-record - - us likewise, for each of the records
#
# Servers are in the first network namespace, clients each in one of its own with a
# cable to that. NFS is mounted over loopback in the first one. Times of settings are
# without what a process takes to start, ends of waits are part of them. Besides the
# clients the servers' own node takes part.

# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"
# shellcheck source=tests/vm/fs.sh
. "$LL_FS"

NID=10.79.0.254@tcp
PATTERN='osc.lustre-*.max_dirty_mb'
CLIENTS='1 16 64'
RECORDS=1000
# Settings in the long log; each is three records.
LOGGED=3334
# So few that what they run is as cold as for a setting.
PINGS=10
# Bytes of a change in the journal, about.
JOURNAL_BYTES=1024
if [ "$BENCH_QUICK" ]; then
	CLIENTS='1 4 8'
	RECORDS=100
	LOGGED=334
fi

# with_umount NANOSECONDS MNT: of a mount, to which those of its umount are added.
with_umount() {
	umount_took=$(took umount "$2") || exit 1
	echo $(($1 + umount_took))
}

nfs_mount() {
	mount_took=$(took mount.nfs4 127.0.0.1:/ /mnt/nfs -o vers=4.2) || exit 1
	with_umount "$mount_took" /mnt/nfs
}

# client_mount I: at node I.
client_mount() {
	mount_took=$(at "$1" spawn-time mount.lustre-lite "$NID:/lustre" /mnt/measured) || exit 1
	[ "${mount_took#* }" = 0 ] || give_up "mount at node $1" "status ${mount_took#* }"
	with_umount "${mount_took% *}" /mnt/measured
}

far_mount() {
	client_mount 1
}

near_mount() {
	client_mount 0
}

# in_ms ROW WHAT: the figures of `pairs`.
in_ms() {
	row "$1" "$PAIRS_RATIO" "$2 $(calc "$PAIRS_A / 1000000" %.1f) ms against $(calc "$PAIRS_B / 1000000" %.1f) ms"
}

mounts() {
	pairs nfs_mount far_mount
	in_ms mount "mount and umount"
	pairs nfs_mount near_mount
	in_ms mount-near "mount and umount"
}

# Nanoseconds that a process of lctl takes which does nothing else.
lctl_start() {
	took -n 5 lctl get_param -n timeout
}

# apply: of a setting that was not there, until all have it.
apply() {
	[ "$(cat /tmp/value)" = 71 ] && value=72 || value=71
	echo "$value" >/tmp/value
	apply_took=$(took lctl set_param -P --wait "$PATTERN=$value") || exit 1
	apply_start=$(lctl_start) || exit 1
	echo $((apply_took - apply_start))
}

ping_ns() {
	ping_out=$(at 1 lctl echo_test ec --op ping --calls "$PINGS" --json 2>&1) || give_up echo_test "$ping_out"
	ping_value=$(printf '%s\n' "$ping_out" | sed -n 's/.*"average": \([0-9.]*\).*/\1/p')
	is_number "$ping_value" || give_up echo_test "no average: $ping_out"
	echo "$ping_value"
}

# pings_and_write: what a setting is measured by.
pings_and_write() {
	write_ns=$(number fsync-rate "$FS_DIR/mgt" $JOURNAL_BYTES 100) || exit 1
	calc "10 * $(ping_ns) + $write_ns" %.0f
}

# echo_up: something to ping at the servers' node from node 1, over the same cable.
echo_up() {
	require lctl attach obdecho es es_UUID
	require lctl --device es setup 16M
	require at 1 lctl add_uuid echo-server "$NID"
	require at 1 lctl attach osc cli cli_UUID
	require at 1 lctl --device cli setup es_UUID echo-server
	require at 1 lctl attach echo_client ec ec_UUID
	require at 1 lctl --device ec setup cli
	require at 1 lctl echo_test ec --op ping --calls 1
}

# clients N: so many are mounted.
clients() {
	for i in $(seq $((mounted + 1)) "$1"); do
		fs_client "$i" "$NID:/lustre" "c$i"
	done
	mounted=$1
}

# settings: at more and more clients. The figure of each is taken beside its own pings.
settings() {
	mounted=0
	for n in $CLIENTS; do
		clients "$n"
		pairs apply pings_and_write
		in_us="$(us "$PAIRS_A") us against $(us "$PAIRS_B") us of ten pings and a write"
		if [ "$n" = 1 ]; then
			row apply-1 "$PAIRS_RATIO" "$in_us"
			apply_one=$(echo "$PAIRS_RATIO" | cut -d ' ' -f 2)
		else
			row "apply-$([ "$n" = "${CLIENTS##* }" ] && echo 64 || echo 16)" \
				"$(echo "$PAIRS_RATIO" | awk -v one="$apply_one" '{ print $1 / one, $2 / one, $3 / one }')" \
				"$n clients: $in_us"
		fi
	done
}

# records: many settings in one command, once: the log grows by each.
records() {
	for _ in $(seq "$BENCH_PAIRS"); do
		apply || exit 1
	done >/tmp/single
	records_values=$(seq 1 "$RECORDS" | sed "s/^/$PATTERN=/")
	# shellcheck disable=SC2086
	records_took=$(took lctl set_param -P -n --wait $records_values) || exit 1
	records_each=$((records_took / RECORDS))
	row records "$(awk -v each="$records_each" '{ printf "%.4f\n", each / $1 }' /tmp/single | spread)" \
		"$(us "$records_each") us for each of $RECORDS against $(us "$(median </tmp/single)") us"
}

# settings_add N: settings of as many names, in the log that all clients read.
settings_add() {
	for i in $(seq "$1"); do
		echo "set_param -P -n --force osc.lustre-*.bench_$i=$i"
	done >/tmp/settings
	check "$1 settings" sh -c 'lctl </tmp/settings >/dev/null'
}

# Compared by the time beside that of NFS: the two cannot be taken in turn.
big_log() {
	pairs far_mount nfs_mount
	log_few=$PAIRS_RATIO
	log_few_ns=$PAIRS_A
	settings_add "$LOGGED"
	pairs far_mount nfs_mount
	expect_eq "records" yes "$([ "$(llog_reader "$FS_DIR/mgt/CONFIGS/params" | grep -c bench_)" -ge "$LOGGED" ] && echo yes)"
	row big-log "$(echo "$log_few $PAIRS_RATIO" | awk '{ print $4 / $2, $5 / $2, $6 / $2 }')" \
		"$(us "$PAIRS_A") us with $((3 * LOGGED)) records against $(us "$log_few_ns") us"
	row big-record "$(calc "($PAIRS_A - $log_few_ns) / (3 * $LOGGED) / 1000")" "$((3 * LOGGED)) records of $LOGGED settings"
}

count_mounts() {
	mounts_ns=0
	for _ in 1 2 3 4 5; do
		mounts_one=$(far_mount) || exit 1
		mounts_ns=$((mounts_ns + mounts_one))
	done
	echo "$mounts_ns"
}

counts() {
	counted mount 5 count_mounts
	clients 1
	counted apply-1 1 apply
	fs_umount c1 ost0 mdt0 mgt
	unload_all
}

if [ "$BENCH_COUNT" ]; then
	CLIENTS=1
	mounted=0
else
	mkdir -p /srv/nfs /mnt/nfs
	require mount -t tmpfs nfs /srv/nfs
	at_exit 'umount /srv/nfs'
	nfs_up /srv/nfs
fi
load_all
net_star "${CLIENTS##* }"
fs_directories 256m
fs_make 0 "$NID" lustre 1
mkdir -p /mnt/measured
echo 71 >/tmp/value
require lctl set_param -P --force "$PATTERN=71"
if [ "$BENCH_COUNT" ]; then
	counts
	exit
fi
mounts
echo_up
settings
for i in $(seq 2 "$mounted"); do
	require umount "/mnt/c$i"
done
records
require umount /mnt/c1
big_log
fs_umount ost0 mdt0 mgt
require obd-away
unload_all
memused_zero
