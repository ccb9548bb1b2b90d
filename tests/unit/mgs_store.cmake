# SPDX-License-Identifier: GPL-2.0-only
#
# The store of the management service, over a directory in memory.

add_library(mgs_fixture STATIC mgs_fixture.c mgs_mem.c)
target_include_directories(mgs_fixture PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(mgs_fixture PUBLIC lustre_mgs ${CMOCKA_LIBRARY} PRIVATE ll_build)

ll_unit_test(mgs_store_test mgs_store_test.c LIBS mgs_fixture)
foreach(test cut damage fail logs random)
	ll_unit_test(mgs_store_${test}_test mgs_store_${test}_test.c LIBS mgs_fixture llog_golden)
endforeach()
ll_unit_test(mgs_view_tsan_test mgs_view_tsan_test.c LIBS mgs_fixture)
