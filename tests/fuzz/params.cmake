# SPDX-License-Identifier: GPL-2.0-only
#
# The tree core and what belongs to it, against the stand-in headers.

ll_fuzz_target(fuzz_text fuzz_text.c LIBS ll_shim)
ll_fuzz_target(fuzz_nid fuzz_nid.c LIBS ll_shim)
ll_fuzz_target(fuzz_ioctl fuzz_ioctl.c fuzz_ioctl_check.c fuzz_ioctl_tree.c
	LIBS ll_shim)
