// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration of targets: a change that stores the identity of the target, the records
 * that other nodes need, and its entry in the NID table. Registering the same start
 * again changes nothing and notifies no node.
 *
 * A registered target is in service until it reports that it stopped, or until its node
 * disconnects or is evicted. A kernel runs one target of a name, so a registration from
 * the same node with another instance ends the earlier start (a crash, or an umount that
 * is not reported yet). The target may still run on another node, so a start elsewhere is
 * refused until then.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/proof.h>

#include "mgs_internal.h"

/**
 * struct place - the node where a target starts
 * @nid: NID of its connection
 * @nids: further NIDs that the node reported
 * @count: number of @nids
 */
struct place {
	struct lnet_nid		nid;
	const struct lnet_nid	*nids;
	u32			count;
};

/* Whether @nid is one of the NIDs of the node */
static bool place_has(const struct place *place, const struct lnet_nid *nid)
{
	u32 n;

	if (libcfs_nid_same(&place->nid, nid))
		return true;
	for (n = 0; n < place->count; n++)
		if (place->nids[n].nid_type != LNET_LO &&
		    libcfs_nid_same(&place->nids[n], nid))
			return true;
	return false;
}

static struct mgs_serving *serving_find(struct mgs_device *md, const char *svname)
{
	struct mgs_serving *sv;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry(sv, &md->md_serving, sv_item) {
		if (!strcmp(sv->sv_name, svname))
			return sv;
	}
	return NULL;
}

static void serving_free(struct mgs_serving *sv)
{
	list_del(&sv->sv_item);
	libcfs_free(sv, sizeof(*sv));
}

static int refuse_second(const struct mgs_serving *sv, struct obd_why *why)
{
	char nid[LNET_NID_TEXT_MAX];

	mgs_nid_text(sv->sv_node->mn_exp, nid, sizeof(nid));
	scnprintf(why->text, sizeof(why->text),
		  "%s is in service at %s since %ptTs UTC; umount it there, or wait until that node is evicted, before it starts elsewhere",
		  sv->sv_name, nid, &sv->sv_since);
	return -EBUSY;
}

/*
 * A target that registered before this service started may still run there, without a
 * new registration yet. For the time of an eviction it may not start elsewhere.
 */
static int before_check(struct mgs_device *md, const struct mgs_target *target,
			const struct place *now, struct obd_why *why)
{
	s64 left = md->md_started + ptlrpc_evict_seconds() - ktime_get_seconds();
	char nid[LNET_NID_TEXT_MAX];

	if (!target->before.nid_type || left <= 0 ||
	    place_has(now, &target->before) || mgs_nidtbl_seen(md, target))
		return 0;
	if (libcfs_nid_print(&target->before, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	scnprintf(why->text, sizeof(why->text),
		  "%s was in service at %s before this management service started, and may still run there; elsewhere it can start in %lld s",
		  target->svname, nid, left);
	return -EBUSY;
}

/*
 * Whether a start of a target may register. Context: the writer, so that the answer holds
 * until serving_begin().
 * Return: 0; -EBUSY: the target is, or may be, in service on another node
 */
static int serving_check(struct mgs_device *md, const struct mgs_target *target,
			 const struct place *now, struct obd_why *why)
{
	struct mgs_serving *sv;
	int rc = 0;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	mutex_lock(&md->md_nodes_lock);
	sv = serving_find(md, target->svname);
	if (sv && !place_has(now, &sv->sv_node->mn_exp->exp_nid))
		rc = refuse_second(sv, why);
	mutex_unlock(&md->md_nodes_lock);
	return sv ? rc : before_check(md, target, now, why);
}

/*
 * A target is in service from here on, unless @node has disconnected meanwhile. @sv:
 * memory for it, consumed here.
 */
static void serving_begin(struct mgs_device *md, struct mgs_node *node,
			  const char *svname, u32 instance, struct mgs_serving *sv)
{
	struct mgs_serving *first;

	mutex_lock(&md->md_nodes_lock);
	first = serving_find(md, svname);
	sv->sv_node = node;
	sv->sv_instance = instance;
	sv->sv_since = ktime_get_real_seconds();
	strscpy(sv->sv_name, svname, sizeof(sv->sv_name));
	if (first) {
		if (first->sv_instance == instance)
			sv->sv_since = first->sv_since;
		serving_free(first);
	}
	list_add_tail(&sv->sv_item, &md->md_serving);
	if (node->mn_gone)
		serving_free(sv);
	mutex_unlock(&md->md_nodes_lock);
}

/* The start of a target that a node runs; NULL if it does not. */
static struct mgs_serving *serving_of(struct mgs_device *md,
				      const struct mgs_node *node,
				      const char *svname, u32 instance)
{
	struct mgs_serving *sv = serving_find(md, svname);

	return sv && sv->sv_node == node && sv->sv_instance == instance ?
	       sv : NULL;
}

static bool serving_is(struct mgs_device *md, const struct mgs_node *node,
		       const char *svname, u32 instance)
{
	bool is;

	mutex_lock(&md->md_nodes_lock);
	is = serving_of(md, node, svname, instance);
	mutex_unlock(&md->md_nodes_lock);
	return is;
}

/* A target stopped. Return: whether the node was running that start of it */
static bool serving_end(struct mgs_device *md, const struct mgs_node *node,
			const char *svname, u32 instance)
{
	struct mgs_serving *sv;

	mutex_lock(&md->md_nodes_lock);
	sv = serving_of(md, node, svname, instance);
	if (sv)
		serving_free(sv);
	mutex_unlock(&md->md_nodes_lock);
	return sv;
}

/* A node disconnected: its targets are not in service. Context: md_nodes_lock is held. */
void __mgs_serving_node_gone(struct mgs_device *md, struct mgs_node *node)
{
	struct mgs_serving *sv, *next;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry_safe(sv, next, &md->md_serving, sv_item) {
		if (sv->sv_node == node)
			serving_free(sv);
	}
}

/* Parameter "targets": the targets in service */
int mgs_serving_read(struct params_sink *sink, void *data)
{
	struct mgs_device *md = data;
	char nid[LNET_NID_TEXT_MAX];
	struct mgs_serving *sv;

	params_list_begin(sink, "targets", PARAMS_LIST_SEQ);
	mutex_lock(&md->md_nodes_lock);
	list_for_each_entry(sv, &md->md_serving, sv_item) {
		mgs_nid_text(sv->sv_node->mn_exp, nid, sizeof(nid));
		params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
		params_put_str(sink, "name", sv->sv_name);
		params_put_str(sink, "nid", nid);
		params_put_u64(sink, "instance", sv->sv_instance);
		params_put_time(sink, "since", sv->sv_since * NSEC_PER_SEC,
				PARAMS_UNIT_SEC, PARAMS_TIME_WALL);
		params_list_end(sink);
	}
	mutex_unlock(&md->md_nodes_lock);
	params_list_end(sink);
	return params_sink_error(sink);
}

/* Buffers of MGS_TARGET_REG and of its reply */
#define REG_TARGET		0
#define REG_NIDS		1
#define REG_PARAMS		2
#define REG_WHY			1

/* register_records() has nothing to write. */
#define REG_UNCHANGED		1
/* Flags that a registration clears. */
#define REG_DONE_FLAGS		(LDD_F_NEED_INDEX | LDD_F_VIRGIN | \
				 LDD_F_UPDATE | LDD_F_WRITECONF | LDD_F_PARAM)

/**
 * struct mgs_registration - a target that registers
 * @change: change
 * @md: service
 * @target: target
 * @node: its node
 * @serving: memory for its entry in md_serving; NULL once it is used
 * @wire_nids: its NIDs as received
 * @nids: the same, in host byte order
 * @instance: instance of its start
 * @version: version of the NID table
 * @texts: NIDs as text
 */
struct mgs_registration {
	struct mgs_change		change;
	struct mgs_device		*md;
	struct mgs_target		target;
	struct mgs_node			*node;
	struct mgs_serving		*serving;
	const struct lustre_nid	*wire_nids;
	u32				instance;
	u64				version;
	struct lnet_nid			nids[MGS_TARGET_NIDS_MAX];
	char				texts[MGS_TARGET_NIDS_MAX *
					      LNET_NID_TEXT_MAX];
};

static int refuse(struct mgs_registration *reg, int rc, const char *what)
{
	strscpy(reg->change.why.text, what, sizeof(reg->change.why.text));
	return rc;
}

/* Whether an optional text field of a message is valid */
static bool field_ok(const char *field, size_t size)
{
	return !field[0] || mgs_name_ok(field, size);
}

static int parse_fields(struct mgs_registration *reg,
			const struct lustre_target *wire)
{
	struct mgs_target *target = &reg->target;

	if (!mgs_name_ok(wire->wt_fsname, sizeof(wire->wt_fsname)) ||
	    !field_ok(wire->wt_svname, sizeof(wire->wt_svname)) ||
	    !field_ok(wire->wt_uuid, sizeof(wire->wt_uuid)) ||
	    !field_ok(wire->wt_id, sizeof(wire->wt_id)))
		return refuse(reg, -EINVAL,
			      "invalid name, uuid or file system of a target; reformat it with mkfs.lustre-lite");
	strscpy(target->fsname, wire->wt_fsname, sizeof(target->fsname));
	strscpy(target->svname, wire->wt_svname, sizeof(target->svname));
	strscpy(target->uuid, wire->wt_uuid, sizeof(target->uuid));
	strscpy(target->id, wire->wt_id, sizeof(target->id));
	memcpy(target->key, wire->wt_key, sizeof(target->key));
	memcpy(target->proof, wire->wt_proof, sizeof(target->proof));
	target->allowed = READ_ONCE(reg->md->md_allow_register);
	target->from = reg->node->mn_exp->exp_nid;
	target->flags = le32_to_cpu(wire->wt_flags);
	target->index = le32_to_cpu(wire->wt_index);
	target->nid_count = le32_to_cpu(wire->wt_nid_count);
	reg->instance = le32_to_cpu(wire->wt_instance);
	if (mgs_fsname_check(target->fsname))
		return refuse(reg, -EINVAL,
			      "the name of the file system must have 1 to 8 letters, digits, '_' or '-', a letter first");
	return 0;
}

static int parse_nid(const struct lustre_nid *wire, struct lnet_nid *nid,
		     char *text)
{
	struct wire_nid from;

	if (wire_nid_decode(wire, &from) != WIRE_OK)
		return -EPROTO;
	nid->nid_type = from.type;
	nid->nid_len = from.len;
	nid->nid_net = from.net;
	memcpy(nid->nid_addr, from.addr, sizeof(nid->nid_addr));
	return libcfs_nid_print(nid, text, LNET_NID_TEXT_MAX);
}

static int parse_nids(struct mgs_registration *reg, u32 bytes)
{
	struct mgs_target *target = &reg->target;
	char *at = reg->texts;
	u32 n;
	int rc;

	if (!target->nid_count || target->nid_count > MGS_TARGET_NIDS_MAX)
		return refuse(reg, -EINVAL,
			      "a target has 1 to 32 NIDs; give its node fewer addresses, or one");
	if (bytes != target->nid_count * sizeof(*reg->wire_nids))
		return -EPROTO;
	for (n = 0; n < target->nid_count; n++) {
		rc = parse_nid(&reg->wire_nids[n], &reg->nids[n], at);
		if (rc < 0)
			return refuse(reg, rc, "one of its NIDs is invalid");
		at += strlen(at) + 1;
	}
	target->nids = reg->texts;
	return 0;
}

static int parse(struct mgs_registration *reg, const struct ptlrpc_svc_req *sr)
{
	const struct wire_msg *msg = &sr->sr_msg;
	const struct lustre_target *wire = wire_buf(msg, REG_TARGET,
						    sizeof(*wire));
	int rc;

	reg->wire_nids = wire_buf(msg, REG_NIDS, sizeof(*reg->wire_nids));
	reg->target.params = wire_text(msg, REG_PARAMS);
	if (!wire || !reg->wire_nids || !reg->target.params ||
	    strlen(reg->target.params) >= LDD_PARAMS_LEN)
		return -EPROTO;
	libcfs_target_digest(wire, reg->wire_nids, msg->buflens[REG_NIDS],
			     reg->target.params, reg->target.digest);
	rc = parse_fields(reg, wire);
	return rc ?: parse_nids(reg, msg->buflens[REG_NIDS]);
}

static void serve(struct mgs_registration *reg)
{
	serving_begin(reg->md, reg->node, reg->target.svname, reg->instance,
			  reg->serving);
	reg->serving = NULL;
	mgs_nidtbl_see(reg->md, &reg->target);
}

/* The same start again: its node was evicted, or the service has restarted. */
static bool is_unchanged(const struct mgs_registration *reg,
			 const struct mgs_txn *txn)
{
	u32 logs, records;

	mgs_txn_count(txn, &logs, &records);
	return !logs && !records && !reg->target.changed &&
	       mgs_nidtbl_same(reg->md, &reg->target, reg->instance,
			       reg->wire_nids);
}

static int register_records(struct mgs_txn *txn, struct mgs_change *change)
{
	struct mgs_registration *reg = change->data;
	const struct place now = {
		.nid = reg->node->mn_exp->exp_nid,
		.nids = reg->nids,
		.count = reg->target.nid_count,
	};
	int rc = mgs_log_register(txn, &reg->target, &change->why);

	rc = rc ?: serving_check(reg->md, &reg->target, &now, &change->why);
	if (rc)
		return rc;
	if (is_unchanged(reg, txn)) {
		serve(reg);
		return REG_UNCHANGED;
	}
	rc = mgs_nidtbl_next(reg->md, reg->target.fsname, &reg->version);
	return rc ?: mgs_nidtbl_put(txn, &reg->target, reg->instance,
				    reg->version, reg->wire_nids);
}

static void register_done(struct mgs_device *md, struct mgs_change *change)
{
	struct mgs_registration *reg = change->data;

	mgs_nidtbl_set(md, &reg->target, reg->instance, reg->version,
		       reg->wire_nids);
	serve(reg);
}

static void who_registers(struct mgs_registration *reg,
			  const struct ptlrpc_svc_req *sr)
{
	struct mgs_who *who = &reg->change.who;

	strscpy(who->who, reg->target.svname[0] ? reg->target.svname :
						  reg->target.fsname,
		sizeof(who->who));
	mgs_nid_text(sr->sr_exp, who->from, sizeof(who->from));
}

static int register_run(struct mgs_registration *reg,
			const struct ptlrpc_svc_req *sr)
{
	int rc = mgs_peer_register(reg->md, reg->node);

	who_registers(reg, sr);
	if (rc)
		return refuse(reg, rc, "this node registers targets too often; it is tried again");
	rc = parse(reg, sr);
	if (rc)
		return rc;
	who_registers(reg, sr);
	reg->serving = libcfs_zalloc(sizeof(*reg->serving), GFP_KERNEL_ACCOUNT);
	if (!reg->serving)
		return -ENOMEM;
	reg->change.fn = register_records;
	reg->change.done = register_done;
	reg->change.data = reg;
	rc = mgs_change_do(reg->md, &reg->change);
	if (rc)
		return rc == REG_UNCHANGED ? 0 : rc;
	CDEBUG(D_CONFIG, "%s: target %s at %s, instance %u, is version %llu of its NID table\n",
	       reg->md->md_obd->obd_name, reg->target.svname,
	       reg->change.who.from, reg->instance, reg->version);
	mgs_notify(reg->md, reg->target.fsname, CONFIG_T_RECOVER);
	return 0;
}

static int register_reply(const struct mgs_registration *reg,
			  struct ptlrpc_svc_req *sr)
{
	const struct mgs_target *target = &reg->target;
	struct lustre_target *to = ptlrpc_svc_rep_buf(sr, REG_TARGET);
	char *why = ptlrpc_svc_rep_buf(sr, REG_WHY);

	if (!to || !why)
		return -ENOMEM;
	to->wt_flags = cpu_to_le32(target->flags & ~REG_DONE_FLAGS);
	to->wt_index = cpu_to_le32(target->index);
	to->wt_instance = cpu_to_le32(reg->instance);
	strscpy(to->wt_fsname, target->fsname, sizeof(to->wt_fsname));
	strscpy(to->wt_svname, target->svname, sizeof(to->wt_svname));
	strscpy(to->wt_uuid, target->uuid, sizeof(to->wt_uuid));
	strscpy(why, reg->change.why.text, OBD_WHY_MAX);
	return 0;
}

/* The node of a target that is in service elsewhere tries again every few seconds. */
static void register_refused(const struct mgs_registration *reg, int rc)
{
	struct mgs_device *md = reg->md;

	if (rc == -EPROTO ||
	    (rc == -EBUSY && !mgs_nidtbl_refuse(md, &reg->target, reg->instance)))
		return;
	if (__ratelimit(&md->md_refusals))
		CWARN("%s: target '%s' of '%s' at %s is refused: %s: rc = %d\n",
		      md->md_obd->obd_name, reg->target.svname, reg->target.fsname,
		      reg->change.who.from, reg->change.why.text, rc);
}

/*
 * Handle MGS_TARGET_REG.
 * Return: 0; -EPROTO, -EINVAL for an invalid request; -EAGAIN: the node registers too
 * often; -EBUSY: the target is in service elsewhere; as mgs_log_register() and
 * mgs_change_do()
 */
int mgs_target_register(struct ptlrpc_svc_req *sr)
{
	struct mgs_node *node = READ_ONCE(sr->sr_exp->exp_data);
	struct mgs_registration *reg;
	int rc, rc2;

	if (!node)
		return -ENOTCONN;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return -ENOMEM;
	reg->md = mgs_device(sr->sr_exp->exp_obd);
	reg->node = node;
	rc = register_run(reg, sr);
	if (rc)
		register_refused(reg, rc);
	rc2 = register_reply(reg, sr);
	libcfs_free(reg->serving, sizeof(*reg->serving));
	kfree_sensitive(reg);
	return rc ?: rc2;
}

/**
 * struct mgs_stopping - a target that stops
 * @change: change
 * @md: service
 * @node: its node
 * @svname: target
 * @instance: instance of its start
 */
struct mgs_stopping {
	struct mgs_change	change;
	struct mgs_device	*md;
	struct mgs_node		*node;
	const char		*svname;
	u32			instance;
};

static int stop_records(struct mgs_txn *txn, struct mgs_change *change)
{
	struct mgs_stopping *st = change->data;

	if (!serving_is(st->md, st->node, st->svname, st->instance))
		return -ENOENT;
	return mgs_log_stop(txn, st->svname);
}

static void stop_done(struct mgs_device *md, struct mgs_change *change)
{
	struct mgs_stopping *st = change->data;

	serving_end(md, st->node, st->svname, st->instance);
}

static int stop_run(struct mgs_device *md, struct mgs_node *node,
		    const char *svname, u32 instance)
{
	struct mgs_stopping *st = kzalloc(sizeof(*st), GFP_KERNEL);
	int rc;

	if (!st)
		return -ENOMEM;
	st->md = md;
	st->node = node;
	st->svname = svname;
	st->instance = instance;
	st->change.fn = stop_records;
	st->change.done = stop_done;
	st->change.data = st;
	strscpy(st->change.who.who, svname, sizeof(st->change.who.who));
	mgs_nid_text(node->mn_exp, st->change.who.from,
		     sizeof(st->change.who.from));
	rc = mgs_change_do(md, &st->change);
	/* It stopped even if that could not be stored; then a restart does not know. */
	if (rc && rc != -ENOENT && serving_end(md, node, svname, instance))
		rc = 0;
	kfree(st);
	return rc;
}

/*
 * A node reports that one of its targets has stopped.
 * Return: 0; -EPROTO, -EINVAL for an invalid message; -ENOTCONN; -ENOENT: the node does
 * not run that start; -ENOMEM
 */
int mgs_target_stop(struct obd_export *exp, const void *val, u32 vallen)
{
	struct mgs_node *node = READ_ONCE(exp->exp_data);
	const struct lustre_target_stop *wire = val;

	if (vallen != sizeof(*wire))
		return -EPROTO;
	if (!mgs_name_ok(wire->stop_svname, sizeof(wire->stop_svname)))
		return -EINVAL;
	if (!node)
		return -ENOTCONN;
	return stop_run(mgs_device(exp->exp_obd), node, wire->stop_svname,
			       le32_to_cpu(wire->stop_instance));
}
