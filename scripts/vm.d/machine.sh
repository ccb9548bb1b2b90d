# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# QEMU for scripts/vm: which accelerator works here, and one machine's
# command line.

# accelerator: prints "kvm" or "tcg". /dev/kvm being there proves nothing, so a
# boot sector that does no more than leave the machine is run once for each
# start of the host; the verdict is kept in the cache.
accelerator() {
	local boot file
	if [[ -n ${LUSTRE_LITE_ACCEL:-} ]]; then
		printf '%s\n' "$LUSTRE_LITE_ACCEL"
		return
	fi
	if [[ ! -w /dev/kvm ]]; then
		echo tcg
		return
	fi
	boot=$(cat /proc/sys/kernel/random/boot_id)
	file=$LL_CACHE/accelerator-$boot
	if [[ ! -s $file ]]; then
		mkdir -p "$LL_CACHE"
		rm -f "$LL_CACHE"/accelerator-*
		probe_kvm >"$file.$$"
		mv "$file.$$" "$file"
	fi
	cat "$file"
}

# probe_kvm: the sector writes 0x10 to the debug-exit port, for which QEMU ends
# with status 0x10 * 2 + 1.
probe_kvm() {
	local sector status=0
	sector=$(mktemp)
	{
		printf '\xb0\x10\xe6\xf4\xf4\xeb\xfd'
		head -c 503 /dev/zero
		printf '\x55\xaa'
	} >"$sector"
	timeout -s KILL 10 qemu-system-x86_64 -accel kvm -cpu host -M q35 -m 64M -nodefaults -display none \
		-device isa-debug-exit,iobase=0xf4,iosize=0x04 \
		-drive "file=$sector,format=raw,if=ide" >/dev/null 2>&1 </dev/null || status=$?
	rm -f "$sector"
	if ((status == 33)); then
		echo kvm
	else
		echo tcg
	fi
}

# tsc_khz: how fast the host's time stamp counter runs, which the translator shows
# to guests; measured once for each start of the host. Prints nothing where it
# cannot be had: the guest measures it then.
tsc_khz() {
	local boot file
	boot=$(cat /proc/sys/kernel/random/boot_id)
	file=$LL_CACHE/tsc-$boot
	if [[ ! -s $file ]]; then
		mkdir -p "$LL_CACHE"
		rm -f "$LL_CACHE"/tsc-*
		measure_tsc >"$LL_CACHE/.tsc.$$"
		mv "$LL_CACHE/.tsc.$$" "$file"
	fi
	cat "$file"
}

measure_tsc() {
	local program
	program=$(mktemp)
	if cc -O2 -o "$program" "${BASH_SOURCE[0]%/*}/tsc.c" 2>/dev/null; then
		"$program" || true
	fi
	rm -f "$program"
}

# kernel_command_line ACCELERATOR: what every guest is booted with, and what was
# asked for.
kernel_command_line() {
	local level=5 line
	# People at a prompt want to see less than a log file.
	((!INTERACTIVE)) || level=3
	line="console=ttyS0 loglevel=$level panic=-1 nokaslr no_timer_check tsc=reliable clocksource=tsc"
	line+=' log_buf_len=4M printk.devkmsg=on net.ifnames=0 kasan_multi_shot rdinit=/init'
	# On a busy host the guest finds a wrong speed at boot, and its clock runs several
	# times too fast from then on: all its timeouts are short.
	if ((COUNT_INSTRUCTIONS)); then
		line+=' tsc_early_khz=1000000'
	elif [[ $1 == tcg && -n $(tsc_khz) ]]; then
		line+=" tsc_early_khz=$(tsc_khz)"
	fi
	# A host that is busy may keep a guest from its processor for longer than 20 s.
	line+=' mitigations=off watchdog_thresh=30'
	((!QUIET_TIMING)) || line+=' idle=poll mitigations=off audit=0 nowatchdog'
	((!COUNT_INSTRUCTIONS)) || line+=' norandmaps audit=0 nowatchdog'
	printf '%s %s\n' "$line" "$APPEND"
}

# need_multicast PORT: machines reach each other by multicast on the loopback interface, which
# may be down in a container, or filtered. Without perl it is QEMU that fails, later.
need_multicast() {
	local said
	command -v perl >/dev/null || return 0
	said=$(perl -MSocket -e '
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die "no socket: $!\n";
		setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
		my ($group, $local) = (inet_aton("230.0.0.1"), inet_aton("127.0.0.1"));
		my $to = sockaddr_in($ARGV[0], $group);
		bind($s, $to) or die "binding 230.0.0.1 failed: $!\n";
		# IP_ADD_MEMBERSHIP, IP_MULTICAST_LOOP, IP_MULTICAST_IF
		setsockopt($s, 0, 35, $group . $local) or die "joining 230.0.0.1 failed: $!\n";
		setsockopt($s, 0, 34, 1) or die "IP_MULTICAST_LOOP failed: $!\n";
		setsockopt($s, 0, 32, $local) or die "IP_MULTICAST_IF failed: $!\n";
		send($s, "lite", 0, $to) or die "sending to 230.0.0.1 failed: $!\n";
		vec(my $ready = "", fileno($s), 1) = 1;
		select($ready, undef, undef, 5) or die "what is sent to 230.0.0.1 does not come back\n";
	' "$1" 2>&1) ||
		die "--machines needs multicast on the loopback interface, which does not work here: $said;" \
			"bring it up (ip link set lo up), or let 230.0.0.1 through the packet filter"
}

# machine_arguments N DIR: QEMU's arguments for machine N, one a line, its files
# in DIR.
machine_arguments() {
	local n=$1 dir=$2 accel=count tag cpu=max,la57=off
	((COUNT_INSTRUCTIONS)) || accel=$(accelerator)
	# The translator copies and clears byte by byte where a processor says that
	# it is fast at that ("rep movsb"), and sysfs clears a page for each read.
	cpu+=,-erms,-fsrm
	case $accel in
	kvm) printf '%s\n' -accel kvm -cpu host ;;
	# An instruction takes a nanosecond of the guest's time; while the guest only waits,
	# its clock jumps to the next timer.
	count) printf '%s\n' -accel tcg,thread=single -icount shift=0,sleep=off -cpu "$cpu" ;;
	*) printf '%s\n' -accel tcg,thread=multi -cpu "$cpu" ;;
	esac
	printf '%s\n' -M q35 -m "$MEMORY" -smp "$CPUS" -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$KERNEL_IMAGE" -initrd "$dir/initramfs" -append "$(kernel_command_line "$accel")" \
		-device virtio-serial-pci
	for port in verdict output dmesg; do
		printf '%s\n' -chardev "file,id=$port,path=$dir/$port,append=on" \
			-device "virtserialport,chardev=$port,name=lite.$port"
	done
	if ((INTERACTIVE)); then
		printf '%s\n' -chardev stdio,id=console,signal=off,logfile="$dir/console" -serial chardev:console
	else
		printf '%s\n' -chardev "file,id=console,path=$dir/console,append=on" -serial chardev:console
	fi
	for tag in "${!SHARES[@]}"; do
		printf '%s\n' -virtfs "local,path=${SHARES[$tag]},mount_tag=$tag,security_model=none,multidevs=remap"
	done
	if ((MACHINES > 1)); then
		printf '%s\n' -netdev "socket,id=net,mcast=230.0.0.1:$NET_PORT,localaddr=127.0.0.1" \
			-device "virtio-net-pci,netdev=net,mac=52:54:00:77:00:$(printf '%02x' "$n"),romfile="
	fi
}
