# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers for the tools of the static lane: what there is to look at.

# shellcheck source=scripts/check.d/lane.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lane.sh"
cd "$LL_ROOT" || exit

# files PATTERN...: paths from the root of what belongs to the repository or is
# about to (new files that git does not ignore), by git's patterns.
files() {
	local file
	git -c core.quotePath=off ls-files -co --exclude-standard --deduplicate -- "$@" | sort -u |
		while IFS= read -r file; do
			[[ ! -f $file ]] || printf '%s\n' "$file"
		done
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
	files | while IFS= read -r file; do
		case $file in
		*.sh | *.bash) echo "$file" ;;
		*.[ch] | *.[ch]pp | *.md | *.txt) ;;
		*) ! head -n 1 "$file" | grep -aqE '^#!.*\b(ba|da)?sh\b|^# shellcheck shell=' || echo "$file" ;;
		esac
	done
	files 'utils/completion/*' | grep -v CMakeLists.txt
}

# each NAME COMMAND...: the test NAME:PATH for every path on standard input,
# LL_JOBS at a time; the command gets the path as its last argument, and passes
# with status 0.
each() {
	local tool=$1 path running=0 log
	shift
	rm -f "$LL_LOGS/$tool".*.log
	while IFS= read -r path; do
		log=$LL_LOGS/$tool.${path//\//_}.log
		{
			if "$@" "$path" >"$log" 2>&1 </dev/null; then
				rm -f "$log"
				pass "$tool:$path"
			else
				fail "$tool:$path" "$log"
			fi
		} &
		running=$((running + 1))
		if ((running >= LL_JOBS)); then
			wait -n || true
			running=$((running - 1))
		fi
	done
	wait
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

# kernel_scripts: a folder with checkpatch.pl, kernel-doc, the coccinelle
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
