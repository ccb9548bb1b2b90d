# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Slices: what is too expensive for every commit is divided into slices, and each commit
# has one of them, in turn. A lane that says "# Slice: NAME" at its top belongs to that
# slice; one that says "# Part: NAME TEXT" has a part that does, which it
# runs where in_slice NAME says so.

# shellcheck disable=SC2034
LL_LANES=$LL_ROOT/scripts/check.d

# lane_field LANE NAME: the values of the "# NAME: value" lines at the top of a lane.
lane_field() {
	sed -n "/^[^#]/q; s/^# $2: *//p" "$LL_LANES/$1"
}

# slice_names: one a line, in the order in which commits have them.
slice_names() {
	local lane
	for lane in "$LL_LANES"/*; do
		[[ -f $lane && -x $lane ]] || continue
		lane_field "${lane##*/}" Slice
		lane_field "${lane##*/}" Part | cut -d ' ' -f 1
	done | sort -u
}

# slice_parts NAME: "LANE: TEXT" for everything that belongs to a slice.
slice_parts() {
	local lane
	for lane in "$LL_LANES"/*; do
		[[ -f $lane && -x $lane ]] || continue
		lane=${lane##*/}
		[[ $(lane_field "$lane" Slice) != "$1" ]] || echo "$lane: $(lane_field "$lane" Lane)"
		lane_field "$lane" Part | sed -n "s/^$1  *\(.*\)/$lane: \1/p"
	done
}

# commit_number: goes up by one with each commit. A shallow clone does not know its
# commits, so there the hash decides. Nothing is printed outside a checkout.
commit_number() {
	local hash
	hash=$(git -C "$LL_ROOT" rev-parse --verify -q HEAD 2>/dev/null) || return 0
	if [[ $(git -C "$LL_ROOT" rev-parse --is-shallow-repository) == true ]]; then
		echo $((16#${hash:0:7}))
	else
		git -C "$LL_ROOT" rev-list --count HEAD
	fi
}

# in_slice NAME: whether this run has the slice. A lane that is run by hand has all.
in_slice() {
	[[ -z ${LL_SLICES+set} || " $LL_SLICES " == *" $1 "* ]]
}

# in_every_slice: whether this run has all of them.
in_every_slice() {
	local slice
	for slice in $(slice_names); do
		in_slice "$slice" || return 1
	done
}

# changed_files: what differs from the tree as many commits ago as there are slices, so
# that a commit whose own run was left out is looked at all the same: new files, then
# those with the most changed lines. Every file where there are not that many commits.
changed_files() {
	local count base
	count=$(slice_names | wc -l)
	base=$(git -C "$LL_ROOT" rev-parse --verify -q "HEAD~$count" 2>/dev/null) ||
		base=$(git -C "$LL_ROOT" hash-object -t tree /dev/null)
	git -C "$LL_ROOT" -c core.quotePath=off ls-files -o --exclude-standard
	git -C "$LL_ROOT" -c core.quotePath=off diff --numstat --no-renames "$base" -- |
		awk -F '\t' '{ print $1 + $2 "\t" $3 }' | sort -s -n -r -k 1,1 | cut -f 2
}
