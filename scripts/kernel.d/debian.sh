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

backport_folder() { echo /nonexistent; }
clang_folder() { echo /nonexistent; }
