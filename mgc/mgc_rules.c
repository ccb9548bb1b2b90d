// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings of a log, as rules of the parameters tree: they also apply to
 * parameters that appear later, and previous values are restored when they are
 * removed.
 *
 *	SET_PARAM	OWNER; PATTERN=VALUE; "lctl"
 *	PARAM		DEVICE; TYPE.NAME=VALUE ...	of a device
 *	PARAM		FSNAME-client; llite.NAME=VALUE	of a mount
 *	PARAM		"general"; TYPE.NAME=VALUE ...	of all devices of the log
 *
 * A PARAM of the node (sys.NAME) is not a rule.
 *
 * Settings are collected while records are read, and put in force afterwards.
 * Unchanged rules stay, so that no value changes back and forth. New rules are
 * added, in the order of the log, before obsolete ones are deleted.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"
#include "mgc_rule_key.h"

#define SYS_PREFIX	"sys."
#define SET_PARAM_BY	"lctl"
#define MOUNT_TYPE	"llite"
#define MOUNT_WORD	"-client"

/**
 * struct mgc_rule - a setting
 * @mrl_item: in ml_next, then in ml_rules
 * @mrl_index: its record
 * @mrl_key: its key
 * @mrl_scope: parameters that it applies to; part of the rule of the tree
 * @mrl_rule: rule of the tree, or NULL
 * @mrl_same: equal setting in force; of one in ml_next
 * @mrl_name: as in the log
 * @mrl_value: value
 * @mrl_size: bytes of this with its texts
 * @mrl_text: texts
 */
struct mgc_rule {
	struct list_head	mrl_item;
	u32			mrl_index;
	struct mgc_rule_key	mrl_key;
	struct mgc_scope	*mrl_scope;
	struct params_rule	*mrl_rule;
	struct mgc_rule		*mrl_same;
	const char		*mrl_name;
	const char		*mrl_value;
	size_t			mrl_size;
	char			mrl_text[];
};

static const char *view_text(const struct lcfg_view *view, u32 n)
{
	return n < view->bufcount && view->buf[n].len ?
	       lcfg_string(view, n) ?: "" : "";
}

/**
 * mgc_rules_mine() - whether a command is a setting that becomes a rule
 * @view: command
 *
 * Context: any
 * Return: true if it is
 */
bool mgc_rules_mine(const struct lcfg_view *view)
{
	if (view->command == LCFG_SET_PARAM)
		return true;
	return view->command == LCFG_PARAM && *view_text(view, 0) &&
	       strncmp(view_text(view, 1), SYS_PREFIX, strlen(SYS_PREFIX));
}

static void rule_free(struct mgc_rule *rule)
{
	if (rule->mrl_rule)
		params_rule_del(rule->mrl_rule);
	libcfs_free(rule->mrl_scope, sizeof(*rule->mrl_scope));
	libcfs_free(rule, rule->mrl_size);
}

static void rules_free(struct list_head *list)
{
	struct mgc_rule *rule, *next;

	list_for_each_entry_safe(rule, next, list, mrl_item) {
		list_del(&rule->mrl_item);
		rule_free(rule);
	}
}

/* Escape "*" and similar characters in @bytes of a name. Return: bytes; @to may be NULL */
static size_t escape(char *to, const char *name, size_t bytes)
{
	size_t len = 0;

	for (; bytes; name++, bytes--) {
		if (strchr("\\.*?[]{}!/", *name)) {
			if (to)
				to[len] = '\\';
			len++;
		}
		if (to)
			to[len] = *name;
		len++;
	}
	return len;
}

/**
 * struct mgc_setting - a parsed setting
 * @owner: buffer 0
 * @text: "NAME=VALUE"
 * @name_len: bytes of NAME
 * @device: the setting is one of device @owner, or of all
 * @dot: if so: bytes of NAME's first component, the type
 */
struct mgc_setting {
	const char	*owner;
	const char	*text;
	size_t		name_len;
	bool		device;
	size_t		dot;
};

static int setting_parse(struct mgc_setting *set, const struct lcfg_view *view,
			 u32 n, struct obd_why *why)
{
	const char *eq;

	set->owner = view_text(view, 0);
	set->text = view_text(view, n);
	set->device = view->command == LCFG_PARAM;
	set->dot = strcspn(set->text, ".=");
	eq = strchr(set->text, '=');
	if (!eq || eq == set->text || !eq[1])
		return obd_refuse(why, -EINVAL,
				  "'%.128s' is not a setting; use NAME=VALUE",
				  set->text);
	set->name_len = eq - set->text;
	if (set->device && (!set->dot || set->dot + 1 >= set->name_len))
		return obd_refuse(why, -EINVAL,
				  "'%.128s' is not a parameter of a device; use TYPE.NAME=VALUE",
				  set->text);
	return 0;
}

static bool is_general(const struct mgc_setting *set)
{
	return !strcmp(set->owner, CONFIG_WILDCARD);
}

/*
 * A mount has no device: in a log it is FSNAME-client, with its instance, and its parameters are
 * those of llite.FSNAME-INSTANCE. Return: as escape()
 */
static size_t owner_text(const struct mgc_setting *set, char *to)
{
	const char *word = NULL, *at = set->owner;
	size_t len;

	if (set->dot == strlen(MOUNT_TYPE) && !strncmp(set->text, MOUNT_TYPE, set->dot))
		for (; (at = strstr(at, MOUNT_WORD)); at++)
			word = at;
	if (!word)
		return escape(to, set->owner, strlen(set->owner));
	len = escape(to, set->owner, word - set->owner);
	word += strlen(MOUNT_WORD);
	return len + escape(to ? to + len : NULL, word, strlen(word));
}

/* TYPE.DEVICE.NAME, or a pattern. Return: bytes; @to may be NULL */
static size_t pattern_text(const struct mgc_setting *set, char *to)
{
	const char *type = class_param_type(set->text, set->dot);
	size_t type_len = type ? strlen(type) : set->dot, len = 0;

	if (!set->device) {
		if (to)
			memcpy(to, set->text, set->name_len);
		return set->name_len;
	}
	if (to) {
		memcpy(to, type ?: set->text, type_len);
		to[type_len] = '.';
	}
	len = type_len + 1;
	if (is_general(set)) {
		if (to)
			to[len] = '*';
		len++;
	} else {
		len += owner_text(set, to ? to + len : NULL);
	}
	if (to)
		memcpy(to + len, set->text + set->dot,
		       set->name_len - set->dot);
	return len + set->name_len - set->dot;
}

static const char *text_put(char **at, const char *text, size_t len)
{
	char *to = *at;

	if (text)
		memcpy(to, text, len);
	to[len] = '\0';
	*at += len + 1;
	return to;
}

static void rule_texts(struct mgc_rule *rule, const struct mgc_setting *set,
		       size_t pattern_len)
{
	const char *value = set->text + set->name_len + 1;
	struct mgc_rule_key *key = &rule->mrl_key;
	char *at = rule->mrl_text;

	key->rk_owner = text_put(&at, set->owner, strlen(set->owner));
	rule->mrl_name = text_put(&at, set->text, set->name_len);
	rule->mrl_value = text_put(&at, value, strlen(value));
	key->rk_pattern = at;
	pattern_text(set, at);
	at += pattern_len;
	*at = '\0';
	key->rk_hash = jhash(key->rk_pattern, pattern_len,
			     jhash(key->rk_owner, strlen(key->rk_owner), 0));
}

static struct mgc_rule *rule_alloc(const struct mgc_setting *set)
{
	size_t pattern_len = pattern_text(set, NULL);
	size_t size = sizeof(struct mgc_rule) + strlen(set->owner) +
		      strlen(set->text) + pattern_len + 4;
	struct mgc_rule *rule = libcfs_zalloc(size, GFP_KERNEL);

	if (!rule)
		return NULL;
	rule->mrl_size = size;
	rule->mrl_scope = libcfs_zalloc(sizeof(*rule->mrl_scope), GFP_KERNEL);
	if (!rule->mrl_scope) {
		libcfs_free(rule, size);
		return NULL;
	}
	rule_texts(rule, set, pattern_len);
	return rule;
}

/* Devices of a log are named in its records, or have the log's instance. */
static void rule_scope(struct mgc_rule *rule, struct mgc_log *log,
		       const struct mgc_setting *set)
{
	mgc_scope_init(rule->mrl_scope, log->ml_mgc,
		       set->device ? "" : set->owner);
	if (!set->device)
		return;
	strscpy(rule->mrl_scope->msc_fsname, log->ml_fsname,
		sizeof(rule->mrl_scope->msc_fsname));
	rule->mrl_scope->msc_instance = log->ml_cfg.cfg_rules.cr_instance;
	rule->mrl_key.rk_instance = rule->mrl_scope->msc_instance;
}

static int rule_note(struct mgc_log *log, u32 index,
		     const struct lcfg_view *view, u32 n, struct obd_why *why)
{
	struct mgc_rule *rule;
	struct mgc_setting set = {};
	int rc = setting_parse(&set, view, n, why);

	if (rc)
		return rc;
	rule = rule_alloc(&set);
	if (!rule)
		return -ENOMEM;
	rule->mrl_index = index;
	rule_scope(rule, log, &set);
	list_add_tail(&rule->mrl_item, &log->ml_next);
	return 0;
}

static int set_param_check(const struct lcfg_view *view, struct obd_why *why)
{
	const char *by = view_text(view, 2), *owner = view_text(view, 0);

	if (*by && strcmp(by, SET_PARAM_BY))
		return obd_refuse(why, -EINVAL,
				  "must be set by '" SET_PARAM_BY "', not by '%.64s'",
				  by);
	if (strcmp(owner, CONFIG_WILDCARD) && strlen(owner) > LUSTRE_MAXFSNAME)
		return obd_refuse(why, -EINVAL,
				  "'%.64s' is not a file system; use '" CONFIG_WILDCARD "', or a name of 1 to %d bytes",
				  owner, LUSTRE_MAXFSNAME);
	return 0;
}

/**
 * mgc_rules_note() - collect the settings of a record
 * @log: log
 * @index: of the record
 * @view: command, for which mgc_rules_mine() is true
 * @why: out: reason of a failure
 *
 * Context: under ml_mutex; may sleep
 * Return: 0; -EINVAL, -ENOMEM
 */
int mgc_rules_note(struct mgc_log *log, u32 index, const struct lcfg_view *view,
		   struct obd_why *why)
{
	int first = 0, rc;
	u32 n;

	lockdep_assert_held(&log->ml_mutex);
	if (view->command == LCFG_SET_PARAM)
		return set_param_check(view, why) ?:
		       rule_note(log, index, view, 1, why);
	for (n = 1; n < view->bufcount; n++) {
		rc = rule_note(log, index, view, n, first ? NULL : why);
		first = first ?: rc;
	}
	return first;
}

static bool same_setting(const struct mgc_rule *a, const struct mgc_rule *b)
{
	return mgc_rule_key_same(&a->mrl_key, &b->mrl_key) &&
	       !strcmp(a->mrl_value, b->mrl_value);
}

/* Return: the setting of the same key that @rule replaces in @root, or NULL */
static struct mgc_rule *rule_put_by_key(struct rb_root *root, struct mgc_rule *rule)
{
	struct mgc_rule_key *key = mgc_rule_key_put(root, &rule->mrl_key);

	return key ? container_of(key, struct mgc_rule, mrl_key) : NULL;
}

/* The record was applied; refused values are reported here. */
static void rule_report(struct mgc_log *log, struct mgc_rule *rule,
			const struct params_rule_result *result)
{
	if (!result->refused)
		return;
	if (log->ml_counts.applied)
		log->ml_counts.applied--;
	mgc_apply_failed(log, rule->mrl_index, "setting", -EINVAL,
			 "%s=%s: refused by %u of %u parameters: %s",
			 rule->mrl_name, rule->mrl_value, result->refused,
			 result->matched, result->why);
}

static void rule_add(struct mgc_log *log, struct mgc_rule *rule)
{
	struct params_rule_spec spec = {
		.pattern = rule->mrl_key.rk_pattern,
		.value = rule->mrl_value,
		.applies = mgc_scope_applies,
		.data = rule->mrl_scope,
	};
	struct params_rule_result result = {};
	struct params_rule *added = params_rule_add(&spec, &result);

	if (IS_ERR(added)) {
		if (log->ml_counts.applied)
			log->ml_counts.applied--;
		mgc_apply_failed(log, rule->mrl_index, "setting",
				 PTR_ERR(added), "%s=%s: %s", rule->mrl_name,
				 rule->mrl_value, result.why[0] ? result.why :
				 "is not a pattern");
		return;
	}
	rule->mrl_rule = added;
	CDEBUG(D_CONFIG, "%s: log %s, record %u: %s=%s for %u parameters\n",
	       log->ml_mgc->mg_obd->obd_name, log->ml_name, rule->mrl_index,
	       rule->mrl_key.rk_pattern, rule->mrl_value, result.matched);
	rule_report(log, rule, &result);
}

/* It stays in force; its results count for this pass, too. */
static void rule_retain(struct mgc_log *log, struct mgc_rule *rule,
			struct mgc_rule *old)
{
	struct params_rule_result result = {};

	rule->mrl_same = old;
	params_rule_result(old->mrl_rule, &result);
	rule_report(log, rule, &result);
}

/* The next equal setting in force after @old; or NULL. */
static struct mgc_rule *find_same(struct mgc_log *log, struct mgc_rule *old,
				  const struct mgc_rule *rule)
{
	list_for_each_entry_continue(old, &log->ml_rules, mrl_item)
		if (old->mrl_rule && same_setting(old, rule))
			return old;
	return NULL;
}

/* Of settings with the same key the last one is in force. */
static void drop_superseded(struct list_head *list)
{
	struct rb_root by_key = RB_ROOT;
	struct mgc_rule *rule, *earlier;

	list_for_each_entry(rule, list, mrl_item) {
		earlier = rule_put_by_key(&by_key, rule);
		if (!earlier)
			continue;
		list_del(&earlier->mrl_item);
		rule_free(earlier);
	}
}

/*
 * Settings stay as long as the new ones are in the same order as those in
 * force; from the first new one on all are added, as the last of several wins.
 */
static void rules_compare(struct mgc_log *log)
{
	struct mgc_rule *rule, *same, *old;
	bool in_order = true;

	old = list_entry(&log->ml_rules, struct mgc_rule, mrl_item);
	list_for_each_entry(rule, &log->ml_next, mrl_item) {
		same = in_order ? find_same(log, old, rule) : NULL;
		if (same) {
			rule_retain(log, rule, same);
			old = same;
		} else {
			in_order = false;
			rule_add(log, rule);
		}
	}
}

/* Move unchanged settings to their new place; delete obsolete ones. */
static void rules_replace(struct mgc_log *log)
{
	struct mgc_rule *rule;
	LIST_HEAD(gone);

	mutex_lock(&log->ml_rules_mutex);
	list_for_each_entry(rule, &log->ml_next, mrl_item) {
		if (!rule->mrl_same)
			continue;
		swap(rule->mrl_rule, rule->mrl_same->mrl_rule);
		swap(rule->mrl_scope, rule->mrl_same->mrl_scope);
		rule->mrl_same = NULL;
	}
	list_splice_init(&log->ml_rules, &gone);
	list_splice_init(&log->ml_next, &log->ml_rules);
	mutex_unlock(&log->ml_rules_mutex);
	log->ml_rules_by_key = RB_ROOT;
	list_for_each_entry(rule, &log->ml_rules, mrl_item)
		rule_put_by_key(&log->ml_rules_by_key, rule);
	rules_free(&gone);
}

static void rules_append(struct mgc_log *log)
{
	struct mgc_rule *rule, *old;
	LIST_HEAD(gone);

	list_for_each_entry(rule, &log->ml_next, mrl_item)
		rule_add(log, rule);
	mutex_lock(&log->ml_rules_mutex);
	list_for_each_entry(rule, &log->ml_next, mrl_item) {
		old = rule_put_by_key(&log->ml_rules_by_key, rule);
		if (old)
			list_move_tail(&old->mrl_item, &gone);
	}
	list_splice_tail_init(&log->ml_next, &log->ml_rules);
	mutex_unlock(&log->ml_rules_mutex);
	rules_free(&gone);
}

/**
 * mgc_rules_sync() - put the collected settings in force
 * @log: log
 * @all: they are all settings of the log, so others in force are removed
 *
 * Context: under ml_mutex; sleeps as parameters do
 */
void mgc_rules_sync(struct mgc_log *log, bool all)
{
	lockdep_assert_held(&log->ml_mutex);
	drop_superseded(&log->ml_next);
	if (!all) {
		rules_append(log);
		return;
	}
	rules_compare(log);
	rules_replace(log);
}

/* Drop the collected settings. Under ml_mutex; may sleep. */
void mgc_rules_discard(struct mgc_log *log)
{
	rules_free(&log->ml_next);
}

/**
 * mgc_rules_free() - revert all settings of a log
 * @log: log
 *
 * Context: under ml_mutex, or without other references; sleeps as parameters do
 */
void mgc_rules_free(struct mgc_log *log)
{
	LIST_HEAD(gone);

	mgc_rules_discard(log);
	log->ml_rules_by_key = RB_ROOT;
	mutex_lock(&log->ml_rules_mutex);
	list_splice_init(&log->ml_rules, &gone);
	mutex_unlock(&log->ml_rules_mutex);
	rules_free(&gone);
}

static int rule_put(struct mgc_log *log, struct mgc_rule *rule,
		    struct params_sink *sink)
{
	struct params_rule_result result = {};

	if (rule->mrl_rule)
		params_rule_result(rule->mrl_rule, &result);
	params_list_begin(sink, NULL, PARAMS_LIST_MAP);
	params_put_str(sink, "log", log->ml_name);
	params_put_str(sink, "owner", rule->mrl_key.rk_owner);
	params_put_str(sink, "name", rule->mrl_name);
	params_put_str(sink, "value", rule->mrl_value);
	params_put_u64(sink, "record", rule->mrl_index);
	params_put_u64(sink, "matched", result.matched);
	params_put_u64(sink, "refused", result.refused);
	if (result.refused)
		params_put_str(sink, "why", result.why);
	return params_list_end(sink);
}

/**
 * mgc_rules_put() - print the settings of a log
 * @log: log
 * @sink: destination
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_rules_put(struct mgc_log *log, struct params_sink *sink)
{
	struct mgc_rule *rule;
	int rc = 0;

	mutex_lock(&log->ml_rules_mutex);
	list_for_each_entry(rule, &log->ml_rules, mrl_item) {
		rc = rule_put(log, rule, sink);
		if (rc)
			break;
	}
	mutex_unlock(&log->ml_rules_mutex);
	return rc;
}
