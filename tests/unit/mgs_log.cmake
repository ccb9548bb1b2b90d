# SPDX-License-Identifier: GPL-2.0-only
#
# What the management service writes into its logs, over a store in memory.

add_library(mgs_log_env STATIC mgs_log_env.c)
target_compile_definitions(mgs_log_env PRIVATE GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
target_link_libraries(mgs_log_env PUBLIC mgs_fixture PRIVATE ll_build)

foreach(test cost fs golden hostile identity random register setting)
	ll_unit_test(mgs_log_${test}_test mgs_log_${test}_test.c LIBS mgs_log_env)
endforeach()

# What is read of logs in memory is counted.
target_link_options(mgs_log_cost_test PRIVATE -Wl,--wrap=mgs_bytes_read)
