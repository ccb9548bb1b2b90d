# SPDX-License-Identifier: GPL-2.0-only
#
# What a mount is of and how: the module's files, unchanged.

set(llite_dir ${PROJECT_SOURCE_DIR}/llite)
ll_fuzz_target(fuzz_mount fuzz_mount.c ${llite_dir}/source.c ${llite_dir}/options.c
	${llite_dir}/mountdata.c LIBS ll_shim)
