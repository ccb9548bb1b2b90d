/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LL_TESTS_LIB_CAPI_C_H
#define LL_TESTS_LIB_CAPI_C_H

#include <stddef.h>

#include <lustre_lite/liblustrelite.h>

#ifdef __cplusplus
extern "C" {
#endif

int c_print_matching(struct params_handle *handle, const char *pattern, char *out,
		     size_t size);
int c_add_numbers(const struct params_visit_entry *entry, void *arg);

#ifdef __cplusplus
}
#endif

#endif
