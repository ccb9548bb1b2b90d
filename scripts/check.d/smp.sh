# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the lanes "kasan" and "lockdep" do, each with its kernel: tests that want more
# than one processor. These are the files of tests/vm/stress, 20 s each and 60 s with
# --full (or LUSTRE_LITE_STRESS_SECONDS), the KUnit suites that say "Processors: 2" in
# their head comment, those of tests/vm/debug (failing allocations, random calls), and a
# leak scan over all of it.

# shellcheck source=scripts/check.d/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

# smp KERNEL
smp() {
	local kernel=$1 modules seconds=20 stress races debug programs
	[[ -z ${LUSTRE_LITE_FULL:-} ]] || seconds=60
	build_tools
	modules=$(build_modules "$kernel")
	mapfile -t stress < <(scenarios stress)
	mapfile -t races < <(suites "$modules" '^ \* Processors: 2$')
	mapfile -t debug < <(scenarios debug)
	mapfile -t programs < <(tools)
	((${#stress[@]})) || die "nothing to run in tests/vm/stress"
	leak_scan "$LL_LOGS"
	guest_halves "$kernel" "$kernel" --modules "$modules" "${programs[@]}" --timeout 2500 \
		--env "LL_STRESS_SECONDS=${LUSTRE_LITE_STRESS_SECONDS:-$seconds}" -- \
		"${stress[@]}" "${races[@]}" "${debug[@]}"
}
