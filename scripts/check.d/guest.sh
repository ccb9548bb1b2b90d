# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Helpers of the lanes that boot virtual machines: run scripts in one and turn
# what it said into results, a test for each check of a script and for each
# KUnit case.

# shellcheck source=scripts/check.d/lane.sh
. "$(dirname "${BASH_SOURCE[0]}")/lane.sh"

# Seconds for a script of a lane, on a slow host with other lanes beside it.
# shellcheck disable=SC2034
SCRIPT_LIMIT=1400

# guest LABEL KERNEL OPTION...: boot KERNEL and run the scripts among OPTION
# (see scripts/vm); results are named LABEL:SCRIPT:CHECK.
guest() {
	local label=$1 kernel=$2 status=0
	shift 2
	# Every round of every test is wanted.
	[[ -z ${LUSTRE_LITE_FULL:-} ]] || set -- --env LL_FULL=1 "$@"
	say "$label: booting the $kernel kernel"
	"$LL_ROOT/scripts/vm" --kernel "$kernel" --log "$LL_LOGS/$label" --quiet "$@" \
		>"$LL_LOGS/$label.log" 2>&1 </dev/null || status=$?
	guest_results "$label"
	if ((status)) && ! grep -qF "fail $label:" "$LL_RESULTS"; then
		fail "$label:machine" "$LL_LOGS/$label.log"
		tail -n 20 "$LL_LOGS/$label.log"
	fi
}

# guest_halves LABEL KERNEL OPTION... -- ITEM...: as guest, with about half of the items, "--script
# FILE" or "--suite NAME", on a second machine at the same time: scenarios spend most of their time
# waiting. Each goes where less is to be done, by the line "# Cost: N" of a script (1 without). BEFORE
# and AFTER are run by both.
guest_halves() {
	local label=$1 kernel=$2 options=() first=() second=() half pids=() status=0 cost spent=(0 0)
	shift 2
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	while (($#)); do
		cost=''
		[[ $1 != --script ]] || cost=$(sed -n 's/^# Cost: //p;/^[^#]/q' "$2")
		if ((spent[0] <= spent[1])); then
			first+=("$1" "$2")
			spent[0]=$((spent[0] + ${cost:-1}))
		else
			second+=("$1" "$2")
			spent[1]=$((spent[1] + ${cost:-1}))
		fi
		shift 2
	done
	guest "$label-first" "$kernel" "${options[@]}" "${BEFORE[@]}" "${first[@]}" "${AFTER[@]}" &
	pids+=("$!")
	if ((${#second[@]})); then
		guest "$label-second" "$kernel" "${options[@]}" "${BEFORE[@]}" "${second[@]}" "${AFTER[@]}" &
		pids+=("$!")
	fi
	for half in "${pids[@]}"; do
		wait "$half" || status=1
	done
	return "$status"
}

# guest_results LABEL: from the logs of its machines; those but the first have
# their number after the label.
guest_results() {
	local node count=0
	for node in "$LL_LOGS/$1"/node[0-9]*; do
		count=$((count + 1))
		node_results "$1$( ((count == 1)) || echo "-${node##*/}")" "$1" "$node"
	done
	((count)) || fail "$1:machine" "$LL_LOGS/$1.log"
}

# node_results LABEL LOG NODE: from the logs of one machine.
node_results() {
	local label=$1 node=$3 verdict name rest
	boots_again "$label" "$node"
	if [[ ! -e $node/verdict ]]; then
		fail "$label:machine" "$LL_LOGS/$2.log"
		return
	fi
	guest_checks "$label" "$node/output"
	guest_kunit "$label" "$node/dmesg"
	while read -r verdict name rest; do
		case $verdict in
		pass) pass "$label:$name" ;;
		fail)
			# A failed check is why it ended with status 1, and is counted.
			if [[ $rest == *' status 1' ]] && grep -qF "fail $label:$name:" "$LL_RESULTS"; then
				continue
			fi
			echo "$label: $name: $rest"
			fail "$label:$name" "$node"
			;;
		skip) skip "$label:$name" "$rest" ;;
		esac
	done < <(tr -d '\r' <"$node/verdict")
}

# boots_again LABEL NODE: scripts/vm starts a machine again that does not come up, and
# puts the console of that attempt aside.
boots_again() {
	local console
	for console in "$2"/console.*; do
		[[ ! -e $console ]] || again "$1:boot" "the machine did not come up and was started again: $console"
	done
}

# costs: a table of what the scripts of all machines of this lane took, the dearest first, in
# LL_LOGS/costs.tsv; the first 20 are printed.
costs() {
	local file machine
	for file in "$LL_LOGS"/*/node[0-9]*/costs; do
		[[ -e $file ]] || continue
		machine=${file#"$LL_LOGS"/}
		sed "s|^\(.*\) \(.*\) \(.*\)\$|\3\t\2\t${machine%/costs}\t\1|" "$file"
	done | sort -rn >"$LL_LOGS/costs.tsv"
	say "the dearest of $(wc -l <"$LL_LOGS/costs.tsv") scripts (seconds of processor time, seconds):"
	head -n 20 "$LL_LOGS/costs.tsv" | awk -F '\t' '{ printf "%7s %7s  %s %s\n", $1, $2, $3, $4 }'
}

# guest_checks LABEL OUTPUT: "ok - TEXT", "not ok - TEXT" (with its indented lines, which
# are printed) and "again - TEXT: WHY" below "==== SCRIPT".
guest_checks() {
	[[ -e $2 ]] || return 0
	awk -v label="$1" -v log_file="$2" -v out="$LL_RESULTS" '
		function put(verdict, text) {
			text = substr(text, 1, 120)
			gsub(/[^[:graph:]]+/, "_", text)
			print verdict, label ":" script ":" text (verdict == "fail" ? " " log_file : "") >>out
			if (verdict == "fail") print "FAILED " label ":" script ":" text
		}
		/^==== / { script = $2 }
		/^    / && failed { print substr($0, 1, 300); next }
		{ failed = 0 }
		/^ok - / { put("pass", substr($0, 6)) }
		/^not ok - / { put("fail", substr($0, 10)); failed = 1 }
		/^again - / {
			what = substr($0, 9, index($0, ": ") - 9)
			gsub(/ /, "_", what)
			print "again", label ":" script ":" what, substr($0, index($0, ": ") + 2) >>out
		}' "$2"
}

# guest_kunit LABEL DMESG: the cases of KTAP in the kernel log; a case is a
# result line that is indented once, below "# Subtest: SUITE".
guest_kunit() {
	[[ -e $2 ]] || return 0
	sed 's/^<[0-9]*>//; s/^\[[ 0-9]*\.[0-9]*\] //' "$2" | awk -v label="$1" -v log_file="$2" -v out="$LL_RESULTS" '
		function put(verdict, rest) { print verdict, label ":" suite "." name (rest == "" ? "" : " " rest) >>out }
		/^    # Subtest: / { suite = $3 }
		/^    (not )?ok [0-9]+ / {
			line = $0
			sub(/^    (not )?ok [0-9]+ (- )?/, "", line)
			name = line
			sub(/ .*/, "", name)
			if (/^    not ok /) {
				put("fail", log_file)
				print "FAILED " label ":" suite "." name
			} else if (line ~ /# SKIP/) {
				sub(/^.*# SKIP */, "", line)
				put("skip", line == "" ? "says the case" : line)
			} else {
				put("pass")
			}
		}'
}

# changed_in N DIRECTORY: the files of DIRECTORY of which the last N commits, or what is not committed,
# have changed more than comments; none where there are not that many commits.
changed_in() {
	git -C "$LL_ROOT" -c core.quotePath=off diff --name-only -G '^([^# /]|[[:space:]]+[^*#[:space:]])' \
		"HEAD~$1" -- "$2" 2>/dev/null || true
}

# every DIRECTORY NAME...: those whose turn it is of the files NAME of DIRECTORY. One that says
# "# Every: N" at its top (a source file: " * Every: N") runs with each Nth commit, those of one N
# in turn, and with the N commits after it was changed. A quick run, --full and a run of
# every slice have them all.
every() {
	local folder=$1 name n commit all=''
	local -A nth=() changed=()
	shift
	if [[ $LL_QUICK || ${LUSTRE_LITE_FULL:-} ]] || in_every_slice; then
		all=1
	fi
	commit=$(commit_number)
	for name in "$@"; do
		n=$(sed -n '/^[^#\/ ]/q; s/^\( \*\|#\) Every: \([1-9]\)$/\2/p' "$LL_ROOT/$folder/$name")
		if [[ -z $n || $all ]]; then
			echo "$name"
			continue
		fi
		nth[$n]=$((${nth[$n]:-0} + 1))
		[[ -n ${changed[$n]+set} ]] || changed[$n]=$(changed_in "$n" "$folder")
		if (((commit + nth[$n]) % n == 0)) || grep -qxF "$folder/$name" <<<"${changed[$n]}"; then
			echo "$name"
		fi
	done
}

# scenarios DIRECTORY [PARTS]: --script options for every script of tests/vm/DIRECTORY whose turn it is
# (see every; with PARTS, a commit has one of as many parts of them), one word a line; in a quick run only those that say "# Quick: yes" at their top, and one
# of those that say "# Quick: turn", the next commit the next one. One that says "# Slice: NAME" is
# left to that slice.
scenarios() {
	local file top slice commit turn='' turns=() names=() n=0 of=${2:-}
	mapfile -t turns < <(grep -lx '# Quick: turn' "$LL_ROOT/tests/vm/$1"/*)
	commit=$(commit_number)
	((!${#turns[@]})) || turn=${turns[commit % ${#turns[@]}]}
	for file in "$LL_ROOT/tests/vm/$1"/*; do
		[[ -f $file ]] || continue
		case $file in
		*.md | *.txt | *.json) continue ;;
		esac
		top=$(sed -n '/^[^#]/q; s/^# \(Quick\|Slice\): /\1=/p' "$file")
		if [[ $LL_QUICK && $top != *Quick=yes* && $file != "$turn" ]]; then
			continue
		fi
		slice=$(sed -n 's/^Slice=//p' <<<"$top")
		[[ -z $slice ]] || in_slice "$slice" || continue
		n=$((n + 1))
		[[ -z $of || -z $commit ]] || (((n + commit) % of == 0)) || continue
		names+=("${file##*/}")
	done
	if [[ $of ]]; then
		printf -- "--script\n$LL_ROOT/tests/vm/$1/%s\n" "${names[@]}"
		return
	fi
	((!${#names[@]})) || every "tests/vm/$1" "${names[@]}" | sed "s|^|--script\n$LL_ROOT/tests/vm/$1/|"
}

# build_tools: lctl, lfs, llog_reader, ll_decode and those of targets and mounts, and the programs that
# scenarios bring.
build_tools() {
	build_utils
	(
		take_lock "$LL_BUILD/.lock-vm-tools"
		logged "$LL_LOGS/build-vm-tools.log" "building the programs of the scenarios" \
			env PATH="$(ccache_path)" make -C "$LL_ROOT/tests/vm/tools" "-j$LL_JOBS" OUT="$LL_BUILD/vm-tools"
	)
}

# tools: --file options for what build_tools made, one word a line.
tools() {
	local program
	tool lctl/lctl /usr/bin
	tool lfs/lfs /usr/bin
	tool llog_reader/llog_reader /usr/bin
	for program in ll_decode ll_decode_linkea ll_decode_filter_fid; do
		printf '%s\n' --file "$LL_BUILD/utils/utils/ll_decode/ll_decode:/usr/bin/$program"
	done
	disk_tools
	printf '%s\n' --file "$LL_ROOT/tests/golden:/golden"
	printf '%s\n' --file "$(disk_program mkfs.ext4):/usr/sbin/mkfs.ext4"
	printf '%s\n' --file "$LL_ROOT/utils/completion/lctl:/usr/share/bash-completion/completions/lctl"
	while IFS= read -r program; do
		printf '%s\n' --file "$program:/usr/bin/${program##*/}"
	done < <(make -s -C "$LL_ROOT/tests/vm/tools" OUT="$LL_BUILD/vm-tools" list)
}

# tool FILE DIRECTORY: the option for a file of utils/.
tool() {
	local file=$LL_BUILD/utils/utils/$1
	[[ -x $file ]] || die "there is no $file"
	printf '%s\n' --file "$file:$2/${1##*/}"
}

# disk_tools: the same for the tools of targets and mounts.
disk_tools() {
	tool disk/mkfs.lustre-lite /usr/sbin
	tool disk/tunefs.lustre-lite /usr/sbin
	tool disk/mount.lustre-lite /sbin
}

# disks KERNEL MODULES: the files of tests/vm/disks, with what they need of the kernel and of the
# host; results are named disks-KERNEL:SCRIPT:CHECK.
disks() {
	local kernel=$1 modules=$2 name scripts programs options=()
	mapfile -t scripts < <(scenarios disks)
	mapfile -t programs < <(tools)
	for name in ext4 xfs btrfs loop dm-mod dm-log-writes; do
		options+=(--kernel-module "$name")
	done
	for name in dmsetup mkfs.xfs mkfs.btrfs; do
		options+=(--file "$(disk_program "$name"):/usr/sbin/$name")
	done
	guest "disks-$kernel" "$kernel" --modules "$modules" "${options[@]}" "${programs[@]}" \
		--timeout 3000 --script-timeout 1200 "${scripts[@]}"
}

# disk_program NAME: where the host has it.
disk_program() {
	command -v "$1" || die "there is no $1; run: scripts/deps check"
}

# guest_script FILE LINE...: a script for the guest that sources its library.
guest_script() {
	local file=$1
	shift
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/sh' '. "$LL_LIB"' "$@" >"$file"
}

# suites MODULES [REGEX]: options, one word a line, for every KUnit suite of MODULES whose turn it
# is (see every), or for those whose source has a line that matches.
suites() {
	local ko names=()
	for ko in "$1"/tests/kunit/*_kunit.ko; do
		[[ -e $ko ]] || continue
		[[ -z ${2:-} ]] || grep -qE "$2" "${ko%.ko}.c" || continue
		names+=("$(basename "$ko" .ko).c")
	done
	((${#names[@]})) || die "no suite in $1/tests/kunit"
	if [[ ${2:-} ]]; then
		printf '%s\n' "${names[@]}"
	else
		every tests/kunit "${names[@]}"
	fi | sed 's/^\(.*\)\.c$/--suite\n\1/'
}

# leak_scan DIRECTORY: scripts that go before and after those that are watched for leaks, in
# BEFORE and AFTER, --script options; they are made in DIRECTORY.
BEFORE=()
AFTER=()
leak_scan() {
	mkdir -p "$1"
	guest_script "$1/leaks-clear" kmemleak_clear
	guest_script "$1/leaks" kmemleak_scan
	BEFORE=(--script "$1/leaks-clear")
	AFTER=(--script "$1/leaks")
}
