# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the scripts that compile: where ccache is installed, what it keeps is in
# $LL_CACHE/ccache and serves every clone. Without it everything works, and takes longer.
# CCACHE_DISABLE=1 turns it off; a CCACHE_DIR of the user's own is respected.

LL_CCACHE=''
if command -v ccache >/dev/null && mkdir -p "${CCACHE_DIR:-$LL_CACHE/ccache}" 2>/dev/null &&
	[[ -w ${CCACHE_DIR:-$LL_CACHE/ccache} ]]; then
	LL_CCACHE=$(command -v ccache)
	export CCACHE_DIR=${CCACHE_DIR:-$LL_CACHE/ccache}
	export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-3G}
	# Paths below the root are relative, so that another clone finds what this one made.
	export CCACHE_BASEDIR=$LL_ROOT CCACHE_NOHASHDIR=1
	# Precompiled headers need the first two; a clone's files are all new.
	export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
	# The compiler's own list of headers, not a run of the preprocessor.
	export CCACHE_DEPEND=1
fi

# ccache_path: PATH with ccache in the place of each compiler, for builds that find theirs by name.
ccache_path() {
	local dir links=''
	for dir in /usr/lib/ccache /usr/lib64/ccache; do
		[[ -z $LL_CCACHE || ! -d $dir ]] || links=$dir:
	done
	printf '%s\n' "$links$PATH"
}

# ccache_cmake: options, one a line, for a tree that cmake makes.
ccache_cmake() {
	printf -- "-DCMAKE_%s_COMPILER_LAUNCHER=$LL_CCACHE\n" C CXX
}
