// SPDX-License-Identifier: GPL-2.0-only
/* Patterns of paths: parsing, and walking over the matching entries. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/pattern.h>

#include "params_internal.h"
#include "glob.h"

/* Replace each separator by a NUL. */
static bool params_glob_split(struct params_glob *glob)
{
	char *at = glob->pg_text, *end = at + glob->pg_len;
	const char *before = NULL;
	size_t len, before_len = 0;

	for (;; at += len + 1) {
		len = params_pattern_part(at, end - at, before, before_len);
		if (!len || glob->pg_count == PARAMS_DEPTH_MAX)
			return false;
		glob->pg_part[glob->pg_count++] = at;
		if (at + len == end)
			return true;
		at[len] = '\0';
		before = at;
		before_len = len;
	}
}

/* Unescaped braces outside of a set. */
static bool params_part_braces(const char *part)
{
	size_t len = strlen(part);
	size_t at = 0, skip;

	for (; at < len; at += skip ?: 1) {
		skip = 0;
		if (part[at] == '{')
			return true;
		if (part[at] == '[')
			skip = params_pattern_set(part + at, len - at);
		else if (part[at] == '\\')
			skip = 2;
	}
	return false;
}

/* Syntax that lctl expands before it stores a pattern. */
static bool params_glob_foreign(const struct params_glob *glob)
{
	unsigned int n;

	for (n = 0; n < glob->pg_count; n++)
		if (!strcmp(glob->pg_part[n], "**") ||
		    params_part_braces(glob->pg_part[n]))
			return true;
	return false;
}

static size_t params_glob_size(size_t len)
{
	return struct_size((struct params_glob *)NULL, pg_text, len + 1);
}

/**
 * params_glob_parse() - parse a pattern
 * @pattern: pattern
 * @why: out, reason of an error
 *
 * Context: may sleep
 * Return: the pattern, for params_glob_free(); ERR_PTR of -EINVAL or -ENOMEM
 */
struct params_glob *params_glob_parse(const char *pattern,
				      struct params_reason *why)
{
	size_t len = strlen(pattern);
	struct params_glob *glob;

	glob = libcfs_zalloc(params_glob_size(len), GFP_KERNEL);
	if (!glob)
		return ERR_PTR(-ENOMEM);
	glob->pg_len = len;
	memcpy(glob->pg_text, pattern, len + 1);
	if (!params_glob_split(glob))
		params_refuse(why,
			      "a pattern has 1 to %d components joined by '.', none of them empty",
			      PARAMS_DEPTH_MAX);
	else if (params_glob_foreign(glob))
		params_refuse(why,
			      "{a,b} and ** are not supported in patterns that the kernel applies");
	else
		return glob;
	params_glob_free(glob);
	return ERR_PTR(-EINVAL);
}

/* Free a pattern. */
void params_glob_free(struct params_glob *glob)
{
	libcfs_free(glob, params_glob_size(glob->pg_len));
}

/**
 * params_part_matches() - whether a component of a pattern matches an entry
 * @part: component
 * @lpe: entry on which the caller has a reference
 *
 * Context: any
 * Return: true when it does
 */
bool params_part_matches(const char *part,
			 const struct lustre_params_entry *lpe)
{
	return params_pattern_match(part, strlen(part), lpe->lpe_name,
				    lpe->lpe_name_len);
}

/**
 * params_glob_walk() - call a function for each visible entry that a pattern
 * matches
 * @glob: pattern
 * @hit: function
 * @data: its argument
 *
 * Context: may sleep, for as long as @hit does
 */
void params_glob_walk(const struct params_glob *glob, params_glob_hit_t *hit,
		      void *data)
{
	struct lustre_params_entry *lpe;
	struct params_walk walk;
	unsigned int good = 0;	/* matching components on the path to @lpe */

	params_walk_start(&walk, params_root(), glob->pg_count);
	while ((lpe = params_walk_next(&walk))) {
		unsigned int depth = walk.wk_depth;

		if (good < depth)
			continue;
		good = depth;
		if (!params_part_matches(glob->pg_part[depth], lpe))
			continue;
		good = depth + 1;
		if (good == glob->pg_count)
			hit(lpe, data);
	}
	params_walk_end(&walk);
}
