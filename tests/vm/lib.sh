# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# What a script in a scripts/vm machine says its checks with. A script starts
# with:   . "$LL_LIB"
# and needs no end: its status is 1 when a check failed. A failed check names
# what was expected and what was seen, and the script goes on; `require CMD...`
# and `load` end it. Works in busybox ash and in bash.

LITE_STATE=/run/lite
LITE_CHECKS=0
LITE_FAILED=0
LITE_AT_EXIT=

# at_exit COMMAND: run COMMAND when the script ends, last one first (do not
# set an EXIT trap of your own).
at_exit() {
	LITE_AT_EXIT="$1
$LITE_AT_EXIT"
}

lite_end() {
	status=$1
	trap - EXIT
	eval "$LITE_AT_EXIT"
	echo "$LITE_CHECKS" >"$LITE_STATE/checks"
	if [ "$LITE_FAILED" -gt 0 ]; then
		echo "# $LITE_FAILED of $LITE_CHECKS checks failed"
		exit 1
	fi
	exit "$status"
}
trap 'lite_end $?' EXIT

# note TEXT...: a line in the log.
note() {
	echo "# $*"
}

# passed TEXT / failed TEXT [DETAIL]: count one check and print its result.
passed() {
	LITE_CHECKS=$((LITE_CHECKS + 1))
	echo "ok - $1"
}

failed() {
	LITE_CHECKS=$((LITE_CHECKS + 1))
	LITE_FAILED=$((LITE_FAILED + 1))
	echo "not ok - $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | head -n 40 | sed 's/^/    /'
}

# again TEXT WHY: an operation that was tried more than once; not a failure, and
# counted.
again() {
	echo "again - $1: $2"
}

# noticed OPERATION TIMES COMMAND...: failures of OPERATION were noticed, as /tmp/walked says; else
# COMMAND walks it again, until it was walked TIMES times. A kernel that watches objects and leaks
# allocates for itself beside each allocation (without a warning), and may take every failure of one
# walk.
noticed() {
	lite_operation=$1
	lite_times=$2
	shift 2
	lite_walk=1
	while [ "$lite_walk" -lt "$lite_times" ] && grep -q "^$lite_operation: .* 0 of them noticed" /tmp/walked; do
		again "$lite_operation" "none of its failures was noticed in walk $lite_walk"
		sed -i "/^$lite_operation: /d" /tmp/walked
		"$@" "$lite_operation" >>/tmp/walked 2>&1
		lite_walk=$((lite_walk + 1))
	done
	expect_match "^$lite_operation: [1-9][0-9]* allocations failed in turn, [1-9]" cat /tmp/walked
}

# skip REASON: end the script; it counts as skipped.
skip() {
	echo "$*" >"$LITE_STATE/skip"
	trap - EXIT
	eval "$LITE_AT_EXIT"
	exit 77
}

# check WHAT COMMAND...: COMMAND succeeds.
check() {
	lite_what=$1
	shift
	lite_status=0
	lite_out=$("$@" 2>&1) || lite_status=$?
	if [ "$lite_status" = 0 ]; then
		passed "$lite_what"
	else
		failed "$lite_what" "command:  $*
expected: status 0
seen:     status $lite_status
$lite_out"
		return 1
	fi
}

# require COMMAND...: COMMAND succeeds, or the script ends here.
require() {
	check "$*" "$@" || exit 1
}

# ended WHAT PID: this background command ends with status 0. (`check` runs its
# command in a subshell, which has no children to wait for.)
ended() {
	lite_status=0
	wait "$2" || lite_status=$?
	expect_eq "$1" 0 "$lite_status"
}

# expect_eq WHAT EXPECTED SEEN: two texts are the same.
expect_eq() {
	if [ "$2" = "$3" ]; then
		passed "$1"
	else
		failed "$1" "expected: $2
seen:     $3"
		return 1
	fi
}

# expect_status N COMMAND...: COMMAND ends with status N.
expect_status() {
	lite_want=$1
	shift
	lite_status=0
	lite_out=$("$@" 2>&1) || lite_status=$?
	if [ "$lite_status" = "$lite_want" ]; then
		passed "status $lite_want: $*"
	else
		failed "status $lite_want: $*" "expected: status $lite_want
seen:     status $lite_status
$lite_out"
		return 1
	fi
}

# expect_match REGEX COMMAND...: COMMAND succeeds, and a line of its output (both
# streams) matches the extended regular expression.
expect_match() {
	lite_want=$1
	shift
	lite_said 0 "says: $lite_want" "a line that matches $lite_want" "$@"
}

# expect_no_match REGEX COMMAND...: COMMAND succeeds and prints something, and no line
# matches. For commands that may print nothing use expect_output ''.
expect_no_match() {
	lite_want=$1
	shift
	lite_said 1 "does not say: $lite_want" "output without a line that matches $lite_want" "$@"
}

# expect_error REGEX COMMAND..., expect_error_without REGEX COMMAND...: the same of a
# COMMAND that fails by itself; a COMMAND that cannot be started, or is killed, does
# not count.
expect_error() {
	lite_want=$1
	shift
	lite_said 2 "fails and says: $lite_want" "a failure, and a line that matches $lite_want" "$@"
}

expect_error_without() {
	lite_want=$1
	shift
	lite_said 3 "fails and does not say: $lite_want" \
		"a failure, and output without a line that matches $lite_want" "$@"
}

# lite_said KIND WHAT EXPECTED COMMAND...: for the four above. KIND 1 and 3: no line
# may match; KIND 2 and 3: COMMAND must fail.
lite_said() {
	lite_kind=$1
	lite_text=$2
	lite_expected=$3
	shift 3
	lite_status=0
	lite_out=$("$@" 2>&1) || lite_status=$?
	if lite_status_fits && lite_output_fits; then
		passed "$* $lite_text"
	else
		failed "$* $lite_text" "expected: $lite_expected
seen:     status $lite_status
$lite_out"
		return 1
	fi
}

lite_status_fits() {
	case $lite_kind in
	0 | 1) [ "$lite_status" = 0 ] ;;
	*) [ "$lite_status" -gt 0 ] && [ "$lite_status" -lt 126 ] ;;
	esac
}

lite_output_fits() {
	case $lite_kind in
	0 | 2) printf '%s\n' "$lite_out" | grep -q -E -e "$lite_want" ;;
	*) [ "$lite_out" ] && ! printf '%s\n' "$lite_out" | grep -q -E -e "$lite_want" ;;
	esac
}

# expect_output TEXT COMMAND...: standard output and error are exactly TEXT.
expect_output() {
	lite_want=$1
	shift
	lite_status=0
	lite_out=$("$@" 2>&1) || lite_status=$?
	if [ -z "$lite_want$lite_out" ] && [ "$lite_status" != 0 ]; then
		failed "output of: $*" "expected: no output, and status 0
seen:     no output, and status $lite_status"
		return 1
	fi
	expect_eq "output of: $*" "$lite_want" "$lite_out"
}

# grew FILE LINES: it has as many lines; for wait_for.
grew() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

# as_user COMMAND...: run as the ordinary user `user`, without capabilities.
as_user() {
	/usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all \
		env HOME=/home/user USER=user "$@"
}

# wait_for SECONDS COMMAND...: try COMMAND until it succeeds, every tenth of a second at first
# and, as that takes as much of a processor as many a test, less often later; one check.
wait_for() {
	lite_limit=$1
	shift
	lite_left=$((lite_limit * 1000))
	lite_nap=100
	while ! "$@" >/dev/null 2>&1; do
		if [ "$lite_left" -le 0 ]; then
			failed "within $lite_limit s: $*" "expected: success within $lite_limit s
seen:     $("$@" 2>&1)"
			return 1
		fi
		lite_pause
	done
	passed "within $lite_limit s: $*"
}

# lite_pause: for a loop that sets lite_left and lite_nap (milliseconds) and waits for something: the
# longer it has waited, the longer it sleeps, up to half a second.
lite_pause() {
	usleep "$((lite_nap * 1000))"
	lite_left=$((lite_left - lite_nap))
	[ "$lite_nap" -ge 500 ] || lite_nap=$((lite_nap + lite_nap / 8))
}

# watchers N: N processes watch parameters or devices (watch_param, monitor): they
# have joined a group of generic netlink, which is 16.
watchers() {
	[ "$(awk '$2 == 16 && $4 !~ /^0*$/' /proc/net/netlink | wc -l)" = "$1" ]
}

# allow_splat REGEX: kernel messages that match are not a failure of this script.
# expect_splat REGEX: the same, and such a message must appear.
allow_splat() {
	printf '%s\n' "$1" >>"$LITE_STATE/allow"
}

expect_splat() {
	allow_splat "$1"
	printf '%s\n' "$1" >>"$LITE_STATE/expect"
}

# kernel_log: the kernel log since the start of this script.
kernel_log() {
	dmesg | awk -v mark="lite-vm: start " '
		index($0, mark) { n = 0; next } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
}

# module_loaded NAME
module_loaded() {
	[ -d "/sys/module/$1/holders" ]
}

# lite_needs NAME: modules that the module NAME needs, each after those that it needs itself, in
# lite_theirs (of the kernel) and lite_ours (of the project). scripts/vm has written them down.
lite_needs() {
	lite_theirs='' lite_ours=''
	[ ! -e "/lite/needs/$1" ] || { read -r lite_theirs; read -r lite_ours; } <"/lite/needs/$1"
}

# load NAME [PARAMETER=VALUE...]: insert a module of the project; ends the script on
# failure.
load() {
	lite_module=$1
	shift
	lite_status=0
	lite_needs "$lite_module"
	for lite_dep in $lite_theirs; do
		module_loaded "$lite_dep" || modprobe "$lite_dep"
	done
	lite_out=$(insmod "/lib/modules-lite/$lite_module.ko" "$@" 2>&1) || lite_status=$?
	if [ "$lite_status" = 0 ] && module_loaded "$lite_module"; then
		passed "load $lite_module${1:+ $*}"
		return 0
	fi
	failed "load $lite_module${1:+ $*}" "expected: the module is loaded
seen:     status $lite_status
$lite_out
$(dmesg | tail -n 5)"
	exit 1
}

# lite_rmmod NAME: remove a module; its messages are in lite_out. Objects that the
# last case of a suite, a config log or a peer has released are freed a moment later,
# and keep the module in use until then; such a retry is reported. Scenarios that
# require an immediate removal (after a detach) call rmmod.
lite_rmmod() {
	lite_tries=0
	until lite_out=$(rmmod "$1" 2>&1); do
		lite_tries=$((lite_tries + 1))
		if [ "$lite_tries" = 50 ] || ! module_loaded "$1"; then
			return 1
		fi
		usleep 100000
	done
	[ "$lite_tries" = 0 ] || again "unload $1" "it was in use for $lite_tries tenths of a second"
}

# lite_device_users: the processes that have the device of libcfs open.
lite_device_users() {
	for lite_each in /proc/[0-9]*/fd/*; do
		if [ "$(readlink "$lite_each")" = /dev/libcfs ]; then
			lite_each=${lite_each%/fd/*}
			echo "${lite_each#/proc/} $(tr '\0' ' ' <"$lite_each/cmdline")"
		fi
	done 2>/dev/null
}

# unload NAME: remove a module and check that it is gone.
unload() {
	lite_status=0
	lite_rmmod "$1" || lite_status=1
	if [ "$lite_status" = 0 ] && ! module_loaded "$1"; then
		passed "unload $1"
		return 0
	fi
	failed "unload $1" "expected: the module is gone
seen:     status $lite_status, users: $(cat "/sys/module/$1/refcnt" 2>/dev/null)
$lite_out
processes with an open device: $(lite_device_users)"
	return 1
}

# The modules of the project, users first, and those for tests.
LITE_MODULES="libcfs obdclass ptlrpc obdecho lov lmv mdc osc osd mgs mgc mdt ofd llite"
LITE_TEST_MODULES="params_sample params_holder params_deadlock tcp_floor"

# load_all: insert all modules except those for tests.
load_all() {
	for lite_each in $LITE_MODULES; do
		module_loaded "$lite_each" || load "$lite_each"
	done
}

# unload_all: remove every module of the project that is loaded, users first;
# one check each.
unload_all() {
	for lite_each in $(lite_loaded); do
		unload "$lite_each"
	done
}

# rmmod_all: the same without checks, for at_exit; cleans up devices first.
rmmod_all() {
	! module_loaded obdclass || obd-away >/dev/null 2>&1
	for lite_each in $(lite_loaded); do
		rmmod "$lite_each"
	done >/dev/null 2>&1
}

# lite_loaded: loaded modules of the project, users first.
lite_loaded() {
	lite_order=
	for lite_each in $LITE_MODULES $LITE_TEST_MODULES; do
		! module_loaded "$lite_each" || lite_order="$lite_each $lite_order"
	done
	echo "$lite_order"
}

# load_below NAME: insert the modules of the project that the module NAME needs.
load_below() {
	lite_needs "$1"
	for lite_each in $lite_ours; do
		module_loaded "$lite_each" || load "$lite_each"
	done
}

# recovery_complete DEVICE: the server DEVICE (obdecho.es) has its clients back, or has evicted
# them; for wait_for.
recovery_complete() {
	lctl get_param -n "$1.recovery_status" | grep -q '^status: COMPLETE'
}

# pauses: a task is at the fault point that was set.
pauses() {
	[ $(($(lctl get_param -n fail_loc) & 0x40000000)) != 0 ]
}

# kmemleak_clear, kmemleak_scan: report memory that was allocated in between and is
# unreachable. An object must be older than five seconds and be found unreachable by
# two scans, hence the pauses. On kernels without kmemleak nothing is checked and
# nothing is counted.
KMEMLEAK=/sys/kernel/debug/kmemleak

kmemleak_clear() {
	[ ! -e "$KMEMLEAK" ] || echo clear >"$KMEMLEAK"
}

kmemleak_scan() {
	[ -e "$KMEMLEAK" ] || return 0
	allow_splat 'kmemleak: [0-9]+ new suspected memory leaks'
	sleep 6
	echo scan >"$KMEMLEAK"
	sleep 6
	echo scan >"$KMEMLEAK"
	lite_out=$(cat "$KMEMLEAK")
	if [ -z "$lite_out" ]; then
		passed "kmemleak finds nothing"
	else
		failed "kmemleak finds nothing" "expected: no unreferenced object
seen:     $(printf '%s\n' "$lite_out" | grep -c 'unreferenced object') objects
$lite_out"
		return 1
	fi
}

# memused_zero: the modules hold no memory. While libcfs is loaded its parameter is
# read (needs lctl); afterwards the message that libcfs logged at its removal.
memused_zero() {
	if module_loaded libcfs; then
		expect_eq "memused" 0 "$(lctl get_param -n memused 2>&1)"
	else
		expect_eq "what libcfs said about memory when it was unloaded" "" \
			"$(kernel_log | grep -o 'libcfs: .*bytes leaked.*')"
	fi
}

# ktap_cases: KTAP of the kernel log on standard input; prints "TOTAL FAILED
# SKIPPED PLANNED". A case is a result line indented by four spaces below a
# plan with the same indent.
ktap_cases() {
	sed 's/^<[0-9]*>//; s/^\[[ 0-9]*\.[0-9]*\] //' | awk '
		/^    1\.\.[0-9]+$/ { sub(/^    1\.\./, ""); planned += $0 }
		/^    (not )?ok [0-9]+ / {
			total++
			if (/^    not/) bad++
			else if (/# SKIP/) skipped++
		}
		/^not ok [0-9]+ / { suites_bad++ }
		END {
			if (suites_bad && !bad) bad = suites_bad
			print total + 0, bad + 0, skipped + 0, planned + 0
		}'
}

# kunit_module FILE.ko [PARAMETER=VALUE...]: insert a KUnit module, count the cases
# that it logged, remove it. Fails if a case failed, if none ran, or if fewer ran than
# the plans announced (a case that crashed).
kunit_module() {
	lite_file=$1
	lite_name=$(basename "$lite_file" .ko)
	case $lite_file in
	/*) ;;
	*) lite_file=/lib/modules-lite/$lite_name.ko ;;
	esac
	shift
	lite_mark="lite-vm: kunit $lite_name $(cut -d ' ' -f 1 /proc/uptime)"
	echo "$lite_mark" >/dev/kmsg
	lite_status=0
	lite_out=$(insmod "$lite_file" "$@" 2>&1) || lite_status=$?
	dmesg | awk -v mark="$lite_mark" 'p { print } index($0, mark) { p = 1 }' >"$LITE_STATE/ktap"
	if [ "$lite_status" != 0 ]; then
		failed "kunit $lite_name" "insmod $lite_file: status $lite_status, $lite_out
$(tail -n 20 "$LITE_STATE/ktap")"
		return 1
	fi
	lite_counts=$(ktap_cases <"$LITE_STATE/ktap")
	# shellcheck disable=SC2086
	kunit_judge "$lite_name" $lite_counts || lite_status=1
	lite_rmmod "$(echo "$lite_name" | tr - _)" || failed "kunit $lite_name: the module cannot be removed" "$lite_out"
	return "$lite_status"
}

# kunit_judge NAME TOTAL FAILED SKIPPED PLANNED
kunit_judge() {
	note "kunit $1: $2 cases, $3 failed, $4 skipped"
	LITE_CHECKS=$((LITE_CHECKS + $2))
	if [ "$2" -eq 0 ]; then
		failed "kunit $1: at least one case runs" "$(tail -n 20 "$LITE_STATE/ktap")"
	elif [ "$3" -gt 0 ]; then
		failed "kunit $1: no case fails" "$(grep -E 'EXPECTATION FAILED|ASSERTION FAILED|not ok |^.{15}    [^ ]' "$LITE_STATE/ktap")"
	elif [ "$2" -ne "$5" ]; then
		failed "kunit $1: every planned case ends" "expected: $5 results
seen:     $2
$(tail -n 20 "$LITE_STATE/ktap")"
	else
		return 0
	fi
	return 1
}

# The one of iproute2; that of ash does not support namespaces.
ip() {
	/usr/bin/ip "$@"
}

# net_nodes N: network namespaces n1 to nN, each a node; every two have a cable
# between them, and node I is 10.78.0.I and fd78::I for all. They are removed when the
# script ends.
net_nodes() {
	lite_nodes=$1
	for lite_i in $(seq "$lite_nodes"); do
		echo "netns add n$lite_i"
		for lite_j in $(seq $((lite_i - 1))); do
			echo "link add to$lite_j netns n$lite_i type veth peer name to$lite_i netns n$lite_j"
		done
	done >"$LITE_STATE/net"
	at_exit "net_nodes_gone $lite_nodes"
	ip -batch "$LITE_STATE/net" || failed "the nodes of a network"
	for lite_i in $(seq "$lite_nodes"); do
		net_node_ends "$lite_i" | ip -n "n$lite_i" -batch - || failed "the network of node $lite_i"
	done
	for lite_i in $(seq "$lite_nodes"); do
		wait_for 20 net_node_passes "$lite_i"
	done
}

# net_node_passes I: all ends of node I's cables pass packets.
net_node_passes() {
	[ "$(ip -n "n$1" link show | grep -c 'state UP')" = "$((lite_nodes - 1))" ]
}

# net_node_ends I: commands in node I for its ends of cables, for ip -batch: one
# process for each node, because there are many commands.
net_node_ends() {
	echo "link set lo up"
	for lite_j in $(seq "$lite_nodes"); do
		[ "$lite_j" != "$1" ] || continue
		echo "addr add 10.78.0.$1 peer 10.78.0.$lite_j dev to$lite_j"
		net_end_up "$1" "$lite_j"
	done
}

# net_end_up I J: commands for node I; IPv6 drops an address when its device goes
# down.
net_end_up() {
	echo "link set to$2 up"
	echo "addr replace fd78::$1/128 dev to$2 nodad"
	echo "route replace fd78::$2 dev to$2 src fd78::$1"
}

# net_more I N: node I has 10.78.I.1 to 10.78.I.N, too.
net_more() {
	for lite_i in $(seq "$2"); do
		ip -n "n$1" addr add "10.78.$1.$lite_i" dev lo
	done
	for lite_i in $(seq "$lite_nodes"); do
		[ "$lite_i" = "$1" ] || ip -n "n$lite_i" route add "10.78.$1.0/24" via "10.78.0.$1"
	done
}

# on I COMMAND...: in namespace nI.
on() {
	lite_node=n$1
	shift
	ip netns exec "$lite_node" "$@"
}

# net_cut I J, net_join I J: unplug the cable between two nodes; plug it in and wait
# until both ends pass packets, which takes up to a second.
net_cut() {
	ip -n "n$1" link set "to$2" down
}

net_join() {
	net_end_up "$1" "$2" | ip -n "n$1" -batch -
	wait_for 20 net_end_passes "$1" "$2"
	wait_for 20 net_end_passes "$2" "$1"
}

# net_end_passes I J: in node I, the end of its cable to J.
net_end_passes() {
	ip -n "n$1" link show "to$2" | grep -q "state UP"
}

net_nodes_gone() {
	for lite_i in $(seq "$1"); do
		ip netns del "n$lite_i"
	done 2>/dev/null
}

lite_arrived() {
	for lite_file in "/shared/barrier-$1-"*; do
		[ ! -e "$lite_file" ] || printf '%s ' "${lite_file##*-}"
	done
}

# node_barrier NAME SECONDS: wait until every machine of this run has reached this
# barrier.
node_barrier() {
	: >"/shared/barrier-$1-$LL_NODE"
	lite_tries=$(($2 * 10))
	while [ "$(lite_arrived "$1" | wc -w)" -lt "$LL_NODES" ]; do
		lite_tries=$((lite_tries - 1))
		if [ "$lite_tries" -le 0 ]; then
			failed "barrier $1" "expected: $LL_NODES machines within $2 s
seen:     $(lite_arrived "$1")"
			return 1
		fi
		usleep 100000
	done
}

# machine_file NAME: wait until one of the machines has created /shared/NAME. It may
# have to boot first, and scripts/vm starts it again if it does not come up in 120 s.
machine_file() {
	wait_for 400 test -e "/shared/$1"
}

# machine_life: number of starts of this machine in this run: 1, and one more for each
# machine_crash.
machine_life() {
	cat "/shared/.life-$LL_NODE" 2>/dev/null || echo 1
}

# machine_crash [SECONDS]: this machine loses its power now and is started again after
# SECONDS; the script then starts again, with a higher machine_life. State that must
# survive is written to /shared before. With several machines only.
machine_crash() {
	if [ -d /shared ]; then
		echo "${1:-0}" >"/shared/.crash-$LL_NODE.new"
		mv "/shared/.crash-$LL_NODE.new" "/shared/.crash-$LL_NODE"
		sleep 60
	fi
	failed "node $LL_NODE loses its power"
	exit 1
}
