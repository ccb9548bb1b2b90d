// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters set by a config log: PARAM of one device, of all devices of a
 * type, or of the node; SET_PARAM of all parameters that match.
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

/* Alternative prefixes of the parameters of a type in logs. */
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

/* Whether parameters with that prefix belong to devices of @type. */
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
 * class_param_type() - the type for an alternative prefix of parameters in a
 * log
 * @prefix: name of a parameter up to its first dot
 * @len: bytes of it
 *
 * Context: any
 * Return: name of the type, a static text; NULL if the prefix is the type
 *  itself
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
 * struct obd_setting - "name=value", split
 * @text: its own copy; the name
 * @value: after the '='
 */
struct obd_setting {
	char	*text;
	char	*value;
};

/*
 * Parse buffer @n of a command; on success the caller must call setting_free().
 */
static int setting_parse(const struct lcfg_view *cfg, u32 n,
			 struct obd_setting *set, struct obd_why *why)
{
	const char *text = lcfg_string(cfg, n) ?: "";
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || !eq[1]) {
		obd_refuse(why, -EINVAL,
			   "'%.128s' is not a setting; use NAME=VALUE", text);
		return -EINVAL;
	}
	set->text = kstrdup(text, GFP_KERNEL);
	if (!set->text)
		return -ENOMEM;
	set->value = set->text + (eq - text);
	*set->value++ = '\0';
	return 0;
}

static void setting_free(struct obd_setting *set)
{
	kfree(set->text);
}

/* TYPE/DEVICE/NAME, with NAME after the prefix. */
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
			   const struct obd_setting *set, const char *words, int rc,
			   struct obd_why *why)
{
	if (!obd_is_set_up(obd))
		return obd_refuse(why, -ENODEV,
				  "%s: is not set up, and has no parameters",
				  obd->obd_name);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return obd_refuse(why, -ENOENT,
				  "%s: parameter '%.64s' does not exist; see %s.%s.*",
				  obd->obd_name, set->text, obd->obd_type_name,
				  obd->obd_name);
	return obd_refuse(why, rc, "%s: %.64s=%.32s: %.80s", obd->obd_name,
			  set->text, set->value,
			  words[0] ? words : "invalid value");
}

static int setting_apply(struct obd_device *obd, const struct obd_setting *set,
			 u32 flags, struct obd_why *why)
{
	const char *dot = strchr(set->text, '.');
	char words[OBD_WHY_MAX] = "";
	char *path;
	int rc;

	if (!dot || !prefix_fits(set->text, dot - set->text,
				 obd->obd_type_name))
		return obd_refuse(why, -EINVAL,
				  "%s: '%.64s' is not a parameter of type %s; their names start with '%s.'",
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

/* Try every buffer; report the first refusal. */
static int modify_config(struct obd_device *obd, const struct lcfg_view *cfg,
			 u32 flags, struct obd_why *why)
{
	struct obd_setting set;
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
 * class_modify_config() - set parameters of a device from a config log
 * @obd: device; the caller holds it
 * @cfg: LCFG_PARAM: each buffer from 1 on is "TYPE.NAME=VALUE", which sets
 *  TYPE.DEVICE.NAME
 * @why: out: reason of the first refusal
 *
 * Context: may sleep
 * Return: 0; -EINVAL unless it is a setting of that type; -ENOENT for an
 *  unknown parameter; -ENODEV if the device is not set up; the error of the
 *  parameter
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
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: as class_modify_config(); -EOPNOTSUPP unless it is LCFG_PARAM
 */
int class_process_param(struct obd_device *obd, const struct lcfg_view *cfg,
			struct obd_why *why)
{
	if (cfg->command == LCFG_PARAM)
		return class_modify_config(obd, cfg, why);
	return obd_refuse(why, -EOPNOTSUPP,
			  "%s: unsupported command for a device of type %s: %s",
			  obd->obd_name, obd->obd_type_name,
			  lcfg_command_name(cfg->command));
}
EXPORT_SYMBOL_NS_GPL(class_process_param, LUSTRE_LITE);

/**
 * class_param_missing() - whether devices here lack a parameter
 * @spec: TYPE.DEVICE.NAME that matches nothing, and the devices that it applies
 *  to
 *
 * Context: may sleep
 * Return: true if TYPE.DEVICE has other parameters
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
	struct obd_setting set;
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

/* Whether a PARAM for all devices applies to this one. */
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
			  "no device has the type of parameter '%.64s'",
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
			  "device '%.128s' does not exist; attach it and set it up first",
			  name);
}

/* LCFG_PARAM. @obd: the device of buffer 0, NULL if it does not exist. */
int obd_config_param(struct obd_device *obd, const struct lcfg_view *cfg,
		     u64 instance, bool dry_run, struct obd_why *why)
{
	u32 flags = dry_run ? PARAMS_W_DRY_RUN : 0;

	if (cfg->bufcount < 2)
		return obd_refuse(why, -EINVAL,
				  "the setting is missing; use NAME=VALUE");
	if (param_is_global(cfg))
		return param_global(cfg, flags, why);
	if (!obd && !strcmp(lcfg_string(cfg, 0), CONFIG_WILDCARD))
		return param_all(cfg, instance, flags, why);
	return param_one(obd, cfg, flags, why);
}

/*
 * LCFG_SET_PARAM: a pattern, for all nodes. If nothing matches here it returns
 * -ENOENT, which is not an error of the log.
 */
int obd_config_set_param(const struct lcfg_view *cfg, bool dry_run,
			 struct obd_why *why)
{
	const char *by = lcfg_string(cfg, 2) ?: "";
	char words[OBD_WHY_MAX / 2] = "";
	struct obd_setting set;
	int rc;

	if (*by && strcmp(by, SET_PARAM_BY))
		return obd_refuse(why, -EINVAL,
				  "must be set by '" SET_PARAM_BY "', not by '%.64s'",
				  by);
	rc = setting_parse(cfg, 1, &set, why);
	if (rc)
		return rc;
	rc = params_set_matching(set.text, set.value,
				 dry_run ? PARAMS_W_DRY_RUN : 0, words,
				 sizeof(words));
	if (rc == -ENOENT && !words[0])
		obd_refuse(why, rc, "no parameter matches '%.128s' here",
			   set.text);
	else if (rc < 0)
		obd_refuse(why, rc, "%.64s=%.32s: %s", set.text, set.value,
			   words[0] ? words : "invalid value");
	setting_free(&set);
	return min_t(int, rc, 0);
}
