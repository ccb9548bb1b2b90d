# SPDX-License-Identifier: GPL-2.0-only
#
# Targets on disk and mounts: mkfs.lustre-lite, tunefs.lustre-lite, mount.lustre-lite.

add_library(disk_fixture STATIC disk_fixture.cpp)
target_include_directories(disk_fixture PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(disk_fixture PUBLIC lustrelite_disk fake_tree PRIVATE ll_warnings)
target_compile_definitions(disk_fixture PRIVATE LL_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")

foreach(test nodes params mountdata mkfs tunefs directory mount_options mount_source mount)
	ll_unit_test(disk_${test}_test disk_${test}_test.cpp LIBS disk_fixture)
endforeach()

set(disk_tools $<TARGET_FILE:mkfs.lustre-lite> $<TARGET_FILE:tunefs.lustre-lite>
	$<TARGET_FILE:mount.lustre-lite>)
add_test(NAME disk_man_pages
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tool_man_check ${disk_tools} $<TARGET_FILE:llog_reader>)
add_test(NAME disk_tools_test
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/disk_tools_test.py ${disk_tools}
		${PROJECT_SOURCE_DIR}/utils/completion/disk_tools)
set_tests_properties(disk_tools_test PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
