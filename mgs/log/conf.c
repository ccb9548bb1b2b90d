// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings of a target or file system, in its logs: those of conf_param, and those in
 * the ldd_params of a target. The first part of the name determines the logs and
 * devices:
 *
 *	sys.		the node itself: client log, logs of all targets
 *	llite. lmv.	client log
 *	lov.		clilov in the client log, mdtlov in that of each MDT
 *	osc.		of an OST: client log, and logs of all MDTs
 *	mdc.		of an MDT: client log
 *	ost. mdt. ...	of a target: its own log
 */
#include <linux/ctype.h>

#include "log_internal.h"

/* The comment of a marker limits the length of a name. */
#define CONF_NAME_MAX	(MTI_NAME_MAXLEN - 1)

/**
 * struct mgs_conf - a setting being written or removed
 * @change: change of its file system
 * @param: name and value
 * @found: earlier settings of that name
 */
struct mgs_conf {
	struct mgs_fs_change	*change;
	const struct mgs_param	*param;
	u32			found;
};

/**
 * struct mgs_conf_sys - a parameter of the node
 * @name: name after "sys."
 * @command: command that sets it
 */
struct mgs_conf_sys {
	const char	*name;
	u32		command;
};

static const struct mgs_conf_sys conf_sys[] = {
	{ "timeout",		LCFG_SET_TIMEOUT },
	{ "ldlm_timeout",	LCFG_SET_LDLM_TIMEOUT },
	{ "at_min",		LCFG_PARAM },
	{ "at_max",		LCFG_PARAM },
	{ "at_extra",		LCFG_PARAM },
	{ "at_early_margin",	LCFG_PARAM },
	{ "at_history",		LCFG_PARAM },
	{ "jobid_var",		LCFG_PARAM },
	{ "jobid_name",		LCFG_PARAM },
};

static const struct mgs_conf_sys *sys_find(const char *name)
{
	size_t n;

	if (strncmp(name, "sys.", 4))
		return NULL;
	for (n = 0; n < ARRAY_SIZE(conf_sys); n++)
		if (!strcmp(conf_sys[n].name, name + 4))
			return &conf_sys[n];
	return NULL;
}

/* Digits only, and not too many */
static bool seconds_of(const char *value, u32 *seconds)
{
	u64 sum = 0;

	for (; isdigit(*value) && sum <= U32_MAX; value++)
		sum = sum * 10 + (u64)(*value - '0');
	*seconds = (u32)sum;
	return !*value && sum && sum <= INT_MAX;
}

static void put_sys(struct mgs_edit *edit, const struct mgs_conf_sys *sys,
		    const char *text, const char *value)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, sys->command, NULL);
	lcfg_add_string(&cfg, text);
	if (sys->command == LCFG_PARAM)
		lcfg_add_string(&cfg, value);
	else if (!seconds_of(value, &cfg.num))
		edit->rc = obd_refuse(edit->why, -EINVAL,
				      "sys.%s='%.32s': give a number of seconds, 1 to %d",
				      sys->name, value, INT_MAX);
	mgs_put(edit, &cfg);
}

static void put_setting(struct mgs_edit *edit, const char *device,
			const struct mgs_param *param)
{
	const struct mgs_conf_sys *sys = sys_find(param->name);
	char *text = kasprintf(GFP_KERNEL, "%s=%s", param->name, param->value);

	if (!text) {
		edit->rc = edit->rc ? edit->rc : -ENOMEM;
		return;
	}
	if (sys)
		put_sys(edit, sys, text, param->value);
	else
		mgs_put_args(edit, LCFG_PARAM, device, text);
	kfree(text);
}

/* A numeric value is stored as text. */
static void text_copy(struct mgs_line_text *to, const struct mgs_line_text *from)
{
	*to = *from;
	if (from->value == from->number)
		to->value = to->number;
}

/* Whether a section sets it. @found: out: its value; unchanged if it does not */
static bool section_sets(const struct mgs_section *section, const char *device,
			 const char *name, struct mgs_line_text *found)
{
	struct mgs_line_text text;
	const struct mgs_line *line;
	u32 n;

	if (!mgs_section_live(section))
		return false;
	list_for_each_entry(line, &section->lines, list) {
		for (n = 1; n < line->cfg.bufcount; n++) {
			if (!mgs_line_text(&line->cfg, n, &section->marker, &text) ||
			    strcmp(text.owner, device) ||
			    text.name_len != strlen(name) ||
			    memcmp(text.name, name, text.name_len))
				continue;
			text_copy(found, &text);
			return true;
		}
	}
	return false;
}

/* The setting in force in a log. Return: section, value in @found; NULL */
static const char *image_value(const struct mgs_sections *image,
			       const char *device, const char *name,
			       struct mgs_line_text *found)
{
	const struct mgs_section *section;
	bool any = false;

	list_for_each_entry(section, &image->sections, list)
		any |= section_sets(section, device, name, found);
	return any ? found->value : NULL;
}

static void skip_old(struct mgs_conf *conf, const struct mgs_sections *image,
		     const struct mgs_place *place)
{
	const struct mgs_section *section;
	struct mgs_line_text found;

	list_for_each_entry(section, &image->sections, list)
		if (section_sets(section, place->device, conf->param->name,
				 &found))
			mgs_section_skip(&conf->change->edit, place->log,
					 section);
}

/* Skip the old section and append the new one, unless they are equal. */
static void conf_write(struct mgs_conf *conf, const struct mgs_sections *image,
		       const struct mgs_place *place)
{
	const struct mgs_param *param = conf->param;
	struct mgs_edit *edit = &conf->change->edit;
	struct mgs_line_text found;
	const char *old;

	old = image_value(image, place->device, param->name, &found);
	conf->found += old ? 1 : 0;
	if (old && param->value && !strcmp(old, param->value))
		return;
	if (old)
		skip_old(conf, image, place);
	if (param->value) {
		mgs_section_begin(edit, place->log, place->device, param->name);
		put_setting(edit, place->device, param);
		mgs_section_end(edit);
	} else if (old) {
		mgs_log_new_epoch(edit, place->log);
	}
}

static void conf_at(struct mgs_conf *conf, const struct mgs_place *place)
{
	struct mgs_edit *edit = &conf->change->edit;
	struct mgs_sections image;

	if (!mgs_edit_load(edit, &image, place->log))
		conf_write(conf, &image, place);
	mgs_sections_free(&image);
}

__printf(3, 4)
static void conf_in(struct mgs_conf *conf, const char *log, const char *fmt, ...)
{
	struct mgs_place place;
	va_list args;

	strscpy(place.log, log, sizeof(place.log));
	va_start(args, fmt);
	vscnprintf(place.device, sizeof(place.device), fmt, args);
	va_end(args);
	conf_at(conf, &place);
}

/*
 * Whether settings go into the log of a target now. A log that is written when the target
 * registers gets them then. @kind: kind of the target; MGS_LOG_OTHER: any
 */
static bool has_place(const struct mgs_fs_target *target,
		      enum mgs_log_kind kind)
{
	return (target->own || target->damaged) &&
	       (kind == MGS_LOG_OTHER || kind == target->kind);
}

static void place_sys(struct mgs_conf *conf)
{
	const struct mgs_fsdb *db = &conf->change->db;
	struct mgs_fs_target *target;

	if (db->has_client)
		conf_in(conf, db->log, "%s", db->fsname);
	list_for_each_entry(target, &db->targets, list)
		if (has_place(target, MGS_LOG_OTHER))
			conf_in(conf, target->name, "%s", db->fsname);
}

static void place_lov(struct mgs_conf *conf)
{
	const struct mgs_fsdb *db = &conf->change->db;
	struct mgs_fs_target *target;

	list_for_each_entry(target, &db->targets, list)
		if (has_place(target, MGS_LOG_MDT))
			conf_in(conf, target->name, "%s-mdtlov", target->name);
	if (db->has_client)
		conf_in(conf, db->log, "%s-clilov", db->fsname);
}

static void place_lmv(struct mgs_conf *conf)
{
	const struct mgs_fsdb *db = &conf->change->db;

	conf_in(conf, db->log, "%s-clilmv", db->fsname);
}

static void place_llite(struct mgs_conf *conf)
{
	const struct mgs_fsdb *db = &conf->change->db;

	conf_in(conf, db->log, "%s", db->log);
}

static void place_osc(struct mgs_conf *conf)
{
	const struct mgs_fs_change *change = conf->change;
	struct mgs_fs_target *mdt;

	conf_in(conf, change->db.log, "%s-osc", change->target->name);
	list_for_each_entry(mdt, &change->db.targets, list)
		if (has_place(mdt, MGS_LOG_MDT))
			conf_in(conf, mdt->name, "%s-osc-MDT%04x",
				change->target->name, mdt->index);
}

static void place_mdc(struct mgs_conf *conf)
{
	const struct mgs_fs_change *change = conf->change;

	conf_in(conf, change->db.log, "%s-mdc", change->target->name);
}

static void place_own(struct mgs_conf *conf)
{
	const struct mgs_fs_target *target = conf->change->target;

	conf_in(conf, target->name, "%s", target->name);
}

/* The kind of target that a class of settings belongs to */
#define OF_FS	(1 << MGS_LOG_CLIENT)
#define OF_OST	(1 << MGS_LOG_OST)
#define OF_MDT	(1 << MGS_LOG_MDT)

static const struct mgs_conf_class classes[] = {
	{ "sys", OF_FS | OF_OST | OF_MDT, place_sys, "file system",
	  NULL, NULL, true },
	{ "llite", OF_FS | OF_MDT, place_llite, "file system",
	  "llite", "-*", true },
	{ "lmv", OF_FS | OF_MDT, place_lmv, "file system",
	  "lmv", "-clilmv*", true },
	{ "lov", OF_FS | OF_MDT, place_lov, "file system",
	  "lov", "-*lov*", true },
	{ "osc", OF_OST, place_osc, "OST, as lustre-OST0000",
	  "osc", "-osc*", false },
	{ "mdc", OF_MDT, place_mdc, "MDT, as lustre-MDT0000",
	  "mdc", "-mdc*", false },
	{ "ost", OF_OST, place_own, "OST, as lustre-OST0000",
	  "obdfilter", "", false },
	{ "ofd", OF_OST, place_own, "OST, as lustre-OST0000",
	  "obdfilter", "", false },
	{ "obdfilter", OF_OST, place_own, "OST, as lustre-OST0000",
	  "obdfilter", "", false },
	{ "mdt", OF_MDT, place_own, "MDT, as lustre-MDT0000",
	  "mdt", "", false },
	{ "mdd", OF_MDT, place_own, "MDT, as lustre-MDT0000",
	  "mdd", "", false },
};

/* The class of "osc.max_dirty_mb" or "osc"; NULL if it is not a setting */
const struct mgs_conf_class *mgs_conf_class_find(const char *name)
{
	size_t len = strcspn(name, ".");
	size_t n;

	for (n = 0; n < ARRAY_SIZE(classes); n++)
		if (strlen(classes[n].prefix) == len &&
		    !memcmp(classes[n].prefix, name, len))
			return &classes[n];
	return NULL;
}

static int refuse_class(struct obd_why *why, const char *name)
{
	if (!strcmp(name, "failover.mode"))
		return obd_refuse(why, -EPERM,
				  "failover.mode is set by tunefs.lustre-lite --param, on the target");
	if (!strcmp(name, "mgsnode") || !strcmp(name, "network"))
		return obd_refuse(why, -EINVAL,
				  "%s cannot be set permanently here; set it on the target with tunefs.lustre-lite",
				  name);
	return obd_refuse(why, -EINVAL,
			  "'%.64s' is not a permanent setting of a target or file system; those start with sys., lov., lmv., llite., osc., mdc., ost., ofd., obdfilter., mdt. or mdd.",
			  name);
}

/* A value may have blanks, a name may not. */
static bool text_ok(const char *text, bool blanks)
{
	for (; *text; text++)
		if ((u8)*text < ' ' || *text == 0x7f ||
		    (*text == ' ' && !blanks))
			return false;
	return true;
}

static int check_name(const char *name, struct obd_why *why)
{
	const char *dot = strchr(name, '.');

	if (strlen(name) > CONF_NAME_MAX)
		return obd_refuse(why, -ENAMETOOLONG,
				  "'%.32s...' has more than %d bytes; no parameter has",
				  name, CONF_NAME_MAX);
	if (!mgs_conf_class_find(name) || !dot)
		return refuse_class(why, name);
	if (dot[1] && text_ok(name, false) && !strchr(name, '='))
		return 0;
	return obd_refuse(why, -EINVAL,
			  "'%.64s' is not the name of a parameter; give one such as osc.max_dirty_mb",
			  name);
}

/* Check name and value of a setting. */
int mgs_value_check(const char *name, const char *value, struct obd_why *why)
{
	if (!*value)
		return obd_refuse(why, -EINVAL,
				  "%.64s: the value is empty; -d takes a setting back",
				  name);
	if (!text_ok(value, true))
		return obd_refuse(why, -EINVAL,
				  "%.64s: the value has a byte that is not printable",
				  name);
	if (strlen(name) + strlen(value) + 512 > MGS_CFG_MAX)
		return obd_refuse(why, -E2BIG,
				  "%.64s: the value has %zu bytes; a record takes at most %zu",
				  name, strlen(value),
				  (size_t)MGS_CFG_MAX - 512 - strlen(name));
	return 0;
}

static int check_of(const struct mgs_fs_change *change,
		    const struct mgs_conf_class *class, const char *name,
		    struct obd_why *why)
{
	const struct mgs_fs_target *target = change->target;
	u32 of = target ? 1U << target->kind : OF_FS;

	if (!(class->of & of))
		return obd_refuse(why, -EINVAL,
				  "%s is a setting of an %s, not of %s", name,
				  class->want,
				  target ? target->name : change->db.fsname);
	if (class->place == place_sys && !sys_find(name))
		return obd_refuse(why, -EINVAL,
				  "there is no %s; sys.timeout, ldlm_timeout, at_min, at_max, at_extra, at_early_margin, at_history, jobid_var and jobid_name are those that there are",
				  name);
	if (target && !has_place(target, MGS_LOG_OTHER))
		return obd_refuse(why, -ENOENT,
				  "there is no log of %s; it is written when that is mounted next",
				  target->name);
	return 0;
}

/*
 * Write a setting of the target or file system of the change to all logs that it belongs
 * to, or remove it. @found: out: earlier settings of that name
 */
int mgs_conf_write(struct mgs_fs_change *change, const struct mgs_param *param,
		   u32 *found)
{
	struct obd_why *why = change->edit.why;
	struct mgs_conf conf = { .change = change, .param = param };
	const struct mgs_conf_class *class;
	int rc;

	rc = check_name(param->name, why);
	if (!rc && param->value)
		rc = mgs_value_check(param->name, param->value, why);
	if (rc)
		return rc;
	class = mgs_conf_class_find(param->name);
	rc = check_of(change, class, param->name, why);
	if (rc)
		return rc;
	class->place(&conf);
	if (found)
		*found += conf.found;
	return change->edit.rc;
}

/* The device in the log of @target that corresponds to @device of the client log */
static bool inherit_device(const struct mgs_fs_change *change, const char *owner,
			   char *device)
{
	const struct mgs_fs_target *target = change->target;
	const char *fsname = change->db.fsname;
	size_t len = strlen(owner);

	if (!strcmp(owner, fsname)) {
		mgs_name(device, "%s", fsname);
		return true;
	}
	if (target->kind != MGS_LOG_MDT)
		return false;
	if (len > 7 && !strcmp(owner + len - 7, "-clilov"))
		mgs_name(device, "%s-mdtlov", target->name);
	else if (len > 4 && !strcmp(owner + len - 4, "-osc"))
		mgs_name(device, "%s-MDT%04x", owner, target->index);
	else
		return false;
	return true;
}

static void inherit_line(struct mgs_fs_change *change,
			 const struct mgs_section *section,
			 const struct mgs_line *line)
{
	struct mgs_param param = { NULL };
	struct mgs_conf conf = { .change = change, .param = &param };
	struct mgs_line_text text;
	char device[MGS_DEVICE_LEN];
	char name[MTI_NAME_MAXLEN];

	if (!mgs_line_text(&line->cfg, 1, &section->marker, &text) ||
	    text.name_len >= sizeof(name) ||
	    !inherit_device(change, text.owner, device))
		return;
	memcpy(name, text.name, text.name_len);
	name[text.name_len] = '\0';
	if (!strcmp(text.owner, change->db.fsname) && !sys_find(name))
		return;
	param.name = name;
	param.value = text.value;
	conf_in(&conf, change->target->name, "%s", device);
}

/* A newly written log gets the settings that all such logs have. */
void mgs_conf_inherit(struct mgs_fs_change *change)
{
	const struct mgs_section *section;
	const struct mgs_line *line;
	struct mgs_sections image;

	mgs_edit_load(&change->edit, &image, change->db.log);
	list_for_each_entry(section, &image.sections, list)
		if (mgs_section_live(section))
			list_for_each_entry(line, &section->lines, list)
				inherit_line(change, section, line);
	mgs_sections_free(&image);
}
