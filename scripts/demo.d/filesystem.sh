# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The second part of scripts/demo: two virtual machines. This one is the client and
# says what is shown; the other one is the server and does what it is told: commands
# go to it through /shared, and what they print comes back.

# shellcheck source=tests/vm/lib.sh
. "$LL_LIB"

SERVER=10.77.0.2@tcp
ASK=/shared/ask
ANSWER=/shared/answer

part() {
	printf '\n=== %s\n' "$*"
}

# judge STATUS WANT COMMAND: how it ended is how it should have.
judge() {
	[ "$1" -eq "$2" ] || failed "$3 ended with status $1, not $2"
}

run() {
	printf '\nclient$ %s\n' "$*"
	status=0
	sh -c "$*" 2>&1 || status=$?
	judge "$status" 0 "$*"
}

asked=0
server() {
	printf '\nserver$ %s\n' "$*"
	asked=$((asked + 1))
	printf '%s\n' "$*" >"$ASK.new"
	mv "$ASK.new" "$ASK.$asked"
	wait_for 60 test -e "$ANSWER.$asked" >/dev/null
	cat "$ANSWER.$asked.text"
	judge "$(cat "$ANSWER.$asked")" 0 "$*"
}

# What the server does all its lives: answer what was not answered yet.
serve() {
	next=1
	while [ ! -e /shared/over ]; do
		[ ! -e "$ANSWER.$next" ] || {
			next=$((next + 1))
			continue
		}
		[ -e "$ASK.$next" ] || {
			usleep 50000
			continue
		}
		if [ "$(cat "$ASK.$next")" = "power off" ]; then
			: >"$ANSWER.$next.text"
			echo 0 >"$ANSWER.$next"
			machine_crash 1
		fi
		status=0
		sh "$ASK.$next" >"$ANSWER.$next.text" 2>&1 || status=$?
		echo "$status" >"$ANSWER.$next.new"
		mv "$ANSWER.$next.new" "$ANSWER.$next"
	done
}

if [ "$LL_NODE" = 2 ]; then
	mkdir -p /disk /mnt/mdt /mnt/ost0 /mnt/ost1 /mnt/demo
	serve
	exit 0
fi

part "A file system out of directories: the server is another virtual machine"
server "truncate -s 256M /shared/disk; mkfs.ext4 -q -I 512 /shared/disk; mount -t ext4 -o loop /shared/disk /disk"
server "mkdir -p /disk/mdt /disk/ost0 /disk/ost1; mkfs.lustre-lite --mgs --mdt --fsname=demo --index=0 /disk/mdt"
server "for i in 0 1; do mkfs.lustre-lite --quiet --ost --fsname=demo --mgsnode=$SERVER /disk/ost\$i; done"
server "for t in mdt ost0 ost1; do mount -t lustre-lite /disk/\$t /mnt/\$t; done; lctl dl"

part "A client mounts it: the module is loaded, the log is fetched, devices are built"
mkdir -p /mnt/demo
run "mount -t lustre-lite $SERVER:/demo /mnt/demo"
run "lctl dl"
run "df -h /mnt/demo; ls -la /mnt/demo; grep lustre /proc/mounts"

part "A tree of files: what one client makes, another one sees at once"
server "mount -t lustre-lite $SERVER:/demo /mnt/demo; ls -A /mnt/demo"
run "cd /mnt/demo && mkdir -p fruit/citrus && touch fruit/melon fruit/apple fruit/citrus/lemon && ln -s ../melon fruit/citrus/best && ln fruit/apple fruit/pomme && chown 1000:1000 fruit/melon && chmod 640 fruit/melon"
server "ls -lRi /mnt/demo"
server "mv /mnt/demo/fruit/citrus /mnt/demo/sour && rm /mnt/demo/fruit/apple"
run "ls -l /mnt/demo/sour /mnt/demo/fruit"

part "Data: what one client writes the other one reads"
run "echo 'a melon is a fruit' >/mnt/demo/fruit/melon; head -c 20000000 /dev/urandom >/mnt/demo/random; ls -l /mnt/demo/random; sha1sum /mnt/demo/random"
server "cat /mnt/demo/fruit/melon; sha1sum /mnt/demo/random; echo 'and sweet' >>/mnt/demo/fruit/melon; truncate -s 5000000 /mnt/demo/random"
run "cat /mnt/demo/fruit/melon; ls -l /mnt/demo/random"
run "cp /bin/busybox /mnt/demo/busybox && /mnt/demo/busybox echo 'a program on the file system'"

part "Striped files: a directory says how its new files are laid out"
run "mkdir /mnt/demo/wide && lfs setstripe -c 2 -S 1M /mnt/demo/wide && cp /mnt/demo/random /mnt/demo/wide/random"
run "lfs getstripe /mnt/demo/wide/random; lfs df -h /mnt/demo"
server "cmp /mnt/demo/random /mnt/demo/wide/random; lfs find /mnt/demo --stripe-count 2"

part "Both machines append to one striped file; what holds its layout while it is open"
run "(until [ -e /tmp/enough ]; do echo client >>/mnt/demo/wide/both; done; touch /tmp/appended) &"
server "for i in \$(seq 100); do echo server >>/mnt/demo/wide/both; done"
run "touch /tmp/enough; until [ -e /tmp/appended ]; do sleep 0.1; done; uniq -c /mnt/demo/wide/both | head -n 5; sort /mnt/demo/wide/both | uniq -c"
run "exec 9</mnt/demo/wide/both; head -c 65536 <&9 | wc -l; lctl get_param 'lov.demo-clilov-*.layouts' 'lov.demo-clilov-*.segments'"
server "umount /mnt/demo"

part "On the server it is directories of ext4, with the attributes that real Lustre gives its files"
server "ls -l /disk/mdt/ROOT/fruit; ll_decode /disk/mdt/ROOT/fruit/melon"
server "for o in \$(grep -ls 'a melon is' /disk/ost?/O/0/d*/*); do echo \"== \$o\"; cat \$o; ll_decode \$o; done"

part "One command changes a setting everywhere, for ever, and returns when all nodes have it"
server "time lctl set_param -P --wait 'osc.demo-*.max_dirty_mb=64'"
run "lctl get_param 'osc.demo-*.max_dirty_mb'"
run "lctl list_param --describe 'osc.demo-OST0000*.max_dirty_mb'"
server "lctl get_param mgs.MGS.live.demo | tail -n 9; lctl get_param mgs.MGS.changes | tail -n 3"
server "lctl set_param -P 'osc.demo-*.max_dirty_mb=much' || true; lctl set_param -P osc.demo-*.no_such=1 || true"
lctl watch_param -n 2 --timeout 30 'osc.demo-*.max_dirty_mb' >/tmp/watched &
server "lctl set_param -P -d 'osc.demo-*.max_dirty_mb'"
run "cat /tmp/watched"
run "lctl get_param 'osc.demo-*.max_dirty_mb'"

part "The server loses its power while the client unpacks a tree"
mkdir -p /tmp/tree
for d in $(seq 1 10); do
	mkdir "/tmp/tree/$d"
	for f in $(seq 1 25); do
		head -c $((f * 3000)) /dev/urandom >"/tmp/tree/$d/$f"
	done
done
server "lctl set_param -P --wait 'osc.demo-*.max_dirty_mb=96'"
tar -C /tmp -cf /tmp/tree.tar tree
printf '\nclient$ tar -C /mnt/demo -xf /tmp/tree.tar &\n'
tar -C /mnt/demo -xf /tmp/tree.tar &
tar=$!
wait_for 120 test -e /mnt/demo/tree/3
server "power off"
server "mount -t ext4 -o loop /shared/disk /disk; for t in mdt ost0 ost1; do mount -t lustre-lite /disk/\$t /mnt/\$t; done"
printf '\nclient$ wait\n'
status=0
wait $tar || status=$?
judge "$status" 0 tar
run "find /mnt/demo/tree | wc -l; find /tmp/tree | wc -l; diff -r /tmp/tree /mnt/demo/tree && echo 'all files are the same'"
run "lctl get_param 'mdc.demo-*.state' | tail -n 5; df -h /mnt/demo"
server "llog_reader /disk/mdt/CONFIGS/params | tail -n 3; find /disk/mdt/ROOT/tree | wc -l"
server "lctl set_param -P --wait=30 'osc.demo-*.max_dirty_mb=97'"
wait_for 60 sh -c "lctl get_param -n 'osc.demo-*.max_dirty_mb' | grep -q 97"
run "lctl get_param 'osc.demo-*.max_dirty_mb'"

part "A file system that real Lustre 2.9 wrote: its directories, restored from a backup, become targets"
run "umount /mnt/demo"
server "for t in ost1 ost0 mdt; do umount /mnt/\$t; done; rm -r /disk/*"
server ". \$LL_LIB; . \$LL_FS; FS_DIR=/disk fs_golden 2.9 >/dev/null; ls -l /disk/mdt0 /disk/ost0"
server "tunefs.lustre-lite --import --dry-run /disk/mdt0"
server "tunefs.lustre-lite --quiet --import --mgsnode=$SERVER /disk/mdt0; tunefs.lustre-lite --quiet --import --mgsnode=$SERVER /disk/ost0"
server "mount -t lustre-lite /disk/mdt0 /mnt/mdt; mount -t lustre-lite /disk/ost0 /mnt/ost0"
run "mount -t lustre-lite $SERVER:/t32fs /mnt/demo; ls -l /mnt/demo; lfs getstripe -v /mnt/demo/rc.local"
run "cd /mnt/demo; sha1sum -c /golden/lustre-2.9/sha1sums | awk '{ n[\$NF]++ } END { for (s in n) print n[s], \"files\", s }'"
run "echo 'echo a new line' >>/mnt/demo/rc.local; tail -n 2 /mnt/demo/rc.local; lfs path2fid /mnt/demo/rc.local"

part "And away"
run "umount /mnt/demo; lctl dl; rmmod llite mgc; lctl get_param memused"
server "for t in ost0 mdt; do umount /mnt/\$t; done; umount /disk; lctl dl"
touch /shared/over
