#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bench: names and attributes of files, against NFS 4.2 of such a directory and against the directory itself
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
# Row: create >= 6 times files made and closed in a second, to those of NFS async
# Row: create-ext4 >= 0.4 times likewise, to those of ext4 itself
# Row: create-4 >= 1.3 times likewise with 4 threads in one directory, to those with one
# Row: stat >= 2 times stat of files with data in a second, nothing cached: to that of NFS sync
# Row: list >= 3 times names of ls -l in a second, nothing cached: to those of NFS async
# Row: warm-stat >= 1 times stat of files in a second, all cached: to that of NFS sync
# Row: unlink >= 1.5 times files removed in a second, to those of NFS async
# Row: mkdir >= 3 times directories made in a second, to those of NFS async
# Row: rename >= 3 times files renamed in a second, to those of NFS async
# Row: small >= 6 times files made with 4 KiB of data in a second, to those of NFS async
# Row: create-rpcs <= 1.1 RPCs requests for each create and close
# Row: stat-rpcs <= 1.1 RPCs requests for each stat of a file with data, nothing cached
# Row: list-rpcs - - RPCs requests for each name of ls -l, nothing cached
# Row: first-rpcs <= 2.1 RPCs requests for each open, read of 4 KiB and close, nothing cached
# Row: warm-stat-rpcs <= 0 RPCs requests for each stat, all cached
# Row: warm-open-rpcs <= 0 RPCs requests for each open and close of a file that was opened before
# Row: small-rpcs - - RPCs requests for each file made with 4 KiB of data
# Row: unlink-rpcs - - RPCs requests of the client for each file removed
#
# Client and servers are one node, and all talk over TCP (127.0.0.1). Directories of targets and of NFS are
# each on an ext4 of its own with inodes of 512 bytes, on a loop device on a memory file system.

FS_DIR=/srv/targets
# shellcheck source=tests/bench/lib.sh
. "$LL_BENCH"
# shellcheck source=tests/vm/fs.sh
. "$LL_FS"

# In one round.
FILES=400
# Of the directory for ls -l.
NAMES=10000
if [ "$BENCH_QUICK" ]; then
	FILES=100
	NAMES=200
fi

take_create() { rate create "/mnt/$1/$round" $FILES; }
take_create1() { rate create "/mnt/$1/one.$round" $FILES; }
take_create4() { rate create "/mnt/$1/four.$round" $FILES 4; }
take_rename() { rate rename "/mnt/$1/$round" $FILES; }
take_unlink() { rate unlink "/mnt/$1/$round" $FILES; }
take_mkdir() { rate mkdir "/mnt/$1/$round" $FILES; }
take_small() { rate small "/mnt/$1/$round" $FILES; }

take_stat() {
	cold
	rate stat "/mnt/$1/set" $FILES
}

take_warm() {
	rate stat "/mnt/$1/set" $FILES >/dev/null
	rate stat "/mnt/$1/set" $FILES
}

take_list() {
	cold
	rate list "/mnt/$1/large" $NAMES
}

# Threads need two processors. The other rows are measured on one: two of them would take turns for each
# request, and a busy host would wake neither in time.
threads_round() {
	mkdir "/mnt/lite/one.$round" "/mnt/lite/four.$round"
	take create1 lite
	take create4 lite
}

# What a round makes stays, but for the files of `unlink`.
one_round() {
	mkdir "/mnt/lite/$round" "/mnt/ext4/$round" "/mnt/async/$round"
	take create lite async ext4
	take rename lite async
	take unlink lite async
	take mkdir lite async
	take small lite async
	take stat lite sync
	take warm lite sync
	take list lite async
}

all_rpcs() {
	mkdir /mnt/lite/rpcs
	rpcs create-rpcs create /mnt/lite/rpcs $FILES
	rpcs unlink-rpcs unlink /mnt/lite/rpcs $FILES
	rpcs small-rpcs small /mnt/lite/rpcs $FILES
	cold
	rpcs stat-rpcs stat /mnt/lite/set $FILES
	rpcs warm-stat-rpcs stat /mnt/lite/set $FILES
	cold
	rpcs first-rpcs first /mnt/lite/set $FILES
	rpcs warm-open-rpcs open /mnt/lite/set $FILES
	cold
	rpcs list-rpcs list /mnt/lite/large $NAMES
}

# trees: what is only read; of NFS it is made at the server.
trees() {
	for place in /mnt/lite "$FS_DIR/ext4" "$FS_DIR/async" "$FS_DIR/sync"; do
		require mkdir "$place/set" "$place/large"
		require fs-rate small "$place/set" $FILES
	done
	require fs-rate small /mnt/lite/large $NAMES 4
	require fs-rate small "$FS_DIR/async/large" $NAMES
}

load_all
fs_directories 2500m
lite_place 1 1G
ext4_place 1G
nfs_places 1G async sync
trees
for round in $(seq "$BENCH_PAIRS"); do
	threads_round
done
processors 1
for round in $(seq "$BENCH_PAIRS"); do
	one_round
done
against create 'in a second' create lite create async
against create-ext4 'in a second' create lite create ext4
against create-4 'in a second' create4 lite create1 lite
against stat 'in a second' stat lite stat sync
against list 'in a second' list lite list async
against warm-stat 'in a second' warm lite warm sync
against unlink 'in a second' unlink lite unlink async
against mkdir 'in a second' mkdir lite mkdir async
against rename 'in a second' rename lite rename async
against small 'in a second' small lite small async
all_rpcs
fs_umount lite ost0 mdt0 mgt
unload_all
memused_zero
