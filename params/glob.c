// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of paths: taking them apart, and finding what they match.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "glob.h"

/* Replace what joins the components by NULs; a backslash keeps the next one. */
static bool params_glob_split(struct params_glob *glob)
{
	char joint = strchr(glob->pg_text, '/') ? '/' : '.';
	char *at = glob->pg_text;
	char *begin = at;

	for (;; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			continue;
		}
		if (*at && *at != joint)
			continue;
		if (at == begin || glob->pg_count == PARAMS_DEPTH_MAX)
			return false;
		glob->pg_part[glob->pg_count++] = begin;
		if (!*at)
			return true;
		*at = '\0';
		begin = at + 1;
	}
}

/* What the patterns of lctl have and these have not. */
static bool params_glob_foreign(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '{' || !strncmp(pattern, "**", 2))
			return true;
	}
	return false;
}

static size_t params_glob_size(size_t len)
{
	return struct_size((struct params_glob *)NULL, pg_text, len + 1);
}

/**
 * params_glob_parse() - take a pattern apart
 * @pattern: pattern
 * @why: out, what is wrong with it
 *
 * Context: may sleep
 * Return: the pattern, params_glob_free() ends it; ERR_PTR of -EINVAL or -ENOMEM
 */
struct params_glob *params_glob_parse(const char *pattern,
				      struct params_reason *why)
{
	size_t len = strlen(pattern);
	struct params_glob *glob;

	if (params_glob_foreign(pattern)) {
		params_refuse(why,
			      "{a,b} and ** are not for patterns that the kernel applies");
		return ERR_PTR(-EINVAL);
	}
	glob = libcfs_zalloc(params_glob_size(len), GFP_KERNEL);
	if (!glob)
		return ERR_PTR(-ENOMEM);
	glob->pg_len = len;
	memcpy(glob->pg_text, pattern, len + 1);
	if (params_glob_split(glob))
		return glob;
	params_glob_free(glob);
	params_refuse(why,
		      "give 1 to %d components joined by '.', none of them empty",
		      PARAMS_DEPTH_MAX);
	return ERR_PTR(-EINVAL);
}

/**
 * params_glob_free() - end a pattern
 * @glob: pattern
 *
 * Context: any
 */
void params_glob_free(struct params_glob *glob)
{
	libcfs_free(glob, params_glob_size(glob->pg_len));
}

/* The '[' was read: does the set that follows have @c? NULL: it has no end. */
static const char *params_glob_set(const char *at, char c, bool *has)
{
	bool negate = *at == '!';
	bool found = false;
	const char *first;

	if (negate)
		at++;
	for (first = at; *at && (*at != ']' || at == first); at++) {
		char low = *at;

		if (at[1] == '-' && at[2] && at[2] != ']')
			at += 2;
		found |= low <= c && c <= *at;
	}
	*has = found != negate;
	return *at ? at + 1 : NULL;
}

/* One character of a name against one element of a pattern; NULL: it differs. */
static const char *params_glob_one(const char *at, char c)
{
	const char *end;
	bool has;

	switch (*at) {
	case '\0':
		return NULL;
	case '?':
		return at + 1;
	case '[':
		end = params_glob_set(at + 1, c, &has);
		if (end)
			return has ? end : NULL;
		return c == '[' ? at + 1 : NULL;
	case '\\':
		if (at[1])
			at++;
		fallthrough;
	default:
		return *at == c ? at + 1 : NULL;
	}
}

/**
 * params_glob_match() - whether a name matches a component of a pattern
 * @part: component
 * @name: name
 *
 * Of several stars only the last one is ever tried again: what comes before it
 * has found its place.
 *
 * Context: any
 * Return: true when it does
 */
bool params_glob_match(const char *part, const char *name)
{
	const char *star = NULL, *again = NULL;
	const char *at = part;
	const char *next;

	while (*name) {
		if (*at == '*') {
			star = ++at;
			again = name;
			continue;
		}
		next = params_glob_one(at, *name);
		if (next) {
			at = next;
			name++;
		} else if (star) {
			at = star;
			name = ++again;
		} else {
			return false;
		}
	}
	while (*at == '*')
		at++;
	return !*at;
}

/**
 * params_glob_names() - whether a pattern matches the path of an entry
 * @glob: pattern
 * @lpe: entry on which the caller has a reference, not the root
 *
 * Context: any
 * Return: true when it does
 */
bool params_glob_names(const struct params_glob *glob,
		       const struct lustre_params_entry *lpe)
{
	unsigned int n = glob->pg_count;

	/* From the end: names differ more than the directories above do. */
	for (; lpe->lpe_parent && n; lpe = lpe->lpe_parent)
		if (!params_glob_match(glob->pg_part[--n], lpe->lpe_name))
			return false;
	return !lpe->lpe_parent && !n;
}

/**
 * params_glob_walk() - go through what a pattern matches and can be seen
 * @glob: pattern
 * @hit: called for each
 * @data: for it
 *
 * Context: may sleep, for as long as @hit does
 */
void params_glob_walk(const struct params_glob *glob, params_glob_hit_t *hit,
		      void *data)
{
	struct lustre_params_entry *lpe;
	struct params_walk walk;
	unsigned int good = 0;	/* components that match the way to @lpe */

	params_walk_start(&walk, params_root(), glob->pg_count);
	while ((lpe = params_walk_next(&walk))) {
		unsigned int depth = walk.pw_depth;

		if (good < depth)
			continue;
		good = depth;
		if (!params_glob_match(glob->pg_part[depth], lpe->lpe_name))
			continue;
		good = depth + 1;
		if (good == glob->pg_count)
			hit(lpe, data);
	}
	params_walk_end(&walk);
}
