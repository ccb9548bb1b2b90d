# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The distribution's own kernels for scripts/kernel: the stock one, and newer ones
# unpacked from packages without installing them.

# shellcheck source=scripts/apt.sh
. "$LL_ROOT/scripts/apt.sh"

# uncompress_kernel VMLINUZ VMLINUX: the ELF file inside a bzImage. The boot
# header says where the payload is: setup_sects at 0x1f1, payload_offset at
# 0x248 and payload_length at 0x24c.
uncompress_kernel() {
	local sects offset length magic tool
	sects=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	offset=$(((sects + 1) * 512 + offset))
	magic=$(od -An -tx1 -j "$offset" -N 4 "$1" | tr -d ' \n')
	case $magic in
	fd377a58) tool=xz ;;
	28b52ffd) tool=zstd ;;
	1f8b*) tool=gzip ;;
	02214c18) tool=lz4 ;;
	*) die "$1: the kernel's payload starts with $magic, no compression known here" ;;
	esac
	need_command "$tool" vm
	# What follows the stream (four bytes of size) makes some tools complain.
	tail -c "+$((offset + 1))" "$1" | head -c "$length" | "$tool" -dc >"$2" 2>/dev/null || true
	[[ $(head -c 4 "$2" | tail -c 3) == ELF ]] ||
		die "$1: what $tool unpacked is not an ELF file"
}

# headers_release: the release that the package of the newest headers stands for.
headers_release() {
	local release
	release=$(dpkg-query -W -f '${Depends}\n' linux-headers-amd64 linux-headers-generic 2>/dev/null |
		grep -o "linux-headers-[0-9][^ ,]*" | head -n 1) || true
	[[ -n $release ]] || die "no package with the newest kernel's headers is installed; run: scripts/deps build"
	printf '%s\n' "${release#linux-headers-}"
}

stock_folder() {
	local release
	release=$(headers_release)
	printf '%s/stock-%s-%s\n' "$KERNELS" "$release" \
		"$(dpkg-query -W -f '${Version}' "linux-headers-$release")"
}

# stock_make: the image is the installed one when it is of the headers'
# version, else it is fetched and unpacked.
stock_make() {
	local release version folder work image
	release=$(headers_release)
	version=$(dpkg-query -W -f '${Version}' "linux-headers-$release")
	folder=$(stock_folder)
	work=$KERNELS/.work-stock
	need_free "$LL_CACHE" 700 "unpacking the kernel"
	rm -rf "$work"
	mkdir -p "$work"
	ln -s "/usr/src/linux-headers-$release" "$work/build"
	image=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "linux-image-$release" 2>/dev/null || true)
	if [[ $image == "installed $version" && -r /boot/vmlinuz-$release ]]; then
		ln -s "/lib/modules/$release" "$work/modules"
		uncompress_kernel "/boot/vmlinuz-$release" "$work/vmlinux"
	else
		stock_unpack "$work" "$release" "$version"
		finish_image "$work" "$release"
	fi
	printf '%s\n' "$release" >"$work/release"
	rm -rf "$folder"
	mv "$work" "$folder"
}

# stock_unpack DIR RELEASE VERSION: the image; Ubuntu has the modules in a package beside it.
stock_unpack() {
	local packages=("linux-image-$2=$3")
	[[ $2 != *-generic ]] || packages+=("linux-modules-$2=$3")
	unpack "$1" "${packages[@]}"
}

# finish_image DIR RELEASE: from an unpacked linux-image package to vmlinux and modules;
# only drivers that a virtual machine has a use for are kept.
finish_image() {
	local dir=$1 release=$2 tree folder
	tree=$dir/lib/modules/$release
	[[ -d $tree ]] || tree=$dir/usr/lib/modules/$release
	uncompress_kernel "$dir/boot/vmlinuz-$release" "$dir/vmlinux"
	for folder in "$tree"/kernel/sound "$tree"/kernel/drivers/* "$tree"/kernel/drivers/net/*/; do
		case ${folder%/} in
		*/drivers/virtio | */drivers/char | */drivers/block | */drivers/md | */drivers/net | *.ko*) ;;
		*) rm -rf "$folder" ;;
		esac
	done
	rm -rf "$tree/build" "$tree/source"
	depmod -b "${tree%/lib/modules/*}" "$release" 2>>"$KERNELS/depmod.log" ||
		/sbin/depmod -b "${tree%/lib/modules/*}" "$release" 2>>"$KERNELS/depmod.log" ||
		die "depmod failed for $release, log: $KERNELS/depmod.log"
	mv "$tree" "$dir/modules"
	rm -rf "${dir:?}/boot" "${dir:?}/lib/modules" "${dir:?}/usr/lib/modules"
}

# backport_folder: the newest one that is here. Its name has the release.
backport_folder() {
	local folder newest=''
	for folder in "$KERNELS"/debian-6.12.*; do
		[[ ! -e $folder/release ]] || newest+=$folder$'\n'
	done
	printf '%s' "${newest:-$KERNELS/debian-6.12$'\n'}" | sort -V | tail -n 1
}

# newest_backport: the newest release of 6.12, of this Debian, of which there are an image
# and headers.
newest_backport() {
	local kind version
	version=$(sed -n 's/^VERSION_ID=//p' /etc/os-release | tr -d \")
	for kind in image headers; do
		private_apt apt-cache search --names-only "^linux-$kind-6\\.12\\.[0-9.]*[+]deb${version}[.0-9]*-amd64\$" |
			sed "s/ .*//; s/^linux-$kind-//"
	done | sort | uniq -d | sort -V | tail -n 1
}

# headers_packages RELEASE: the headers, what is common to all flavours, and the
# programs that build modules.
headers_packages() {
	printf '%s\n' "linux-headers-$1"
	private_apt apt-cache depends "linux-headers-$1" |
		sed -n 's/^ *Depends: \(linux-headers-[^ ]*\|linux-kbuild-[^ ]*\)$/\1/p'
}

# relocate_headers DIR RELEASE: Debian's headers name each other by absolute path.
relocate_headers() {
	local dir=$1 headers=$1/usr/src/linux-headers-$2 common
	common=$(sed -n 's,^include /usr/src/\(.*\)/Makefile$,\1,p' "$headers/Makefile")
	[[ -n $common ]] || die "$headers/Makefile does not include the common headers as expected"
	# The directory is built under another name than it gets in the end.
	cat >"$headers/Makefile" <<-'END'
		lite_headers := $(dir $(lastword $(MAKEFILE_LIST)))
		include $(lite_headers)../COMMON/Makefile
	END
	sed -i "s,COMMON,$common," "$headers/Makefile"
	ln -s "usr/src/linux-headers-$2" "$dir/build"
}

# has_backports: are the backports of this release among the lists? Where reading them failed
# they are not: private_update.
has_backports() {
	grep -qrs "$(codename)-backports" "$PRIVATE_APT/sources"
}

# backport_make: the newest there is, unless it is here already.
backport_make() {
	local work=$KERNELS/.work-6.12 release packages folder
	private_lists || die "the package lists cannot be read, log: $PRIVATE_APT/log"
	release=$(newest_backport)
	[[ -n $release ]] || has_backports ||
		die "this system's archive has no $(codename)-backports (an archived suite leaves it), and so no kernel 6.12;" \
			"give apt a source of $(codename)-backports, log: $PRIVATE_APT/log"
	[[ -n $release ]] ||
		die "neither $(codename) nor its backports have linux-image-6.12 and its headers (those of another release of Debian" \
			"bring programs that need that release's C library); log: $PRIVATE_APT/log"
	folder=$KERNELS/debian-$release
	[[ ! -e $folder/release ]] || return 0
	need_free "$LL_CACHE" 900 "unpacking the kernel"
	rm -rf "$work" "$folder"
	mkdir -p "$work"
	mapfile -t packages < <(headers_packages "$release")
	((${#packages[@]} == 3)) || die "linux-headers-$release needs ${packages[*]}: expected the common headers and kbuild"
	unpack "$work" "linux-image-$release" "${packages[@]}"
	finish_image "$work" "$release"
	relocate_headers "$work" "$release"
	rm -rf "${work:?}/usr/share" "${work:?}/etc"
	printf '%s\n' "$release" >"$work/release"
	mv "$work" "$folder"
}

# clang_folder: depends on the version of the source and on that of clang.
clang_folder() {
	printf '%s/clang-%s-%s\n' "$KERNELS" "$(source_version)" \
		"$(clang --version 2>/dev/null | head -n 1 | sha256sum | cut -c 1-6)"
}

# clang_make: a configured tree that clang builds modules against. There is no
# Module.symvers: KBUILD_MODPOST_WARN=1.
clang_make() {
	local work=$KERNELS/.work-clang log=$KERNELS/clang-build.log tree
	need_command clang check
	tree=$(source_tree)
	rm -rf "$work" "$(clang_folder)"
	mkdir -p "$work/obj"
	: >"$log"
	grep -h '^CONFIG_' "$FRAGMENTS"/{base,pc}.config >"$work/obj/asked.config"
	logged "$log" "configuring a kernel for clang" make -C "$tree" O="$work/obj" LLVM=1 \
		KCONFIG_ALLCONFIG="$work/obj/asked.config" allnoconfig modules_prepare ||
		die "the kernel's headers cannot be prepared for clang, log: $log"
	keep_build "$work/obj" "$tree" "$work/keep/build"
	cp "$work/obj/include/config/kernel.release" "$work/keep/release"
	mv "$work/keep" "$(clang_folder)"
	rm -rf "$work"
}
