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
	mkdir -p /mnt/mdt /mnt/ost0 /mnt/ost1
	serve
	exit 0
fi

part "A file system out of folders: the server is another virtual machine"
server "mkfs.lustre-lite --mgs --mdt --fsname=demo --index=0 /shared/mdt"
server "mkfs.lustre-lite --quiet --ost --fsname=demo --mgsnode=$SERVER /shared/ost0; mkfs.lustre-lite --quiet --ost --fsname=demo --mgsnode=$SERVER /shared/ost1"
server "for t in mdt ost0 ost1; do mount -t lustre-lite /shared/\$t /mnt/\$t; done; lctl dl"

part "A client mounts it: the module is loaded, the log is fetched, devices are built"
mkdir -p /mnt/demo
run "mount -t lustre-lite $SERVER:/demo /mnt/demo"
run "lctl dl"
run "df -h /mnt/demo; ls -la /mnt/demo; grep lustre /proc/mounts"

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

part "The server loses its power, and comes back"
server "lctl set_param -P --wait 'osc.demo-*.max_dirty_mb=96'"
server "power off"
server "for t in mdt ost0 ost1; do mount -t lustre-lite /shared/\$t /mnt/\$t; done; llog_reader /shared/mdt/CONFIGS/params | tail -n 3"
# FULL: connected again, or the client did not notice, and df does.
wait_for 60 sh -c "lctl get_param -n 'mdc.demo-*.state' | grep -q 'current_state: FULL'"
run "df -h /mnt/demo; lctl get_param 'mdc.demo-*.state' | tail -n 5"
server "lctl set_param -P --wait=30 'osc.demo-*.max_dirty_mb=97'"
wait_for 60 sh -c "lctl get_param -n 'osc.demo-*.max_dirty_mb' | grep -q 97"
run "lctl get_param 'osc.demo-*.max_dirty_mb'"

part "And away"
run "umount /mnt/demo; lctl dl; rmmod llite mgc; lctl get_param memused"
server "for t in ost1 ost0 mdt; do umount /mnt/\$t; done; lctl dl"
touch /shared/over
