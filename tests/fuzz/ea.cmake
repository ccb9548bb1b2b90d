# SPDX-License-Identifier: GPL-2.0-only
#
# Extended attributes, without the stand-in headers. The saved inputs begin with the
# attributes of tests/golden.

ll_fuzz_target(fuzz_ea fuzz_ea.c LIBS lustre_ea)
