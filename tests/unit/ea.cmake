# SPDX-License-Identifier: GPL-2.0-only
#
# File identifiers and extended attributes: the module's files, without the stand-in headers.

foreach(test fid lma link lov values)
	ll_unit_test(ea_${test}_test ea_${test}_test.c LIBS lustre_ea)
	target_include_directories(ea_${test}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/kunit)
endforeach()

# The tool over trees that real Lustre wrote.
ll_unit_test(ll_decode_test ll_decode_test.cpp LIBS ll_decode_core)
target_compile_definitions(ll_decode_test PRIVATE LL_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
