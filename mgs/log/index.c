// SPDX-License-Identifier: GPL-2.0
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
#include "log_internal.h"

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
 * @room: allocated entries
 * @entry: sections, in no order. A log has at most 21589: comparing all hashes costs less
 *	than reading one section
 */
struct mgs_settings {
	u64		generation;
	u32		step;
	u32		count;
	u32		room;
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

/* Make room for one more. Return: 0, -ENOMEM */
static int settings_room(struct mgs_settings *settings)
{
	u32 room = max_t(u32, 2 * settings->room, ENTRIES_MIN);
	struct entry *entry;

	if (settings->count < settings->room)
		return 0;
	entry = kvmalloc_array(room, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	if (settings->count)
		memcpy(entry, settings->entry,
		       settings->count * sizeof(*entry));
	kvfree(settings->entry);
	settings->entry = entry;
	settings->room = room;
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
 * struct builder - an index being built
 * @settings: index
 * @start: START of the current section
 * @at: where the START is
 */
struct builder {
	struct mgs_settings	*settings;
	u32			start;
	u64			at;
};

static int build_line(struct builder *builder, const struct lcfg_marker *section,
		      const struct lcfg_view *cfg)
{
	struct mgs_line_text text;
	int rc;

	if (section->flags & CM_SKIP || !mgs_line_text(cfg, 1, section, &text))
		return 0;
	rc = settings_room(builder->settings);
	if (!rc)
		settings_add(builder->settings,
			     pattern_hash(text.name, text.name_len),
			     builder->start, builder->at);
	return rc;
}

static int build_rec(void *data, const struct lcfg_marker *section,
		     const struct mgs_rec *rec)
{
	struct builder *builder = data;

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

	return mgs_view_info(view, MGS_PARAMS_LOG, &info) == -ENOENT ?
		0 : info.li_generation;
}

static int settings_build(struct mgs_txn *txn)
{
	const struct mgs_view *view = mgs_txn_view(txn);
	struct mgs_store *store = mgs_txn_store(txn);
	struct builder builder = { NULL };
	int rc;

	mgs_store_settings_put(store, NULL, NULL);
	builder.settings = kzalloc(sizeof(*builder.settings), GFP_KERNEL);
	if (!builder.settings)
		return -ENOMEM;
	builder.settings->step = 1;
	builder.settings->generation = log_generation(view);
	rc = mgs_scan(view, MGS_PARAMS_LOG, build_rec, &builder);
	if (rc && rc != -ENOENT) {
		settings_free(builder.settings);
		return rc;
	}
	mgs_store_settings_put(store, builder.settings, settings_free);
	return 0;
}

/* Whether the change has not modified the log yet */
bool mgs_settings_usable(struct mgs_txn *txn)
{
	return !mgs_txn_touched(txn, MGS_PARAMS_LOG);
}

/* Load the sections that may have a pattern. Return: 0, -ENOMEM; as the store */
int mgs_settings_load(struct mgs_txn *txn, struct mgs_sections *image,
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
			rc = mgs_sections_add(image, view, MGS_PARAMS_LOG,
					      entry->start, entry->at);
	}
	return rc;
}

/* Approximate number of settings in force; 0: unknown */
u32 mgs_settings_count(const struct mgs_store *store)
{
	const struct mgs_settings *settings = mgs_store_settings(store);

	return settings ? settings->count : 0;
}

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
	    change->writes == mgs_txn_writes(txn, MGS_PARAMS_LOG)) {
		settings_follow(settings, change);
		settings->generation = log_generation(mgs_txn_view(txn));
	}
	kvfree(change);
}

/*
 * A change of the index, after mgs_settings_load(). @room: sections that are removed.
 * Return: change, for mgs_settings_change(); NULL on allocation failure
 */
struct mgs_settings_change *mgs_settings_change_new(const char *pattern, u32 room)
{
	size_t size = offsetof(struct mgs_settings_change, gone) +
		room * sizeof(u32);
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
int mgs_settings_change(struct mgs_edit *edit, struct mgs_settings_change *change)
{
	struct mgs_settings *settings = mgs_store_settings(mgs_txn_store(edit->txn));
	int rc = settings_room(settings);

	if (rc) {
		kvfree(change);
		return rc;
	}
	change->generation = settings->generation;
	change->writes = mgs_txn_writes(edit->txn, MGS_PARAMS_LOG);
	change->start = edit->start;
	change->start_at = edit->start_at;
	change->step = edit->step;
	mgs_txn_at_end(edit->txn, change_ends, change);
	return 0;
}
