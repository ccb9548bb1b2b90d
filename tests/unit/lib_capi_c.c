/* SPDX-License-Identifier: GPL-2.0-only */
/* The C interface used from C, as a program of others' would. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <lustre_lite/liblustrelite.h>

#include "lib_capi_c.h"

/* The loop of the design's lctl: list, then read each. */
int c_print_matching(struct params_handle *handle, const char *pattern, char *out,
		     size_t size)
{
	struct list_entry *list, *le;
	int rc;

	rc = params_list(handle, pattern, &list);
	if (rc < 0)
		return rc;
	out[0] = '\0';
	for (le = list; le && rc >= 0; le = le->le_next) {
		struct params_value_entry *values;
		char *text;

		if (S_ISDIR(le->le_mode))
			continue;
		rc = params_read(handle, le->le_name, le->le_name_len, &values, 0, 0);
		if (rc < 0)
			break;
		text = params_value_text(values, le->le_type);
		snprintf(out + strlen(out), size - strlen(out), "%s=%s\n", le->le_name,
			 text ? text : "?");
		free(text);
		params_value_free(values);
	}
	params_list_free(list);
	return rc < 0 ? rc : 0;
}

int c_add_numbers(const struct params_visit_entry *entry, void *arg)
{
	uint64_t *sum = arg, number;
	struct params_value_entry *values;

	if (!entry->pv_value)
		return 0;
	if (params_unpack(entry->pv_value, entry->pv_value_len, &values))
		return -EBADMSG;
	if (values && !params_value_u64(values, &number))
		*sum += number;
	params_value_free(values);
	return 0;
}
