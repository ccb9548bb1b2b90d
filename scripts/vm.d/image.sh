# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The initramfs of a scripts/vm machine. A directory is filled as the guest's
# root (every function's ROOT), and image_pack makes the archive of it.

# image_skeleton ROOT: directories, users, busybox and the guest's own scripts.
image_skeleton() {
	local root=$1 dir
	mkdir -p "$root"/usr/{bin,sbin,lib,lib32,lib64,libx32} \
		"$root"/{etc,proc,sys,dev,run,tmp,root,home/user,var,lite/scripts}
	for dir in bin sbin lib lib32 lib64 libx32; do
		ln -s "usr/$dir" "$root/$dir"
	done
	need_command busybox vm
	busybox --install -s "$root/usr/bin"
	rm -f "$root/usr/bin/busybox"
	cp "$(command -v busybox)" "$root/usr/bin/busybox"
	[[ /usr/bin/busybox -ef $(command -v busybox) ]] || die "busybox is not in /usr/bin"
	ln -s /usr/bin/modprobe "$root/usr/sbin/modprobe"
	cp "$LL_ROOT"/scripts/vm.d/guest/{run,shell} "$LL_ROOT/tests/vm/lib.sh" "$LL_ROOT/tests/vm/fs.sh" "$root/lite/"
	# One expression of all: busybox tries as many as there are on each line.
	paste -sd '|' "$LL_ROOT/scripts/vm.d/deny" >"$root/lite/deny"
	cp "$LL_ROOT/scripts/vm.d/guest/init" "$root/init"
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'user:x:1000:1000:user:/home/user:/bin/sh' \
		'nobody:x:65534:65534:nobody:/:/bin/sh' >"$root/etc/passwd"
	printf '%s\n' 'root:x:0:' 'user:x:1000:' 'nogroup:x:65534:' >"$root/etc/group"
	printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$root/etc/hosts"
	printf '%s\n' 'passwd: files' 'group: files' 'hosts: files' >"$root/etc/nsswitch.conf"
	image_file "$root" "$(command -v setpriv)" /usr/bin/setpriv
	# Busybox's knows no namespaces.
	need_command /sbin/ip vm
	image_file "$root" /sbin/ip /usr/bin/ip
	ln -s ../run "$root/var/run"
}

# image_libraries ROOT FILE: when FILE is a dynamic ELF program or library of this machine,
# its libraries and interpreter at the places where it looks for them.
image_libraries() {
	local root=$1 lib libc=''
	[[ $(head -c 4 "$2" | tr -d '\0') == $'\x7fELF' ]] || return 0
	while read -r lib; do
		[[ $lib != */libc.so.* ]] || libc=${lib%/*}
		image_library "$root" "$lib"
	done < <(ldd "$2" 2>/dev/null | grep -o '/[^ ]*' | sort -u)
	[[ $libc ]] || return 0
	while read -r lib; do
		[[ ! -e $libc/$lib || -e $root$libc/$lib ]] || {
			image_library "$root" "$libc/$lib"
			image_libraries "$root" "$libc/$lib"
		}
	done < <(loaded_later "$2")
}

# image_library ROOT LIBRARY: one library, unless it is there.
image_library() {
	[[ -e $1$2 ]] || {
		mkdir -p "$1${2%/*}"
		cp -L "$2" "$1$2"
	}
}

# loaded_later FILE: libraries that a program may load while it runs, which its notes name
# (utils/lctl/lazy_library.hpp).
loaded_later() {
	LC_ALL=C readelf -p .note.dlopen "$1" 2>/dev/null |
		sed -n 's/.*"soname":\[\([^]]*\)\].*/\1/p' | tr ',' '\n' | tr -d '"'
}

# image_file ROOT HOST GUEST: copy a file or a directory.
image_file() {
	local root=$1 host=$2 guest=$3 file
	mkdir -p "$root${guest%/*}"
	if [[ -d $host ]]; then
		mkdir -p "$root$guest"
		cp -a "$host/." "$root$guest/"
		while IFS= read -r -d '' file; do
			image_libraries "$root" "$file"
		done < <(find "$host" -type f -perm -u+x -print0)
	else
		# An applet of busybox may be a link at this place.
		rm -f "$root$guest"
		cp -L "$host" "$root$guest"
		image_libraries "$root" "$host"
	fi
}

# image_bash ROOT: bash with its libraries, and what it needs for a prompt.
image_bash() {
	local terminal
	image_file "$1" /bin/bash /usr/bin/bash
	[[ ! -d /usr/lib/locale/C.utf8 ]] || image_file "$1" /usr/lib/locale/C.utf8 /usr/lib/locale/C.utf8
	for terminal in linux xterm xterm-256color screen tmux-256color vt100 vt220 "${TERM:-linux}"; do
		if [[ -e /lib/terminfo/${terminal:0:1}/$terminal ]]; then
			image_file "$1" "/lib/terminfo/${terminal:0:1}/$terminal" \
				"/usr/lib/terminfo/${terminal:0:1}/$terminal"
		fi
	done
}

# image_kernel_modules ROOT DIRECTORY RELEASE NAME...: modules of the kernel itself with all
# that they depend on. A name that is built in is fine.
image_kernel_modules() {
	local root=$1 from=$2 release=$3 dest file name
	shift 3
	dest=$root/usr/lib/modules/$release
	mkdir -p "$dest/extra"
	if [[ -d $from ]]; then
		cp "$from"/modules.{order,builtin,builtin.modinfo} "$dest/"
		for name in "$@"; do
			grep -q -E "/$(module_regex "$name")\.ko" "$from/modules.dep" "$from/modules.builtin" ||
				die "the kernel $release has no module named $name"
		done
		while read -r file; do
			image_kernel_module "$from/$file" "$dest/$file"
		done < <(module_closure "$from/modules.dep" "$@")
	else
		touch "$dest/modules.order" "$dest/modules.builtin" "$dest/modules.builtin.modinfo"
	fi
	ln -s "/usr/lib/modules/$release/extra" "$root/lib/modules-lite"
}

# module_regex NAME: a module's file may be spelled with - or _.
module_regex() {
	printf '%s\n' "${1//[-_]/[-_]}"
}

# module_closure MODULES.DEP NAME...: the files of the modules and of all that
# they need; ext4 and libcrc32c ask for crc32c at run time, by an alias.
module_closure() {
	local dep=$1 name regex='' add
	shift
	for name in "$@"; do
		add=$(module_regex "$name")
		case $name in
		ext4 | libcrc32c) add="$add|crc32c[-_]generic" ;;
		esac
		regex+="${regex:+|}$add"
	done
	[[ -z $regex ]] || sed -n -E "s,:, ,; /^[^ ]*\/($regex)\.ko/p" "$dep" | tr ' ' '\n' | grep . | sort -u
}

# image_kernel_module FROM TO: one file, uncompressed.
image_kernel_module() {
	mkdir -p "${2%/*}"
	case $1 in
	*.xz) xz -dc "$1" >"${2%.xz}" ;;
	*.zst) zstd -qdc "$1" >"${2%.zst}" ;;
	*) cp "$1" "$2" ;;
	esac
}

# image_modules ROOT RELEASE DIRECTORY: every .ko below DIRECTORY, as modules that insmod
# finds in /lib/modules-lite and modprobe by name. Debugging information is most of a file, and
# loading and searching it takes the guest longer than the rest of a module.
image_modules() {
	local dest=$1/usr/lib/modules/$2/extra
	find -L "$3" -name '*.ko' -exec cp -t "$dest" {} +
	compgen -G "$dest/*.ko" >/dev/null || die "there is no .ko file below $3"
	strip --strip-debug "$dest"/*.ko
}

# image_needs ROOT RELEASE: /lite/needs/NAME for each of those modules: the names of the kernel's own
# modules that it needs on a line, of ours on the next, each after those that it needs itself.
image_needs() {
	mkdir -p "$1/lite/needs"
	awk -v to="$1/lite/needs/" '
		function name(path) { sub(/^.*\//, "", path); sub(/\.ko.*$/, "", path); return path }
		/^extra\// {
			sub(/:$/, "", $1)
			own = theirs = ""
			for (i = NF; i > 1; i--)
				if ($i ~ /^extra\//) own = own " " name($i)
				else { of = name($i); gsub(/-/, "_", of); theirs = theirs " " of }
			print theirs "\n" own >(to name($1))
			close(to name($1))
		}' "$1/usr/lib/modules/$2/modules.dep"
}

# image_pack ROOT RELEASE FILE
image_pack() {
	/sbin/depmod -b "$1" "$2" || die "depmod failed for the modules of the guest"
	image_needs "$1" "$2"
	rm -f "$1/usr/lib/modules/$2"/*.bin
	(cd "$1" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0) >"$3"
}
