# SPDX-License-Identifier: GPL-2.0
#
# Tests of lctl's shell, debug log, saved parameters, completion and man pages.

ll_unit_test(shell_tokenizer shell_tokenizer_test.cpp LIBS lctl_core)
ll_unit_test(shell_line_reader shell_line_reader_test.cpp LIBS lctl_core)
ll_unit_test(shell_debug_record shell_debug_record_test.cpp LIBS lctl_core)
ll_unit_test(shell_params_file shell_params_file_test.cpp LIBS lctl_core)

add_test(NAME shell_man_pages
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/man_check $<TARGET_FILE:lctl>)
add_test(NAME shell_bash_completion_parses
	COMMAND bash -n ${PROJECT_SOURCE_DIR}/utils/completion/lctl)
