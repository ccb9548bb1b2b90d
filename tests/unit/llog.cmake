# SPDX-License-Identifier: GPL-2.0-only
#
# Codecs of lustre_cfg and llog and the decisions of the log store: the module's
# files, without the stand-in headers.

add_library(llog_golden STATIC llog_golden.c llog_disk.c)
target_compile_definitions(llog_golden PRIVATE GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
target_compile_options(llog_golden PUBLIC -Wall -Wextra $<$<BOOL:${LL_WERROR}>:-Werror>)
target_link_libraries(llog_golden PUBLIC lustre_codec ${CMOCKA_LIBRARY} PRIVATE ll_build)

ll_unit_test(lustre_cfg_test lustre_cfg_test.c LIBS llog_golden)
ll_unit_test(llog_format_test llog_format_test.c LIBS llog_golden)
ll_unit_test(llog_damage_test llog_damage_test.c LIBS llog_golden)
ll_unit_test(llog_store_test llog_store_test.c LIBS llog_golden)
ll_unit_test(llog_power_cut_test llog_power_cut_test.c LIBS llog_golden)
