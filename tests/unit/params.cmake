# SPDX-License-Identifier: GPL-2.0-only
#
# The tree core in user space. Those named *_tsan_test are worth most under
# ThreadSanitizer, and pass without.

ll_unit_test(params_text_test params_text_test.c LIBS ll_shim)

add_library(params_fixture STATIC params_client.c params_subject.c params_threads.c)
target_link_libraries(params_fixture PUBLIC ll_shim ${CMOCKA_LIBRARY} PRIVATE ll_build)

ll_unit_test(params_ops_test params_ops_test.c LIBS params_fixture)
ll_unit_test(params_write_test params_write_test.c LIBS params_fixture)
ll_unit_test(params_sink_test params_sink_test.c LIBS params_fixture)
ll_unit_test(params_rules_tsan_test params_rules_tsan_test.c LIBS params_fixture)
ll_unit_test(params_alloc_test params_alloc_test.c LIBS params_fixture)
ll_unit_test(params_boundary_test params_boundary_test.c LIBS params_fixture)
ll_unit_test(params_stats_tsan_test params_stats_tsan_test.c LIBS params_fixture)
ll_unit_test(shim_test shim_test.c LIBS params_fixture)
ll_unit_test(params_tsan_test params_tsan_test.c LIBS params_fixture)
