// SPDX-License-Identifier: GPL-2.0
/*
 * Setting from within the kernel, for config logs: one entry by its path, or
 * all that a pattern matches.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "change.h"
#include "glob.h"

/* A write to an entry; the caller has or borrows a reference. */
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
 * @dir: start, NULL for the root; the caller has or borrows a reference
 * @path: components joined by '/'
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of a refusal, "" if the errno says it all; or NULL
 * @why_size: bytes of @why
 *
 * Context: may sleep, for as long as the callback does; the caller holds no
 *  lock that a callback of the entry takes
 * Return: 0; -ENOENT, -ENOTDIR or -ENODEV if there is no such entry; -EISDIR or
 *  -EACCES if it cannot be set; -EINVAL or -ERANGE for an invalid value; the
 *  error of the callback
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
 * struct params_hits - result of a write to matching entries
 * @ph_spec: the rule
 * @ph_path: buffer for a path, if @ph_spec has applies()
 * @ph_flags: PARAMS_W_DRY_RUN
 * @ph_count: entries set
 * @ph_rc: the first error
 * @ph_why: its reason
 */
struct params_hits {
	const struct params_rule_spec	*ph_spec;
	char				*ph_path;
	u32				ph_flags;
	unsigned int			ph_count;
	int				ph_rc;
	struct params_reason		ph_why;
};

/* Whether the rule applies to a matching entry. */
static bool params_hit_applies(const struct params_hits *hits,
			       struct lustre_params_entry *lpe)
{
	const struct params_rule_spec *spec = hits->ph_spec;

	if (!spec->applies)
		return true;
	return params_entry_path(lpe, hits->ph_path, PARAMS_PATH_MAX + 1) >= 0 &&
		spec->applies(hits->ph_path, spec->data);
}

static void params_hit(struct lustre_params_entry *lpe, void *data)
{
	struct params_reason why = { "" };
	struct params_hits *hits = data;
	int rc;

	if (!params_hit_applies(hits, lpe))
		return;
	rc = params_set_entry(lpe, hits->ph_spec->value, hits->ph_flags, &why);
	if (!rc) {
		hits->ph_count++;
	} else if (!hits->ph_rc && !params_entry_gate(params_resolve(lpe))) {
		hits->ph_rc = rc;
		params_refuse(&hits->ph_why, "%s%s%s", lpe->lpe_name,
			      why.text[0] ? ": " : "", why.text);
	}
}

static int params_set_hits(struct params_hits *hits)
{
	struct params_glob *glob;

	glob = params_glob_parse(hits->ph_spec->pattern, &hits->ph_why);
	if (IS_ERR(glob))
		return PTR_ERR(glob);
	if (hits->ph_spec->applies) {
		hits->ph_path = kmalloc(PARAMS_PATH_MAX + 1, GFP_KERNEL);
		if (!hits->ph_path) {
			params_glob_free(glob);
			return -ENOMEM;
		}
	}
	params_glob_walk(glob, params_hit, hits);
	kfree(hits->ph_path);
	params_glob_free(glob);
	return 0;
}

/**
 * params_set_matching_where() - set the matching entries that a rule applies to
 * @spec: the rule
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of the first refusal; or NULL
 * @why_size: bytes of @why
 *
 * A refusal does not prevent the others from being set; entries removed
 * meanwhile are ignored. No rule is added.
 *
 * Context: as params_set(); no lock of the tree is held over @spec->applies
 * Return: entries set; -ENOENT if there are none; -EINVAL for a malformed
 *  pattern; -ENOMEM; else the first error
 */
int params_set_matching_where(const struct params_rule_spec *spec, u32 flags,
			      char *why, size_t why_size)
{
	struct params_hits hits = { .ph_spec = spec, .ph_flags = flags };
	int rc = params_set_hits(&hits) ?: hits.ph_rc;

	params_say(&hits.ph_why, why, why_size);
	if (rc)
		return rc;
	return hits.ph_count ? (int)hits.ph_count : -ENOENT;
}
EXPORT_SYMBOL_NS_GPL(params_set_matching_where, LUSTRE_LITE);

/**
 * params_set_matching() - set every entry that a pattern matches
 * @pattern: pattern
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of the first refusal; or NULL
 * @why_size: bytes of @why
 *
 * Context: as params_set_matching_where()
 * Return: as params_set_matching_where()
 */
int params_set_matching(const char *pattern, const char *value, u32 flags,
			char *why, size_t why_size)
{
	struct params_rule_spec spec = { .pattern = pattern, .value = value };

	return params_set_matching_where(&spec, flags, why, why_size);
}
EXPORT_SYMBOL_NS_GPL(params_set_matching, LUSTRE_LITE);
