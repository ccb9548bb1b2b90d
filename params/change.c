// SPDX-License-Identifier: GPL-2.0-only
/*
 * One write to an entry: check, apply, undo. version.c orders concurrent
 * writes.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "change.h"
#include "rule.h"

/**
 * params_change_init() - initialize with an entry and a value
 * @ch: change
 * @path: path of the entry
 * @path_len: its bytes
 * @value: text or records, valid until params_change_fini()
 * @value_len: its bytes
 * @flags: PARAMS_W_TYPED, PARAMS_W_VERSION
 * @version: expected version
 *
 * Context: may sleep
 * Return: 0 or as params_find(); the caller must call params_change_fini() in
 *  either case
 */
int params_change_init(struct params_change *ch, const char *path,
		       size_t path_len, const char *value, size_t value_len,
		       u32 flags, u32 version)
{
	struct lustre_params_entry *lpe;
	int rc;

	memset(ch, 0, sizeof(*ch));
	ch->ch_text = value;
	ch->ch_len = value_len;
	ch->ch_flags = flags;
	ch->ch_version = version;
	rc = params_path_check(path, path_len);
	if (rc)
		return rc;
	lpe = params_find(NULL, path, path_len);
	if (IS_ERR(lpe))
		return PTR_ERR(lpe);
	ch->ch_lpe = params_follow(lpe);
	return 0;
}

/**
 * params_change_fini() - free a change; undoes nothing
 * @ch: change
 *
 * Context: may sleep
 */
void params_change_fini(struct params_change *ch)
{
	params_entry_put(ch->ch_lpe);
	kvfree(ch->ch_old_text);
	ch->ch_lpe = NULL;
	ch->ch_old_text = NULL;
}

/**
 * params_change_version() - current version of the entry
 * @ch: change
 *
 * Context: any
 * Return: the version, 0 if there is no entry, or if it has been removed
 */
u32 params_change_version(const struct params_change *ch)
{
	if (!ch->ch_lpe || params_entry_gate(ch->ch_lpe))
		return 0;
	return params_version(ch->ch_lpe);
}

static int params_version_refuse(const struct params_change *ch,
				 struct params_reason *why)
{
	u32 now = params_change_version(ch);

	if (now == ch->ch_version)
		params_refuse(why, "another write is in progress");
	else
		params_refuse(why, "version is %u, not %u", now,
			      ch->ch_version);
	return -ESTALE;
}

/* The single record of a typed value. */
static const struct params_value_rec *
params_typed_rec(const struct params_change *ch, struct params_reason *why)
{
	const struct params_value_rec *rec = (const void *)ch->ch_text;
	bool fits = ch->ch_len >= sizeof(*rec) &&
		    params_rec_bytes(rec) == ch->ch_len;

	if (fits && rec->vr_type == PARAMS_V_STRING)
		return rec;
	if (fits && rec->vr_type == PARAMS_V_TIME &&
	    rec->vr_len == sizeof(struct params_time))
		return rec;
	if (fits && rec->vr_type != PARAMS_V_TIME && rec->vr_len == sizeof(u64))
		return rec;
	params_refuse(why, "a typed value is one whole record of a scalar type");
	return NULL;
}

static const void *params_rec_value(const struct params_value_rec *rec)
{
	return (const char *)(rec + 1) +
		PARAMS_ALIGN((size_t)rec->vr_name_len);
}

/* Convert a number to the signedness of the entry's type. */
static int params_typed_sign(const struct lustre_params_attr *attr,
			     bool is_signed, u64 bits,
			     union params_number *num,
			     struct params_reason *why)
{
	if (is_signed != params_type_signed(attr->type) && (s64)bits < 0) {
		params_refuse(why, is_signed ? "must not be negative" :
					       "too large for a signed type");
		return -ERANGE;
	}
	num->u = bits;
	return params_check_range(attr, *num, why);
}

static int params_check_typed(struct params_change *ch, u64 total, u64 old,
			      struct params_reason *why)
{
	const struct lustre_params_attr *attr = ch->ch_lpe->lpe_attr;
	const struct params_value_rec *rec = params_typed_rec(ch, why);
	const void *val;

	if (!rec)
		return -EINVAL;
	val = params_rec_value(rec);
	switch (rec->vr_type) {
	case PARAMS_V_STRING:
		return params_parse(attr, val, rec->vr_len, total, old,
				    &ch->ch_number, why);
	case PARAMS_V_TIME:
		return params_typed_sign(attr, true,
					 ((const struct params_time *)val)->pt_ns,
					 &ch->ch_number, why);
	case PARAMS_V_S64:
		return params_typed_sign(attr, true, *(const s64 *)val,
					 &ch->ch_number, why);
	case PARAMS_V_U64:
	case PARAMS_V_HEX:
	case PARAMS_V_BOOL:
	case PARAMS_V_BYTES:
		return params_typed_sign(attr, false, *(const u64 *)val,
					 &ch->ch_number, why);
	default:
		params_refuse(why, "a value of record type %u cannot be set",
			      rec->vr_type);
		return -EINVAL;
	}
}

/* Parsing may need the value of 100 %, or the mask that + and - start from. */
static int params_check_number(struct params_change *ch,
			       struct params_reason *why)
{
	struct lustre_params_entry *lpe = ch->ch_lpe;
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	u64 total = 0;
	u64 old = 0;
	int rc;

	if (attr->total) {
		total = attr->total(lpe->lpe_data);
	} else if (ch->ch_from_base) {
		old = ch->ch_base;
	} else if (attr->type == PARAMS_T_MASK) {
		rc = params_value_number(lpe, &old);
		if (rc && rc != -EACCES)
			return rc;
	}
	if (ch->ch_flags & PARAMS_W_TYPED)
		return params_check_typed(ch, total, old, why);
	return params_parse(attr, ch->ch_text, ch->ch_len, total, old,
			    &ch->ch_number, why);
}

/* A user ends a text with a newline, which is not part of it. */
static void params_change_trim(struct params_change *ch)
{
	if (ch->ch_len && ch->ch_text[ch->ch_len - 1] == '\n')
		ch->ch_len--;
}

/* A typed value of an entry that is set by text must be a text. */
static int params_change_untype(struct params_change *ch,
				struct params_reason *why)
{
	const struct params_value_rec *rec;

	if (!(ch->ch_flags & PARAMS_W_TYPED))
		return 0;
	rec = params_typed_rec(ch, why);
	if (!rec || rec->vr_type != PARAMS_V_STRING)
		return -EINVAL;
	ch->ch_text = params_rec_value(rec);
	ch->ch_len = rec->vr_len;
	ch->ch_flags &= ~PARAMS_W_TYPED;
	return 0;
}

static int params_check_clear(const struct params_change *ch,
			      struct params_reason *why)
{
	static const char word[] = "clear";

	if (ch->ch_len == strlen(word) && !memcmp(ch->ch_text, word, ch->ch_len))
		return 0;
	params_refuse(why, "statistics accept only the word %s", word);
	return -EINVAL;
}

static int params_check_length(const struct params_change *ch,
			       struct params_reason *why)
{
	const struct lustre_params_attr *attr = ch->ch_lpe->lpe_attr;

	if (!attr->max || (ch->ch_len >= attr->min && ch->ch_len <= attr->max))
		return 0;
	params_refuse(why, "%zu bytes, where %llu to %llu are allowed",
		      ch->ch_len, attr->min, attr->max);
	return -ERANGE;
}

static int params_check_text(struct params_change *ch,
			     struct params_reason *why)
{
	int rc = params_change_untype(ch, why);

	if (rc)
		return rc;
	params_change_trim(ch);
	if (memchr(ch->ch_text, '\0', ch->ch_len)) {
		params_refuse(why, "the text contains a NUL");
		return -EINVAL;
	}
	switch (ch->ch_lpe->lpe_attr->type) {
	case PARAMS_T_STATS:
		return params_check_clear(ch, why);
	case PARAMS_T_STRING:
		return params_check_length(ch, why);
	default:
		return 0;
	}
}

/* Whether the old value can be read and restored. */
static bool params_attr_undoable(const struct lustre_params_attr *attr)
{
	if (attr->field)
		return true;
	return attr->get_u && (params_type_is_number(attr->type) ||
			       attr->type == PARAMS_T_STRING);
}

/**
 * params_change_check() - all checks before the value is set
 * @ch: change, OPEN
 * @why: out, reason of a refusal
 *
 * Context: may sleep
 * Return: 0; -EISDIR, -EACCES, -ESTALE, -EINVAL, -ERANGE, -ENODEV
 */
int params_change_check(struct params_change *ch, struct params_reason *why)
{
	struct lustre_params_entry *lpe = ch->ch_lpe;
	int rc = params_entry_gate(lpe) ?: params_may_write(lpe);

	if (rc)
		return rc;
	if ((ch->ch_flags & PARAMS_W_VERSION) &&
	    params_change_version(ch) != ch->ch_version)
		return params_version_refuse(ch, why);
	/* The attribute belongs to the owner, as the value does. */
	rc = params_entry_activate(lpe);
	if (rc)
		return rc;
	if (params_type_is_number(lpe->lpe_type))
		rc = params_check_number(ch, why);
	else
		rc = params_check_text(ch, why);
	ch->ch_undoable = params_attr_undoable(lpe->lpe_attr);
	params_entry_deactivate(lpe);
	if (!rc)
		ch->ch_state = PARAMS_CHANGE_CHECKED;
	return rc;
}

static int params_change_remember(struct params_change *ch)
{
	if (ch->ch_lpe->lpe_attr->type == PARAMS_T_STRING)
		return params_value_text(ch->ch_lpe, &ch->ch_old_text,
					 &ch->ch_old_len);
	return params_value_number(ch->ch_lpe, &ch->ch_old);
}

static int params_write_text(struct lustre_params_entry *lpe, const char *text,
			     size_t len)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	char *copy;
	int rc;

	if (attr->type == PARAMS_T_STATS) {
		struct params_stats *stats = attr->get_stats(lpe->lpe_data);

		if (!stats)
			return -ENODEV;
		params_stats_clear(stats);
		return 0;
	}
	copy = kvmalloc(len + 1, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	copy[len] = '\0';
	rc = attr->write(copy, len, lpe->lpe_data);
	kvfree(copy);
	return rc;
}

static int params_version_claim(struct params_change *ch,
				struct params_reason *why)
{
	s64 state = params_state(ch->ch_lpe);

	if (!(ch->ch_flags & PARAMS_W_VERSION)) {
		ch->ch_old_source = params_write_begin(ch->ch_lpe);
		return 0;
	}
	ch->ch_old_source = params_state_source(state);
	if (params_state_version(state) == ch->ch_version &&
	    params_write_begin_alone(ch->ch_lpe, &state))
		return 0;
	return params_version_refuse(ch, why);
}

/**
 * params_change_set() - run the callback of a write
 * @ch: change, CHECKED, its entry active and the write counted
 *
 * Context: may sleep, for as long as the callback does
 * Return: 0 or the error of the callback; a byte count counts as 0
 */
int params_change_set(struct params_change *ch)
{
	int rc;

	if (params_type_is_number(ch->ch_lpe->lpe_attr->type))
		rc = params_value_set_number(ch->ch_lpe, ch->ch_number.u);
	else
		rc = params_write_text(ch->ch_lpe, ch->ch_text, ch->ch_len);
	return min_t(int, rc, 0);
}

/**
 * params_change_apply() - set the value
 * @ch: change, CHECKED
 * @why: out, reason of a refusal
 *
 * Context: may sleep, for as long as the callback does
 * Return: 0, -ESTALE, -ENODEV, or the error of the callback
 */
int params_change_apply(struct params_change *ch, struct params_reason *why)
{
	struct lustre_params_entry *lpe = ch->ch_lpe;
	int rc;

	rc = params_entry_activate(lpe);
	if (rc)
		return rc;
	if (ch->ch_keep)
		rc = params_change_remember(ch);
	if (!rc)
		rc = params_version_claim(ch, why);
	if (!rc) {
		rc = params_change_set(ch);
		if (rc)
			params_write_end(lpe);
		else
			params_write_end_as(lpe, PARAMS_SOURCE_LOCAL);
	}
	params_entry_deactivate(lpe);
	if (rc)
		return rc;
	ch->ch_state = PARAMS_CHANGE_APPLIED;
	params_event(LL_PARAMS_CHANGED, lpe);
	return 0;
}

/* Allocates nothing: restoring must not fail on allocation failure. */
static int params_change_restore(struct params_change *ch)
{
	struct lustre_params_entry *lpe = ch->ch_lpe;
	int rc;

	if (lpe->lpe_attr->type == PARAMS_T_STRING)
		rc = lpe->lpe_attr->write(ch->ch_old_text, ch->ch_old_len,
					  lpe->lpe_data);
	else
		rc = params_value_set_number(lpe, ch->ch_old);
	return min_t(int, rc, 0);
}

/**
 * params_change_undo() - restore the old value
 * @ch: change, APPLIED with ch_keep
 *
 * Does nothing if a rule has set the entry since.
 *
 * Context: may sleep, for as long as the callback does
 * Return: 0, -ENODEV, or the error of the callback
 */
int params_change_undo(struct params_change *ch)
{
	struct lustre_params_entry *lpe = ch->ch_lpe;
	bool mine;
	int rc;

	rc = params_entry_activate(lpe);
	if (rc)
		return rc;
	mine = params_write_begin_if(lpe, false);
	if (mine) {
		rc = params_change_restore(ch);
		if (rc)
			params_write_end(lpe);
		else
			params_write_end_as(lpe, ch->ch_old_source);
	}
	params_entry_deactivate(lpe);
	if (rc)
		return rc;
	ch->ch_state = PARAMS_CHANGE_CHECKED;
	if (mine)
		params_event(LL_PARAMS_CHANGED, lpe);
	/* The rule that gave the old value may be gone meanwhile. */
	if (mine && ch->ch_old_source == PARAMS_SOURCE_PERMANENT)
		params_ruled_settle(lpe);
	return 0;
}
