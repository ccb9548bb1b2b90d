// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs as sections. Reading: record by record with the section of each, or all of the log
 * as a list of sections; cancelled records are skipped. Writing: sections with their
 * markers, records, skipped sections. An edit keeps its first error: later calls do
 * nothing, and the caller checks once, at the end.
 */
#include <lustre_lite/version.h>

#include "log_internal.h"

/**
 * struct mgs_scan - a walk through a log
 * @fn: called for each record
 * @data: its argument
 * @section: START of the current section
 * @inside: there is one
 */
struct mgs_scan {
	mgs_scan_fn		fn;
	void			*data;
	struct lcfg_marker	section;
	bool			inside;
};

static int scan_marker(struct mgs_scan *scan, const struct mgs_rec *rec)
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
	struct mgs_scan *scan = data;

	if (!rec->live)
		return 0;
	if (rec->cfg.command == LCFG_MARKER)
		return scan_marker(scan, rec);
	return scan->fn(scan->data, scan->inside ? &scan->section : NULL, rec);
}

/*
 * Walk through a log. A START ends the section before it, as it does for a node that
 * applies the log. Return: as mgs_view_walk()
 */
int mgs_scan(const struct mgs_view *view, const char *log, mgs_scan_fn fn,
	     void *data)
{
	struct mgs_scan scan = { .fn = fn, .data = data };

	return mgs_view_walk(view, log, scan_rec, &scan);
}

/**
 * struct mgs_loader - a log being loaded
 * @image: out
 * @at: current section, or NULL
 */
struct mgs_loader {
	struct mgs_sections	*image;
	struct mgs_section	*at;
};

static int load_start(struct mgs_loader *loader, const struct mgs_rec *rec,
		      const struct lcfg_marker *marker)
{
	struct mgs_section *section = kzalloc(sizeof(*section), GFP_KERNEL);

	if (!section)
		return -ENOMEM;
	section->start = rec->index;
	section->start_at = rec->offset;
	section->marker = *marker;
	loader->image->step = max_t(u32, loader->image->step, marker->step);
	section->raw = *rec->marker;
	INIT_LIST_HEAD(&section->lines);
	list_add_tail(&section->list, &loader->image->sections);
	loader->at = section;
	return 0;
}

static int load_marker(struct mgs_loader *loader, const struct mgs_rec *rec)
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

static int load_line(struct mgs_loader *loader, const struct mgs_rec *rec)
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
	struct mgs_loader *loader = data;
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

void mgs_sections_init(struct mgs_sections *image)
{
	memset(image, 0, sizeof(*image));
	image->step = 1;
	INIT_LIST_HEAD(&image->sections);
}

/* Load a log. Call mgs_sections_free() also if this fails. */
int mgs_sections_load(struct mgs_sections *image, const struct mgs_view *view,
		      const char *log)
{
	struct mgs_loader loader = { .image = image };

	mgs_sections_init(image);
	return mgs_view_walk(view, log, load_rec, &loader);
}

/* Stop at the end of the first section. */
static int load_one(void *data, const struct mgs_rec *rec)
{
	struct mgs_loader *loader = data;
	bool began = loader->at;
	int rc;

	if (began && rec->live && rec->marker &&
	    codec_get32(&rec->marker->cm_flags, false) & CM_START)
		return 1;
	rc = load_rec(loader, rec);
	return rc ? rc : !loader->at;
}

/*
 * Load one section, whose START is record @start at offset @at, keeping the order of the
 * log. A section that is loaded already, or whose START is gone, is ignored.
 */
int mgs_sections_add(struct mgs_sections *image, const struct mgs_view *view,
		     const char *log, u32 start, u64 at)
{
	struct mgs_section *section, *made;
	struct mgs_sections one;
	struct mgs_loader loader = { .image = &one };
	int rc;

	list_for_each_entry(section, &image->sections, list) {
		if (section->start == start)
			return 0;
		if (section->start > start)
			break;
	}
	mgs_sections_init(&one);
	rc = mgs_view_walk_from(view, log, start, at, load_one, &loader);
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

/* Call mgs_edit_fini() also if this fails. */
int mgs_edit_init(struct mgs_edit *edit, struct mgs_txn *txn,
		  struct obd_why *why)
{
	memset(edit, 0, sizeof(*edit));
	edit->txn = txn;
	edit->view = mgs_txn_view(txn);
	edit->why = why;
	edit->when = mgs_txn_who(txn)->when;
	edit->buf = kvmalloc(LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	return edit->buf ? 0 : -ENOMEM;
}

void mgs_edit_fini(struct mgs_edit *edit)
{
	kvfree(edit->buf);
	edit->buf = NULL;
}

/* Keep the first error, with its reason. */
void mgs_edit_error(struct mgs_edit *edit, const char *log, int rc)
{
	if (!rc || edit->rc)
		return;
	edit->rc = rc;
	if (rc == -EIO)
		obd_refuse(edit->why, rc,
			   "log %s is damaged, and is not written to; llog_check says where",
			   log);
	else if (rc == -EOPNOTSUPP)
		obd_refuse(edit->why, rc,
			   "log %s was written in the other byte order, and can only be read; clear_conf rewrites it",
			   log);
	else if (rc == -EFBIG)
		obd_refuse(edit->why, rc,
			   "log %s would be larger than %u MiB; clear_conf removes what is not in force",
			   log, (unsigned int)(MGS_FILE_SIZE_MAX >> 20));
	else if (rc == -ENOSPC)
		obd_refuse(edit->why, rc,
			   "log %s, or the disk, is full; clear_conf removes from a log what is not in force",
			   log);
}

/*
 * Load a log; a missing one is empty. Call mgs_sections_free(). Return: first error of the
 * edit
 */
int mgs_edit_load(struct mgs_edit *edit, struct mgs_sections *image,
		  const char *log)
{
	int rc;

	mgs_sections_init(image);
	if (edit->rc)
		return edit->rc;
	rc = mgs_sections_load(image, edit->view, log);
	if (rc)
		mgs_sections_free(image);
	if (rc != -ENOENT)
		mgs_edit_error(edit, log, rc);
	return edit->rc;
}

static void put_bytes(struct mgs_edit *edit, const char *log, const void *bytes,
		      size_t len)
{
	if (len <= MGS_CFG_MAX) {
		mgs_edit_error(edit, log,
			       mgs_txn_append(edit->txn, log, bytes, len,
					      &edit->index));
		return;
	}
	edit->rc = obd_refuse(edit->why, -E2BIG,
			      "a record of %zu bytes does not fit into a log, which takes %u",
			      len, (unsigned int)MGS_CFG_MAX);
}

static void put_cfg(struct mgs_edit *edit, const char *log,
		    const struct lcfg_view *cfg)
{
	ssize_t len;

	if (edit->rc)
		return;
	len = lustre_cfg_encode(cfg, edit->buf, LUSTRE_CFG_SIZE_MAX);
	if (len < 0)
		put_bytes(edit, log, edit->buf, lustre_cfg_size(cfg));
	else
		put_bytes(edit, log, edit->buf, len);
}

/* Append a command to the current section. */
void mgs_put(struct mgs_edit *edit, const struct lcfg_view *cfg)
{
	put_cfg(edit, edit->log, cfg);
}

void mgs_put_texts(struct mgs_edit *edit, u32 command, const char *const *texts,
		   u32 count)
{
	struct lcfg_view cfg;
	u32 n;

	lcfg_init(&cfg, command, texts[0]);
	for (n = 1; n < count && !edit->rc; n++)
		if (lcfg_add_string(&cfg, texts[n]))
			edit->rc = obd_refuse(edit->why, -E2BIG,
					      "'%.32s...' is too long for a record of a log",
					      texts[n]);
	mgs_put(edit, &cfg);
}

static void put_marker(struct mgs_edit *edit, const char *log,
		       const struct cfg_marker *marker)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_MARKER, NULL);
	lcfg_add_buf(&cfg, marker, sizeof(*marker));
	put_cfg(edit, log, &cfg);
}

/* "0.1.0" in the format of cm_vers */
static u32 version_number(void)
{
	const char *at = LUSTRE_LITE_VERSION;
	u32 number = 0, part = 0;
	int shift = 24;

	for (; *at && shift >= 0; at++) {
		if (*at == '.') {
			number |= part << shift;
			shift -= 8;
			part = 0;
		} else {
			part = part * 10 + (u32)(*at - '0');
		}
	}
	return shift >= 0 ? number | part << shift : number;
}

/* Start a section of @log. Texts that are too long for a marker are truncated. */
void mgs_section_begin(struct mgs_edit *edit, const char *log,
		       const char *tgtname, const char *comment)
{
	struct cfg_marker *marker = &edit->marker;

	if (edit->rc)
		return;
	strscpy(edit->log, log, sizeof(edit->log));
	memset(marker, 0, sizeof(*marker));
	codec_put32(&marker->cm_step, ++edit->step);
	codec_put32(&marker->cm_flags, CM_START);
	codec_put32(&marker->cm_vers, version_number());
	codec_put64(&marker->cm_createtime, edit->when);
	strscpy(marker->cm_tgtname, tgtname, sizeof(marker->cm_tgtname));
	strscpy(marker->cm_comment, comment, sizeof(marker->cm_comment));
	put_marker(edit, edit->log, marker);
	edit->start = edit->index;
	edit->start_at = mgs_txn_appended(edit->txn);
}

void mgs_section_end(struct mgs_edit *edit)
{
	u32 flags = codec_get32(&edit->marker.cm_flags, false);

	codec_put32(&edit->marker.cm_flags, (flags & ~CM_START) | CM_END);
	put_marker(edit, edit->log, &edit->marker);
}

/* Start a copy of a section, with its step and times. */
void mgs_section_open(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section)
{
	strscpy(edit->log, log, sizeof(edit->log));
	edit->marker = section->raw;
	put_marker(edit, edit->log, &edit->marker);
}

/* Append a copy of a section to @log. */
void mgs_section_copy(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section)
{
	const struct mgs_line *line;

	mgs_section_open(edit, log, section);
	list_for_each_entry(line, &section->lines, list)
		mgs_put(edit, &line->cfg);
	mgs_section_end(edit);
}

static void mark(struct mgs_edit *edit, const char *log, u32 index, u64 at,
		 const struct cfg_marker *marker)
{
	if (!edit->rc && index)
		mgs_edit_error(edit, log, mgs_txn_mark(edit->txn, log, index, at,
						       marker));
}

/* Mark both markers of a section as skipped. */
void mgs_section_skip(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section)
{
	u32 flags = section->marker.flags | CM_SKIP;
	struct cfg_marker marker = section->raw;

	codec_put64(&marker.cm_canceltime, edit->when);
	codec_put32(&marker.cm_flags, flags);
	mark(edit, log, section->start, section->start_at, &marker);
	codec_put32(&marker.cm_flags, (flags & ~CM_START) | CM_END);
	mark(edit, log, section->end, section->end_at, &marker);
}

static void cancel(struct mgs_edit *edit, const char *log, u32 index)
{
	if (!edit->rc && index)
		mgs_edit_error(edit, log, mgs_txn_cancel(edit->txn, log, index));
}

/* Cancel all records of a section, its markers too. */
void mgs_section_cancel(struct mgs_edit *edit, const char *log,
			const struct mgs_section *section)
{
	const struct mgs_line *line;

	cancel(edit, log, section->start);
	list_for_each_entry(line, &section->lines, list)
		cancel(edit, log, line->index);
	cancel(edit, log, section->end);
}

void mgs_log_new_epoch(struct mgs_edit *edit, const char *log)
{
	if (!edit->rc)
		mgs_edit_error(edit, log, mgs_txn_new_epoch(edit->txn, log));
}

void mgs_log_remove(struct mgs_edit *edit, const char *log)
{
	if (!edit->rc)
		mgs_edit_error(edit, log, mgs_txn_remove(edit->txn, log));
}

/*
 * Skip the sections in force that match; nodes read the log again.
 * Return: number of sections
 */
u32 mgs_edit_skip(struct mgs_edit *edit, const char *log,
		  bool (*match)(const struct mgs_section *section,
				const char *name), const char *name)
{
	const struct mgs_section *section;
	struct mgs_sections image;
	u32 count = 0;

	mgs_edit_load(edit, &image, log);
	list_for_each_entry(section, &image.sections, list) {
		if (!mgs_section_live(section) || !match(section, name))
			continue;
		mgs_section_skip(edit, log, section);
		count++;
	}
	if (count)
		mgs_log_new_epoch(edit, log);
	mgs_sections_free(&image);
	return count;
}

/* Copy a log to LOG.bak. */
void mgs_log_backup(struct mgs_edit *edit, const char *log)
{
	char backup[MGS_DEVICE_LEN];

	if (edit->rc)
		return;
	if (strlen(log) + sizeof(MGS_BACKUP_SUFFIX) > sizeof(backup)) {
		edit->rc = -ENAMETOOLONG;
		return;
	}
	mgs_name(backup, "%s" MGS_BACKUP_SUFFIX, log);
	mgs_edit_error(edit, log, mgs_txn_copy(edit->txn, log, backup));
}
