# SPDX-License-Identifier: GPL-2.0-only
#
# Codecs of lustre_cfg and llog, without the stand-in headers. The saved inputs begin
# with the golden logs, and their commands.

ll_fuzz_target(fuzz_lustre_cfg fuzz_lustre_cfg.c LIBS lustre_codec)
ll_fuzz_target(fuzz_llog fuzz_llog.c LIBS lustre_codec)
ll_fuzz_target(fuzz_llog_store fuzz_llog_store.c LIBS lustre_codec)
