# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Packages that are fetched and unpacked in the cache, not installed: kernels, and what
# benchmarks measure against. They come from where this system's packages come from.

# Package lists of our own: those of the system may be old or gone, lack backports, and
# are for root alone to renew. Its sources, keys, proxies and passwords apply.
PRIVATE_APT=$LL_CACHE/apt

# Root's apt would have another user fetch, who cannot write to the cache.
apt_options() {
	printf '%s\n' -q -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Update::Error-Mode=any
	((EUID)) || printf '%s\n' -o APT::Sandbox::User=root
}

# system_apt TOOL ARGUMENT...: apt as the system has it.
system_apt() {
	local options
	mapfile -t options < <(apt_options)
	"$1" "${options[@]}" "${@:2}"
}

private_apt() {
	system_apt "$1" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PRIVATE_APT/sources" \
		-o Dir::State::Lists="$PRIVATE_APT/lists" -o Dir::Cache="$PRIVATE_APT" \
		-o Dir::Cache::Archives="$PRIVATE_APT/archives" "${@:2}"
}

# codename: of this release of the distribution, from os-release.
codename() {
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d \"
}

# archive_entries: "FILE:N SUITE" for every entry of the system's sources that is the
# distribution's own archive. N counts lines of FILE, or stanzas where it ends in .sources.
# Where lists were never read, apt does not know the origin yet.
archive_entries() {
	# shellcheck disable=SC2016 # apt's variables
	system_apt apt-get indextargets --no-release-info \
		--format '$(SOURCESENTRY) $(RELEASE) $(CREATED_BY) $(COMPONENT)' |
		awk -v name="$(codename)" '$3 == "Packages" && $4 == "main" {
			base = $2
			sub(/-(security|updates|backports)$/, "", base)
			if ((base == name || base ~ /^(old)*stable$|^testing$/) && !seen[$1, $2]++) print $1, $2
		}'
}

# entry FILE:N [SUITE]: that entry as it is, or for another suite of the same archive.
entry() {
	local file=${1%:*} n=${1##*:} suite=${2:-}
	case $file in
	*.sources)
		sed '/^#/d' "$file" | awk -v n="$n" -v suite="$suite" 'BEGIN { RS = ""; FS = "\n" } NR == n {
			for (i = 1; i <= NF; i++) {
				if ($i !~ /^[ \t]/) skip = suite != "" && $i ~ /^([Ss]uites|[Ee]nabled|[Tt]ypes):/
				if (!skip) print $i
			}
			if (suite != "") print "Types: deb\nSuites: " suite
			print ""
		}'
		;;
	*)
		sed -n "${n}p" "$file" |
			sed -E "${suite:+s,^([[:space:]]*deb[[:space:]]+(\\[[^]]*\\][[:space:]]+)?[^[:space:]]+[[:space:]]+)[^[:space:]]+,\\1$suite,}"
		;;
	esac
}

# private_sources [SUITE...]: write the sources of our own: the system's, and other suites
# of its main archive.
private_sources() {
	local place suite ending base='' dir=$PRIVATE_APT/sources
	rm -rf "$dir"
	mkdir -p "$dir" "$PRIVATE_APT"/{lists,archives}/partial
	while read -r place suite; do
		ending=list
		[[ $place != *.sources:* ]] || ending=sources
		[[ $suite == *-* ]] || base=${base:-$place}
		entry "$place" >>"$dir/system-$(printf '%s' "$place" | sha256sum | cut -c 1-8).$ending"
	done < <(archive_entries | sort -u -k 1,1)
	[[ -n $base ]] || base=$(archive_entries | awk '$2 !~ /-/ { print $1; exit }')
	[[ -n $base ]] || die "apt's sources (apt-get indextargets) name no archive of $(codename); packages cannot be fetched"
	for suite in "$@"; do
		ending=list
		[[ $base != *.sources:* ]] || ending=sources
		entry "$base" "$suite" >>"$dir/other.$ending"
	done
}

# private_update: read the lists. An archive without backports will do, and is said; the
# mark of success is made last.
private_update() {
	local log=$PRIVATE_APT/log backports
	backports=$(codename)-backports
	mkdir -p "$PRIVATE_APT"
	: >"$log"
	private_sources "$backports"
	if ! logged "$log" "reading the package lists" private_apt apt-get update; then
		say "once more without $backports"
		private_sources
		logged "$log" "reading the package lists" private_apt apt-get update || return 1
	fi
	touch "$PRIVATE_APT/.updated"
}

# private_lists [renew]: have lists, not older than a day; older ones will do when there is
# no network. With "renew": read them now.
private_lists() (
	take_lock "$PRIVATE_APT/.lock"
	if [[ ${1:-} != renew && -n $(find "$PRIVATE_APT/.updated" -mmin -1440 2>/dev/null) ]]; then
		exit 0
	fi
	private_update && exit 0
	[[ ${1:-} != renew && -e $PRIVATE_APT/.updated ]] || exit 1
	say "going on with the package lists that are there"
)

# fetch DIRECTORY PACKAGE[=VERSION]...: the packages' files into DIRECTORY; by the system's lists
# where they know these packages, else by our own, which are read once more when a package is
# not found or its file is gone from the archive.
fetch() {
	local folder=$1 log=$PRIVATE_APT/fetch.log
	shift
	rm -rf "$folder"
	mkdir -p "$folder" "$PRIVATE_APT"
	: >"$log"
	if known system_apt "$@" && fetch_by system_apt "$folder" "$log" "$@"; then
		return
	fi
	private_lists || die "no package lists, log: $PRIVATE_APT/log"
	if known private_apt "$@" && fetch_by private_apt "$folder" "$log" "$@"; then
		return
	fi
	private_lists renew || die "no package lists, log: $PRIVATE_APT/log"
	fetch_by private_apt "$folder" "$log" "$@" ||
		die "$* cannot be fetched from this system's archive, log: $log"
}

# known APT PACKAGE[=VERSION]...: do its lists have all of these?
known() {
	local apt=$1 package
	shift
	for package in "$@"; do
		"$apt" apt-cache show "$package" 2>/dev/null | grep '^Package: ' >/dev/null || return 1
	done
}

# fetch_by APT DIRECTORY LOG PACKAGE...
fetch_by() (
	cd "$2" && logged "$3" "fetching ${*:4}" "$1" apt-get download "${@:4}"
)

# unpack DIRECTORY PACKAGE[=VERSION]...: fetch packages and unpack them below DIRECTORY.
unpack() {
	local folder=$1 deb
	shift
	fetch "$folder/debs" "$@"
	for deb in "$folder"/debs/*.deb; do
		logged "$PRIVATE_APT/fetch.log" "unpacking ${deb##*/}" dpkg-deb -x "$deb" "$folder" ||
			die "unpacking $deb failed, log: $PRIVATE_APT/fetch.log"
	done
	rm -rf "$folder/debs"
}

# lacking PACKAGE...: what an installation would add to this system, "NAME=VERSION" each.
lacking() {
	local apt out
	for apt in system_apt private_apt; do
		[[ $apt == system_apt ]] || private_lists >&2 || continue
		if out=$("$apt" apt-get -s --no-remove --no-install-recommends install "$@" 2>&1); then
			sed -nE 's/^Inst ([^ ]+) (\[[^]]*\] )?\(([^ ]+) .*/\1=\3/p' <<<"$out"
			return
		fi
	done
	printf '%s\n' "$out" >&2
	die "apt cannot tell what $* need"
}

# merge_usr DIRECTORY: /bin, /sbin and /lib are those of /usr, as they are on the system;
# packages of several ages differ in where they say that their files are.
merge_usr() {
	local dir
	for dir in bin sbin lib lib64; do
		mkdir -p "$1/usr/$dir"
		if [[ -d $1/$dir && ! -L $1/$dir ]]; then
			cp -a "$1/$dir/." "$1/usr/$dir/"
			rm -rf "${1:?}/$dir"
		fi
		ln -s "usr/$dir" "$1/$dir"
	done
}

# unpacked PACKAGE...: a directory of the cache with these packages and their dependencies
# that this system does not have; prints it. Nothing is installed or started.
unpacked() {
	local folder list packages
	list=$(lacking "$@")
	mapfile -t packages <<<"$list"
	[[ -n $list ]] || packages=("$@")
	folder=$LL_CACHE/unpacked/$1-$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c 1-12)
	(
		take_lock "$LL_CACHE/unpacked/.lock"
		[[ ! -e $folder/.complete ]] || exit 0
		rm -rf "${LL_CACHE:?}/unpacked/$1"-*
		unpack "$folder" "${packages[@]}"
		merge_usr "$folder"
		touch "$folder/.complete"
	) >&2 || exit 1
	printf '%s\n' "$folder"
}
