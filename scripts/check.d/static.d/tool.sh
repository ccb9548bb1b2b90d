# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Helpers for the tools of the static lane: what there is to look at.

# shellcheck source=scripts/check.d/lane.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lane.sh"
cd "$LL_ROOT" || exit

# files PATTERN...: paths from the root of what belongs to the repository or is
# about to (new files that git does not ignore), by git's patterns. Outside of a repository
# (a tarball) git lists every file by the same patterns but what .gitignore names.
files() {
	local file git=(git -c core.quotePath=off)
	git rev-parse --git-dir >/dev/null 2>&1 || git+=(--git-dir="$(no_repository)" --work-tree=.)
	"${git[@]}" ls-files -co --exclude-standard --deduplicate -- "$@" | sort -u |
		while IFS= read -r file; do
			[[ ! -f $file ]] || printf '%s\n' "$file"
		done
}

# no_repository: an empty one, for git to list files with.
no_repository() {
	local dir=$LL_BUILD/.no-repository
	[[ -e $dir/HEAD ]] || git init -q --bare "$dir" >&2
	printf '%s\n' "$dir"
}

# kernel_files: C that is compiled into modules, and its headers.
kernel_files() {
	local folder
	files 'include/*.h'
	for folder in ./*/Kbuild tests/*/Kbuild; do
		folder=${folder#./}
		files "${folder%/Kbuild}/*.c" "${folder%/Kbuild}/*.h"
	done | sort -u
}

# shell_scripts: every shell script, by name or by its first line.
shell_scripts() {
	local file first
	files | while IFS= read -r file; do
		case $file in
		*.sh | *.bash) echo "$file" ;;
		*.[ch] | *.[ch]pp | *.md | *.txt | *.gz) ;;
		*)
			IFS= read -r first <"$file" || true
			[[ ! $first =~ ^(#!.*[^a-z](ba|da)?sh( |$)|# shellcheck shell=) ]] || echo "$file"
			;;
		esac
	done
	files 'utils/completion/*' | grep -vE 'CMakeLists.txt|/_(lctl|lfs)$|\.fish$'
}

# each NAME RULES COMMAND...: the test NAME, which passes when COMMAND ends with status 0
# for every path on standard input, its last argument.
#
# A file that passed once passes again as long as neither its content nor the rules
# change, and is not looked at: RULES is a text that differs when anything else does that
# the verdict hangs on (a version, headers); the tool's own script always counts. With
# "-" every file is looked at.
each() {
	judge_files 1 "$@"
}

# many NAME RULES COMMAND...: the same, with up to 50 paths at a time.
many() {
	judge_files 50 "$@"
}

PASSED=$LL_CACHE/passed

# judge_files AT_ONCE NAME RULES COMMAND...: LL_JOBS commands side by side; the log is
# what those say that fail, in the order of the paths.
judge_files() {
	local at_once=$1 name=$2 rules=$3 log=$LL_LOGS/$2.files.log parts=$LL_LOGS/$2.parts known=/dev/null count
	shift 3
	mkdir -p "$PASSED"
	find "$PASSED" -type f -mtime +30 -delete
	if [[ $rules != - ]]; then
		known=$PASSED/$name-$({ echo "$rules"; cat "$0"; } | sha256sum | cut -c 1-16)
		touch "$known"
	fi
	rm -rf "$parts"
	mkdir -p "$parts"
	xargs -r -d '\n' sha256sum -- >"$parts/all"
	grep -vxFf "$known" "$parts/all" >"$parts/todo" || true
	count=$(wc -l <"$parts/todo")
	at_once=$((count < at_once * LL_JOBS ? (count + LL_JOBS - 1) / LL_JOBS : at_once))
	((count == 0)) || split -a 4 -l "$at_once" "$parts/todo" "$parts/part."
	judge_parts "$known" "$@"
	find "$parts" -name '*.log' | sort | xargs -r cat >"$log"
	[[ -s $parts/all ]] || echo "no file to look at" >"$log"
	rm -rf "$parts"
	if [[ -s $log ]]; then
		fail "$name" "$log"
	else
		rm "$log"
		pass "$name"
	fi
}

# judge_parts KNOWN COMMAND...: in $parts.
judge_parts() {
	local known=$1 part running=0
	shift
	for part in "$parts"/part.????; do
		[[ -e $part ]] || break
		judge_part "$known" "$part" "$@" &
		running=$((running + 1))
		if ((running >= LL_JOBS)); then
			wait -n || true
			running=$((running - 1))
		fi
	done
	wait
}

# judge_part KNOWN PART COMMAND...: a part of which all passed is known from now on.
judge_part() {
	local known=$1 part=$2 status=0 paths
	shift 2
	mapfile -t paths < <(cut -c 67- "$part")
	"$@" "${paths[@]}" >"$part.log" 2>&1 </dev/null || status=$?
	if ((status == 0)); then
		rm "$part.log"
		[[ $known == /dev/null ]] || cat "$part" >>"$known"
	else
		((${#paths[@]} > 1)) && [[ -s $part.log ]] || echo "status $status: $1 ${paths[*]}" >>"$part.log"
	fi
}

# content_of: a digest of the files on standard input, for RULES.
content_of() {
	xargs -r -d '\n' sha256sum -- | sha256sum
}

# clang_modules: the modules compiled by clang, below $LUSTRE_LITE_BUILD; it says
# nothing of them.
clang_modules() {
	local folder
	"$LL_ROOT/scripts/kernel" build clang >/dev/null || return 1
	folder=$(build_modules clang -- LLVM=1 KBUILD_MODPOST_WARN=1 W=1) || return 1
	! grep -nE "(warning|error): " "$folder.log" | grep -vF 'modpost: '
}

# need PROGRAM...: without it the check cannot run, and that is a failure.
need() {
	local program
	for program in "$@"; do
		need_command "$program" check
	done
}

# kernel_scripts: a directory with checkpatch.pl, kernel-doc, the coccinelle
# scripts and their data, taken from the kernel source package once.
kernel_scripts() (
	local package=/usr/src/linux-source-6.1.tar.xz version folder
	version=$(dpkg-query -W -f '${Version}' linux-source-6.1) || die "linux-source-6.1 is not installed; run: scripts/deps"
	folder=$LL_CACHE/kernel-scripts-$version
	take_lock "$LL_CACHE/.lock-kernel-scripts"
	if [[ ! -e $folder/.complete ]]; then
		rm -rf "$folder"
		mkdir -p "$folder"
		tar -xf "$package" -C "$folder" --strip-components=2 --wildcards \
			'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch' \
			'*/scripts/kernel-doc' '*/scripts/coccinelle' >&2
		touch "$folder/.complete"
	fi
	printf '%s\n' "$folder"
)
