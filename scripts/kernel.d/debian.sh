# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian's own kernels for scripts/kernel: the stock one, and newer ones
# unpacked from packages without installing them.

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
		die "$1: what $tool unpacked is no ELF file"
}

# headers_release: the release that linux-headers-amd64 stands for.
headers_release() {
	local release
	release=$(dpkg-query -W -f '${Depends}' linux-headers-amd64 2>/dev/null |
		grep -o 'linux-headers-[^ ,]*' | head -n 1) || true
	[[ -n $release ]] || die "the package linux-headers-amd64 is not installed; run: scripts/deps build"
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
	rm -rf "$work"
	mkdir -p "$work"
	ln -s "/usr/src/linux-headers-$release" "$work/build"
	image=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "linux-image-$release" 2>/dev/null || true)
	if [[ $image == "installed $version" && -r /boot/vmlinuz-$release ]]; then
		ln -s "/lib/modules/$release" "$work/modules"
		uncompress_kernel "/boot/vmlinuz-$release" "$work/vmlinux"
	else
		unpack_packages "$work" "linux-image-$release=$version"
		finish_image "$work" "$release"
	fi
	printf '%s\n' "$release" >"$work/release"
	rm -rf "$folder"
	mv "$work" "$folder"
}

# Where newer kernels come from: apt with lists, cache and sources of its own, so
# that the system's are left alone. Its proxy settings and keys still apply.
PRIVATE_APT=$LL_CACHE/apt
private_apt() {
	local tool=$1
	shift
	"$tool" -q -o Dir::Etc::SourceList="$PRIVATE_APT/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$PRIVATE_APT/lists" -o Dir::Cache="$PRIVATE_APT" \
		-o Dir::Cache::Archives="$PRIVATE_APT/archives" -o Acquire::Languages=none "$@"
}

private_apt_update() {
	local mirror=${LUSTRE_LITE_MIRROR:-http://deb.debian.org}
	mkdir -p "$PRIVATE_APT"/{lists,archives}/partial
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s\n' \
		"$mirror/debian bookworm main" \
		"$mirror/debian bookworm-backports main" \
		"$mirror/debian-security bookworm-security main" >"$PRIVATE_APT/sources.list"
	logged "$PRIVATE_APT/log" "reading Debian's package lists" private_apt apt-get update
}

# unpack_packages DIR PACKAGE...: fetch packages and unpack them below DIR.
unpack_packages() {
	local dir=$1 deb
	shift
	[[ -e $PRIVATE_APT/sources.list ]] || private_apt_update || die "no package lists, log: $PRIVATE_APT/log"
	rm -rf "$dir/debs"
	mkdir -p "$dir/debs"
	(cd "$dir/debs" && logged "$PRIVATE_APT/log" "fetching $*" private_apt apt-get download "$@") ||
		die "fetching $* failed, log: $PRIVATE_APT/log"
	for deb in "$dir"/debs/*.deb; do
		logged "$PRIVATE_APT/log" "unpacking ${deb##*/}" dpkg-deb -x "$deb" "$dir" ||
			die "unpacking $deb failed"
	done
	rm -rf "$dir/debs"
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

backport_folder() {
	printf '%s/debian-6.12\n' "$KERNELS"
}

# newest_backport: the newest release of 6.12 of which there is an image and headers.
newest_backport() {
	local kind
	for kind in image headers; do
		private_apt apt-cache search --names-only "^linux-$kind-6\\.12\\.[0-9.]*[+]deb12[.0-9]*-amd64\$" |
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
	# The folder is built under another name than it gets in the end.
	cat >"$headers/Makefile" <<-'END'
		lite_headers := $(dir $(lastword $(MAKEFILE_LIST)))
		include $(lite_headers)../COMMON/Makefile
	END
	sed -i "s,COMMON,$common," "$headers/Makefile"
	ln -s "usr/src/linux-headers-$2" "$dir/build"
}

backport_make() {
	local work=$KERNELS/.work-6.12 release packages
	private_apt_update || die "Debian's package lists cannot be read, log: $PRIVATE_APT/log"
	release=$(newest_backport)
	[[ -n $release ]] || die "there is no linux-image-6.12 with headers in bookworm-backports or bookworm-security"
	rm -rf "$work" "$(backport_folder)"
	mkdir -p "$work"
	mapfile -t packages < <(headers_packages "$release")
	((${#packages[@]} == 3)) || die "linux-headers-$release needs ${packages[*]}: expected the common headers and kbuild"
	unpack_packages "$work" "linux-image-$release" "${packages[@]}"
	finish_image "$work" "$release"
	relocate_headers "$work" "$release"
	rm -rf "${work:?}/usr/share" "${work:?}/etc"
	printf '%s\n' "$release" >"$work/release"
	mv "$work" "$(backport_folder)"
}

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
	grep -h '^CONFIG_' "$FRAGMENTS/base.config" >"$work/obj/asked.config"
	logged "$log" "configuring a kernel for clang" make -C "$tree" O="$work/obj" LLVM=1 \
		KCONFIG_ALLCONFIG="$work/obj/asked.config" allnoconfig modules_prepare ||
		die "the kernel's headers cannot be prepared for clang, log: $log"
	keep_build "$work/obj" "$tree" "$work/keep/build"
	cp "$work/obj/include/config/kernel.release" "$work/keep/release"
	mv "$work/keep" "$(clang_folder)"
	rm -rf "$work"
}
