// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters that a config log sets: PARAM of one device, of all devices of a
 * type, or of the node; SET_PARAM of whatever matches.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>
#include <lustre_lite/pattern.h>

#include "../obd_internal.h"

#define SYS_PREFIX	"sys."
#define SET_PARAM_BY	"lctl"

/* Other names under which a log knows the parameters of a type. */
static const struct {
	const char *type;
	const char *prefix;
} param_prefixes[] = {
	{ "obdfilter", "ost" },
	{ "obdfilter", "ofd" },
	{ "osc", "osp" },
	{ "lov", "lod" },
};

static bool prefix_is(const char *prefix, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(prefix, name, len);
}

/* Whether a parameter that begins with @prefix is one of devices of @type. */
static bool prefix_fits(const char *prefix, size_t len, const char *type)
{
	size_t n;

	if (prefix_is(prefix, len, type))
		return true;
	for (n = 0; n < ARRAY_SIZE(param_prefixes); n++)
		if (!strcmp(param_prefixes[n].type, type) &&
		    prefix_is(prefix, len, param_prefixes[n].prefix))
			return true;
	return false;
}

/**
 * class_param_type() - the type whose parameters a log knows by another name
 * @prefix: what the name of a parameter begins with, up to its first dot
 * @len: bytes of it
 *
 * Context: any
 * Return: name of the type, a static text; NULL: it is what the prefix says
 */
const char *class_param_type(const char *prefix, size_t len)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(param_prefixes); n++)
		if (prefix_is(prefix, len, param_prefixes[n].prefix))
			return param_prefixes[n].type;
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(class_param_type, LUSTRE_LITE);

/**
 * struct setting - "name=value", taken apart
 * @text: its own copy; the name
 * @value: behind the '='
 */
struct setting {
	char	*text;
	char	*value;
};

/* Buffer @n of a command; setting_free() is due when this returns 0. */
static int setting_parse(const struct lcfg_view *cfg, u32 n,
			 struct setting *set, struct obd_why *why)
{
	const char *text = lcfg_string(cfg, n) ?: "";
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || !eq[1]) {
		obd_refuse(why, -EINVAL,
			   "'%.128s' sets nothing; give NAME=VALUE", text);
		return -EINVAL;
	}
	set->text = kstrdup(text, GFP_KERNEL);
	if (!set->text)
		return -ENOMEM;
	set->value = set->text + (eq - text);
	*set->value++ = '\0';
	return 0;
}

static void setting_free(struct setting *set)
{
	kfree(set->text);
}

/* TYPE/DEVICE/NAME, NAME being what follows the prefix. */
static char *setting_path(const struct obd_device *obd, const char *name)
{
	char *path = kasprintf(GFP_KERNEL, "%s/%s/%s", obd->obd_type_name,
			       obd->obd_name, name);
	char *rest;

	if (path) {
		rest = path + strlen(path) - strlen(name);
		strreplace(rest, '.', '/');
	}
	return path;
}

static int setting_refused(const struct obd_device *obd,
			   const struct setting *set, const char *words, int rc,
			   struct obd_why *why)
{
	if (!obd_is_set_up(obd))
		return obd_refuse(why, -ENODEV,
				  "%s: is not set up, and has no parameters",
				  obd->obd_name);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return obd_refuse(why, -ENOENT,
				  "%s: there is no parameter '%.64s'; %s.%s.* are those that there are",
				  obd->obd_name, set->text, obd->obd_type_name,
				  obd->obd_name);
	return obd_refuse(why, rc, "%s: %.64s=%.32s: %.80s", obd->obd_name,
			  set->text, set->value,
			  words[0] ? words : "not a value that it takes");
}

static int setting_apply(struct obd_device *obd, const struct setting *set,
			 u32 flags, struct obd_why *why)
{
	const char *dot = strchr(set->text, '.');
	char words[OBD_WHY_MAX] = "";
	char *path;
	int rc;

	if (!dot || !prefix_fits(set->text, dot - set->text,
				 obd->obd_type_name))
		return obd_refuse(why, -EINVAL,
				  "%s: '%.64s' is no parameter of type %s; the names of those begin with '%s.'",
				  obd->obd_name, set->text, obd->obd_type_name,
				  obd->obd_type_name);
	path = setting_path(obd, dot + 1);
	if (!path)
		return -ENOMEM;
	rc = params_set(NULL, path, set->value, flags, words, sizeof(words));
	kfree(path);
	if (rc)
		return setting_refused(obd, set, words, rc, why);
	CDEBUG(D_CONFIG, "%s: %s=%s\n", obd->obd_name, set->text, set->value);
	return 0;
}

/* Every buffer is tried; the first refusal is told. */
static int modify_config(struct obd_device *obd, const struct lcfg_view *cfg,
			 u32 flags, struct obd_why *why)
{
	struct setting set;
	int first = 0;
	u32 n;
	int rc;

	for (n = 1; n < cfg->bufcount; n++) {
		rc = setting_parse(cfg, n, &set, first ? NULL : why);
		if (!rc) {
			rc = setting_apply(obd, &set, flags,
					   first ? NULL : why);
			setting_free(&set);
		}
		first = first ?: rc;
	}
	return first;
}

/**
 * class_modify_config() - set parameters of a device, as a config log says it
 * @obd: device; the caller holds it
 * @cfg: LCFG_PARAM: each buffer from 1 on is "TYPE.NAME=VALUE", which sets
 *	TYPE.DEVICE.NAME
 * @why: out, why the first one that was refused was
 *
 * Context: may sleep
 * Return: 0; -EINVAL for what is not a setting, or of another type; -ENOENT for
 * a parameter that there is not; -ENODEV when the device is not set up; what the
 * parameter says
 */
int class_modify_config(struct obd_device *obd, const struct lcfg_view *cfg,
			struct obd_why *why)
{
	return modify_config(obd, cfg, 0, why);
}
EXPORT_SYMBOL_NS_GPL(class_modify_config, LUSTRE_LITE);

/**
 * class_process_param() - o_process_config of a type that has parameters only
 * @obd: device
 * @cfg: command
 * @why: out, why not
 *
 * Context: may sleep
 * Return: as class_modify_config(); -EOPNOTSUPP for what is not LCFG_PARAM
 */
int class_process_param(struct obd_device *obd, const struct lcfg_view *cfg,
			struct obd_why *why)
{
	if (cfg->command == LCFG_PARAM)
		return class_modify_config(obd, cfg, why);
	return obd_refuse(why, -EOPNOTSUPP,
			  "%s: a device of type %s does not know %s",
			  obd->obd_name, obd->obd_type_name,
			  lcfg_command_name(cfg->command));
}
EXPORT_SYMBOL_NS_GPL(class_process_param, LUSTRE_LITE);

/**
 * class_param_missing() - whether devices are here that lack a parameter
 * @spec: TYPE.DEVICE.NAME that matches nothing, and which devices are meant
 *
 * Context: may sleep
 * Return: whether TYPE.DEVICE has other parameters
 */
bool class_param_missing(const struct params_rule_spec *spec)
{
	struct params_rule_spec any = *spec;
	const char *type = spec->pattern;
	size_t len = strlen(type), type_len, both;
	char *text;
	int rc;

	type_len = params_pattern_part(type, len, NULL, 0);
	if (type_len == len)
		return false;
	both = type_len + 1;
	both += params_pattern_part(type + both, len - both, type, type_len);
	if (both == len)
		return false;
	text = kasprintf(GFP_KERNEL, "%.*s.*", (int)both, type);
	if (!text)
		return false;
	any.pattern = text;
	rc = params_set_matching_where(&any, PARAMS_W_DRY_RUN, NULL, 0);
	kfree(text);
	return rc != -ENOENT && rc != -ENOMEM;
}
EXPORT_SYMBOL_NS_GPL(class_param_missing, LUSTRE_LITE);

static bool param_is_global(const struct lcfg_view *cfg)
{
	const char *device = lcfg_string(cfg, 0) ?: "";
	const char *text = lcfg_string(cfg, 1) ?: "";

	return !*device || !strncmp(text, SYS_PREFIX, strlen(SYS_PREFIX));
}

/* "sys.NAME=VALUE"; real Lustre has the value in buffer 2 as well. */
static int param_global(const struct lcfg_view *cfg, u32 flags,
			struct obd_why *why)
{
	struct setting set;
	const char *name;
	int rc;

	rc = setting_parse(cfg, 1, &set, why);
	if (rc)
		return rc;
	name = set.text;
	if (!strncmp(name, SYS_PREFIX, strlen(SYS_PREFIX)))
		name += strlen(SYS_PREFIX);
	rc = obd_global_set(name, set.value, flags, why);
	setting_free(&set);
	return rc;
}

/* Whether a PARAM for all devices is for this one. */
static bool param_for(const struct obd_device *obd, const struct lcfg_view *cfg,
		      u64 instance)
{
	const char *text = lcfg_string(cfg, 1) ?: "";

	return obd->obd_instance == instance &&
	       prefix_fits(text, strcspn(text, "."), obd->obd_type_name);
}

static int param_all(const struct lcfg_view *cfg, u64 instance, u32 flags,
		     struct obd_why *why)
{
	struct obd_device *obd;
	unsigned int count = 0;
	int first = 0;
	u32 next = 0;
	int rc;

	while ((obd = class_next_obd(&next))) {
		if (param_for(obd, cfg, instance)) {
			rc = modify_config(obd, cfg, flags,
					   first ? NULL : why);
			first = first ?: rc;
			count++;
		}
		class_decref(obd, OBD_REF_LOOKUP);
	}
	if (count || (flags & PARAMS_W_DRY_RUN))
		return first;
	return obd_refuse(why, -ENODEV,
			  "there is no device of the type that '%.64s' is a parameter of",
			  lcfg_string(cfg, 1) ?: "");
}

static int param_one(struct obd_device *obd, const struct lcfg_view *cfg,
		     u32 flags, struct obd_why *why)
{
	const char *name = lcfg_string(cfg, 0) ?: "";

	if (obd)
		return modify_config(obd, cfg, flags, why);
	if (flags & PARAMS_W_DRY_RUN)
		return 0;
	return obd_refuse(why, -ENODEV,
			  "there is no device '%.128s'; attach it and set it up first",
			  name);
}

/* LCFG_PARAM. @obd: the device of buffer 0, NULL where there is none. */
int obd_config_param(struct obd_device *obd, const struct lcfg_view *cfg,
		     u64 instance, bool dry_run, struct obd_why *why)
{
	u32 flags = dry_run ? PARAMS_W_DRY_RUN : 0;

	if (cfg->bufcount < 2)
		return obd_refuse(why, -EINVAL,
				  "there is nothing to set; give NAME=VALUE");
	if (param_is_global(cfg))
		return param_global(cfg, flags, why);
	if (!obd && !strcmp(lcfg_string(cfg, 0), CONFIG_WILDCARD))
		return param_all(cfg, instance, flags, why);
	return param_one(obd, cfg, flags, why);
}

/*
 * LCFG_SET_PARAM: a pattern, for all nodes. That nothing matches here is
 * -ENOENT, and no fault of the log.
 */
int obd_config_set_param(const struct lcfg_view *cfg, bool dry_run,
			 struct obd_why *why)
{
	const char *by = lcfg_string(cfg, 2) ?: "";
	char words[OBD_WHY_MAX / 2] = "";
	struct setting set;
	int rc;

	if (*by && strcmp(by, SET_PARAM_BY))
		return obd_refuse(why, -EINVAL,
				  "is to be set by '%.64s'; only '" SET_PARAM_BY "' is known",
				  by);
	rc = setting_parse(cfg, 1, &set, why);
	if (rc)
		return rc;
	rc = params_set_matching(set.text, set.value,
				 dry_run ? PARAMS_W_DRY_RUN : 0, words,
				 sizeof(words));
	if (rc == -ENOENT && !words[0])
		obd_refuse(why, rc, "no parameter here matches '%.128s'",
			   set.text);
	else if (rc < 0)
		obd_refuse(why, rc, "%.64s=%.32s: %s", set.text, set.value,
			   words[0] ? words : "not a value that it takes");
	setting_free(&set);
	return min_t(int, rc, 0);
}
