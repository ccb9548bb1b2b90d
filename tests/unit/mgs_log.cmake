# SPDX-License-Identifier: GPL-2.0-only
#
# Contents of the logs of the management service, over a store in memory.

add_library(mgs_log_env STATIC mgs_log_env.c)
target_compile_definitions(mgs_log_env PRIVATE GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
target_link_libraries(mgs_log_env PUBLIC mgs_fixture PRIVATE ll_build)

foreach(test cost fs golden hostile identity random register setting)
	ll_unit_test(mgs_log_${test}_test mgs_log_${test}_test.c LIBS mgs_log_env)
endforeach()

# Bytes of logs that are read in memory are counted.
target_link_options(mgs_log_cost_test PRIVATE -Wl,--wrap=mgs_bytes_read)
