# SPDX-License-Identifier: GPL-2.0-only
#
# lfs over file systems in memory.

foreach(test getstripe setstripe components migrate targets find mount_table)
	ll_unit_test(lfs_${test}_test lfs_${test}_test.cpp lfs_fixture.cpp LIBS lfs_core)
endforeach()

add_test(NAME lfs_man_page
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tool_man_check $<TARGET_FILE:lfs>)
add_test(NAME lfs_completion_test
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/lfs_completion_test.py $<TARGET_FILE:lfs>
		${PROJECT_SOURCE_DIR}/utils/completion)
set_tests_properties(lfs_completion_test PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
