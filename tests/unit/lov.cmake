# SPDX-License-Identifier: GPL-2.0-only
#
# Striping of files: the module's file, unchanged, without the stand-in headers.

ll_unit_test(lov_stripe_test lov_stripe_test.c ${PROJECT_SOURCE_DIR}/lov/lov_stripe.c)
target_include_directories(lov_stripe_test PRIVATE ${PROJECT_SOURCE_DIR}/lov
	${PROJECT_SOURCE_DIR}/include)
