// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nodes of a management service, and the client shared by all mounts that
 * name the same first node.
 *
 * A client is named after the first NID. Outside of the initial network
 * namespace the namespace's inode number is appended, as device names are
 * unique in the kernel.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uuid.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* Most nodes of a service. */
#define NODES_MAX	16

/**
 * struct mgc_shared - a shared client
 * @msh_item: in the list of all
 * @msh_obd: device, referenced (OBD_REF_LOOKUP)
 * @msh_users: mgc_get() without their mgc_put()
 * @msh_stopping: without users, being cleaned up
 */
struct mgc_shared {
	struct list_head	msh_item;
	struct obd_device	*msh_obd;
	unsigned int		msh_users;
	bool			msh_stopping;
};

/* Guards the list and its members. Not held while waiting for the service. */
static DEFINE_MUTEX(shared_mutex);
static LIST_HEAD(shared_list);
/* Woken when a stopping client is gone. */
static DECLARE_WAIT_QUEUE_HEAD(shared_gone);
/* Number of clients gone so far; changed under shared_mutex. */
static unsigned int shared_ends;

/**
 * struct mgc_nodes - parsed "NID,NID:NID"
 * @count: nodes
 * @uuids: name of each, which has its NIDs (class_add_uuid())
 * @name: name of the client
 */
struct mgc_nodes {
	unsigned int	count;
	struct obd_uuid	uuids[NODES_MAX];
	char		name[MAX_OBD_NAME];
};

static size_t nid_len(const char *text)
{
	return libcfs_nid_length(text, strlen(text));
}

static int nid_at(const char *text, size_t len, struct lnet_nid *nid,
		  struct obd_why *why)
{
	const char *words = "";

	if (libcfs_nid_parse(text, len, nid, &words))
		return obd_refuse(why, -EINVAL,
				  "'%.*s' is not a NID: %s; use NID[,NID...][:NID...]",
				  (int)min_t(size_t, len, LNET_NID_TEXT_MAX), text,
				  words);
	if (nid->nid_type == LNET_TCP)
		return 0;
	return obd_refuse(why, -EINVAL,
			  "'%.*s': a management service needs a NID of network tcp",
			  (int)min_t(size_t, len, LNET_NID_TEXT_MAX), text);
}

/* Bytes of all NIDs of the first node of a text. */
static size_t node_len(const char *text)
{
	size_t len = nid_len(text);

	while (text[len] == ',')
		len += 1 + nid_len(text + len + 1);
	return len;
}

/*
 * The name of a node, from its first NID @nid, which is @text, and the others.
 * It differs from names in config logs, which may have other NIDs, and between
 * lists of NIDs, as the NIDs of a name are permanent. A long one is shortened.
 */
static void node_uuid(const char *list, const struct lnet_nid *nid,
		      const char *text, struct obd_uuid *uuid)
{
	size_t len = node_len(list);
	char others[10] = "";

	if (len != nid_len(list))
		snprintf(others, sizeof(others), "+%08x", jhash(list, len, 0));
	memset(uuid, 0, sizeof(*uuid));
	if (snprintf(uuid->uuid, sizeof(uuid->uuid), "MGC%s%s", text, others) >=
	    sizeof(uuid->uuid))
		snprintf(uuid->uuid, sizeof(uuid->uuid), "MGC%*phN%s",
			 (int)sizeof(nid->nid_addr), nid->nid_addr,
			 others[0] ? others + 5 : others);
}

static int client_name(struct net *net, const char *nid, char *name,
		       size_t size)
{
	int len;

	if (net_eq(net, &init_net))
		len = snprintf(name, size, "MGC%s", nid);
	else
		len = snprintf(name, size, "MGC%s-%u", nid, net->ns.inum);
	return len < size ? 0 : -ENAMETOOLONG;
}

/* Start a node, at the start of @list, with its first NID. */
static int node_begin(struct mgc_nodes *nodes, struct net *net,
		      const char *list, const struct lnet_nid *nid,
		      struct obd_why *why)
{
	char text[LNET_NID_TEXT_MAX];
	int rc;

	if (nodes->count == NODES_MAX)
		return obd_refuse(why, -E2BIG, "more than %u nodes",
				  NODES_MAX);
	rc = libcfs_nid_print(nid, text, sizeof(text));
	if (rc < 0)
		return rc;
	node_uuid(list, nid, text, &nodes->uuids[nodes->count]);
	rc = nodes->count ? 0 : client_name(net, text, nodes->name,
					    sizeof(nodes->name));
	if (!rc)
		nodes->count++;
	return rc;
}

static int nodes_parse(struct mgc_nodes *nodes, struct net *net,
		       const char *text, struct obd_why *why)
{
	bool begin = true;
	struct lnet_nid nid;
	size_t len;
	int rc;

	for (;;) {
		len = nid_len(text);
		rc = nid_at(text, len, &nid, why);
		if (!rc && begin)
			rc = node_begin(nodes, net, text, &nid, why);
		if (!rc)
			rc = class_add_uuid(0, nodes->uuids[nodes->count - 1].uuid,
					    &nid);
		if (rc)
			return rc;
		text += len;
		if (!*text)
			return 0;
		begin = *text++ == ':';
	}
}

static struct mgc_shared *shared_find(const char *name)
{
	struct mgc_shared *ms;

	lockdep_assert_held(&shared_mutex);
	list_for_each_entry(ms, &shared_list, msh_item)
		if (!strcmp(ms->msh_obd->obd_name, name))
			return ms;
	return NULL;
}

static void add_nodes(struct obd_device *obd, const struct mgc_nodes *nodes)
{
	struct obd_why why = {};
	unsigned int n;
	int rc;

	for (n = 0; n < nodes->count; n++) {
		rc = obd_add_conn(obd, &nodes->uuids[n], false, &why);
		if (rc)
			CWARN("%s: cannot use node %s: %s: rc = %d\n",
			      obd->obd_name, nodes->uuids[n].uuid, why.text, rc);
	}
}

static int client_setup(struct obd_device *obd, const struct mgc_nodes *nodes,
			struct obd_why *why)
{
	struct lcfg_view cfg;
	int rc;

	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	rc = lcfg_add_string(&cfg, MGC_TARGET) ?:
	     lcfg_add_string(&cfg, nodes->uuids[0].uuid);
	return rc ?: class_setup(obd, &cfg, why);
}

/* Each client has its own uuid, which distinguishes it at the service. */
static struct obd_device *client_start(struct net *net,
				       const struct mgc_nodes *nodes,
				       struct obd_why *why)
{
	char uuid[UUID_STRING_LEN + 1];
	struct obd_device *obd;
	uuid_t random;
	int rc;

	uuid_gen(&random);
	scnprintf(uuid, sizeof(uuid), "%pUb", &random);
	obd = class_attach_in(net, "mgc", nodes->name, uuid, 0, why);
	if (IS_ERR(obd))
		return obd;
	rc = client_setup(obd, nodes, why);
	if (!rc)
		return obd;
	class_detach(obd, NULL);
	class_decref(obd, OBD_REF_LOOKUP);
	return ERR_PTR(rc);
}

static struct mgc_shared *shared_start(struct net *net,
				       const struct mgc_nodes *nodes,
				       struct obd_why *why)
{
	struct mgc_shared *ms = libcfs_zalloc(sizeof(*ms), GFP_KERNEL);
	struct obd_device *obd;

	lockdep_assert_held(&shared_mutex);
	if (!ms)
		return ERR_PTR(-ENOMEM);
	obd = client_start(net, nodes, why);
	if (IS_ERR(obd)) {
		libcfs_free(ms, sizeof(*ms));
		return ERR_CAST(obd);
	}
	ms->msh_obd = obd;
	list_add_tail(&ms->msh_item, &shared_list);
	return ms;
}

/* Add a user. An administrator may have cleaned up the device. */
static int shared_use(struct mgc_shared *ms, const struct mgc_nodes *nodes,
		      struct obd_why *why)
{
	lockdep_assert_held(&shared_mutex);
	if (ms->msh_stopping)
		return -EAGAIN;
	if (!obd_op_enter(ms->msh_obd))
		return obd_refuse(why, -ENODEV,
				  "%s: was cleaned up but is still in use; umount its file systems",
				  ms->msh_obd->obd_name);
	add_nodes(ms->msh_obd, nodes);
	if (!ms->msh_users++)
		mgc_connect(mgc_device(ms->msh_obd));
	obd_op_leave(ms->msh_obd);
	return 0;
}

static struct obd_device *shared_get(struct net *net,
				     const struct mgc_nodes *nodes,
				     struct obd_why *why)
{
	struct obd_device *obd;
	struct mgc_shared *ms;
	unsigned int ends;
	int rc;

	do {
		if (mutex_lock_killable(&shared_mutex))
			return ERR_PTR(-EINTR);
		ends = shared_ends;
		ms = shared_find(nodes->name) ?: shared_start(net, nodes, why);
		rc = PTR_ERR_OR_ZERO(ms);
		if (!rc) {
			obd = ms->msh_obd;
			rc = shared_use(ms, nodes, why);
		}
		mutex_unlock(&shared_mutex);
		/* One of that name is being removed. */
		if (rc == -EAGAIN &&
		    wait_event_killable(shared_gone,
					READ_ONCE(shared_ends) != ends))
			return ERR_PTR(-EINTR);
	} while (rc == -EAGAIN);
	return rc ? ERR_PTR(rc) : obd;
}

/**
 * mgc_get() - the client of a management service
 * @net: network namespace
 * @nodes: "NID[,NID...][:NID...]": NIDs of a node, ':' before the next node
 * @why: out: reason of a failure
 *
 * Started if there is none. It connects in the background.
 *
 * Context: may sleep
 * Return: device, held until mgc_put(); -EINVAL for malformed NIDs; -EINTR; as
 *  class_attach(), class_setup()
 */
struct obd_device *mgc_get(struct net *net, const char *nodes,
			   struct obd_why *why)
{
	struct mgc_nodes *parsed = kzalloc(sizeof(*parsed), GFP_KERNEL);
	struct obd_device *obd;
	int rc;

	if (!parsed)
		return ERR_PTR(-ENOMEM);
	rc = nodes_parse(parsed, net, nodes, why);
	obd = rc ? ERR_PTR(rc) : shared_get(net, parsed, why);
	kfree(parsed);
	return obd;
}
EXPORT_SYMBOL_NS_GPL(mgc_get, LUSTRE_LITE);

/* Return: true if it is detached. */
static bool client_stop(struct obd_device *obd)
{
	struct obd_why why = {};
	int rc;

	if (obd_op_enter(obd)) {
		mgc_abort(mgc_device(obd));
		obd_op_leave(obd);
	}
	rc = class_manual_cleanup(obd, true, &why);
	if (rc && rc != -ENODEV)
		CWARN("%s: %s: rc = %d\n", obd->obd_name, why.text, rc);
	return !rc;
}

/**
 * mgc_put() - drop a user of the client; the last put stops it
 * @mgc: device, of mgc_get(); all logs started by the caller have ended
 *
 * Context: sleeps, a few seconds at most if the service does not answer
 */
void mgc_put(struct obd_device *mgc)
{
	struct mgc_shared *ms;
	bool last = false, detached;

	mutex_lock(&shared_mutex);
	ms = shared_find(mgc->obd_name);
	if (!WARN_ON_ONCE(!ms || !ms->msh_users)) {
		last = !--ms->msh_users;
		ms->msh_stopping = last;
	}
	mutex_unlock(&shared_mutex);
	if (!last)
		return;
	detached = client_stop(mgc);
	mutex_lock(&shared_mutex);
	list_del(&ms->msh_item);
	WRITE_ONCE(shared_ends, shared_ends + 1);
	mutex_unlock(&shared_mutex);
	libcfs_free(ms, sizeof(*ms));
	wake_up_all(&shared_gone);
	if (detached)
		class_put_detached(mgc, OBD_FREE_WAIT);
	else
		class_decref(mgc, OBD_REF_LOOKUP);
}
EXPORT_SYMBOL_NS_GPL(mgc_put, LUSTRE_LITE);
