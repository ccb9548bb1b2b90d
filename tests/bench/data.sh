#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: contents of files, against NFS 4.2 of such a directory and against the directory itself
# Cpus: 2
# Memory: 3G
# Limit: 2400
# Counts: no
# Kernel-module: ext4
# Kernel-module: loop
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
# Row: write >= 1.1 times a new file written in pieces of 1 MiB, then fsync: MiB in a second, to those of NFS async
# Row: write-ext4 >= 0.8 times likewise, to those of ext4 itself
# Row: write-2 >= 0.95 times likewise on two object storage targets, to those on one
# Row: read >= 2 times a file read in pieces of 1 MiB, nothing cached: MiB in a second, to those of NFS async
# Row: read-ext4 >= 0.7 times likewise, to those of ext4 itself
# Row: read-2 >= 0.95 times likewise on two object storage targets, to those on one
# Row: random-read >= 2 times 4 KiB in random places by 16 threads, nothing cached: MiB in a second, to those of NFS async
# Row: random-write >= 2 times likewise written, then fsync by each thread, to those of NFS async
# Row: write-rpcs - - RPCs requests for each MiB that is written
# Row: read-rpcs - - RPCs requests for each MiB that is read, nothing cached
#
# Client and servers are one node, and all talk over TCP (127.0.0.1). Directories of targets and of NFS are
# each on an ext4 of its own with inodes of 512 bytes, on a loop device on a memory file system.

FS_DIR=/srv/targets
# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"
# shellcheck source=tests/vm/fs.sh
. "$LL_FS"

# Of the file that is written and read. That of the random places has 64 MiB.
MIB=128
PLACES_4K=2048
THREADS=16
if [ "$BENCH_QUICK" ]; then
	MIB=16
	PLACES_4K=128
fi

# new PLACE: what an earlier round wrote is gone, and its space free.
new() {
	rm -f "/mnt/$1/new"
	sync
	until fs_nothing_pending; do
		usleep 100000
	done
}

take_write() {
	new "$1"
	rate write "/mnt/$1/new" $MIB
}

take_read() {
	cold
	rate read "/mnt/$1/new" $MIB
}

take_random_read() {
	cold
	rate random-read "/mnt/$1/random" $PLACES_4K $THREADS
}

take_random_write() {
	cold
	rate random-write "/mnt/$1/random" $PLACES_4K $THREADS
}

one_round() {
	take write one two async ext4
	take read one two async ext4
	take random_read one async
	take random_write one async
}

# stripes N PLACE: a place of files on N targets.
stripes() {
	require mkdir "/mnt/lite/$2"
	require lfs setstripe -c "$1" "/mnt/lite/$2"
	ln -s "/mnt/lite/$2" "/mnt/$2"
}

load_all
fs_directories 2500m
lite_place 2 600M
stripes 1 one
stripes 2 two
ext4_place 600M
nfs_places 600M async
for place in one async; do
	require fs-rate write /mnt/$place/random 64
done
for round in $(seq "$BENCH_PAIRS"); do
	one_round
done
against write MiB/s write one write async
against write-ext4 MiB/s write one write ext4
against write-2 MiB/s write two write one
against read MiB/s read one read async
against read-ext4 MiB/s read one read ext4
against read-2 MiB/s read two read one
against random-read MiB/s random_read one random_read async
against random-write MiB/s random_write one random_write async
new one
rpcs write-rpcs write /mnt/one/new $MIB
cold
rpcs read-rpcs read /mnt/one/new $MIB
fs_umount lite ost1 ost0 mdt0 mgt
unload_all
memused_zero
