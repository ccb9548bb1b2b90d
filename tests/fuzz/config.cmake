# SPDX-License-Identifier: GPL-2.0-only
#
# The rules of config logs. fuzz_config's corpus begins with the golden logs.

ll_fuzz_target(fuzz_config fuzz_config.c LIBS lustre_codec)
