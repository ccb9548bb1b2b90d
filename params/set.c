// SPDX-License-Identifier: GPL-2.0
/*
 * Setting from within the kernel, as a config log asks for it: one entry by its
 * path, or all whose path a pattern matches.
 *
 * A pattern is components, joined by '/' where there is one in it and else by
 * '.'; "\." is a dot of a name. In a component '*' is any text, '?' any
 * character, "[abc]" one of these, "[a-c]" one between, "[!abc]" any other, and
 * a backslash takes the next character as it is. "{a,b}" and "**", which lctl
 * knows, are refused.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "change.h"

/* A write to an entry on which the caller has, or is lent, a reference. */
static int params_set_entry(struct lustre_params_entry *lpe, const char *value,
			    u32 flags, struct params_reason *why)
{
	struct params_change ch = {
		.ch_lpe = params_entry_get(params_resolve(lpe)),
		.ch_text = value,
		.ch_len = strlen(value),
	};
	int rc = params_change_check(&ch, why);

	if (!rc && !(flags & PARAMS_W_DRY_RUN))
		rc = params_change_apply(&ch, why);
	params_change_fini(&ch);
	return rc;
}

static void params_say(const struct params_reason *reason, char *why,
		       size_t why_size)
{
	if (why && why_size)
		strscpy(why, reason->text, why_size);
}

/**
 * params_set() - set an entry
 * @dir: where to start, NULL for the root; the caller holds, or is lent, a
 *	reference
 * @path: components joined by '/'
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, words of a refusal, "" where the errno says it all; or NULL
 * @why_size: bytes of @why
 *
 * Context: may sleep, for as long as the callback does; the caller holds no lock
 * that a callback of the entry takes
 * Return: 0; -ENOENT, -ENOTDIR or -ENODEV when there is no such entry; -EISDIR
 * or -EACCES when it takes no value; -EINVAL or -ERANGE for a value that it does
 * not take; what the callback said
 */
int params_set(struct lustre_params_entry *dir, const char *path,
	       const char *value, u32 flags, char *why, size_t why_size)
{
	struct params_reason reason = { "" };
	struct lustre_params_entry *lpe;
	int rc;

	lpe = params_lookup_entry(dir, path);
	if (IS_ERR(lpe)) {
		params_say(&reason, why, why_size);
		return PTR_ERR(lpe);
	}
	rc = params_set_entry(lpe, value, flags, &reason);
	params_entry_put(lpe);
	params_say(&reason, why, why_size);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(params_set, LUSTRE_LITE);

/**
 * struct params_glob - a pattern taken apart
 * @pg_text: its own copy, with a NUL behind each component
 * @pg_count: components
 * @pg_part: where they begin
 */
struct params_glob {
	char		*pg_text;
	unsigned int	pg_count;
	const char	*pg_part[PARAMS_DEPTH_MAX];
};

/* Replace what joins the components by NULs; a backslash keeps the next one. */
static int params_glob_split(struct params_glob *glob)
{
	char joint = strchr(glob->pg_text, '/') ? '/' : '.';
	char *at = glob->pg_text;
	char *begin = at;

	glob->pg_count = 0;
	for (;; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			continue;
		}
		if (*at && *at != joint)
			continue;
		if (at == begin || glob->pg_count == PARAMS_DEPTH_MAX)
			return -EINVAL;
		glob->pg_part[glob->pg_count++] = begin;
		if (!*at)
			return 0;
		*at = '\0';
		begin = at + 1;
	}
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

/*
 * Whether a name matches a component. Of several stars only the last one is
 * ever tried again: what comes before it has found its place.
 */
static bool params_glob_match(const char *at, const char *name)
{
	const char *star = NULL, *again = NULL;
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
 * struct params_hits - what became of the entries that match
 * @ph_value: value to set
 * @ph_flags: PARAMS_W_DRY_RUN
 * @ph_count: how many took it
 * @ph_rc: what the first one said that did not
 * @ph_why: its words
 */
struct params_hits {
	const char		*ph_value;
	u32			ph_flags;
	unsigned int		ph_count;
	int			ph_rc;
	struct params_reason	ph_why;
};

static void params_hit(struct params_hits *hits, struct lustre_params_entry *lpe)
{
	struct params_reason why = { "" };
	int rc = params_set_entry(lpe, hits->ph_value, hits->ph_flags, &why);

	if (!rc) {
		hits->ph_count++;
	} else if (!hits->ph_rc) {
		hits->ph_rc = rc;
		params_refuse(&hits->ph_why, "%s%s%s", lpe->lpe_name,
			      why.text[0] ? ": " : "", why.text);
	}
}

/*
 * Go through the tree; @good components of the pattern match the way to the
 * entry at hand.
 */
static void params_glob_walk(const struct params_glob *glob,
			     struct params_walk *walk, struct params_hits *hits)
{
	struct lustre_params_entry *lpe;
	unsigned int good = 0;

	params_walk_start(walk, params_root(), glob->pg_count);
	while ((lpe = params_walk_next(walk))) {
		unsigned int depth = walk->pw_depth;

		if (good < depth)
			continue;
		good = depth;
		if (!params_glob_match(glob->pg_part[depth], lpe->lpe_name))
			continue;
		good = depth + 1;
		if (good == glob->pg_count)
			params_hit(hits, lpe);
	}
	params_walk_end(walk);
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

static int params_set_hits(const char *pattern, struct params_hits *hits)
{
	struct params_glob *glob;
	struct params_walk *walk;
	int rc = -ENOMEM;

	if (params_glob_foreign(pattern)) {
		params_refuse(&hits->ph_why,
			      "{a,b} and ** are not for patterns that the kernel applies");
		return -EINVAL;
	}
	glob = kzalloc(sizeof(*glob), GFP_KERNEL);
	walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	if (!glob || !walk)
		goto free_walk;
	glob->pg_text = kstrdup(pattern, GFP_KERNEL);
	if (!glob->pg_text)
		goto free_walk;
	rc = params_glob_split(glob);
	if (rc)
		params_refuse(&hits->ph_why,
			      "give 1 to %d components joined by '.', none of them empty",
			      PARAMS_DEPTH_MAX);
	else
		params_glob_walk(glob, walk, hits);
	kfree(glob->pg_text);
free_walk:
	kfree(walk);
	kfree(glob);
	return rc;
}

/**
 * params_set_matching() - set every entry whose path a pattern matches
 * @pattern: pattern
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, words of the first refusal; or NULL
 * @why_size: bytes of @why
 *
 * One that refuses does not keep others from being set.
 *
 * Context: as params_set()
 * Return: how many were set; -ENOENT when none matches; -EINVAL for what is no
 * pattern; -ENOMEM; else what the first one said that refused
 */
int params_set_matching(const char *pattern, const char *value, u32 flags,
			char *why, size_t why_size)
{
	struct params_hits hits = { .ph_value = value, .ph_flags = flags };
	int rc = params_set_hits(pattern, &hits) ?: hits.ph_rc;

	params_say(&hits.ph_why, why, why_size);
	if (rc)
		return rc;
	return hits.ph_count ? (int)hits.ph_count : -ENOENT;
}
EXPORT_SYMBOL_NS_GPL(params_set_matching, LUSTRE_LITE);
