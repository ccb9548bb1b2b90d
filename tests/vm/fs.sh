# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# File systems for scenarios: directories of targets, mounts in the network namespaces
# of net_nodes, and what there is to ask of them. Sourced after lib.sh:
#
#	. "$LL_LIB"
#	. "$LL_FS"
#
# Directories are below $FS_DIR, mount points below /mnt.

FS_DIR=${FS_DIR:-/tmp/targets}
FS_QUICK=

# at I COMMAND...: in the network namespace of node I, and in this mount namespace, so
# that a mount stays; I = 0: in this machine's own network namespace.
at() {
	fs_node=$1
	shift
	if [ "$fs_node" = 0 ]; then
		"$@"
	else
		nsenter "--net=/run/netns/n$fs_node" "$@"
	fi
}

# mount_at I SOURCE MNT [OPTION...]: mount with mount.lustre-lite.
mount_at() {
	fs_at=$1
	shift
	at "$fs_at" mount.lustre-lite "$@"
}

# fs_directories SIZE: a file system for target directories; everything below it is
# removed at the end.
fs_directories() {
	mkdir -p "$FS_DIR" /mnt
	mount -t tmpfs -o "size=$1" targets "$FS_DIR"
	at_exit "umount $FS_DIR 2>/dev/null"
	at_exit fs_umount_all
}

# fs_has TYPE: this kernel has this file system, as a module perhaps.
fs_has() {
	modprobe "$1" 2>/dev/null
	grep -qw "$1" /proc/filesystems
}

# fs_directories_ext4 SIZE: as fs_directories, on ext4 on the file $FS_DIR.disk.
fs_directories_ext4() {
	mkdir -p "$FS_DIR" /mnt
	modprobe loop 2>/dev/null
	fs_loop=$(losetup -f)
	truncate -s "$1" "$FS_DIR.disk"
	require losetup "$fs_loop" "$FS_DIR.disk"
	require mkfs.ext4 -q -F -I 512 "$fs_loop"
	at_exit "losetup -d $fs_loop 2>/dev/null"
	require mount -t ext4 "$fs_loop" "$FS_DIR"
	at_exit "umount $FS_DIR 2>/dev/null"
	at_exit fs_umount_all
}

# fs_directories_gone: unmount and remove that of fs_directories_ext4, before the end.
fs_directories_gone() {
	require umount "$FS_DIR"
	require losetup -d "$fs_loop"
	rm "$FS_DIR.disk"
}

# fs_disk NAME SIZE [OPTION...]: an ext4 of its own for the target directory NAME, on the file
# NAME.disk; with options of mkfs.ext4.
fs_disk() {
	fs_name=$1
	fs_size=$2
	shift 2
	mkdir -p "$FS_DIR/$fs_name"
	modprobe loop 2>/dev/null
	truncate -s "$fs_size" "$FS_DIR/$fs_name.disk"
	fs_disk=$(losetup -f)
	require losetup "$fs_disk" "$FS_DIR/$fs_name.disk"
	require mkfs.ext4 -q -F -I 512 "$@" "$fs_disk"
	require mount -t ext4 "$fs_disk" "$FS_DIR/$fs_name"
	at_exit "losetup -d $fs_disk"
	at_exit "umount $FS_DIR/$fs_name"
}

# fs_power_cut I [NAME [DEVICE]]: the target NAME (mdt0) of node I, which is the device DEVICE
# (lustre-MDT0000) and has an fs_disk of its own, loses what is not on the disk, and starts again. Its
# clients may have to replay.
fs_power_cut() {
	fs_at=$1
	fs_cut=${2:-mdt0}
	fs_power_off "$fs_cut" "${3:-lustre-MDT0000}"
	fs_start "$fs_at" "$fs_cut"
}

# fs_power_off NAME DEVICE: the first half of it.
fs_power_off() {
	fs_off=$(awk -v dir="$FS_DIR/$1" '$2 == dir { print $1 }' /proc/mounts)
	require lctl --device "$2" cleanup failover
	require fs-journal shutdown "$FS_DIR/$1"
	fs_umount "$1"
	require umount "$FS_DIR/$1"
	require mount -t ext4 "$fs_off" "$FS_DIR/$1"
}

# fs_recovered [TARGET]: mdt.lustre-MDT0000, or obdfilter.NAME, has its clients back.
fs_recovered() {
	recovery_complete "${1:-mdt.lustre-MDT0000}"
}

# fs_evict I [TARGET]: the metadata target, or TARGET (obdfilter.NAME), evicts the clients of node
# I, which connect from either of its addresses: a server that restarts may answer at the second one
# first.
fs_evict() {
	for fs_nid in "10.78.0.$1@tcp" "fd78::$1@tcp"; do
		! lctl set_param -n "${2:-mdt.*}.evict_client=nid:$fs_nid" 2>&1 || return 0
	done
	return 1
}

# fs_umount_all: unmount clients and targets, the last one mounted first.
fs_umount_all() {
	awk '$3 == "lustre-lite" { print $2 }' /proc/mounts | tac | while read -r fs_mounted; do
		umount "$fs_mounted"
	done
}

# fs_golden VERSION: targets that real Lustre wrote, in $FS_DIR/mdt0 and ost0 as restored backups are. Needs
# the program golden-tree, and tests/golden in /golden.
fs_golden() {
	fs_files=/golden/lustre-$1
	mkdir -p "$FS_DIR/tree" "$FS_DIR/mdt0" "$FS_DIR/ost0/CONFIGS" /mnt/mdt0
	require golden-tree "$FS_DIR/tree" "$fs_files/list" <"$fs_files/attributes"
	mv "$FS_DIR/tree/mdt/ROOT" "$FS_DIR/mdt0/ROOT"
	mv "$FS_DIR/tree/ost/O" "$FS_DIR/ost0/O"
	rm -r "$FS_DIR/tree"
	cp "$fs_files/LAST_ID" "$FS_DIR/ost0/O/0/LAST_ID"
	cp "$fs_files/mountdata-OST0000" "$FS_DIR/ost0/CONFIGS/mountdata"
	mkdir -p "$FS_DIR/mdt0/CONFIGS" "$FS_DIR/mdt0/PENDING" "$FS_DIR/mdt0/REMOTE_PARENT_DIR"
	for fs_log in client MDT0000 OST0000; do
		cp "$fs_files/t32fs-$fs_log" "$FS_DIR/mdt0/CONFIGS/"
	done
	cp "$fs_files/mountdata" "$FS_DIR/mdt0/CONFIGS/"
	cp "$fs_files/last_rcvd" "$fs_files/seq_srv" "$FS_DIR/mdt0/"
}

# fs_target I NAME MKFS-OPTION...: format the directory NAME and start it at node I.
fs_target() {
	fs_at=$1
	fs_name=$2
	shift 2
	mkdir -p "$FS_DIR/$fs_name" "/mnt/$fs_name"
	require mkfs.lustre-lite --quiet "$@" "$FS_DIR/$fs_name"
	require fs_patient mount_at "$fs_at" "$FS_DIR/$fs_name" "/mnt/$fs_name"
}

# fs_start I NAME [OPTION...]: start an existing target directory.
fs_start() {
	fs_at=$1
	fs_name=$2
	shift 2
	mkdir -p "/mnt/$fs_name"
	require fs_patient mount_at "$fs_at" "$FS_DIR/$fs_name" "/mnt/$fs_name" "$@"
}

# fs_make I NID FSNAME OSTS: a management service with a metadata target, and OSTS
# targets, all at node I whose NID is NID: directories mgt, mdt0, ost0, ost1 ...
fs_make() {
	fs_i=$1
	fs_nid=$2
	fs_fs=$3
	fs_osts=$4
	fs_target "$fs_i" mgt --mgs
	fs_target "$fs_i" mdt0 --mdt "--fsname=$fs_fs" --index=0 "--mgsnode=$fs_nid"
	fs_n=0
	while [ "$fs_n" -lt "$fs_osts" ]; do
		fs_target "$fs_i" "ost$fs_n" --ost "--fsname=$fs_fs" "--index=$fs_n" "--mgsnode=$fs_nid"
		fs_n=$((fs_n + 1))
	done
}

# fs_client I SOURCE NAME [OPTION...]: mount at node I on /mnt/NAME.
fs_client() {
	fs_at=$1
	fs_source=$2
	fs_name=$3
	shift 3
	mkdir -p "/mnt/$fs_name"
	require fs_patient mount_at "$fs_at" "$fs_source" "/mnt/$fs_name" "$@"
}

# fs_quick COMMAND...: with a short timeout: a task waits 5 s for a management service
# that does not answer, and 2 s if there is a copy of the log.
fs_quick() {
	fs_with_timeout 10 "$@"
}

# fs_patient COMMAND...: for scenarios with a short timeout, which notice a loss soon:
# a mount has the default time to find the service.
fs_patient() {
	fs_timeout=$(lctl get_param -n timeout 2>/dev/null)
	if [ "$FS_QUICK" ] || [ "${fs_timeout:-100}" -ge 30 ]; then
		"$@"
	else
		fs_with_timeout 100 "$@"
	fi
}

fs_with_timeout() {
	fs_timeout=$(lctl get_param -n timeout)
	lctl set_param -n "timeout=$1"
	[ "$1" -ge 30 ] || FS_QUICK=1
	shift
	"$@"
	fs_status=$?
	FS_QUICK=
	lctl set_param -n "timeout=$fs_timeout"
	return "$fs_status"
}

# fs_umount NAME...: one check each.
fs_umount() {
	for fs_name in "$@"; do
		require umount "/mnt/$fs_name"
	done
}

# param_is PATTERN VALUE: at least one parameter matches, and all that match have this
# value.
param_is() {
	lctl get_param -n "$1" >/tmp/param_is.$$ 2>/dev/null &&
		[ -s /tmp/param_is.$$ ] && ! grep -qvxF -e "$2" /tmp/param_is.$$
}

# nothing_down: every mount has all of its targets. A mount waits a few seconds only
# for their answers; on a busy machine they come later.
nothing_down() {
	[ -z "$(lctl get_param -n 'llite.*.down')" ]
}

# answers MNT: the client mounted there has connected to one of its targets.
answers() {
	fs_tries=0
	until stat -f "$1" >/dev/null 2>&1; do
		fs_tries=$((fs_tries + 1))
		[ "$fs_tries" -lt 300 ] || return 1
		usleep 100000
	done
}

# under_way TARGET N: clients wait for the answers of at least N requests to the object storage
# target TARGET (lustre-OST0000), which may be a shell pattern; for wait_for.
under_way() {
	lctl get_param -n "osc.$1-osc-[!M]*.import" |
		awk -v want="$2" '$1 == "inflight:" { n += $2 } END { exit n < want }'
}

# device_is NAME STATUS: as lctl dl prints it; NAME may be a shell pattern.
device_is() {
	lctl dl | awk -v name="^$1\$" -v status="$2" '$4 ~ name { n++; bad += $2 != status } END { exit !n || bad }'
}

devices() {
	lctl dl | wc -l
}

memused() {
	lctl get_param -n memused
}

# net_star N: network namespaces n1 to nN, each a node with a cable to this machine,
# which is 10.79.0.254 for all of them; node I is 10.79.0.I. They are removed when the
# script ends. For many nodes this is cheaper than net_nodes; they reach only this
# machine.
net_star() {
	for fs_n in $(seq "$1"); do
		printf 'netns add n%s\nlink add star%s type veth peer name cable netns n%s\n' "$fs_n" "$fs_n" "$fs_n"
		printf 'addr add 10.79.0.254 peer 10.79.0.%s dev star%s\nlink set star%s up\n' "$fs_n" "$fs_n" "$fs_n"
	done >/tmp/net_star
	at_exit "net_nodes_gone $1"
	require ip -batch /tmp/net_star
	for fs_n in $(seq "$1"); do
		printf 'link set lo up\naddr add 10.79.0.%s peer 10.79.0.254 dev cable\nlink set cable up\n' "$fs_n" |
			ip -n "n$fs_n" -batch - || failed "the network of node $fs_n"
	done
	wait_for 20 net_star_passes "$1"
}

# net_star_passes N: all cables pass packets.
net_star_passes() {
	[ "$(ip link show | grep -c '^[0-9]*: star.* state UP')" = "$1" ]
}

# disk_attach NAME: the file $FS_DIR/NAME at a loop device, $disk.
disk_attach() {
	disk=$(losetup -f)
	require losetup "$disk" "$FS_DIR/$1"
}

# disk_make NAME TYPE: a file $FS_DIR/NAME with an empty file system of TYPE, attached.
disk_make() {
	truncate -s 128M "$FS_DIR/$1"
	disk_attach "$1"
	case $2 in
	ext4) require mkfs.ext4 -q -F -m 0 -I 512 "$disk" ;;
	# It makes small ones for xfstests only, which have these variables.
	xfs) require env TEST_DIR=- TEST_DEV=- QA_CHECK_FS=- mkfs.xfs -q -f "$disk" ;;
	btrfs) require mkfs.btrfs -q -f -m single -d single "$disk" ;;
	esac
}

# disk_types: the local file systems that this kernel has, of those that targets may be on.
disk_types() {
	for fs_type in ext4 xfs btrfs; do
		! fs_has "$fs_type" || echo "$fs_type"
	done
}

# fs_list DIRECTORY: names and attributes of all that is in it.
fs_list() {
	(cd "$1" && find . | sort | xargs stat -c '%n %i %f %h %u:%g %t,%T %Y %Z %N')
}

# fs_names DIRECTORY: names, types, modes, owners and targets: what an archive restores.
fs_names() {
	(cd "$1" && find . | sort | xargs stat -c '%n %f %h %u:%g %N')
}

# fs_same WHAT A B [COMMAND]: COMMAND (fs_list) prints the same of both directories.
fs_same() {
	"${4:-fs_list}" "$2" >/tmp/fs_same.1 2>&1
	"${4:-fs_list}" "$3" >/tmp/fs_same.2 2>&1
	fs_compare "$1" /tmp/fs_same.1 /tmp/fs_same.2
}

# fs_compare WHAT EXPECTED SEEN: two files have the same lines.
fs_compare() {
	if cmp -s "$2" "$3" && [ -s "$2" ]; then
		passed "$1"
	else
		failed "$1" "$(wc -l <"$2") lines are expected, $(wc -l <"$3") are there; differences:
$(diff "$2" "$3" | grep '^[-+<>]' | head -n 38)"
		return 1
	fi
}

# fs_tree DIRECTORY [DIRECTORIES]: a tree of empty files, directories, symbolic links, hard links
# and nodes.
fs_tree() {
	for fs_n in $(seq "${2:-4}"); do
		mkdir -p "$1/d$fs_n/sub/deep" || return 1
		for fs_m in 1 2 3; do
			: >"$1/d$fs_n/file$fs_m" && chmod "6$fs_m$fs_n" "$1/d$fs_n/file$fs_m" || return 1
			ln -s "../file$fs_m" "$1/d$fs_n/sub/link$fs_m" || return 1
		done
		ln "$1/d$fs_n/file1" "$1/d$fs_n/sub/hard" || return 1
		mkfifo "$1/d$fs_n/sub/fifo" || return 1
		chown "$fs_n:100$fs_n" "$1/d$fs_n/sub" "$1/d$fs_n/file2" || return 1
		chmod "27$fs_n$fs_n" "$1/d$fs_n/sub/deep" || return 1
	done
	mknod "$1/null" c 1 3 && mknod "$1/disk" b 251 70000
}

# fs_nothing_pending: the objects of removed files are destroyed, after a commit; for wait_for.
fs_nothing_pending() {
	sync
	[ -z "$(find "$FS_DIR/mdt0/PENDING" -type f)" ]
}

# fs_nothing_left: after the last umount: no device, no module in use, no memory.
fs_nothing_left() {
	expect_eq "no device is left" "" "$(lctl dl)"
	unload_all
	memused_zero
}

# fs_checks COMMAND...: each line of its output is a check: "ok TEXT", or another word and why.
fs_checks() {
	"$@" >/tmp/checks 2>&1 || [ -s /tmp/checks ] || failed "$*"
	while read -r verdict what; do
		if [ "$verdict" = ok ]; then
			passed "$what"
		else
			failed "$verdict $what"
		fi
	done </tmp/checks
}

# fs_race DIR...: processes compete for names in a new directory, which is at DIR of each mount.
fs_race() {
	mkdir "$1"
	check "a race in $*" fs-racer --ops "${OPS:-200}" --seed $$ "$@"
	check "names have FIDs, and links are known" fs-links "$FS_DIR/mdt0/ROOT"
	check "what it left is removed" rm -r "$1"
}
