# SPDX-License-Identifier: GPL-2.0-only
#
# Config logs in user space: llog_reader, lctl's commands for logs, replay.

add_library(logs_fixture STATIC logs_fixture.cpp)
target_link_libraries(logs_fixture PUBLIC llog_reader_core lctl_fixture PRIVATE ll_warnings)
target_compile_definitions(logs_fixture PRIVATE LL_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")

foreach(test reader padding command damaged check cancel lctl replay)
	ll_unit_test(logs_${test}_test logs_${test}_test.cpp LIBS logs_fixture)
	set_tests_properties(logs_${test}_test PROPERTIES ENVIRONMENT TZ=UTC)
endforeach()
