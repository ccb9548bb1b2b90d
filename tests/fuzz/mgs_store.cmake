# SPDX-License-Identifier: GPL-2.0-only
#
# Journal and state of a management service. The saved inputs begin with
# those that a row of changes wrote.

ll_fuzz_target(fuzz_mgs_store fuzz_mgs_store.c LIBS lustre_mgs)
