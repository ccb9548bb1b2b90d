// SPDX-License-Identifier: GPL-2.0-only
/* conf_param: settings of a target, of all targets of a kind, or of a file system */
#include "log_internal.h"

/**
 * struct mgs_scope - scope of a conf_param
 * @fsname: file system
 * @kind: kind of target; MGS_LOG_CLIENT: the whole file system
 * @all: all targets of that kind
 * @index: the target, unless @all
 */
struct mgs_scope {
	char			fsname[LUSTRE_MAXFSNAME + 1];
	enum mgs_log_kind	kind;
	bool			all;
	u32			index;
};

static int refuse_scope(struct obd_why *why, const char *text)
{
	return obd_refuse(why, -EINVAL,
			  "'%.64s': give TARGET.NAME or FS.NAME, as lustre-OST0000.osc.max_dirty_mb, lustre-OST*.ost.x or lustre.sys.timeout",
			  text);
}

/* "lustre-OST*" */
static bool scope_all(struct mgs_scope *scope, char *name)
{
	size_t len = strlen(name);
	struct mgs_log_name any;

	if (len < 2 || name[len - 1] != '*')
		return false;
	mgs_name(name + len - 1, "0000");
	if (!mgs_target_name_parse(name, &any))
		return false;
	scope->kind = any.kind;
	scope->all = true;
	strscpy(scope->fsname, any.fsname, sizeof(scope->fsname));
	return true;
}

static bool scope_name(struct mgs_scope *scope, const char *name)
{
	struct mgs_log_name known;

	mgs_log_name_parse(name, &known);
	scope->kind = known.fsname[0] ? known.kind : MGS_LOG_CLIENT;
	scope->index = known.index;
	if (!known.fsname[0] && mgs_fsname_check(name))
		return false;
	strscpy(scope->fsname, known.fsname[0] ? known.fsname : name,
		sizeof(scope->fsname));
	return true;
}

/* The part of "lustre-OST0000.osc.x" before the first '.'. @name: out: the rest */
static int scope_parse(struct mgs_scope *scope, const char *text, const char **name,
		       struct obd_why *why)
{
	char first[2 * MGS_DEVICE_LEN] = "";
	const char *dot = strchr(text, '.');

	memset(scope, 0, sizeof(*scope));
	*name = "";
	if (!dot || dot - text >= MGS_DEVICE_LEN)
		return refuse_scope(why, text);
	memcpy(first, text, dot - text);
	*name = dot + 1;
	if (scope_all(scope, first) || scope_name(scope, first))
		return 0;
	return refuse_scope(why, text);
}

/* Parse "lustre-OST0000" of "lustre-OST0000.osc.x", or a file system. */
static void conf_owner(const struct mgs_scope *scope, const char *text, bool of_fs,
		       char *owner, size_t size)
{
	size_t len = strcspn(text, ".");

	if (of_fs)
		strscpy(owner, scope->fsname, size);
	else
		strscpy(owner, text, min_t(size_t, size, len + 1));
}

/**
 * mgs_conf_pattern() - the parameters that a conf_param sets
 * @text: "TARGET.NAME" or "FS.NAME"
 * @pattern: out: pattern of set_param; "" if no node has it as a parameter
 * @size: size of @pattern
 *
 * Context: any
 * Return: 0; -EINVAL for an invalid text; -ENAMETOOLONG
 */
int mgs_conf_pattern(const char *text, char *pattern, size_t size)
{
	const struct mgs_conf_class *class;
	char owner[MGS_DEVICE_LEN];
	struct obd_why why;
	struct mgs_scope scope;
	const char *name;
	size_t len;
	int rc;

	*pattern = '\0';
	rc = scope_parse(&scope, text, &name, &why);
	class = strchr(name, '.') ? mgs_conf_class_find(name) : NULL;
	if (rc || !class)
		return rc;
	conf_owner(&scope, text, class->of_fs, owner, sizeof(owner));
	name += strlen(class->prefix);
	if (class->type)
		len = snprintf(pattern, size, "%s.%s%s%s", class->type, owner,
			       class->suffix, name);
	else
		len = snprintf(pattern, size, "%s", name + 1);
	if (len < size)
		return 0;
	*pattern = '\0';
	return -ENAMETOOLONG;
}

/* Whether a log has exactly these failover nodes */
static bool failover_same(const struct mgs_fs_change *change,
			  const struct mgs_sections *image,
			  const struct mgs_nodes *nodes, struct mgs_nodes *seen)
{
	const struct mgs_section *section;
	u32 count = 0;

	seen->count = 0;
	list_for_each_entry(section, &image->sections, list) {
		if (!mgs_is_failnid(section, change->target->name))
			continue;
		mgs_nodes_of(seen, section);
		count++;
	}
	return count == 1 && mgs_nodes_same(seen, nodes);
}

/* @nodes: empty: remove all failover nodes */
static void failover_write(struct mgs_fs_change *change, const char *log,
			   const char *device, const struct mgs_nodes *nodes,
			   u32 *found)
{
	struct mgs_nodes *seen = kzalloc(sizeof(*seen), GFP_KERNEL);
	const char *svname = change->target->name;
	struct mgs_edit *edit = &change->edit;
	struct mgs_sections image;
	bool same = true;

	if (!seen && !edit->rc)
		edit->rc = -ENOMEM;
	if (!mgs_edit_load(edit, &image, log) && seen)
		same = failover_same(change, &image, nodes, seen);
	mgs_sections_free(&image);
	kfree(seen);
	if (same)
		return;
	*found += mgs_edit_skip(edit, log, mgs_is_failnid, svname);
	if (!nodes->count)
		return;
	mgs_section_begin(edit, log, svname, "add failnid");
	mgs_put_failover(edit, nodes, device, 0);
	mgs_section_end(edit);
}

static int failover_everywhere(struct mgs_fs_change *change,
			       const struct mgs_nodes *nodes, u32 *found)
{
	const struct mgs_fs_target *target = change->target;
	struct mgs_fs_target *mdt;
	char device[MGS_DEVICE_LEN];

	mgs_name(device, "%s-%s", target->name,
		 target->kind == MGS_LOG_OST ? "osc" : "mdc");
	failover_write(change, change->db.log, device, nodes, found);
	list_for_each_entry(mdt, &change->db.targets, list) {
		if (target->kind != MGS_LOG_OST || mdt->kind != MGS_LOG_MDT ||
		    !mdt->own)
			continue;
		mgs_name(device, "%s-osc-MDT%04x", target->name, mdt->index);
		failover_write(change, mdt->name, device, nodes, found);
	}
	return change->edit.rc;
}

/* Set the failover nodes. @value: NULL: remove them */
static int conf_failover(struct mgs_fs_change *change, const char *value,
			 u32 *found)
{
	struct mgs_nodes *nodes;
	int rc = 0;

	if (!change->target || !change->target->client)
		return obd_refuse(change->edit.why, -EINVAL,
				  "failover.node is of one target, as lustre-OST0000.failover.node");
	nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	if (!nodes)
		return -ENOMEM;
	if (value)
		rc = mgs_nodes_parse(nodes, value, strlen(value),
				     change->edit.why);
	if (!rc)
		rc = failover_everywhere(change, nodes, found);
	kfree(nodes);
	return rc;
}

static int conf_one(struct mgs_fs_change *change, const struct mgs_param *param,
		    u32 *found)
{
	if (!strcmp(param->name, "failover.node"))
		return conf_failover(change, param->value, found);
	return mgs_conf_write(change, param, found);
}

static int conf_each(struct mgs_fs_change *change, const struct mgs_scope *scope,
		     const struct mgs_param *param, u32 *found)
{
	struct mgs_fs_target *target;
	u32 count = 0;
	int rc;

	list_for_each_entry(target, &change->db.targets, list) {
		if (target->kind != scope->kind || !target->own)
			continue;
		change->target = target;
		rc = conf_one(change, param, found);
		if (rc)
			return rc;
		count++;
	}
	return count ? 0 : obd_refuse(change->edit.why, -ENOENT,
				      "%s has no target of that kind",
				      scope->fsname);
}

static int conf_scope(struct mgs_fs_change *change, const struct mgs_scope *scope,
		      const struct mgs_param *param, u32 *found)
{
	struct obd_why *why = change->edit.why;

	if (!mgs_fsdb_exists(&change->db))
		return obd_refuse(why, -ENOENT, "there is no file system %s",
				  scope->fsname);
	if (scope->all)
		return conf_each(change, scope, param, found);
	if (scope->kind != MGS_LOG_CLIENT) {
		change->target = mgs_fsdb_find(&change->db, scope->kind,
					       scope->index);
		if (!change->target)
			return obd_refuse(why, -ENOENT,
					  "file system %s has no target of that name",
					  scope->fsname);
	}
	return conf_one(change, param, found);
}

static int conf_param(struct mgs_call *call, const char *value)
{
	struct mgs_param param = { .value = value };
	struct mgs_fs_change *change;
	struct mgs_scope scope;
	u32 found = 0;
	int rc;

	rc = scope_parse(&scope, call->args[0], &param.name, call->why);
	if (rc)
		return rc;
	change = kzalloc(sizeof(*change), GFP_KERNEL);
	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_init(change, call->txn, scope.fsname, call->why);
	if (!rc)
		rc = conf_scope(change, &scope, &param, &found);
	mgs_fs_change_fini(change);
	kfree(change);
	if (!rc && !value && !found)
		rc = obd_refuse(call->why, -ENOENT,
				"there is no permanent setting '%.128s'; lctl get_param -P shows those that there are",
				call->args[0]);
	return rc;
}

/* "TARGET.NAME" or "FS.NAME", VALUE */
int mgs_do_conf_param(struct mgs_call *call)
{
	return conf_param(call, call->args[1]);
}

/* "TARGET.NAME" or "FS.NAME" */
int mgs_do_del_conf_param(struct mgs_call *call)
{
	return conf_param(call, NULL);
}
