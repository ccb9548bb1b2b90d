// SPDX-License-Identifier: GPL-2.0
/*
 * Settings by pattern, for all nodes or those of a file system: the log "params". And the
 * list of all settings in force.
 */
#include <linux/ctype.h>

#include <lustre_lite/config_owner.h>

#include "log_internal.h"

/* Longest pattern */
#define PATTERN_MAX	1024
/* A log has 64767 record numbers; a setting takes three of them. */
#define SETTING_RECORDS	3
/* Compact at half of them; tests set less. */
u32 mgs_compact_at = 32768;

/* Old logs have only the number. */
static bool timeout_text(const struct lcfg_view *cfg,
			 struct mgs_line_text *text)
{
	text->name = cfg->command == LCFG_SET_TIMEOUT ?
		     "sys.timeout" : "sys.ldlm_timeout";
	text->name_len = strlen(text->name);
	scnprintf(text->number, sizeof(text->number), "%u", cfg->num);
	text->value = text->number;
	return true;
}

/* Whether buffer @n of a record is a setting. @text: out: refers to both arguments */
bool mgs_line_text(const struct lcfg_view *cfg, u32 n,
		   const struct lcfg_marker *marker,
		   struct mgs_line_text *text)
{
	const char *owner = lcfg_string(cfg, 0);
	const char *words = lcfg_string(cfg, n);
	const char *eq = words ? strchr(words, '=') : NULL;
	bool global = !owner || !*owner;

	text->owner = global ? marker->tgtname : owner;
	switch (cfg->command) {
	case LCFG_SET_TIMEOUT:
	case LCFG_SET_LDLM_TIMEOUT:
		return n == 1 && timeout_text(cfg, text);
	case LCFG_SET_PARAM:
		global = true;
		break;
	case LCFG_PARAM:
		break;
	default:
		return false;
	}
	if (!eq || eq == words || (global && n != 1))
		return false;
	text->name = words;
	text->name_len = eq - words;
	text->value = eq + 1;
	return true;
}

/**
 * struct owner_search - the file system that a name belongs to
 * @name: "lustre-OST0000-osc-*"
 * @best: longest name of a file system that @name starts with, followed by '-'
 */
struct owner_search {
	const char	*name;
	char		best[LUSTRE_MAXFSNAME + 1];
};

static int owner_try(void *data, const char *fsname)
{
	struct owner_search *search = data;

	config_owner_try(search->name, fsname, search->best,
			 sizeof(search->best));
	return 0;
}

static int owner_of(const struct mgs_view *view, const char *name, char *fsname,
		    size_t size)
{
	struct owner_search search = { .name = name };
	int rc = mgs_log_fsnames(view, owner_try, &search);

	if (!rc && !search.best[0]) {
		search.name = config_namespace_device(name);
		rc = mgs_log_fsnames(view, owner_try, &search);
	}
	if (rc)
		return rc;
	return strscpy(fsname, search.best, size) < 0 ? -EINVAL : 0;
}

/* The text after the first component; "" if there is none */
static const char *component_next(const char *at)
{
	at += strcspn(at, "./");
	return *at ? at + 1 : at;
}

/**
 * mgs_pattern_fsname() - the file system that a pattern names
 * @view: logs, whose file systems are compared
 * @pattern: pattern of set_param
 * @fsname: out: the file system that its second component starts with, as "lustre" in
 *	osc.lustre-OST*.active; after ldlm.namespaces. the third component, without
 *	"filter-" or "mdt-". "": the pattern is for all
 * @size: size of @fsname
 *
 * Of several matching names the longest one counts.
 *
 * Context: may sleep for memory
 * Return: 0; -EINVAL if @fsname is too small; -ENOMEM
 */
int mgs_pattern_fsname(const struct mgs_view *view, const char *pattern,
		       char *fsname, size_t size)
{
	static const char namespaces[] = "ldlm.namespaces.";
	const char *at = component_next(pattern);
	size_t n;

	for (n = 0; namespaces[n]; n++)
		if (pattern[n] != namespaces[n] &&
		    (namespaces[n] != '.' || pattern[n] != '/'))
			break;
	if (!namespaces[n])
		at = component_next(at);
	return owner_of(view, at, fsname, size);
}

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

static int pattern_check(const char *pattern, struct mgs_words *why)
{
	static const char *const others[] = {
		"failover.node", "failover.mode", "mgsnode", "network",
	};
	size_t n;

	if (strlen(pattern) > PATTERN_MAX)
		return mgs_refuse(why, -ENAMETOOLONG,
				  "'%.32s...': a pattern has at most %d bytes",
				  pattern, PATTERN_MAX);
	if (!pattern_ok(pattern))
		return mgs_refuse(why, -EINVAL,
				  "'%.64s' is no pattern; give one as osc.*.max_dirty_mb",
				  pattern);
	for (n = 0; n < ARRAY_SIZE(others); n++)
		if (!strcmp(pattern, others[n]))
			return mgs_refuse(why, -EINVAL,
					  "%s is of one target: tunefs.lustre-lite sets it there; replace_nids changes where it is found",
					  pattern);
	return 0;
}

/**
 * struct wide - a change of a setting by pattern
 * @edit: edit of the log
 * @image: the log; if @known, only the sections that may have @pattern
 * @known: the index was used
 * @pattern: pattern
 * @owner: file system or "general"
 */
struct wide {
	struct mgs_edit		edit;
	struct mgs_sections	image;
	bool			known;
	const char		*pattern;
	char			owner[LUSTRE_MAXFSNAME + 1];
};

static bool section_of(const struct wide *wide,
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
static int wide_load(struct wide *wide)
{
	struct mgs_edit *edit = &wide->edit;
	int rc;

	if (edit->rc || !mgs_settings_usable(edit->txn))
		return mgs_edit_load(edit, &wide->image, MGS_PARAMS_LOG);
	wide->known = true;
	rc = mgs_settings_load(edit->txn, &wide->image, wide->pattern);
	mgs_edit_error(edit, MGS_PARAMS_LOG, rc);
	return rc;
}

static int wide_init(struct wide *wide, struct mgs_call *call)
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
static int wide_done(struct wide *wide, u32 found)
{
	struct mgs_edit *edit = &wide->edit;
	const struct mgs_section *section;
	struct mgs_settings_change *change;
	struct mgs_line_text text;

	if (edit->rc || !wide->known)
		return edit->rc;
	change = mgs_settings_change_new(wide->pattern, found);
	if (!change)
		return -ENOMEM;
	list_for_each_entry(section, &wide->image.sections, list)
		if (change->gone_count < found &&
		    section_of(wide, section, &text))
			change->gone[change->gone_count++] = section->start;
	return mgs_settings_change(edit, change);
}

/*
 * Compact the log if half of its record numbers are used, most of them by superseded
 * records. Nodes read the log again and find what they have: they apply nothing twice.
 */
static int wide_compact(struct wide *wide)
{
	struct mgs_edit *edit = &wide->edit;
	u32 live = mgs_settings_count(mgs_txn_store(edit->txn));
	struct mgs_log_info info;

	if (!live || mgs_view_info(edit->view, MGS_PARAMS_LOG, &info))
		return 0;
	if (info.li_last_index < mgs_compact_at ||
	    info.li_last_index / 2 < live * SETTING_RECORDS)
		return 0;
	return mgs_log_compact(edit, MGS_PARAMS_LOG, false);
}

static void wide_fini(struct wide *wide)
{
	mgs_sections_free(&wide->image);
	mgs_edit_fini(&wide->edit);
}

static int wide_owner(struct wide *wide)
{
	int rc = mgs_pattern_fsname(wide->edit.view, wide->pattern,
				    wide->owner, sizeof(wide->owner));

	if (!rc && !wide->owner[0])
		strscpy(wide->owner, MGS_OWNER_ALL, sizeof(wide->owner));
	return rc;
}

/* @found: out: settings in force. Return: whether the value is @value already */
static bool wide_has(const struct wide *wide, const char *value, u32 *found)
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
static void wide_skip(struct wide *wide, bool all)
{
	const struct mgs_section *section;
	struct mgs_line_text text;

	list_for_each_entry(section, &wide->image.sections, list) {
		if (!section_of(wide, section, &text))
			continue;
		mgs_section_skip(&wide->edit, MGS_PARAMS_LOG, section);
		/* The new setting of another owner does not supersede it on all nodes. */
		if (all || strcmp(text.owner, wide->owner))
			mgs_log_reborn(&wide->edit, MGS_PARAMS_LOG);
	}
}

static void wide_append(struct wide *wide, const char *value)
{
	struct mgs_edit *edit = &wide->edit;
	char *text = kvmalloc(MGS_CFG_MAX, GFP_KERNEL);

	if (!text) {
		edit->rc = -ENOMEM;
		return;
	}
	scnprintf(text, MGS_CFG_MAX, "%s=%s", wide->pattern, value);
	mgs_section_begin(edit, MGS_PARAMS_LOG, wide->owner, wide->pattern);
	mgs_put_args(edit, LCFG_SET_PARAM, wide->owner, text, MGS_SET_BY);
	mgs_section_end(edit);
	kvfree(text);
}

/* PATTERN, VALUE */
int mgs_do_set_param(struct mgs_call *call)
{
	struct wide wide;
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
	struct wide wide;
	u32 found;
	int rc;

	rc = wide_init(&wide, call);
	if (!rc) {
		wide_has(&wide, NULL, &found);
		wide_skip(&wide, true);
		rc = wide_done(&wide, found);
	}
	if (!rc && !found)
		rc = mgs_refuse(call->why, -ENOENT,
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
	return mgs_edit_skip(edit, MGS_PARAMS_LOG, section_owned, owner);
}

/**
 * struct teller - iteration over all settings
 * @view: logs
 * @fn: called for each
 * @data: its argument
 * @room: buffer for a name
 */
struct teller {
	const struct mgs_view	*view;
	int			(*fn)(void *data,
				      const struct mgs_setting *setting);
	void			*data;
	char			*room;
};

static int tell_line(struct teller *teller, const char *log,
		     const struct mgs_section *section,
		     const struct mgs_line *line)
{
	struct mgs_setting setting = {
		.log = log,
		.name = teller->room,
		.when = section->marker.createtime,
		.index = line->index,
	};
	struct mgs_line_text text;
	u32 n, count = max_t(u32, line->cfg.bufcount, 2);
	int rc = 0;

	for (n = 1; n < count && !rc; n++) {
		if (!mgs_line_text(&line->cfg, n, &section->marker, &text))
			continue;
		memcpy(teller->room, text.name, text.name_len);
		teller->room[text.name_len] = '\0';
		setting.owner = text.owner;
		setting.value = text.value;
		rc = teller->fn(teller->data, &setting);
	}
	return rc;
}

static int tell_image(struct teller *teller, const char *log,
		      const struct mgs_sections *image)
{
	const struct mgs_section *section;
	const struct mgs_line *line;
	int rc;

	list_for_each_entry(section, &image->sections, list) {
		if (!mgs_section_live(section))
			continue;
		list_for_each_entry(line, &section->lines, list) {
			rc = tell_line(teller, log, section, line);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static int tell_log(void *data, const struct mgs_log_info *info)
{
	struct teller *teller = data;
	struct mgs_log_name name;
	struct mgs_sections image;
	int rc;

	mgs_log_name_parse(info->li_name, &name);
	if (name.kind == MGS_LOG_OTHER)
		return 0;
	rc = mgs_sections_load(&image, teller->view, info->li_name);
	if (!rc)
		rc = tell_image(teller, info->li_name, &image);
	mgs_sections_free(&image);
	return rc == -EIO ? 0 : rc;
}

/**
 * mgs_log_settings() - iterate over all settings in force
 * @view: logs
 * @fn: called for each, by log, until it returns nonzero
 * @data: its argument
 *
 * Damaged logs and backups are left out.
 *
 * Context: may sleep for memory
 * Return: what @fn returned last; -ENOMEM; as mgs_view_walk()
 */
int mgs_log_settings(const struct mgs_view *view,
		     int (*fn)(void *data, const struct mgs_setting *setting),
		     void *data)
{
	struct teller teller = { .view = view, .fn = fn, .data = data };
	int rc;

	teller.room = kvmalloc(LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	if (!teller.room)
		return -ENOMEM;
	rc = mgs_view_each(view, tell_log, &teller);
	kvfree(teller.room);
	return rc;
}
