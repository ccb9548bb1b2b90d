// SPDX-License-Identifier: GPL-2.0
/*
 * A log read: record by record with the section that each is in, or whole into
 * memory as a list of sections. What is cancelled is not seen.
 */
#include "log_internal.h"

/**
 * struct scan - a log being read
 * @fn: who wants the records
 * @data: for it
 * @section: START of the section at hand
 * @inside: there is one
 */
struct scan {
	mgs_scan_fn		fn;
	void			*data;
	struct lcfg_marker	section;
	bool			inside;
};

static int scan_marker(struct scan *scan, const struct mgs_rec *rec)
{
	struct lcfg_marker marker;
	int rc;

	if (lcfg_marker_decode(&rec->cfg, &marker))
		return 0;
	if (marker.flags & CM_START) {
		scan->section = marker;
		scan->inside = true;
	}
	rc = scan->fn(scan->data, scan->inside ? &scan->section : NULL, rec);
	if (marker.flags & CM_END)
		scan->inside = false;
	return rc;
}

static int scan_rec(void *data, const struct mgs_rec *rec)
{
	struct scan *scan = data;

	if (!rec->live)
		return 0;
	if (rec->cfg.command == LCFG_MARKER)
		return scan_marker(scan, rec);
	return scan->fn(scan->data, scan->inside ? &scan->section : NULL, rec);
}

/*
 * Read a log. A START ends the section before, as it does for a reader that applies
 * them. Return: what @fn ended it with; as mgs_store_walk()
 */
int mgs_scan(struct mgs_store *store, struct mgs_txn *txn, const char *log,
	     mgs_scan_fn fn, void *data)
{
	struct scan scan = { .fn = fn, .data = data };

	return mgs_store_walk(store, txn, log, scan_rec, &scan);
}

/**
 * struct loader - a log being loaded
 * @image: where to
 * @at: section at hand, or NULL
 */
struct loader {
	struct mgs_sections	*image;
	struct mgs_section	*at;
};

/* A marker as it is written, which is little-endian. */
static void marker_raw(struct cfg_marker *raw, const struct lcfg_marker *marker,
		       const struct lcfg_view *cfg)
{
	if (!cfg->swapped) {
		memcpy(raw, cfg->buf[1].data, sizeof(*raw));
		return;
	}
	memset(raw, 0, sizeof(*raw));
	codec_put32(&raw->cm_step, marker->step);
	codec_put32(&raw->cm_flags, marker->flags);
	codec_put32(&raw->cm_vers, marker->vers);
	codec_put64(&raw->cm_createtime, marker->createtime);
	codec_put64(&raw->cm_canceltime, marker->canceltime);
	memcpy(raw->cm_tgtname, marker->tgtname, sizeof(raw->cm_tgtname));
	memcpy(raw->cm_comment, marker->comment, sizeof(raw->cm_comment));
}

static int load_start(struct loader *loader, const struct mgs_rec *rec,
		      const struct lcfg_marker *marker)
{
	struct mgs_section *section = kzalloc(sizeof(*section), GFP_KERNEL);

	if (!section)
		return -ENOMEM;
	section->start = rec->index;
	section->start_at = rec->offset;
	section->marker = *marker;
	loader->image->step = max_t(u32, loader->image->step, marker->step);
	marker_raw(&section->raw, marker, &rec->cfg);
	INIT_LIST_HEAD(&section->lines);
	list_add_tail(&section->list, &loader->image->sections);
	loader->at = section;
	return 0;
}

static int load_marker(struct loader *loader, const struct mgs_rec *rec)
{
	struct lcfg_marker marker;

	if (lcfg_marker_decode(&rec->cfg, &marker))
		return 0;
	if (marker.flags & CM_START)
		return load_start(loader, rec, &marker);
	if (loader->at && (marker.flags & CM_END)) {
		if (!mgs_section_first(loader->at))
			loader->image->useless++;
		loader->at->end = rec->index;
		loader->at->end_at = rec->offset;
		loader->at = NULL;
	}
	return 0;
}

static int load_line(struct loader *loader, const struct mgs_rec *rec)
{
	size_t len = lustre_cfg_size(&rec->cfg);
	struct mgs_line *line = kvmalloc(sizeof(*line) + len, GFP_KERNEL);

	if (!line)
		return -ENOMEM;
	line->index = rec->index;
	line->len = len;
	if (lustre_cfg_encode(&rec->cfg, line->bytes, len) < 0 ||
	    lustre_cfg_decode(line->bytes, len, &line->cfg, NULL)) {
		kvfree(line);
		return -EIO;
	}
	list_add_tail(&line->list, &loader->at->lines);
	return 0;
}

static int load_rec(void *data, const struct mgs_rec *rec)
{
	struct loader *loader = data;
	int rc = 0;

	loader->image->swapped |= rec->cfg.swapped;
	if (!rec->live) {
		loader->image->useless++;
		return 0;
	}
	if (rec->cfg.command == LCFG_MARKER)
		rc = load_marker(loader, rec);
	else if (loader->at)
		rc = load_line(loader, rec);
	else
		loader->image->useless++;
	if (!rc && loader->at && !mgs_section_live(loader->at))
		loader->image->useless++;
	return rc;
}

/* Nothing in it yet. */
void mgs_sections_init(struct mgs_sections *image)
{
	memset(image, 0, sizeof(*image));
	image->step = 1;
	INIT_LIST_HEAD(&image->sections);
}

/* Load a log; mgs_sections_free() is due also when this fails. */
int mgs_sections_load(struct mgs_sections *image, struct mgs_store *store,
		   struct mgs_txn *txn, const char *log)
{
	struct loader loader = { .image = image };

	mgs_sections_init(image);
	return mgs_store_walk(store, txn, log, load_rec, &loader);
}

/* Up to the end of the section that is loaded first. */
static int load_one(void *data, const struct mgs_rec *rec)
{
	struct loader *loader = data;
	bool began = loader->at;
	int rc;

	if (began && rec->live && rec->marker &&
	    codec_get32(&rec->marker->cm_flags, false) & CM_START)
		return 1;
	rc = load_rec(loader, rec);
	return rc ? rc : !loader->at;
}

/*
 * Load one section more, whose START is record @start and begins at @at; by their
 * order in the log, and none twice. Nothing where that is no START any more.
 */
int mgs_sections_add(struct mgs_sections *image, struct mgs_store *store,
		     struct mgs_txn *txn, const char *log, u32 start, u64 at)
{
	struct mgs_section *section, *made;
	struct mgs_sections one;
	struct loader loader = { .image = &one };
	int rc;

	list_for_each_entry(section, &image->sections, list) {
		if (section->start == start)
			return 0;
		if (section->start > start)
			break;
	}
	mgs_sections_init(&one);
	rc = mgs_store_walk_from(store, txn, log, start, at, load_one, &loader);
	if (rc >= 0 && !list_empty(&one.sections)) {
		made = list_entry(one.sections.next, struct mgs_section, list);
		list_del_init(&made->list);
		list_add_tail(&made->list, &section->list);
	}
	mgs_sections_free(&one);
	image->swapped |= one.swapped;
	return rc < 0 ? rc : 0;
}

static void section_free(struct mgs_section *section)
{
	struct mgs_line *line, *next;

	list_for_each_entry_safe(line, next, &section->lines, list)
		kvfree(line);
	kfree(section);
}

void mgs_sections_free(struct mgs_sections *image)
{
	struct mgs_section *section, *next;

	list_for_each_entry_safe(section, next, &image->sections, list)
		section_free(section);
	INIT_LIST_HEAD(&image->sections);
}
