# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The tour of scripts/demo: runs in the virtual machine. Each part is a `part`
# that says what is shown, then commands by `run`, which prints a command as a
# person types it and then runs it. A command that does not end as the tour says
# fails the demo.

# shellcheck source=tests/vm/lib.sh
. "$LL_LIB"

part() {
	printf '\n=== %s\n' "$*"
}

# shown STATUS COMMAND: print and run it, STATUS is how it has to end.
shown() {
	want=$1
	shift
	printf '\n$ %s\n' "$*"
	status=0
	# ash has an "ip" of its own, which knows no namespaces.
	sh -c "ip() { /usr/bin/ip \"\$@\"; }
$*" 2>&1 || status=$?
	[ "$status" -eq "$want" ] || failed "$* ended with status $status, not $want"
}

run() { shown 0 "$@"; }

refused() { shown "$@"; }

part "A stock kernel, modules, no patch"
run uname -rv
run insmod /lib/modules-lite/libcfs.ko
run insmod /lib/modules-lite/params_sample.ko entries=72
run lctl get_param version health_check

part "List: names come from a tree in the kernel, the globs are matched by lctl"
run "lctl list_param -F '*'"
run "lctl list_param 'sample.*.max_*'"

part "Read: typed values, as text, JSON or YAML"
run "lctl get_param 'sample.*0001.max_*' sample.lustre-OST0001.import"
run "lctl get_param --json sample.lustre-OST0001.checksum_type sample.lustre-OST0001.max_dirty_mb"
run "lctl get_param --yaml sample.lustre-OST0001.active sample.lustre-OST0001.import"

part "What a parameter is: type, range, unit and meaning come from the kernel"
run lctl help_param sample.lustre-OST0000.max_rpcs_in_flight
run lctl list_param --describe sample.lustre-OST0000.checksum_type

part "Set: units and names are understood, ranges are checked"
run "lctl set_param 'sample.*.max_rpcs_in_flight=16' sample.lustre-OST0000.max_dirty_mb=1G"
run lctl get_param sample.lustre-OST0000.max_dirty_mb
refused 34 lctl set_param sample.lustre-OST0000.max_rpcs_in_flight=100000
refused 22 lctl set_param sample.lustre-OST0000.checksum_type=md4
refused 2 lctl get_param sample.lustre-OST0000.max_rpc_in_flight

part "All or nothing, and only if nobody was faster"
refused 34 "lctl set_param --atomic sample.lustre-OST0000.max_rpcs_in_flight=32 sample.lustre-OST0001.max_rpcs_in_flight=100000"
run lctl get_param sample.lustre-OST0000.max_rpcs_in_flight
refused 116 lctl set_param --if-version 1 sample.lustre-OST0000.max_rpcs_in_flight=32

part "Watch: events, not polling"
run "lctl watch_param -n 2 'sample.*.active' & sleep 1; lctl set_param -n 'sample.*.active=0'; wait"

part "Save settings, change them, put them back"
run "lctl save_params 'sample.lustre-OST0000' -o /tmp/saved.yaml; head -n 8 /tmp/saved.yaml"
run lctl set_param sample.lustre-OST0000.max_dirty_mb=64
run lctl apply_params --dry-run /tmp/saved.yaml
run lctl apply_params /tmp/saved.yaml

part "An ordinary user reads, and is told why it cannot write"
run "su user -c 'id -un; lctl get_param sample.lustre-OST0000.active'"
refused 1 "su user -c 'lctl set_param sample.lustre-OST0000.active=1'"

part "The debug log and fault injection, as Lustre's engineers know them"
run "lctl set_param debug=+trace"
run "lctl mark 'the tour was here'"
run "lctl debug_kernel | tail -n 4"
run "lctl set_param fail_loc=0x80000903; lctl get_param fail_loc"

part "Object devices: attach and set up an echo server and its client; types are loaded as they are named"
run insmod /lib/modules-lite/obdclass.ko
run "lctl attach obdecho es es_UUID; lctl --device es setup; lctl dl"
run "lctl monitor -n 3 --timeout 20 & sleep 1; printf 'attach echo_client ec ec_UUID\nsetup es\n' | lctl; wait"
run lctl dl
run "lctl set_param -n echo_client.ec.echo=hello; lctl get_param obdecho.es.num_exports obdecho.es.refs obdecho.es.ops_stats"
refused 16 lctl --device es detach
refused 17 lctl attach obdecho es other_UUID
run "lctl set_param obdecho.es.evict_client=ec_UUID; lctl get_param echo_client.ec.connected health_check"
run "printf 'device ec\ncleanup\ndetach\ndevice es\ncleanup\ndetach\n' | lctl; lctl dl"

part "A config log that a server of real Lustre 2.9 wrote builds the devices that it builds there"
run "llog_reader t32fs-client | grep '^#[23]'"
run lctl llog_print --start 28 --end 34 t32fs-client
run lctl replay_config t32fs-client --instance ffff8801234567f0
run lctl dl
run "lctl get_param 'osc.t32fs-*.import' | head -n 20"
run "lctl get_param 'lov.*.stripe{size,count}' timeout jobid_var"
run lctl replay_config --remove --instance ffff8801234567f0
run lctl dl

part "Two nodes, each in a network namespace: an import in one, its export in the other, TCP between them"
run "ip netns add n1; ip netns add n2; ip link add to2 netns n1 type veth peer name to1 netns n2"
run "for n in 1 2; do ip -n n\$n addr add 10.78.0.\$n/24 dev to\$((3 - n)); ip -n n\$n link set to\$((3 - n)) up; done"
run "ip netns exec n1 lctl attach obdecho es es_UUID; lctl --device es setup 64M"
run ip netns exec n2 lctl ping 10.78.0.1@tcp
run "printf 'add_uuid server 10.78.0.1@tcp\nattach osc cli cli_UUID\nsetup es_UUID server\nattach echo_client ec ec_UUID\nsetup cli\n' | ip netns exec n2 lctl"
run "lctl get_param osc.cli.import | head -n 16"
run lctl echo_test ec --op ping --time 1
run lctl echo_test ec --op write --size 1M --inflight 4 --time 1
run "lctl echo_test ec --op count --threads 4 --time 2 & sleep 1; ip netns exec n2 lctl network reset; wait; lctl get_param obdecho.es.executed obdecho.es.twice"
run "lctl get_param osc.cli.state; ip netns exec n2 lctl conn_list"
run "lctl echo_test ec --op lock --calls 10; lctl get_param 'ldlm.namespaces.*.lock_count'"
run "lctl get_param ost.OSS.ost.req_history | tail -n 3"
run "for d in ec cli es; do printf 'device %s\ncleanup\ndetach\n' \$d | lctl; done; lctl dl"
run "rmmod obdecho lov lmv mdc osc ptlrpc obdclass; lctl get_param memused"

part "36 000 parameters"
run "rmmod params_sample; insmod /lib/modules-lite/params_sample.ko entries=36000"
run "time lctl get_param -R 'sample.lustre-*' | wc -l"

part "And away: nothing is left"
run "rmmod params_sample; lctl get_param memused"
run "rmmod libcfs; lsmod | grep -E 'libcfs|params_sample' || echo no module is left"
