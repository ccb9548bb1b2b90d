// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network on /dev/libcfs. Every length, number and text from user space is
 * validated here. A call acts on the network namespace of its task.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"
#include "net.h"

#define PING_MS_MAX	600000
/* Most bytes of a record as a caller may know it. */
#define REC_LEN_MAX	4096
/* Spare records for objects created after counting. */
#define LIST_SPARE	16
/* Most NIDs listed of this node. */
#define NIDS_MAX	1024

static struct net *caller_net(void)
{
	return current->nsproxy->net_ns;
}

/* Copy the structure back to the caller, on failure too. */
static long reply(void __user *arg, const void *args, size_t known, size_t size,
		  long rc)
{
	if (copy_to_user(arg, args, min(known, size)))
		return -EFAULT;
	return rc;
}

static bool has_end(const char *text, size_t size)
{
	return strnlen(text, size) < size;
}

/* Lists: records are collected in kernel memory, then copied. */

/**
 * struct lnet_rec_list - records of a list
 * @rcl_recs: records
 * @rcl_rec_size: bytes of one
 * @rcl_max: capacity, records
 * @rcl_count: records stored
 * @rcl_total: records that exist
 */
struct lnet_rec_list {
	void		*rcl_recs;
	size_t		rcl_rec_size;
	unsigned int	rcl_max;
	unsigned int	rcl_count;
	unsigned int	rcl_total;
};

static int list_alloc(struct lnet_rec_list *list, unsigned int max)
{
	list->rcl_max = max + LIST_SPARE;
	list->rcl_recs = kvcalloc(list->rcl_max, list->rcl_rec_size, GFP_KERNEL);
	return list->rcl_recs ? 0 : -ENOMEM;
}

/* Space for one more record, zeroed; NULL: full, but it is counted. */
static void *list_next(struct lnet_rec_list *list)
{
	if (list->rcl_total++ >= list->rcl_max)
		return NULL;
	return list->rcl_recs + list->rcl_count++ * list->rcl_rec_size;
}

static void nid_put(char *to, const struct lnet_nid *nid)
{
	if (nid->nid_len)
		libcfs_nid_print(nid, to, LL_RPC_NID_MAX);
}

static int list_nids(struct net *ns, struct lnet_rec_list *list)
{
	struct lnet_nid *nids = kvcalloc(NIDS_MAX, sizeof(*nids), GFP_KERNEL);
	struct ll_rpc_nid *rec;
	unsigned int count, n;
	int rc;

	if (!nids)
		return -ENOMEM;
	count = lnet_nids(ns, nids, NIDS_MAX);
	count = min_t(unsigned int, count, NIDS_MAX);
	rc = list_alloc(list, count);
	for (n = 0; !rc && n < count; n++) {
		rec = list_next(list);
		if (rec)
			nid_put(rec->rn_nid, &nids[n]);
	}
	kvfree(nids);
	return rc;
}

static void peer_put(struct ll_rpc_peer *rec, struct lnet_peer *peer)
{
	unsigned long heard = READ_ONCE(peer->lnp_heard);
	unsigned int lane;

	nid_put(rec->re_nid, &peer->lnp_nid);
	rec->re_refs = refcount_read(&peer->lnp_refcount);
	rec->re_tx_msgs = atomic64_read(&peer->lnp_tx_msgs);
	rec->re_rx_msgs = atomic64_read(&peer->lnp_rx_msgs);
	rec->re_memory = net_memory_used(peer->lnp_addr);
	rec->re_last_sec = heard ? (jiffies - heard) / HZ : -1;
	spin_lock(&peer->lnp_lock);
	rec->re_incarnation = peer->lnp_incarnation;
	rec->re_conns = 0;
	for (lane = 0; lane < LNET_LANES; lane++)
		rec->re_conns += !!peer->lnp_lanes[lane].pel_active +
				 !!peer->lnp_lanes[lane].pel_passive;
	spin_unlock(&peer->lnp_lock);
}

static int list_net_peers(struct lnet *net, struct lnet_rec_list *list)
{
	struct ll_rpc_peer *rec;
	struct lnet_peer *peer;
	unsigned int n;
	int rc;

	rc = list_alloc(list, READ_ONCE(net->nn_peer_count));
	if (rc)
		return rc;
	spin_lock_bh(&net->nn_lock);
	for (n = 0; n < LNET_PEER_BUCKETS; n++) {
		hlist_for_each_entry(peer, &net->nn_peers[n], lnp_item) {
			rec = list_next(list);
			if (rec)
				peer_put(rec, peer);
		}
	}
	spin_unlock_bh(&net->nn_lock);
	return 0;
}

static unsigned int conns_count(struct lnet *net)
{
	unsigned int count;

	spin_lock_bh(&net->nn_lock);
	count = list_count_nodes(&net->nn_conns);
	spin_unlock_bh(&net->nn_lock);
	return count;
}

/* References on as many connections as fit. */
static unsigned int conns_take(struct lnet *net, struct lnet_conn **conns,
			       unsigned int max, unsigned int *total)
{
	struct net_conn *node;
	unsigned int count = 0;

	*total = 0;
	spin_lock_bh(&net->nn_lock);
	list_for_each_entry(node, &net->nn_conns, nc_net_item) {
		if ((*total)++ < max)
			conns[count++] = lnet_conn_get(node->nc_conn);
	}
	spin_unlock_bh(&net->nn_lock);
	return count;
}

static void conn_put(struct ll_rpc_conn *rec, struct lnet_conn *conn)
{
	nid_put(rec->rc_nid, &conn->cn_nid);
	rec->rc_age_sec = (jiffies - conn_node(conn)->nc_made) / HZ;
	conn_describe(conn, rec);
}

static int list_net_conns(struct lnet *net, struct lnet_rec_list *list)
{
	struct lnet_conn **conns;
	struct ll_rpc_conn *rec;
	unsigned int count, total, n;
	int rc;

	rc = list_alloc(list, conns_count(net));
	if (rc)
		return rc;
	conns = kvcalloc(list->rcl_max, sizeof(struct lnet_conn *), GFP_KERNEL);
	if (!conns)
		return -ENOMEM;
	count = conns_take(net, conns, list->rcl_max, &total);
	for (n = 0; n < count; n++) {
		rec = list_next(list);
		if (rec)
			conn_put(rec, conns[n]);
		lnet_conn_put(conns[n]);
	}
	list->rcl_total = total;
	kvfree(conns);
	return 0;
}

static int list_net_rules(struct lnet *net, struct lnet_rec_list *list)
{
	int rc = list_alloc(list, READ_ONCE(net->nn_rules.nr_count));

	if (rc)
		return rc;
	list->rcl_total = rules_list(net, list->rcl_recs, list->rcl_max);
	list->rcl_count = min(list->rcl_total, list->rcl_max);
	return 0;
}

/* A namespace that never used the network has nothing to list. */
static int list_net(struct lnet_rec_list *list,
		    int (*fill)(struct lnet *net, struct lnet_rec_list *list))
{
	struct lnet *net = lnet_lookup(caller_net());
	int rc;

	if (!net)
		return 0;
	rc = fill(net, list);
	lnet_put(net);
	return rc;
}

static int list_fill(unsigned int nr, struct lnet_rec_list *list)
{
	switch (nr) {
	case _IOC_NR(LL_RPC_IOC_NIDS):
		list->rcl_rec_size = sizeof(struct ll_rpc_nid);
		return list_nids(caller_net(), list);
	case _IOC_NR(LL_RPC_IOC_PEERS):
		list->rcl_rec_size = sizeof(struct ll_rpc_peer);
		return list_net(list, list_net_peers);
	case _IOC_NR(LL_RPC_IOC_CONNS):
		list->rcl_rec_size = sizeof(struct ll_rpc_conn);
		return list_net(list, list_net_conns);
	default:
		list->rcl_rec_size = sizeof(struct ll_rpc_rule);
		return list_net(list, list_net_rules);
	}
}

/* Copy a record, of the length that the caller knows. */
static int rec_copy(void __user *to, size_t to_len, const void *rec, size_t len)
{
	size_t known = min(to_len, len);

	if (copy_to_user(to, rec, known) ||
	    clear_user(to + known, to_len - known))
		return -EFAULT;
	return 0;
}

static int list_copy(struct ll_rpc_ioc_list *rl, const struct lnet_rec_list *list)
{
	void __user *to = u64_to_user_ptr(rl->rl_buf);
	unsigned int space = rl->rl_buf_len / rl->rl_rec_len;
	unsigned int n;
	int rc;

	rl->rl_total = list->rcl_total;
	rl->rl_count = min(space, list->rcl_count);
	for (n = 0; n < rl->rl_count; n++) {
		rc = rec_copy(to + (size_t)n * rl->rl_rec_len, rl->rl_rec_len,
			      list->rcl_recs + n * list->rcl_rec_size,
			      list->rcl_rec_size);
		if (rc)
			return rc;
	}
	return 0;
}

static long ioctl_list(unsigned int nr, void __user *arg, size_t size)
{
	struct lnet_rec_list list = { };
	struct ll_rpc_ioc_list rl;
	int rc;

	if (nr == _IOC_NR(LL_RPC_IOC_RULES) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&rl, sizeof(rl), arg, size);
	if (rc)
		return rc;
	if (!rl.rl_rec_len || rl.rl_rec_len > REC_LEN_MAX)
		return -EINVAL;
	rc = list_fill(nr, &list) ?: list_copy(&rl, &list);
	kvfree(list.rcl_recs);
	if (rc)
		return rc;
	return reply(arg, &rl, sizeof(rl), size, 0);
}

/*
 * Ping.
 */

static int nid_user(const char *text, size_t size, struct lnet_nid *nid,
		    struct obd_why *why)
{
	const char *reason = "";
	int rc;

	if (!has_end(text, size))
		return obd_refuse(why, -EINVAL, "the NID is not NUL-terminated");
	rc = libcfs_nid_parse(text, strlen(text), nid, &reason);
	if (rc)
		return obd_refuse(why, rc,
				  "'%s' is not a NID: %s; write 10.0.0.1@tcp or 2001:db8::1@tcp3",
				  text, reason);
	return 0;
}

static int ping_copy(struct ll_rpc_ioc_ping *rp,
		     const struct node_ping_answer *answer)
{
	char (*to)[LL_RPC_NID_MAX];
	unsigned int n;
	int rc = 0;

	rp->rp_usec = answer->pa_usec;
	rp->rp_count = min(rp->rp_max, answer->pa_count);
	if (!rp->rp_count)
		return 0;
	to = kcalloc(rp->rp_count, sizeof(*to), GFP_KERNEL);
	if (!to)
		return -ENOMEM;
	for (n = 0; n < rp->rp_count; n++)
		nid_put(to[n], &answer->pa_nids[n]);
	if (copy_to_user(u64_to_user_ptr(rp->rp_nids), to,
			 rp->rp_count * sizeof(*to)))
		rc = -EFAULT;
	kfree(to);
	return rc;
}

static int ping_user(struct ll_rpc_ioc_ping *rp, struct obd_why *why)
{
	struct node_ping_answer *answer;
	struct lnet_nid nid;
	int rc;

	if (rp->rp_reserved)
		return -EINVAL;
	if (!rp->rp_timeout_ms || rp->rp_timeout_ms > PING_MS_MAX)
		return obd_refuse(why, -EINVAL,
				  "a timeout of %u ms is out of range; it is 1 to %u",
				  rp->rp_timeout_ms, PING_MS_MAX);
	rc = nid_user(rp->rp_nid, sizeof(rp->rp_nid), &nid, why);
	if (rc)
		return rc;
	answer = kzalloc(sizeof(*answer), GFP_KERNEL);
	if (!answer)
		return -ENOMEM;
	rc = lnet_ops->no_ping(caller_net(), &nid, rp->rp_timeout_ms, answer,
			       why);
	if (!rc)
		rc = ping_copy(rp, answer);
	kfree(answer);
	return rc;
}

static long ioctl_ping(void __user *arg, size_t size)
{
	struct obd_why why = { "" };
	struct ll_rpc_ioc_ping rp;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&rp, sizeof(rp), arg, size);
	if (rc)
		return rc;
	rp.rp_count = 0;
	rp.rp_usec = 0;
	rc = ping_user(&rp, &why);
	strscpy_pad(rp.rp_why, why.text, sizeof(rp.rp_why));
	return reply(arg, &rp, sizeof(rp), size, rc);
}

/*
 * Rules.
 */

static int rule_add_user(struct ll_rpc_rule *rule, struct obd_why *why)
{
	struct lnet *net;
	int rc;

	if (rule->ru_reserved || rule->ru_id)
		return -EINVAL;
	if (!has_end(rule->ru_dst, sizeof(rule->ru_dst)))
		return obd_refuse(why, -EINVAL, "the NID is not NUL-terminated");
	net = lnet_find(caller_net());
	if (IS_ERR(net))
		return PTR_ERR(net);
	rc = rules_add(net, rule, why);
	lnet_put(net);
	return rc;
}

static int rule_del_user(struct ll_rpc_rule *rule, struct obd_why *why)
{
	struct lnet *net = lnet_lookup(caller_net());
	int rc;

	if (!net)
		return rule->ru_id ?
		       obd_refuse(why, -ENOENT, "rule %u does not exist",
				  rule->ru_id) : 0;
	rc = rules_del(net, rule->ru_id, why);
	lnet_put(net);
	return rc;
}

static long ioctl_rule(unsigned int nr, void __user *arg, size_t size)
{
	struct obd_why why = { "" };
	struct ll_rpc_ioc_rule rr;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&rr, sizeof(rr), arg, size);
	if (rc)
		return rc;
	if (nr == _IOC_NR(LL_RPC_IOC_RULE_ADD))
		rc = rule_add_user(&rr.rr_rule, &why);
	else
		rc = rule_del_user(&rr.rr_rule, &why);
	strscpy_pad(rr.rr_why, why.text, sizeof(rr.rr_why));
	return reply(arg, &rr, sizeof(rr), size, rc);
}

/*
 * Up, down, reset.
 */

static int net_up_down(bool up, struct obd_why *why)
{
	struct lnet *net = lnet_find(caller_net());
	int rc;

	if (IS_ERR(net))
		return PTR_ERR(net);
	rc = net_listen_up(net, up, why);
	lnet_put(net);
	return rc;
}

static int net_reset(struct ll_rpc_ioc_net *rt, struct obd_why *why)
{
	struct lnet_nid nid;
	int rc;

	if (!*rt->rt_nid) {
		lnet_reset(caller_net(), NULL);
		return 0;
	}
	rc = nid_user(rt->rt_nid, sizeof(rt->rt_nid), &nid, why);
	if (!rc)
		lnet_reset(caller_net(), &nid);
	return rc;
}

static int net_user(struct ll_rpc_ioc_net *rt, struct obd_why *why)
{
	if (rt->rt_reserved)
		return -EINVAL;
	if (rt->rt_op != LL_RPC_NET_RESET && *rt->rt_nid)
		return obd_refuse(why, -EINVAL,
				  "a NID is accepted for reset only");
	switch (rt->rt_op) {
	case LL_RPC_NET_UP:
		return net_up_down(true, why);
	case LL_RPC_NET_DOWN:
		return net_up_down(false, why);
	case LL_RPC_NET_RESET:
		return net_reset(rt, why);
	default:
		return obd_refuse(why, -EINVAL, "unknown operation %u",
				  rt->rt_op);
	}
}

static long ioctl_net(void __user *arg, size_t size)
{
	struct obd_why why = { "" };
	struct ll_rpc_ioc_net rt;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&rt, sizeof(rt), arg, size);
	if (rc)
		return rc;
	rc = net_user(&rt, &why);
	strscpy_pad(rt.rt_why, why.text, sizeof(rt.rt_why));
	return reply(arg, &rt, sizeof(rt), size, rc);
}

static long net_ioctl(struct libcfs_file *lf, unsigned int nr, void __user *arg,
		      size_t size)
{
	switch (nr) {
	case _IOC_NR(LL_RPC_IOC_PING):
		return ioctl_ping(arg, size);
	case _IOC_NR(LL_RPC_IOC_NIDS):
	case _IOC_NR(LL_RPC_IOC_PEERS):
	case _IOC_NR(LL_RPC_IOC_CONNS):
	case _IOC_NR(LL_RPC_IOC_RULES):
		return ioctl_list(nr, arg, size);
	case _IOC_NR(LL_RPC_IOC_RULE_ADD):
	case _IOC_NR(LL_RPC_IOC_RULE_DEL):
		return ioctl_rule(nr, arg, size);
	case _IOC_NR(LL_RPC_IOC_NET):
		return ioctl_net(arg, size);
	default:
		return -ENOTTY;
	}
}

static struct libcfs_ioctl_range net_range = {
	.lir_name = "ptlrpc",
	.lir_owner = THIS_MODULE,
	.lir_first = LIBCFS_IOC_NR_RPC,
	.lir_last = LIBCFS_IOC_NR_ECHO - 1,
	.lir_handler = net_ioctl,
};

/* Register the calls of rpc_ioctl.h. */
int net_ioctl_init(void)
{
	return libcfs_register_ioctl(&net_range);
}

/* Unregister; waits for running calls. */
void net_ioctl_exit(void)
{
	libcfs_deregister_ioctl(&net_range);
}
