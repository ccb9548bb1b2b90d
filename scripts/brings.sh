# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Files, packages and kernel modules that a script brings into a machine of scripts/vm, by its head
# comment:
#	# File: HOST:GUEST	a file of this system; a program brings its libraries
#	# Package: NAME		where this system does not have these files
#	# Kernel-module: NAME	of the kernel itself

# shellcheck source=scripts/apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/apt.sh"

# fields FILE NAME: the values of the "# NAME: value" lines at the top of FILE.
fields() {
	sed -n "/^[^#]/q; s/^# $2: *//p" "$1"
}

# field FILE NAME [DEFAULT]: the first of them.
field() {
	local value
	value=$(fields "$1" "$2" | sed -n 1p)
	printf '%s\n' "${value:-${3:-}}"
}

# brings SCRIPT: options of scripts/vm for all of it, one word a line; files are from this system
# if it has each of them, else from packages in the cache.
brings() {
	local file from='' packages files
	mapfile -t files < <(fields "$1" File)
	mapfile -t packages < <(fields "$1" Package)
	for file in "${files[@]}"; do
		[[ -e ${file%%:*} ]] && continue
		((${#packages[@]})) || die "${1##*/} needs ${file%%:*}, which is not there"
		from=$(unpacked "${packages[@]}") || exit 1
		break
	done
	for file in "${files[@]}"; do
		[[ -e $from${file%%:*} ]] || from_system "$file"
		[[ ! -e $from${file%%:*} ]] || printf '%s\n' --file "$from$file"
	done
	[[ -z $from ]] || libraries "$from" "${files[@]}"
	fields "$1" Kernel-module | sed 's/^/--kernel-module\n/'
}

# from_system FILE: the option for a file that the packages did not have to bring.
from_system() {
	[[ -e ${1%%:*} ]] || die "neither this system nor the packages in the cache have ${1%%:*}"
	printf '%s\n' --file "$1"
}

# libraries DIRECTORY FILE...: options for the libraries below DIRECTORY that its programs load.
libraries() {
	local from=$1 path program library
	path=$(find "$from" \( -name '*.so' -o -name '*.so.*' \) -printf '%h\n' | sort -u | paste -sd :)
	for program in "${@:2}"; do
		LD_LIBRARY_PATH=$path ldd "$from${program%%:*}" 2>/dev/null || true
	done | grep -o "$from/[^ ]*" | sort -u | while read -r library; do
		printf '%s\n' --file "$library:${library#"$from"}"
	done
}
