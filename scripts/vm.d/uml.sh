# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# User-mode Linux for scripts/vm: a kernel that is a process of the host. Logs and
# directories of the host are reached through hostfs, with the rights of the user that runs it.

# uml_check: options that such a machine cannot have.
uml_check() {
	((MACHINES == 1)) || die_usage "--kernel $KERNEL: such a machine has no network to others (--machines)"
	((!QUIET_TIMING)) || die_usage "--kernel $KERNEL: its clock says nothing about speed (--quiet-timing)"
	[[ -z $CPUS || $CPUS == 1 ]] || die_usage "--kernel $KERNEL: such a machine has one processor (--cpus $CPUS)"
	[[ $MEMORY =~ ^[1-9][0-9]{0,8}[KMG]$ ]] || die_usage "--memory: $MEMORY is no size (512M, 1G)"
}

# free_kib DIRECTORY: its free space; 0 where programs cannot be run from it, as
# memory there could not be executed.
free_kib() {
	local probe
	probe=$(mktemp "$1/.lite-XXXXXX" 2>/dev/null) || { echo 0; return; }
	if cp "$(type -P true)" "$probe" 2>/dev/null && chmod +x "$probe" && "$probe" 2>/dev/null; then
		df -Pk "$1" | awk 'NR == 2 { print $4 }'
	else
		echo 0
	fi
	rm -f "$probe"
}

# uml_memory_folder: where the file is that is the machine's memory. It has no name, goes with
# the machine and takes what was really used.
uml_memory_folder() {
	local folder need free seen=''
	need=$(($(numfmt --from=iec "$MEMORY") / 1024))
	for folder in ${TMPDIR:+"$TMPDIR"} /dev/shm /tmp "$LOG"; do
		free=$(free_kib "$folder")
		if ((free >= need)); then
			printf '%s\n' "$folder"
			return
		fi
		seen+="${seen:+, }$folder $((free / 1024)) MiB"
	done
	die "no directory has $((need / 1024)) MiB for the machine's memory and lets programs run (free: $seen); set TMPDIR, or --memory to less"
}

# uml_arguments N DIR: the words for machine N, one a line, its files in DIR.
uml_arguments() {
	# No warnings on the console: its driver takes a lock that must not be taken in an
	# interrupt, where the kernel warns of its timer when the host was busy.
	local dir=$2 level=4
	((!INTERACTIVE)) || level=3
	# Of the host's terminal, or of nothing; what is printed is the console.
	if ((INTERACTIVE)); then
		printf '%s\n' ssl0=fd:0,fd:1
	else
		printf '%s\n' ssl0=null,fd:1
	fi
	printf '%s\n' quiet "loglevel=$level" console=ttyS0 "mem=$MEMORY" "initrd=$dir/initramfs" rdinit=/init \
		"uml_dir=$dir/" umid=uml panic=-1 log_buf_len=4M printk.devkmsg=on kasan_multi_shot
	((REAL_TIME)) || printf '%s\n' time-travel "time-travel-start=$(date +%s%N)"
	# shellcheck disable=SC2086
	[[ -z $APPEND ]] || printf '%s\n' $APPEND
}

# guard_group PID: end the process group of PID when this process is gone, however it
# ended: programs in the machine are processes of the host, which survive it. A line
# from us ends the guard, and nothing else.
declare -A GUARDS=()
guard_group() {
	local guard
	exec {guard}> >(
		trap '' INT TERM HUP
		read -r || kill -9 -- "-$1" 2>/dev/null
	)
	GUARDS[$1]=$guard
}

release_group() {
	local guard=${GUARDS[$1]:-}
	[[ $guard ]] || return 0
	echo >&"$guard"
	exec {guard}>&-
	unset "GUARDS[$1]"
}

# start_uml DIR KERNEL ARGUMENT...: in a session of its own, whose processes end together. A
# machine that reboots starts its program again by its name: this one is not found, so it
# ends, as one of QEMU's does.
start_uml() {
	local dir=$1 input command
	shift
	# shellcheck disable=SC2016
	command=(setpriv --pdeathsig KILL setsid env "TMPDIR=$MEMORY_FOLDER"
		bash -c 'ulimit -c 0; exec -a lite-machine "$@"' bash "$@")
	if ((INTERACTIVE)); then
		exec {input}<&0
		"${command[@]}" <&"$input" 2>"$dir/qemu" &
		exec {input}<&-
	else
		"${command[@]}" >>"$dir/console" 2>"$dir/qemu" </dev/null &
	fi
}
