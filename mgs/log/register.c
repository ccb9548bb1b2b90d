// SPDX-License-Identifier: GPL-2.0-only
/* Registration of a target: its own log, and its records in the logs of other nodes */
#include "log_internal.h"

/**
 * struct mgs_reg - a registration
 * @change: change of its file system
 * @target: target
 * @why: out: reason of a refusal
 * @kind: MGS_LOG_OST or MGS_LOG_MDT
 * @rewrite: its records are written, not only its NIDs or parameters
 * @failout: failover.mode
 * @failover: ldd_params name failover nodes
 * @verdict: what the registration may do
 * @kept: stored identity, zeros: none
 * @nodes: its nodes
 */
struct mgs_reg {
	struct mgs_fs_change	change;
	struct mgs_target	*target;
	struct obd_why		*why;
	enum mgs_log_kind	kind;
	bool			rewrite;
	bool			failout;
	bool			failover;
	enum mgs_verdict	verdict;
	struct mgs_target_identity kept;
	struct mgs_nodes	nodes;
};

static int reg_kind(struct mgs_reg *reg)
{
	switch (reg->target->flags & (LDD_F_SV_TYPE_OST | LDD_F_SV_TYPE_MDT)) {
	case LDD_F_SV_TYPE_OST:
		reg->kind = MGS_LOG_OST;
		return 0;
	case LDD_F_SV_TYPE_MDT:
		reg->kind = MGS_LOG_MDT;
		return 0;
	default:
		return obd_refuse(reg->why, -EINVAL,
				  "flags %#x are not those of an MDT or an OST",
				  reg->target->flags);
	}
}

static int reg_check(struct mgs_reg *reg)
{
	struct mgs_target *target = reg->target;

	if (strnlen(target->fsname, sizeof(target->fsname)) ==
	    sizeof(target->fsname) || mgs_fsname_check(target->fsname))
		return obd_refuse(reg->why, -EINVAL,
				  "'%.63s' is not the name of a file system; give 1 to %d letters, digits, '_' or '-', a letter first, and not 'general'",
				  target->fsname, LUSTRE_MAXFSNAME);
	if (target->index > LDD_INDEX_NONE ||
	    (target->index == LDD_INDEX_NONE &&
	     !(target->flags & LDD_F_NEED_INDEX)))
		return obd_refuse(reg->why, -EINVAL,
				  "%s: index %#x is invalid; give 0 to %#x",
				  target->fsname, target->index,
				  LDD_INDEX_NONE - 1);
	return reg_kind(reg);
}

static u32 free_index(const struct mgs_reg *reg)
{
	const struct mgs_fs_target *other;
	u32 index = 0;

	list_for_each_entry(other, &reg->change.db.targets, list)
		if (other->kind == reg->kind && other->index == index)
			index++;
	return index;
}

/* The index that it had before, or a free one */
static int reg_index(struct mgs_reg *reg)
{
	const struct mgs_fs_target *other;
	int rc;

	list_for_each_entry(other, &reg->change.db.targets, list) {
		if (other->kind != reg->kind)
			continue;
		rc = mgs_identity_is(reg->change.edit.txn, other->name,
				     reg->target->id);
		if (rc < 0)
			return rc;
		if (rc) {
			reg->target->index = other->index;
			return 0;
		}
	}
	reg->target->index = free_index(reg);
	return 0;
}

/* Whether it is in the logs; its flags do not matter */
static bool reg_known(const struct mgs_reg *reg)
{
	const struct mgs_fs_target *known = reg->change.target;

	return known->own || known->client || known->has_log;
}

static int refuse_identity(const struct mgs_reg *reg)
{
	const char *name = reg->target->svname;
	const char *id = reg->kept.ti_id;

	switch (reg->verdict) {
	case MGS_ANOTHER:
		return obd_refuse(reg->why, -EADDRINUSE,
				  "%s is registered by the directory with uuid %s, not %s; mount that one, or run 'lctl replace_target %s' on the node of the service",
				  name, *id ? id : "(none)",
				  *reg->target->id ? reg->target->id : "(none)",
				  name);
	case MGS_UNPROVEN:
		return obd_refuse(reg->why, -EACCES,
				  "%s is registered with uuid %s, and the " MOUNT_SECRET_FILE " of this directory is another one; restore it, or run 'lctl replace_target %s' on the node of the service",
				  name, *id ? id : "(none)", name);
	case MGS_CLOSED:
		return obd_refuse(reg->why, -EACCES,
				  "%s: no identity is known of it, and the management service takes no new targets; there, 'lctl set_param mgs.*.allow_register=1' lets it register",
				  name);
	default:
		return obd_refuse(reg->why, -EACCES,
				  "%s: the management service knows no key of it, and it offers none; set it up with tunefs.lustre-lite --writeconf",
				  name);
	}
}

/* Check the identity of the target, and correct its flags. */
static int reg_judge(struct mgs_reg *reg)
{
	struct mgs_target *target = reg->target;
	int rc = mgs_identity_load(reg->change.edit.txn, target->svname,
				   &reg->kept);

	if (rc == -EBADMSG)
		return obd_refuse(reg->why, -EIO,
				  "the identity of %s, " MGS_TARGETS_DIR "/%s of the service, is damaged; 'lctl replace_target %s' there lets a directory register as it",
				  target->svname, target->svname,
				  target->svname);
	if (rc && rc != -ENOENT)
		return rc;
	reg->verdict = mgs_identity_judge(target, rc ? NULL : &reg->kept);
	if (reg->verdict >= MGS_ANOTHER)
		return refuse_identity(reg);
	/* An earlier start ended before it got the answer to its registration. */
	if (reg->verdict != MGS_FIRST && reg_known(reg))
		target->flags &= ~(LDD_F_VIRGIN | LDD_F_NEED_INDEX);
	if (reg->verdict == MGS_REPLACES)
		target->flags |= LDD_F_UPDATE;
	return 0;
}

/* Store its identity. */
static int reg_keep(struct mgs_reg *reg)
{
	struct mgs_edit *edit = &reg->change.edit;
	u32 flags = codec_get32(&reg->kept.ti_flags, false);
	struct mgs_target *target = reg->target;
	struct lnet_nid nid;

	mgs_identity_nid(&reg->kept, &nid);
	target->changed = reg->verdict != MGS_PROVEN || flags ||
			  !libcfs_nid_same(&nid, &target->from);
	if (!(flags & MGS_TARGET_STOPPED))
		target->before = nid;
	if (reg->verdict != MGS_PROVEN)
		mgs_identity_keep(edit, target->svname, target);
	else if (target->changed)
		mgs_identity_settle(edit, target->svname, target, &reg->kept);
	return edit->rc;
}

/* Find out which target it is, and fill in its names. */
static int reg_identify(struct mgs_reg *reg)
{
	struct mgs_target *target = reg->target;
	struct mgs_fsdb *db = &reg->change.db;
	int rc = 0;

	if (target->flags & LDD_F_NEED_INDEX)
		rc = reg_index(reg);
	if (rc)
		return rc;
	if (target->index >= LDD_INDEX_NONE)
		return obd_refuse(reg->why, -ENOSPC,
				  "%s: every index is in use", target->fsname);
	reg->change.target = mgs_fsdb_target(db, reg->kind, target->index);
	if (!reg->change.target)
		return -ENOMEM;
	strscpy(target->svname, reg->change.target->name,
		sizeof(target->svname));
	scnprintf(target->uuid, sizeof(target->uuid), "%s_UUID",
		  reg->change.target->name);
	return reg_judge(reg);
}

/* Parse a word of ldd_params about its nodes. */
static int param_node(struct mgs_reg *reg, const char *name, const char *value)
{
	if (!strcmp(name, "mgsnode"))
		return 0;
	if (!strcmp(name, "failover.node")) {
		reg->failover = true;
		return mgs_nodes_parse(&reg->nodes, value, strlen(value),
				       reg->why);
	}
	reg->failout = !strcmp(value, "failout");
	if (reg->failout || !strcmp(value, "failover"))
		return 0;
	return obd_refuse(reg->why, -EINVAL,
			  "failover.mode='%.32s'; give failout or failover",
			  value);
}

static bool param_is_node(const char *name)
{
	return !strcmp(name, "mgsnode") || !strcmp(name, "failover.node") ||
	       !strcmp(name, "failover.mode");
}

static int param_one(struct mgs_reg *reg, char *word, bool nodes)
{
	char *eq = strchr(word, '=');
	struct mgs_param param = { .name = word };

	if (!eq)
		return obd_refuse(reg->why, -EINVAL,
				  "%s: parameter '%.64s' sets nothing; give NAME=VALUE",
				  reg->target->svname, word);
	*eq = '\0';
	if (param_is_node(word))
		return nodes ? param_node(reg, word, eq + 1) : 0;
	if (nodes)
		return 0;
	param.value = eq + 1;
	return mgs_conf_write(&reg->change, &param, NULL);
}

/* Walk through ldd_params: words about nodes, or settings. */
static int reg_params(struct mgs_reg *reg, bool nodes)
{
	char *text, *at, *word;
	int rc = 0;

	if (!reg->target->params)
		return 0;
	text = kstrdup(reg->target->params, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	for (at = text; !rc && *at;) {
		word = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
		if (*word)
			rc = param_one(reg, word, nodes);
	}
	kfree(text);
	return rc;
}

/* Add the NIDs of its current node, without 0@lo. */
static int reg_own_nids(struct mgs_reg *reg)
{
	const char *nid = reg->target->nids;
	u32 n;
	int rc;

	for (n = 0; n < reg->target->nid_count; n++) {
		if (strcmp(nid, "0@lo")) {
			rc = mgs_nodes_add(&reg->nodes, nid, strlen(nid), false,
					   reg->why);
			if (rc)
				return rc;
		}
		nid += strlen(nid) + 1;
	}
	return 0;
}

/* Its nodes: the current one first, unless all nodes are named */
static int reg_nodes(struct mgs_reg *reg)
{
	bool named = reg->target->flags & LDD_F_NO_PRIMNODE;
	int rc = 0;

	if (!named)
		rc = reg_own_nids(reg);
	if (!rc)
		rc = reg_params(reg, true);
	if (!rc && named && !reg->failover)
		rc = reg_own_nids(reg);
	if (rc || reg->nodes.count)
		return rc;
	return obd_refuse(reg->why, -EINVAL,
			  "%s: no NID is known at which others reach it; give its node one as 10.0.0.1@tcp",
			  reg->target->svname);
}

/* The nodes of a target in the client log */
static int known_nodes(struct mgs_fs_change *change, const char *svname,
		       struct mgs_nodes *nodes)
{
	const struct mgs_section *section;
	struct mgs_sections image;

	nodes->count = 0;
	mgs_edit_load(&change->edit, &image, change->db.log);
	list_for_each_entry(section, &image.sections, list)
		if (mgs_section_live(section) &&
		    mgs_section_about(section, svname))
			mgs_nodes_of(nodes, section);
	mgs_sections_free(&image);
	return change->edit.rc;
}

static int refuse_virgin(struct mgs_reg *reg)
{
	const char *name = reg->target->svname;
	struct mgs_nodes *nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	bool here;
	int rc;

	if (!nodes)
		return -ENOMEM;
	rc = known_nodes(&reg->change, name, nodes);
	here = mgs_nodes_meet(nodes, &reg->nodes);
	kfree(nodes);
	if (rc)
		return rc;
	if (here)
		return obd_refuse(reg->why, -EALREADY,
				  "%s is registered at this node already, and this one says that it is new; 'lctl replace_target %s' on the node of the service lets it take the place",
				  name, name);
	return obd_refuse(reg->why, -EADDRINUSE,
			  "%s is in use by a target of another node; give this one another index, or run 'lctl replace_target %s' on the node of the service",
			  name, name);
}

/* It is registered; one whose log is to be rewritten may be replaced. */
static bool reg_taken(const struct mgs_reg *reg)
{
	const struct mgs_fs_target *known = reg->change.target;

	return known->own || (known->client && !known->has_log);
}

/* Return: whether its records are to be written; -errno for a wrong claim */
static int reg_decide(struct mgs_reg *reg)
{
	const struct mgs_fs_target *known = reg->change.target;
	u32 flags = reg->target->flags;

	if (flags & LDD_F_WRITECONF) {
		reg->rewrite = true;
		return 0;
	}
	if (known->damaged)
		return obd_refuse(reg->why, -EIO,
				  "the log of %s is damaged; llog_check says where, tunefs.lustre-lite --writeconf rewrites it",
				  known->name);
	if ((flags & LDD_F_VIRGIN) && reg_taken(reg))
		return refuse_virgin(reg);
	if (known->own)
		return 0;
	reg->rewrite = known->client || known->has_log ||
		    (flags & (LDD_F_VIRGIN | LDD_F_NEED_INDEX));
	if (reg->rewrite)
		return 0;
	return obd_refuse(reg->why, -ENOENT,
			  "%s says that it is registered, and there are no logs of it; set it up with tunefs.lustre-lite --writeconf",
			  reg->target->svname);
}

/* Remove the records of the target from the logs of other nodes. */
static void reg_forget(struct mgs_reg *reg)
{
	struct mgs_fs_change *change = &reg->change;
	struct mgs_fs_target *other;

	if (change->target->has_log)
		mgs_log_remove(&change->edit, change->target->name);
	if (change->db.has_client)
		mgs_edit_skip(&change->edit, change->db.log, mgs_section_about,
			      change->target->name);
	list_for_each_entry(other, &change->db.targets, list)
		if (other->kind == MGS_LOG_MDT && other->has_log &&
		    other != change->target)
			mgs_edit_skip(&change->edit, other->name,
				      mgs_section_about, change->target->name);
}

/* A metadata target needs all OSTs. */
static void mdt_knows_osts(struct mgs_reg *reg)
{
	struct mgs_fs_change *change = &reg->change;
	struct mgs_nodes *nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	struct mgs_fs_target *ost;

	if (!nodes && !change->edit.rc)
		change->edit.rc = -ENOMEM;
	list_for_each_entry(ost, &change->db.targets, list) {
		if (change->edit.rc || ost->kind != MGS_LOG_OST || !ost->client)
			continue;
		if (!known_nodes(change, ost->name, nodes) && nodes->count)
			mgs_write_osc(&change->edit, &change->db, ost,
				      change->target, nodes);
	}
	kfree(nodes);
}

static void write_mdt(struct mgs_reg *reg)
{
	struct mgs_fs_change *change = &reg->change;
	struct mgs_edit *edit = &change->edit;
	struct mgs_fsdb *db = &change->db;

	mgs_write_mdt(edit, change->target, reg->failout);
	if (!db->lov)
		mgs_write_client_lov(edit, db);
	if (!db->lmv)
		mgs_write_client_lmv(edit, db);
	mgs_write_mdc(edit, db, change->target, &reg->nodes);
	if (!db->mountopt)
		mgs_write_client_mount(edit, db);
	mdt_knows_osts(reg);
}

static void write_ost(struct mgs_reg *reg)
{
	struct mgs_fs_change *change = &reg->change;
	struct mgs_edit *edit = &change->edit;
	struct mgs_fsdb *db = &change->db;
	struct mgs_fs_target *mdt;

	mgs_write_ost(edit, change->target, reg->failout);
	list_for_each_entry(mdt, &db->targets, list)
		if (mdt->kind == MGS_LOG_MDT && mdt->own)
			mgs_write_osc(edit, db, change->target, mdt,
				      &reg->nodes);
	if (!db->lov)
		mgs_write_client_lov(edit, db);
	mgs_write_osc(edit, db, change->target, NULL, &reg->nodes);
}

static void reg_rewrite(struct mgs_reg *reg)
{
	struct mgs_fs_change *change = &reg->change;

	reg_forget(reg);
	if (reg->kind == MGS_LOG_MDT)
		write_mdt(reg);
	else
		write_ost(reg);
	change->target->has_log = true;
	change->target->own = true;
	change->db.has_client = true;
}

/* Update the NIDs or parameters of a registered target. */
static int reg_modify(struct mgs_reg *reg)
{
	u32 flags = reg->target->flags;
	int rc = 0;

	if ((flags & LDD_F_UPDATE) || ((flags & LDD_F_PARAM) && reg->failover))
		rc = mgs_replace_nodes(&reg->change, &reg->nodes);
	if (!rc && (flags & LDD_F_PARAM))
		rc = reg_params(reg, false);
	return rc;
}

static int reg_write(struct mgs_reg *reg)
{
	int rc;

	if (!reg->rewrite)
		return reg_modify(reg);
	reg_rewrite(reg);
	rc = reg->change.edit.rc;
	if (!rc)
		rc = reg_params(reg, false);
	if (rc)
		return rc;
	mgs_conf_inherit(&reg->change);
	mgs_pool_inherit(&reg->change);
	return reg->change.edit.rc;
}

static bool reg_silent(const struct mgs_reg *reg)
{
	return !reg->rewrite &&
	       !(reg->target->flags & (LDD_F_UPDATE | LDD_F_PARAM));
}

/* "register lustre-OST0001, its logs written", for mgs_changes */
static int reg_say(struct mgs_reg *reg)
{
	char text[LDD_SVNAME_LEN + 64];

	scnprintf(text, sizeof(text), "register %s%s%s", reg->target->svname,
		  reg->rewrite ? ", its logs written" : "",
		  reg->verdict == MGS_PROVEN ? "" :
		  reg->verdict == MGS_REPLACES ? ", in the place of another" :
						 ", its first time");
	return mgs_txn_say(reg->change.edit.txn, text);
}

static int reg_run(struct mgs_reg *reg)
{
	int rc = reg_identify(reg);

	if (!rc)
		rc = reg_nodes(reg);
	if (!rc)
		rc = reg_decide(reg);
	if (!rc)
		rc = reg_keep(reg);
	if (!rc)
		rc = reg_say(reg);
	if (rc || reg_silent(reg))
		return rc;
	return reg_write(reg);
}

/**
 * mgs_log_register() - write the records that a registration needs
 * @txn: change
 * @target: target; its index and names are filled in, also for -EALREADY
 * @why: out: reason of a refusal; or NULL
 *
 * A new target, or one with LDD_F_WRITECONF, gets its own log, a section in the client log
 * and, if it is an OST, in the log of each MDT. The log of an MDT gets sections of all
 * OSTs. Earlier sections are skipped. Settings of the file system and pools are repeated.
 * The same is done if MGS_WRITECONF marked its own log, or if that is gone.
 *
 * Context: the writer; the caller commits or aborts
 * Return: 0; -EACCES: not the known identity, or unknown while none may register;
 * -EADDRINUSE: another target has the index; -EALREADY: it claims to be new and is
 * registered at one of its NIDs; -EINVAL: invalid name, NID or parameter; -ENOENT: it
 * claims to be registered and is not; -ENOSPC: no index is left; -ENOMEM; as the store
 */
int mgs_log_register(struct mgs_txn *txn, struct mgs_target *target,
		     struct obd_why *why)
{
	struct mgs_reg *reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	int rc;

	if (why)
		why->text[0] = '\0';
	if (!reg)
		return -ENOMEM;
	reg->target = target;
	reg->why = why;
	rc = reg_check(reg);
	if (rc)
		goto out_free;
	rc = mgs_fs_change_init(&reg->change, txn, target->fsname, why);
	if (!rc)
		rc = reg_run(reg);
	mgs_fs_change_fini(&reg->change);
out_free:
	kfree(reg);
	return rc;
}
