# SPDX-License-Identifier: GPL-2.0
#
# The tree core in user space. Those named *_tsan_test are worth most under
# ThreadSanitizer, and pass without.

ll_unit_test(params_text_test params_text_test.c LIBS ll_shim)
