/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters of the tests of the tree: a directory "s" with an entry of every type,
 * whose callbacks check that no lock of the tree is held.
 */
#ifndef _PARAMS_SUBJECT_H
#define _PARAMS_SUBJECT_H

#include <linux/types.h>
#include <lustre_lite/params.h>

#define SUBJECT_COLOURS	{ "red", "green", "", "blue", NULL }

/**
 * struct subject - the owner's data
 * @dir: its directory
 * @stats: its counters
 * @u32: .. @field: values of the entries of these names
 * @big: bytes that the entry "big" has
 * @records: records that the entry "records" has
 * @calls: callbacks that ran
 * @fail: what callbacks return instead of doing anything
 * @fail_set: what setters return
 * @fail_trigger: what only the trigger returns
 * @good_sets: setters that still succeed before that, 0 for none
 */
struct subject {
	struct lustre_params_entry	*dir;
	struct params_stats		*stats;
	u64				u32;
	u64				u64;
	s64				s32;
	s64				s64;
	u64				boolean;
	u64				colour;
	u64				bytes;
	u64				mask;
	s64				time;
	char				text[1024];
	u32				field;
	size_t				big;
	unsigned int			records;
	unsigned int			calls;
	int				fail;
	int				fail_set;
	int				fail_trigger;
	unsigned int			good_sets;
};

/* Add it below the root under a name; *subject is filled with values. */
int subject_add(struct subject *subject, const char *name);
void subject_remove(struct subject *subject);

/* State to which a teardown returns. */
int tree_setup(void **state);
int tree_teardown(void **state);

#endif /* _PARAMS_SUBJECT_H */
