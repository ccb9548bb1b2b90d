# SPDX-License-Identifier: GPL-2.0-only
#
# Sources and options of a mount: the module's files, unchanged.

set(llite_dir ${PROJECT_SOURCE_DIR}/llite)
set(llite_parse ${llite_dir}/source.c ${llite_dir}/options.c ${llite_dir}/mountdata.c)
ll_unit_test(llite_source_test llite_source_test.c ${llite_parse} LIBS ll_shim)
ll_unit_test(llite_options_test llite_options_test.c ${llite_parse} LIBS ll_shim)
ll_unit_test(llite_mountdata_test llite_mountdata_test.c ${llite_parse} LIBS ll_shim)
