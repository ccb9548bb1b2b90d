// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of file systems, logs and targets; settings as text: the one in a record, all of
 * them, and the file system that a pattern names.
 */
#include <linux/ctype.h>

#include <lustre_lite/config_owner.h>

#include "log_internal.h"

#define INDEX_DIGITS	4

/* @name: out, MGS_DEVICE_LEN bytes, enough for every name that is made here */
void mgs_name(char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(name, MGS_DEVICE_LEN, fmt, args);
	va_end(args);
}

static bool fsname_ok(const char *name, size_t len)
{
	size_t n;

	if (!len || len > LUSTRE_MAXFSNAME || !isalpha(name[0]))
		return false;
	for (n = 0; n < len; n++)
		if (!isalnum(name[n]) && name[n] != '_' && name[n] != '-')
			return false;
	return true;
}

/**
 * mgs_fsname_check() - whether a file system can have a name
 * @fsname: name
 *
 * Context: any
 * Return: 0; -EINVAL unless it has 1 to LUSTRE_MAXFSNAME letters, digits, '_' and '-', a
 * letter first; or for "general", which is the owner of settings for all nodes
 */
int mgs_fsname_check(const char *fsname)
{
	if (!strcmp(fsname, MGS_OWNER_ALL))
		return -EINVAL;
	return fsname_ok(fsname, strlen(fsname)) ? 0 : -EINVAL;
}

static int hex_digit(char c)
{
	if (isdigit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly "OST001f" */
static bool target_part(const char *part, struct mgs_log_name *name)
{
	int digit;
	u32 n;

	if (!strncmp(part, "OST", 3))
		name->kind = MGS_LOG_OST;
	else if (!strncmp(part, "MDT", 3))
		name->kind = MGS_LOG_MDT;
	else
		return false;
	name->index = 0;
	for (n = 0; n < INDEX_DIGITS; n++) {
		digit = hex_digit(part[3 + n]);
		if (digit < 0)
			return false;
		name->index = name->index << 4 | (u32)digit;
	}
	return !part[3 + INDEX_DIGITS] && name->index != LDD_INDEX_NONE;
}

static bool name_part(const char *part, struct mgs_log_name *name)
{
	if (target_part(part, name))
		return true;
	name->kind = MGS_LOG_CLIENT;
	return !strcmp(part, "client");
}

/* Parse the name of a log; an unknown one is MGS_LOG_OTHER, of no file system. */
void mgs_log_name_parse(const char *log, struct mgs_log_name *name)
{
	const char *dash = strrchr(log, '-');

	memset(name, 0, sizeof(*name));
	if (!strcmp(log, PARAMS_FILENAME)) {
		name->kind = MGS_LOG_PARAMS;
		return;
	}
	if (dash && fsname_ok(log, dash - log) && name_part(dash + 1, name)) {
		memcpy(name->fsname, log, dash - log);
		return;
	}
	name->kind = MGS_LOG_OTHER;
	name->index = 0;
}

/* Whether it is the name of a target */
bool mgs_target_name_parse(const char *svname, struct mgs_log_name *name)
{
	mgs_log_name_parse(svname, name);
	return name->kind == MGS_LOG_OST || name->kind == MGS_LOG_MDT;
}

void mgs_target_name(char *svname, const char *fsname, enum mgs_log_kind kind,
		     u32 index)
{
	mgs_name(svname, "%s-%s%04x", fsname,
		 kind == MGS_LOG_OST ? "OST" : "MDT", index);
}

/**
 * mgs_log_fsname() - file system of a log
 * @log: name of the log
 * @fsname: out: "lustre" of "lustre-OST0001"; "" of "params"
 * @size: size of @fsname
 *
 * Context: any
 * Return: 0; -EINVAL for a log that nodes do not follow (a backup, an unknown one);
 * @fsname is "" then
 */
int mgs_log_fsname(const char *log, char *fsname, size_t size)
{
	struct mgs_log_name name;

	mgs_log_name_parse(log, &name);
	if (strscpy(fsname, name.fsname, size) < 0)
		return -EINVAL;
	return name.kind == MGS_LOG_OTHER ? -EINVAL : 0;
}

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
 * struct mgs_owner_search - the file system that a name belongs to
 * @name: "lustre-OST0000-osc-*"
 * @best: longest name of a file system that @name starts with, followed by '-'
 */
struct mgs_owner_search {
	const char	*name;
	char		best[LUSTRE_MAXFSNAME + 1];
};

static int owner_try(void *data, const char *fsname)
{
	struct mgs_owner_search *search = data;

	config_owner_try(search->name, fsname, search->best,
			 sizeof(search->best));
	return 0;
}

static int owner_of(const struct mgs_view *view, const char *name, char *fsname,
		    size_t size)
{
	struct mgs_owner_search search = { .name = name };
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

/**
 * struct mgs_teller - iteration over all settings
 * @view: logs
 * @fn: called for each
 * @data: its argument
 * @buf: buffer for a name
 */
struct mgs_teller {
	const struct mgs_view	*view;
	int			(*fn)(void *data,
				      const struct mgs_setting *setting);
	void			*data;
	char			*buf;
};

static int tell_line(struct mgs_teller *teller, const char *log,
		     const struct mgs_section *section,
		     const struct mgs_line *line)
{
	struct mgs_setting setting = {
		.log = log,
		.name = teller->buf,
		.when = section->marker.createtime,
		.index = line->index,
	};
	struct mgs_line_text text;
	u32 n, count = max_t(u32, line->cfg.bufcount, 2);
	int rc = 0;

	for (n = 1; n < count && !rc; n++) {
		if (!mgs_line_text(&line->cfg, n, &section->marker, &text))
			continue;
		memcpy(teller->buf, text.name, text.name_len);
		teller->buf[text.name_len] = '\0';
		setting.owner = text.owner;
		setting.value = text.value;
		rc = teller->fn(teller->data, &setting);
	}
	return rc;
}

static int tell_image(struct mgs_teller *teller, const char *log,
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
	struct mgs_teller *teller = data;
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
 * Damaged logs and backups are skipped.
 *
 * Context: may sleep for memory
 * Return: what @fn returned last; -ENOMEM; as mgs_view_walk()
 */
int mgs_log_settings(const struct mgs_view *view,
		     int (*fn)(void *data, const struct mgs_setting *setting),
		     void *data)
{
	struct mgs_teller teller = { .view = view, .fn = fn, .data = data };
	int rc;

	teller.buf = kvmalloc(LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	if (!teller.buf)
		return -ENOMEM;
	rc = mgs_view_each(view, tell_log, &teller);
	kvfree(teller.buf);
	return rc;
}
