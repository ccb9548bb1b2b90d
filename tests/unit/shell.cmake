# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of lctl's shell, debug log, saved parameters, completion and man pages.

ll_unit_test(shell_tokenizer_test shell_tokenizer_test.cpp LIBS lctl_core)
ll_unit_test(shell_line_reader_test shell_line_reader_test.cpp LIBS lctl_core)
ll_unit_test(shell_debug_record_test shell_debug_record_test.cpp LIBS lctl_core)
ll_unit_test(shell_params_file_test shell_params_file_test.cpp LIBS lctl_core)

# lctl over the modules' own tree, in one process.
add_library(real_tree STATIC real_tree.c)
target_link_libraries(real_tree PRIVATE ll_shim ll_build)
target_include_directories(real_tree INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
add_library(test_system STATIC test_system.cpp)
target_include_directories(test_system PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_system PUBLIC lctl_core real_tree ll_build PRIVATE ll_warnings)
add_executable(lctl_on_tree lctl_on_tree.cpp)
target_link_libraries(lctl_on_tree PRIVATE test_system ${CMOCKA_LIBRARY} ll_build ll_warnings)

foreach(test batch completion debug save_apply)
	ll_unit_test(shell_${test}_test shell_${test}_test.cpp LIBS test_system)
endforeach()

add_test(NAME shell_man_pages
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/man_check $<TARGET_FILE:lctl>)
add_test(NAME shell_bash_completion_parses
	COMMAND bash -n ${PROJECT_SOURCE_DIR}/utils/completion/lctl)

add_test(NAME shell_zsh_and_fish_completion
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/completion_check $<TARGET_FILE:lctl>
		${PROJECT_SOURCE_DIR}/utils/completion)

# Programs at a terminal.
add_test(NAME shell_prompt_test
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/shell_prompt_test.py $<TARGET_FILE:lctl_on_tree>)
add_test(NAME shell_bash_test
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/shell_bash_test.py $<TARGET_FILE:lctl_on_tree>
		${PROJECT_SOURCE_DIR}/utils/completion/lctl)
set_tests_properties(shell_prompt_test shell_bash_test PROPERTIES
	ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
