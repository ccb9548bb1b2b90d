/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start of the cases of the management client: a management service "kunit_mgs" in this
 * kernel, reached over the loopback network, which serves logs in memory and saves
 * acknowledgements.
 *
 * Devices of the logs are of type kunit_cfg (obd_config_fixture.h); their parameter
 * "limit" is kc.limit, 8 at first.
 */
#ifndef _KUNIT_MGC_FIXTURE_H
#define _KUNIT_MGC_FIXTURE_H

#include <linux/kmod.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <net/net_namespace.h>

#include <lustre_lite/config_res.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/mgc.h>
#include <lustre_lite/ptlrpc_target.h>

#include "loopback.h"
#include "obd_config_fixture.h"

#define MF_NID		"127.0.0.1@tcp"
#define MF_LOG		"lustre-client"
#define MF_FS		"lustre"
#define MF_INSTANCE	0xabcULL
#define MF_SUFFIX	"-0000000000000abc"
#define MF_LOGS		2
#define MF_ACKS		16
#define MF_WHY		64
/* The client tries again after 10 s, and the host may stall. */
#define MF_WAIT_MS	60000
#define MF_WAIT_SEC	60
/* A request that is held waits for so long; what does not wait for it ends sooner. */
#define MF_HOLD		(60 * HZ)
#define MF_SOON_MS	30000LL

/**
 * struct mf_log - a log of the service
 * @name: name
 * @epoch: generation
 * @generation: ...
 * @file: its bytes, or NULL: there is none
 * @log: it, open for writing
 */
struct mf_log {
	char			name[32];
	u64			epoch;
	u64			generation;
	struct file		*file;
	struct llog_handle	*log;
};

/* struct mf_ack - the client's last acknowledgement of a log */
struct mf_ack {
	struct lustre_config_ack	wire;
	char				text[OBD_WHY_MAX];
	unsigned int			count;
};

static struct {
	struct obd_device	*server;
	struct obd_device	*mgc;
	struct mf_log		logs[MF_LOGS];
	struct mutex		lock;		/* logs and acks */
	u64			generation;
	u32			room;		/* bytes in a reply */
	unsigned int		reads;
	void			(*at_read)(unsigned int n);
	struct completion	hold;		/* a read waits for it, if held */
	bool			held;
	atomic_t		waiting;	/* requests that were held */
	int			params_rc;	/* of reads of the settings for all */
	struct mf_ack		acks[MF_ACKS];
	unsigned int		ack_count;
	u64			trial;
	char			trial_bytes[256];
	u32			trial_len;
	u64			table;
	u32			table_len;
	char			table_bytes[256];
	u32			jitter_ms;
	unsigned int		registrations;
	int			refuse;		/* result of a registration */
	unsigned int		refuse_left;	/* ... of so many; 0: of all */
	bool			registered;
} mf;

/*
 * The service.
 */

static inline struct mf_log *mf_log_find(const char *name)
{
	unsigned int n;

	for (n = 0; n < MF_LOGS; n++)
		if (!strcmp(mf.logs[n].name, name))
			return &mf.logs[n];
	return NULL;
}

static inline void *mf_reply(struct ptlrpc_svc_req *sr,
			     const struct lustre_config_info *info, u32 len)
{
	const u32 lens[] = { sizeof(*info), len };

	if (ptlrpc_svc_rep_size(sr, lens, ARRAY_SIZE(lens)))
		return NULL;
	memcpy(ptlrpc_svc_rep_buf(sr, 0), info, sizeof(*info));
	return ptlrpc_svc_rep_buf(sr, 1);
}

static inline int mf_read_log(struct ptlrpc_svc_req *sr, struct mf_log *log,
			      const struct lustre_config_read *cr)
{
	u64 size = log && log->file ? i_size_read(file_inode(log->file)) : 0;
	u64 offset = le64_to_cpu(cr->crd_offset);
	struct lustre_config_info info = {};
	loff_t pos;
	u32 len;
	void *to;

	if (size) {
		info.ci_epoch = cpu_to_le64(log->epoch);
		info.ci_generation = cpu_to_le64(log->generation);
		info.ci_last_index =
			cpu_to_le32(llog_handle_head(log->log)->last_index);
	} else {
		info.ci_generation = cpu_to_le64(mf.generation);
	}
	if (cr->crd_epoch != info.ci_epoch || offset > size)
		offset = 0;
	len = min_t(u64, min_t(u32, le32_to_cpu(cr->crd_size), mf.room),
		    size - offset);
	info.ci_offset = cpu_to_le64(offset);
	info.ci_size = cpu_to_le64(size);
	info.ci_jitter_ms = cpu_to_le32(mf.jitter_ms);
	to = mf_reply(sr, &info, len);
	pos = offset;
	if (!to)
		return -ENOMEM;
	return !len || kernel_read(log->file, to, len, &pos) == len ? 0 : -EIO;
}

static inline int mf_read_bytes(struct ptlrpc_svc_req *sr, u64 generation,
				const void *bytes, u32 len)
{
	struct lustre_config_info info = {
		.ci_generation = cpu_to_le64(generation),
		.ci_size = cpu_to_le64(len),
	};
	void *to = mf_reply(sr, &info, len);

	if (!to)
		return -ENOMEM;
	memcpy(to, bytes, len);
	return 0;
}

static inline int mf_read_locked(struct ptlrpc_svc_req *sr,
				 const struct lustre_config_read *cr)
{
	switch (le32_to_cpu(cr->crd_type)) {
	case CONFIG_T_CONFIG:
	case CONFIG_T_PARAMS:
		return mf_read_log(sr, mf_log_find(cr->crd_name), cr);
	case CONFIG_T_TRIAL:
		return mf_read_bytes(sr, mf.trial, mf.trial_bytes,
				     mf.trial_len);
	default:
		if (le64_to_cpu(cr->crd_offset) >= mf.table)
			return mf_read_bytes(sr, mf.table, NULL, 0);
		return mf_read_bytes(sr, mf.table, mf.table_bytes,
				     mf.table_len);
	}
}

static inline void mf_hold(void)
{
	if (!READ_ONCE(mf.held))
		return;
	atomic_inc(&mf.waiting);
	wait_for_completion_timeout(&mf.hold, MF_HOLD);
}

static inline int mf_read(struct ptlrpc_svc_req *sr)
{
	const struct lustre_config_read *cr;
	int rc;

	cr = wire_buf(&sr->sr_msg, 0, sizeof(*cr));
	mf_hold();
	if (READ_ONCE(mf.params_rc) && cr->crd_type == cpu_to_le32(CONFIG_T_PARAMS))
		return READ_ONCE(mf.params_rc);
	mutex_lock(&mf.lock);
	rc = mf_read_locked(sr, cr);
	if (mf.at_read && cr->crd_type == cpu_to_le32(CONFIG_T_CONFIG))
		mf.at_read(mf.reads);
	if (cr->crd_type == cpu_to_le32(CONFIG_T_CONFIG))
		mf.reads++;
	mutex_unlock(&mf.lock);
	return rc;
}

/* The reason counts, as that of a target in service elsewhere. */
static inline int mf_refuse(char *why)
{
	int rc = READ_ONCE(mf.refuse);

	if (!mf.refuse_left)
		return rc;
	scnprintf(why, MF_WHY, "it can start in %u s", mf.refuse_left);
	if (!--mf.refuse_left)
		WRITE_ONCE(mf.refuse, 0);
	return rc;
}

/* Registration accepts every target; its parameters are ignored. */
static inline int mf_register(struct ptlrpc_svc_req *sr)
{
	const struct lustre_target *from;
	struct lustre_target *to;

	from = wire_buf(&sr->sr_msg, 0, sizeof(*from));
	mf_hold();
	to = ptlrpc_svc_rep_buf(sr, 0);
	if (!to)
		return -ENOMEM;
	*to = *from;
	WRITE_ONCE(mf.registrations, mf.registrations + 1);
	return mf_refuse(ptlrpc_svc_rep_buf(sr, 1));
}

static const struct ptlrpc_handler mf_handlers[] = {
	{ .shd_opc = MGS_CONFIG_READ, .shd_portal = MGS_REQUEST_PORTAL,
	  .shd_flags = SVH_EXPORT,
	  .shd_req_lens = { sizeof(struct lustre_config_read) },
	  .shd_rep_lens = { sizeof(struct lustre_config_info) },
	  .shd_fn = mf_read },
	{ .shd_opc = MGS_TARGET_REG, .shd_portal = MGS_REQUEST_PORTAL,
	  .shd_flags = SVH_EXPORT,
	  .shd_req_lens = { sizeof(struct lustre_target) },
	  .shd_rep_lens = { sizeof(struct lustre_target), MF_WHY },
	  .shd_fn = mf_register },
};

static inline struct mf_ack *mf_ack_find(const char *name, u32 type)
{
	unsigned int n;

	for (n = 0; n < mf.ack_count; n++)
		if (!strcmp(mf.acks[n].wire.ca_name, name) &&
		    le32_to_cpu(mf.acks[n].wire.ca_type) == type)
			return &mf.acks[n];
	return NULL;
}

static inline int mf_set_info(struct obd_export *exp, const char *key,
			      const void *val, u32 len)
{
	const struct lustre_config_ack *wire = val;
	struct mf_ack *ack;

	if (strcmp(key, CONFIG_ACK_KEY) || len <= sizeof(*wire))
		return -EPROTO;
	mutex_lock(&mf.lock);
	ack = mf_ack_find(wire->ca_name, le32_to_cpu(wire->ca_type));
	if (!ack && mf.ack_count < MF_ACKS)
		ack = &mf.acks[mf.ack_count++];
	if (ack) {
		ack->wire = *wire;
		strscpy(ack->text, (const char *)(wire + 1),
			min_t(size_t, sizeof(ack->text), len - sizeof(*wire)));
		ack->count++;
	}
	mutex_unlock(&mf.lock);
	return 0;
}

static inline int mf_setup(struct obd_device *obd, const struct lcfg_view *cfg,
			   struct obd_why *why)
{
	struct ldlm_namespace *ns = ldlm_namespace_new(obd, LDLM_SERVER);
	int rc;

	if (IS_ERR(ns))
		return PTR_ERR(ns);
	rc = ptlrpc_target_start(obd, why);
	if (rc)
		ldlm_namespace_free(ns);
	return rc;
}

static inline int mf_precleanup(struct obd_device *obd)
{
	complete_all(&mf.hold);
	ptlrpc_target_stop(obd);
	return 0;
}

static inline int mf_cleanup(struct obd_device *obd)
{
	ldlm_namespace_free(obd->obd_namespace);
	return 0;
}

static const struct obd_ops mf_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = mf_setup,
	.o_precleanup = mf_precleanup,
	.o_cleanup = mf_cleanup,
	.o_connect = kt_connect,
	.o_disconnect = class_disconnect,
	.o_set_info_async = mf_set_info,
};

static const struct ptlrpc_target_ops mf_target_ops = {
	.to_handlers = mf_handlers,
	.to_handler_count = ARRAY_SIZE(mf_handlers),
};

static struct obd_type mf_type = {
	.typ_name = "kunit_mgs",
	.typ_dt_ops = &mf_ops,
	.typ_target = &mf_target_ops,
};

static inline void mf_server_start(struct kunit *test)
{
	struct lcfg_view cfg;

	reinit_completion(&mf.hold);
	mf.server = class_attach("kunit_mgs", "kunit_mgs", "MGS", 0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mf.server));
	lcfg_init(&cfg, LCFG_SETUP, mf.server->obd_name);
	KUNIT_ASSERT_EQ(test, class_setup(mf.server, &cfg, NULL), 0);
}

static inline void mf_server_stop(struct kunit *test)
{
	if (mf.server)
		kt_end(test, mf.server);
	mf.server = NULL;
}

/* Export of the client at the service; referenced. */
static inline struct obd_export *mf_client_export(struct kunit *test)
{
	struct obd_export *exp, *found = NULL;

	spin_lock(&mf.server->obd_export_lock);
	list_for_each_entry(exp, &mf.server->obd_exports, exp_obd_chain)
		if (exp != mf.server->obd_self_export)
			found = class_export_get(exp);
	spin_unlock(&mf.server->obd_export_lock);
	KUNIT_ASSERT_NOT_NULL(test, found);
	return found;
}

/* Notify the client; a changed log gets another generation. */
static inline void mf_tell(const char *name, u32 type)
{
	struct ldlm_res_id res;

	if (mf.server && !config_res_id(name, type, &res))
		ldlm_server_revoke(mf.server, &res, LCK_CR, UINT_MAX);
}

/*
 * Logs.
 */

static inline void mf_log_drop(struct mf_log *log)
{
	llog_close(log->log);
	if (log->file)
		fput(log->file);
	log->log = NULL;
	log->file = NULL;
}

/* An empty log, of a new epoch. */
static inline void mf_log_new(struct kunit *test, const char *name)
{
	void *chunk = kunit_kzalloc(test, LLOG_MIN_CHUNK_SIZE, GFP_KERNEL);
	struct mf_log *log = mf_log_find(name) ?: mf_log_find("");
	loff_t pos = 0;

	KUNIT_ASSERT_NOT_NULL(test, chunk);
	KUNIT_ASSERT_NOT_NULL(test, log);
	KUNIT_ASSERT_EQ(test, llog_head_encode(chunk, LLOG_MIN_CHUNK_SIZE,
					       LLOG_F_IS_PLAIN, "config_uuid",
					       1), 0);
	mutex_lock(&mf.lock);
	mf_log_drop(log);
	strscpy(log->name, name, sizeof(log->name));
	log->epoch = ++mf.generation;
	log->generation = log->epoch;
	log->file = shmem_file_setup("kunit_mgs_log", 0, 0);
	kernel_write(log->file, chunk, LLOG_MIN_CHUNK_SIZE, &pos);
	log->log = llog_open_file(log->file, LLOG_O_WRITE);
	mutex_unlock(&mf.lock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(log->log));
}

static inline u32 mf_append(const char *name, const struct lcfg_view *view)
{
	struct mf_log *log = mf_log_find(name);
	char *bytes = kzalloc(LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	ssize_t len = bytes ? lustre_cfg_encode(view, bytes,
						LUSTRE_CFG_SIZE_MAX) : -ENOMEM;
	u32 index = 0;

	if (len > 0)
		llog_append(log->log, OBD_CFG_REC, bytes, len, &index);
	log->generation = ++mf.generation;
	kfree(bytes);
	return index;
}

static inline void mf_mark(const char *name, u32 flags)
{
	struct cfg_marker marker = {
		.cm_flags = cpu_to_le32(flags),
		.cm_createtime = cpu_to_le64(mf.generation),
	};
	struct lcfg_view view;

	strscpy(marker.cm_tgtname, "kunit", sizeof(marker.cm_tgtname));
	lcfg_init(&view, LCFG_MARKER, NULL);
	lcfg_add_buf(&view, &marker, sizeof(marker));
	mf_append(name, &view);
}

/* A section with one command. Return: its index */
static inline u32 mf_add(const char *name, u32 command, const char *device,
			 const char *const *args)
{
	struct lcfg_view view;
	u32 index;

	mf_mark(name, CM_START);
	kc_command(&view, command, device, args);
	index = mf_append(name, &view);
	mf_mark(name, CM_END);
	return index;
}

static inline void mf_add_device(const char *name, const char *device)
{
	mf_add(name, LCFG_ATTACH, device, KC_ARGS(KC_NAME, "kc_UUID"));
	mf_add(name, LCFG_SETUP, device, NULL);
}

static inline u32 mf_add_setting(const char *owner, const char *text)
{
	return mf_add("params", LCFG_SET_PARAM, owner, KC_ARGS(text, "lctl"));
}

/*
 * The client.
 */

static inline struct mgc_log *mf_follow_with(struct kunit *test, u64 instance,
					     const struct path *copies,
					     unsigned int wait_sec,
					     struct obd_why *why)
{
	struct mgc_follow follow = {
		.log = MF_LOG, .instance = instance, .copies = copies,
		.wait_sec = wait_sec,
	};

	why->text[0] = '\0';
	return mgc_log_start(mf.mgc, &follow, why);
}

static inline struct mgc_log *mf_follow(struct kunit *test)
{
	struct obd_why why;
	struct mgc_log *log = mf_follow_with(test, MF_INSTANCE, NULL, MF_WAIT_SEC,
					     &why);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(log), "%ld: %s", PTR_ERR(log),
			       why.text);
	return log;
}

static inline void mf_mgc_start(struct kunit *test)
{
	struct obd_why why = {};

	mf.mgc = mgc_get(&init_net, MF_NID, &why);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(mf.mgc), "%ld: %s",
			       PTR_ERR(mf.mgc), why.text);
}

static inline void mf_mgc_stop(void)
{
	if (!IS_ERR_OR_NULL(mf.mgc))
		mgc_put(mf.mgc);
	mf.mgc = NULL;
}

static inline bool mf_connected(void)
{
	return READ_ONCE(mf.mgc->obd_cli->cl_import->imp_state) == LUSTRE_IMP_FULL;
}

/* Requests of the client without an answer in time. The service may have executed them. */
static inline unsigned int mf_timeouts(void)
{
	return atomic_read(&mf.mgc->obd_cli->cl_import->imp_timeouts);
}

static inline int mf_recover(void)
{
	return KT_RETRIED(import_recover(mf.mgc->obd_cli->cl_import, NULL, NULL));
}

static inline bool mf_device(const char *name)
{
	struct obd_device *obd = class_name2obd(name);

	if (!obd)
		return false;
	class_decref(obd, OBD_REF_LOOKUP);
	return true;
}

static inline u64 mf_acked(const char *name, u32 type)
{
	struct mf_ack *ack;
	u64 generation = 0;

	mutex_lock(&mf.lock);
	ack = mf_ack_find(name, type);
	if (ack)
		generation = le64_to_cpu(ack->wire.ca_generation);
	mutex_unlock(&mf.lock);
	return generation;
}

static inline u64 mf_generation(const char *name)
{
	u64 generation;

	mutex_lock(&mf.lock);
	generation = mf_log_find(name)->generation;
	mutex_unlock(&mf.lock);
	return generation;
}

/* Wait for a condition. */
#define MF_AWAIT(condition)						\
({									\
	unsigned int __ms;						\
	bool __seen = false;						\
									\
	for (__ms = 0; __ms <= MF_WAIT_MS; __ms += 20) {		\
		__seen = (condition);					\
		if (__seen)						\
			break;						\
		msleep(20);						\
	}								\
	__seen;								\
})

/* Whether it takes less than @ms: at one of some tries, as a stall of the host delays others. */
#define MF_IS_QUICK(what, ms)						\
({									\
	unsigned int __tries = 0;					\
	bool __quick = false;						\
	ktime_t __begin;						\
									\
	while (!__quick && __tries++ < 5) {				\
		__begin = ktime_get();					\
		what;							\
		__quick = ktime_ms_delta(ktime_get(), __begin) < (ms);	\
	}								\
	__quick;							\
})

static inline bool mf_await_ack(const char *name, u32 type)
{
	return MF_AWAIT(mf_acked(name, type) == mf_generation(name));
}

static inline unsigned int mf_settings(u32 limit)
{
	return MF_AWAIT(READ_ONCE(kc.limit) == limit);
}

/* Servers that an import has, joined by blanks. */
static inline void mf_import_servers(struct kunit *test, const char *name,
				     char *buf, size_t size)
{
	struct obd_device *obd = class_name2obd(name);
	struct obd_import_conn *conn;
	struct obd_import *imp;
	size_t used = 0;

	buf[0] = '\0';
	KUNIT_ASSERT_NOT_NULL(test, obd);
	imp = obd->obd_cli->cl_import;
	spin_lock(&imp->imp_lock);
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item)
		used += scnprintf(buf + used, size - used, "%s ",
				  conn->oic_uuid.uuid);
	spin_unlock(&imp->imp_lock);
	class_decref(obd, OBD_REF_LOOKUP);
}

/* @nid: NID of the target, or NULL for none. */
static inline void mf_tell_table(u32 index, u32 instance, const char *nid)
{
	struct lustre_nidtbl *nt = (struct lustre_nidtbl *)mf.table_bytes;
	struct wire_nid at = {};
	struct lnet_nid parsed;

	if (nid && !libcfs_nid_parse(nid, strlen(nid), &parsed, NULL))
		memcpy(&at, &parsed, sizeof(at));
	mutex_lock(&mf.lock);
	*nt = (struct lustre_nidtbl) {
		.nt_version = cpu_to_le64(++mf.table),
		.nt_instance = cpu_to_le32(instance),
		.nt_index = cpu_to_le32(index),
		.nt_type = LL_NIDTBL_OST,
		.nt_nid_size = sizeof(struct lustre_nid),
		.nt_nid_count = nid ? 1 : 0,
	};
	wire_nid_encode((struct lustre_nid *)(nt + 1), &at);
	mf.table_len = sizeof(*nt) +
		       nt->nt_nid_count * sizeof(struct lustre_nid);
	nt->nt_len = cpu_to_le32(mf.table_len);
	mutex_unlock(&mf.lock);
	mf_tell(MF_FS, CONFIG_T_RECOVER);
}

static inline int mf_suite_init(struct kunit_suite *suite)
{
	struct obd_type *osc = class_get_type("osc");
	int rc = client_suite_init(suite);

	if (!osc)
		return -ENODEV;
	class_put_type(osc);
	rc = rc ?: loopback_up() ?: lnet_listen(&init_net, NULL);
	if (!rc)
		lnet_unlisten(&init_net);
	return rc;
}

static inline int mf_init(struct kunit *test)
{
	int rc = config_fixture_init(test);

	if (rc)
		return rc;
	memset(&mf, 0, sizeof(mf));
	mutex_init(&mf.lock);
	init_completion(&mf.hold);
	mf.room = WIRE_CONFIG_MAX;
	mf.generation = 100;
	rc = class_register_type(&mf_type);
	mf.registered = !rc;
	if (rc)
		return rc;
	mf_server_start(test);
	mf_mgc_start(test);
	mf_log_new(test, MF_LOG);
	return 0;
}

/* Known nodes, and requests that services keep, outlive a case. */
static inline void mf_exit(struct kunit *test)
{
	unsigned int n;

	mf_mgc_stop();
	mf_server_stop(test);
	class_cleanup_instance(MF_INSTANCE, true, NULL);
	class_cleanup_instance(MF_INSTANCE + 1, true, NULL);
	for (n = 0; n < MF_LOGS; n++)
		mf_log_drop(&mf.logs[n]);
	flush_delayed_fput();
	lnet_reset(&init_net, NULL);
	if (mf.registered)
		kt_unregister(test, &mf_type);
	class_del_profiles(MF_INSTANCE);
	class_del_profiles(MF_INSTANCE + 1);
	class_del_uuids(MF_INSTANCE);
	class_del_uuids(MF_INSTANCE + 1);
	if (kc.registered)
		kt_unregister(test, &kc_type);
	kc.registered = false;
	fixture_is_outlived();
	config_fixture_exit(test);
}

#endif /* _KUNIT_MGC_FIXTURE_H */
