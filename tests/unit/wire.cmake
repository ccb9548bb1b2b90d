# SPDX-License-Identifier: GPL-2.0-only
#
# The wire's format and the arithmetic of adaptive timeouts: the module's files,
# without the stand-in headers. The vectors are those of the KUnit suite.

foreach(test wire_codec_test wire_md_test wire_ost_test at_test)
	ll_unit_test(${test} ${test}.c LIBS lustre_wire)
	target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tests/kunit)
	target_compile_options(${test} PRIVATE -Wall -Wextra $<$<BOOL:${LL_WERROR}>:-Werror>)
endforeach()
