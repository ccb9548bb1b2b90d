# SPDX-License-Identifier: GPL-2.0-only
#
# File identifiers and extended attributes: the module's files, without the stand-in headers.

ll_unit_test(ea_fid_test ea_fid_test.c LIBS lustre_ea)
ll_unit_test(ea_lma_test ea_lma_test.c LIBS lustre_ea)
