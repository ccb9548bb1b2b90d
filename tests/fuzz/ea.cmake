# SPDX-License-Identifier: GPL-2.0-only
#
# Extended attributes, without the stand-in headers. What is kept of inputs begins with the
# attributes of tests/golden.

ll_fuzz_target(fuzz_ea fuzz_ea.c LIBS lustre_ea)
