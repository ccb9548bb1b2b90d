// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings by pattern, for all nodes or those of a file system: the log "params", and its
 * index.
 */
#include "log_internal.h"

/*
 * The index of the log "params": for each section in force, the hash of its pattern and
 * where it starts. A walk through the log builds it on first use; later changes of settings
 * update it, so that the cost of a setting does not depend on the number of settings.
 *
 * It is valid for one generation of the log. After a change of another kind it is built
 * again. It may have superfluous sections, since the log itself is read where it points
 * to; it never misses one.
 *
 * The store owns it. Only the writer uses it.
 */

#define ENTRIES_MIN	64

/**
 * struct entry - a section
 * @hash: hash of a pattern in it
 * @start: index of its START
 * @at: where the START is
 */
struct entry {
	u32	hash;
	u32	start;
	u64	at;
};

/**
 * struct mgs_settings - index of the settings
 * @generation: generation of the log; 0: there is none
 * @step: highest step of all markers
 * @count: sections
 * @capacity: allocated entries
 * @entry: sections, in no order. A log has at most 21589: comparing all hashes costs less
 *	than reading one section
 */
struct mgs_settings {
	u64		generation;
	u32		step;
	u32		count;
	u32		capacity;
	struct entry	*entry;
};

static u32 pattern_hash(const char *pattern, size_t len)
{
	u32 hash = 2166136261U;
	size_t n;

	for (n = 0; n < len; n++)
		hash = (hash ^ (u8)pattern[n]) * 16777619U;
	return hash;
}

static void settings_free(struct mgs_settings *settings)
{
	kvfree(settings->entry);
	kfree(settings);
}

/* Reserve an entry. Return: 0, -ENOMEM */
static int settings_reserve(struct mgs_settings *settings)
{
	u32 capacity = max_t(u32, 2 * settings->capacity, ENTRIES_MIN);
	struct entry *entry;

	if (settings->count < settings->capacity)
		return 0;
	entry = kvmalloc_array(capacity, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	if (settings->count)
		memcpy(entry, settings->entry,
		       settings->count * sizeof(*entry));
	kvfree(settings->entry);
	settings->entry = entry;
	settings->capacity = capacity;
	return 0;
}

static void settings_add(struct mgs_settings *settings, u32 hash, u32 start,
			 u64 at)
{
	settings->entry[settings->count++] = (struct entry) {
		.hash = hash, .start = start, .at = at,
	};
}

static void settings_del(struct mgs_settings *settings, u32 hash, u32 start)
{
	u32 n;

	for (n = 0; n < settings->count; n++)
		while (n < settings->count && settings->entry[n].hash == hash &&
		       settings->entry[n].start == start)
			settings->entry[n] = settings->entry[--settings->count];
}

/**
 * struct mgs_builder - an index being built
 * @settings: index
 * @start: START of the current section
 * @at: where the START is
 */
struct mgs_builder {
	struct mgs_settings	*settings;
	u32			start;
	u64			at;
};

static int build_line(struct mgs_builder *builder, const struct lcfg_marker *section,
		      const struct lcfg_view *cfg)
{
	struct mgs_line_text text;
	int rc;

	if (section->flags & CM_SKIP || !mgs_line_text(cfg, 1, section, &text))
		return 0;
	rc = settings_reserve(builder->settings);
	if (!rc)
		settings_add(builder->settings,
			     pattern_hash(text.name, text.name_len),
			     builder->start, builder->at);
	return rc;
}

static int build_rec(void *data, const struct lcfg_marker *section,
		     const struct mgs_rec *rec)
{
	struct mgs_builder *builder = data;

	if (!section)
		return 0;
	if (!rec->marker)
		return build_line(builder, section, &rec->cfg);
	if (codec_get32(&rec->marker->cm_flags, false) & CM_START) {
		builder->start = rec->index;
		builder->at = rec->offset;
		builder->settings->step = max_t(u32, builder->settings->step,
						section->step);
	}
	return 0;
}

static u64 log_generation(const struct mgs_view *view)
{
	struct mgs_log_info info;

	return mgs_view_info(view, PARAMS_FILENAME, &info) == -ENOENT ?
		0 : info.li_generation;
}

static int settings_build(struct mgs_txn *txn)
{
	const struct mgs_view *view = mgs_txn_view(txn);
	struct mgs_store *store = mgs_txn_store(txn);
	struct mgs_builder builder = { NULL };
	int rc;

	mgs_store_settings_put(store, NULL, NULL);
	builder.settings = kzalloc(sizeof(*builder.settings), GFP_KERNEL);
	if (!builder.settings)
		return -ENOMEM;
	builder.settings->step = 1;
	builder.settings->generation = log_generation(view);
	rc = mgs_scan(view, PARAMS_FILENAME, build_rec, &builder);
	if (rc && rc != -ENOENT) {
		settings_free(builder.settings);
		return rc;
	}
	mgs_store_settings_put(store, builder.settings, settings_free);
	return 0;
}

/* Whether the change has not modified the log yet */
static bool settings_usable(struct mgs_txn *txn)
{
	return !mgs_txn_touched(txn, PARAMS_FILENAME);
}

/* Load the sections that may have a pattern. Return: 0, -ENOMEM; as the store */
static int settings_load(struct mgs_txn *txn, struct mgs_sections *image,
			 const char *pattern)
{
	u32 hash = pattern_hash(pattern, strlen(pattern)), n;
	const struct mgs_view *view = mgs_txn_view(txn);
	struct mgs_store *store = mgs_txn_store(txn);
	struct mgs_settings *settings = mgs_store_settings(store);
	const struct entry *entry;
	int rc = 0;

	if (!settings || settings->generation != log_generation(view)) {
		rc = settings_build(txn);
		if (rc)
			return rc;
		settings = mgs_store_settings(store);
	}
	image->step = settings->step;
	for (n = 0; n < settings->count && !rc; n++) {
		entry = &settings->entry[n];
		if (entry->hash == hash)
			rc = mgs_sections_add(image, view, PARAMS_FILENAME,
					      entry->start, entry->at);
	}
	return rc;
}

/* Approximate number of settings in force; 0: unknown */
static u32 settings_count(const struct mgs_store *store)
{
	const struct mgs_settings *settings = mgs_store_settings(store);

	return settings ? settings->count : 0;
}

/**
 * struct mgs_settings_change - a change of the index of settings
 * @generation: generation of the log before the change
 * @hash: hash of the pattern
 * @start: START of the appended section, 0: none
 * @start_at: where it is in the log
 * @step: its step
 * @writes: number of modifications of the log
 * @gone_count: number of skipped sections
 * @gone: START of each
 */
struct mgs_settings_change {
	u64	generation;
	u32	hash;
	u32	start;
	u64	start_at;
	u32	step;
	u32	writes;
	u32	gone_count;
	u32	gone[];
};

/* Update the index after a commit that did nothing else to the log. */
static void settings_follow(struct mgs_settings *settings,
			    const struct mgs_settings_change *change)
{
	u32 n;

	for (n = 0; n < change->gone_count; n++)
		settings_del(settings, change->hash, change->gone[n]);
	if (change->start)
		settings_add(settings, change->hash, change->start,
			     change->start_at);
	settings->step = max_t(u32, settings->step, change->step);
}

static void change_ends(struct mgs_txn *txn, void *data, bool done)
{
	struct mgs_store *store = mgs_txn_store(txn);
	struct mgs_settings *settings = mgs_store_settings(store);
	struct mgs_settings_change *change = data;

	if (done && settings && change->generation == settings->generation &&
	    change->writes == mgs_txn_writes(txn, PARAMS_FILENAME)) {
		settings_follow(settings, change);
		settings->generation = log_generation(mgs_txn_view(txn));
	}
	kvfree(change);
}

/*
 * A change of the index, after settings_load(). @capacity: sections that are removed.
 * Return: change, for settings_change(); NULL on allocation failure
 */
static struct mgs_settings_change *settings_change_new(const char *pattern, u32 capacity)
{
	size_t size = offsetof(struct mgs_settings_change, gone) +
		capacity * sizeof(u32);
	struct mgs_settings_change *change = kvmalloc(size, GFP_KERNEL);

	if (!change)
		return NULL;
	memset(change, 0, size);
	change->hash = pattern_hash(pattern, strlen(pattern));
	return change;
}

/*
 * @change is all that @edit did to the log: the index is updated when it is committed.
 * Return: 0, -ENOMEM
 */
static int settings_change(struct mgs_edit *edit, struct mgs_settings_change *change)
{
	struct mgs_settings *settings = mgs_store_settings(mgs_txn_store(edit->txn));
	int rc = settings_reserve(settings);

	if (rc) {
		kvfree(change);
		return rc;
	}
	change->generation = settings->generation;
	change->writes = mgs_txn_writes(edit->txn, PARAMS_FILENAME);
	change->start = edit->start;
	change->start_at = edit->start_at;
	change->step = edit->step;
	mgs_txn_at_end(edit->txn, change_ends, change);
	return 0;
}

/* Longest pattern */
#define PATTERN_MAX	1024
/* A log has 64767 record numbers; a setting takes three of them. */
#define SETTING_RECORDS	3
/* Compact at half of them; tests set less. */
u32 mgs_compact_at = 32768;

static bool is_separator(char c)
{
	return c == '.' || c == '/';
}

/* A pattern with an empty component matches no parameter. */
static bool pattern_ok(const char *pattern)
{
	bool empty = true, escaped = false;
	const char *p;

	for (p = pattern; *p; p++) {
		if ((u8)*p <= ' ' || *p == 0x7f || *p == '=')
			return false;
		if (is_separator(*p) && !escaped) {
			if (empty)
				return false;
			empty = true;
			continue;
		}
		empty = false;
		escaped = *p == '\\' && !escaped;
	}
	return !empty && !escaped;
}

static int pattern_check(const char *pattern, struct obd_why *why)
{
	static const char *const others[] = {
		"failover.node", "failover.mode", "mgsnode", "network",
	};
	size_t n;

	if (strlen(pattern) > PATTERN_MAX)
		return obd_refuse(why, -ENAMETOOLONG,
				  "'%.32s...': a pattern has at most %d bytes",
				  pattern, PATTERN_MAX);
	if (!pattern_ok(pattern))
		return obd_refuse(why, -EINVAL,
				  "'%.64s' is not a pattern; give one such as osc.*.max_dirty_mb",
				  pattern);
	for (n = 0; n < ARRAY_SIZE(others); n++)
		if (!strcmp(pattern, others[n]))
			return obd_refuse(why, -EINVAL,
					  "%s is of one target: tunefs.lustre-lite sets it there; replace_nids changes where it is found",
					  pattern);
	return 0;
}

/**
 * struct mgs_wide - a change of a setting by pattern
 * @edit: edit of the log
 * @image: the log; if @known, only the sections that may have @pattern
 * @known: the index was used
 * @pattern: pattern
 * @owner: file system or "general"
 */
struct mgs_wide {
	struct mgs_edit		edit;
	struct mgs_sections	image;
	bool			known;
	const char		*pattern;
	char			owner[LUSTRE_MAXFSNAME + 1];
};

static bool section_of(const struct mgs_wide *wide,
		       const struct mgs_section *section,
		       struct mgs_line_text *text)
{
	const struct mgs_line *line;

	if (!mgs_section_live(section))
		return false;
	list_for_each_entry(line, &section->lines, list)
		if (mgs_line_text(&line->cfg, 1, &section->marker, text) &&
		    text->name_len == strlen(wide->pattern) &&
		    !memcmp(text->name, wide->pattern, text->name_len))
			return true;
	return false;
}

/* Load the sections of the pattern; all of the log if the index cannot be used. */
static int wide_load(struct mgs_wide *wide)
{
	struct mgs_edit *edit = &wide->edit;
	int rc;

	if (edit->rc || !settings_usable(edit->txn))
		return mgs_edit_load(edit, &wide->image, PARAMS_FILENAME);
	wide->known = true;
	rc = settings_load(edit->txn, &wide->image, wide->pattern);
	mgs_edit_error(edit, PARAMS_FILENAME, rc);
	return rc;
}

static int wide_init(struct mgs_wide *wide, struct mgs_call *call)
{
	int rc = mgs_edit_init(&wide->edit, call->txn, call->why);

	wide->pattern = call->args[0];
	wide->known = false;
	mgs_sections_init(&wide->image);
	wide->edit.rc = rc ? rc : pattern_check(wide->pattern, call->why);
	rc = wide_load(wide);
	wide->edit.step = wide->image.step;
	return rc;
}

/* Update the index with the change. */
static int wide_done(struct mgs_wide *wide, u32 found)
{
	struct mgs_edit *edit = &wide->edit;
	const struct mgs_section *section;
	struct mgs_settings_change *change;
	struct mgs_line_text text;

	if (edit->rc || !wide->known)
		return edit->rc;
	change = settings_change_new(wide->pattern, found);
	if (!change)
		return -ENOMEM;
	list_for_each_entry(section, &wide->image.sections, list)
		if (change->gone_count < found &&
		    section_of(wide, section, &text))
			change->gone[change->gone_count++] = section->start;
	return settings_change(edit, change);
}

/*
 * Compact the log if half of its record numbers are used, most of them by superseded
 * records. Nodes read the log again and find what they have: they apply nothing twice.
 */
static int wide_compact(struct mgs_wide *wide)
{
	struct mgs_edit *edit = &wide->edit;
	u32 live = settings_count(mgs_txn_store(edit->txn));
	struct mgs_log_info info;

	if (!live || mgs_view_info(edit->view, PARAMS_FILENAME, &info))
		return 0;
	if (info.li_last_index < mgs_compact_at ||
	    info.li_last_index / 2 < live * SETTING_RECORDS)
		return 0;
	return mgs_log_compact(edit, PARAMS_FILENAME, false);
}

static void wide_fini(struct mgs_wide *wide)
{
	mgs_sections_free(&wide->image);
	mgs_edit_fini(&wide->edit);
}

static int wide_owner(struct mgs_wide *wide)
{
	int rc = mgs_pattern_fsname(wide->edit.view, wide->pattern,
				    wide->owner, sizeof(wide->owner));

	if (!rc && !wide->owner[0])
		strscpy(wide->owner, MGS_OWNER_ALL, sizeof(wide->owner));
	return rc;
}

/* @found: out: settings in force. Return: whether the value is @value already */
static bool wide_has(const struct mgs_wide *wide, const char *value, u32 *found)
{
	const struct mgs_section *section;
	struct mgs_line_text text;
	bool same = false;

	*found = 0;
	list_for_each_entry(section, &wide->image.sections, list) {
		if (!section_of(wide, section, &text))
			continue;
		++*found;
		same = value && !strcmp(text.value, value) &&
		       !strcmp(text.owner, wide->owner);
	}
	return same;
}

/* Skip the old sections. */
static void wide_skip(struct mgs_wide *wide, bool all)
{
	const struct mgs_section *section;
	struct mgs_line_text text;

	list_for_each_entry(section, &wide->image.sections, list) {
		if (!section_of(wide, section, &text))
			continue;
		mgs_section_skip(&wide->edit, PARAMS_FILENAME, section);
		/* The new setting of another owner does not supersede it on all nodes. */
		if (all || strcmp(text.owner, wide->owner))
			mgs_log_new_epoch(&wide->edit, PARAMS_FILENAME);
	}
}

static void wide_append(struct mgs_wide *wide, const char *value)
{
	struct mgs_edit *edit = &wide->edit;
	char *text = kvmalloc(MGS_CFG_MAX, GFP_KERNEL);

	if (!text) {
		edit->rc = -ENOMEM;
		return;
	}
	scnprintf(text, MGS_CFG_MAX, "%s=%s", wide->pattern, value);
	mgs_section_begin(edit, PARAMS_FILENAME, wide->owner, wide->pattern);
	mgs_put_args(edit, LCFG_SET_PARAM, wide->owner, text, MGS_SET_BY);
	mgs_section_end(edit);
	kvfree(text);
}

/* PATTERN, VALUE */
int mgs_do_set_param(struct mgs_call *call)
{
	struct mgs_wide wide;
	u32 found;
	int rc;

	rc = wide_init(&wide, call);
	if (!rc)
		rc = mgs_value_check(wide.pattern, call->args[1], call->why);
	if (!rc)
		rc = wide_owner(&wide);
	if (!rc && !wide_has(&wide, call->args[1], &found)) {
		wide_skip(&wide, false);
		wide_append(&wide, call->args[1]);
		rc = wide_done(&wide, found);
		rc = rc ? rc : wide_compact(&wide);
	}
	wide_fini(&wide);
	return rc;
}

/* PATTERN */
int mgs_do_del_param(struct mgs_call *call)
{
	struct mgs_wide wide;
	u32 found;
	int rc;

	rc = wide_init(&wide, call);
	if (!rc) {
		wide_has(&wide, NULL, &found);
		wide_skip(&wide, true);
		rc = wide_done(&wide, found);
	}
	if (!rc && !found)
		rc = obd_refuse(call->why, -ENOENT,
				"there is no permanent setting '%.128s'; lctl get_param -P shows those that there are",
				wide.pattern);
	wide_fini(&wide);
	return rc;
}

static bool section_owned(const struct mgs_section *section, const char *owner)
{
	const struct mgs_line *line = mgs_section_first(section);
	struct mgs_line_text text;

	return line && mgs_line_text(&line->cfg, 1, &section->marker, &text) &&
	       !strcmp(text.owner, owner);
}

/* Remove all settings of an owner. Return: their number */
u32 mgs_params_forget(struct mgs_edit *edit, const char *owner)
{
	return mgs_edit_skip(edit, PARAMS_FILENAME, section_owned, owner);
}
