/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns of paths, of config logs and rules: components as in
 * <lustre_lite/pattern.h>. "{a,b}" and "**" are refused: lctl stores a pattern
 * for each alternative, and a rule has as many components as the paths it
 * applies to.
 */
#ifndef _PARAMS_GLOB_H
#define _PARAMS_GLOB_H

#include "params_text.h"

struct lustre_params_entry;

/**
 * struct params_glob - a parsed pattern
 * @pg_len: bytes of the pattern
 * @pg_count: components
 * @pg_part: the components
 * @pg_text: the pattern, with a NUL after each component
 */
struct params_glob {
	size_t		pg_len;
	unsigned int	pg_count;
	const char	*pg_part[PARAMS_DEPTH_MAX];
	char		pg_text[];
};

/**
 * typedef params_glob_hit_t - function for a matching entry
 * @lpe: entry, borrowed; directories and links too
 * @data: as given to params_glob_walk()
 *
 * Context: may sleep; no lock of the tree is held
 */
typedef void (params_glob_hit_t)(struct lustre_params_entry *lpe, void *data);

struct params_glob *params_glob_parse(const char *pattern,
				      struct params_reason *why);
void params_glob_free(struct params_glob *glob);
bool params_part_matches(const char *part,
			 const struct lustre_params_entry *lpe);
void params_glob_walk(const struct params_glob *glob, params_glob_hit_t *hit,
		      void *data);

#endif /* _PARAMS_GLOB_H */
