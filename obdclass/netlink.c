// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices on generic netlink: the list as a dump, and events of devices and
 * imports as multicasts.
 *
 * A network namespace sees all devices of the node or its own ones,
 * <lustre_lite/genl.h>. Without listeners an event costs an increment and a
 * test of each namespace. A dump takes no lock and no reference: it reads the
 * table under RCU, a message at a time.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/genl.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "obd_internal.h"

/* Buffer for the NID or name of a server, with its NUL. */
#define CONN_MAX	max(LNET_NID_TEXT_MAX, UUID_MAX)

/* Size of the largest record. The texts are not NUL-terminated. */
#define RECORD_MAX	(sizeof(struct ll_obd_device) + MAX_OBD_TYPE +	\
			 MAX_OBD_NAME + UUID_MAX + CONN_MAX)

static const struct genl_multicast_group obd_groups[] = {
	{ .name = LL_OBD_GENL_GROUP },
};

static int obd_dump_devices(struct sk_buff *skb, struct netlink_callback *cb);

static const struct genl_small_ops obd_genl_ops[] = {
	{ .cmd = LL_OBD_CMD_DEVICES, .dumpit = obd_dump_devices },
};

static struct genl_family obd_family __ro_after_init = {
	.name = LL_OBD_GENL_FAMILY,
	.version = LL_OBD_GENL_VERSION,
	.module = THIS_MODULE,
	.maxattr = LL_OBD_A_MAX,
	.netnsok = true,
	.small_ops = obd_genl_ops,
	.n_small_ops = ARRAY_SIZE(obd_genl_ops),
	.resv_start_op = __LL_OBD_CMD_END,
	.mcgrps = obd_groups,
	.n_mcgrps = ARRAY_SIZE(obd_groups),
};

/* Number of the last event, including those that could not be sent. */
static atomic64_t obd_event_seq;

/* Serializes events in the order of their numbers. */
static DEFINE_MUTEX(obd_event_lock);

/*
 * Copy and measure in one pass, a word at a time. The size of @from is hidden
 * from the compiler, which would measure it byte by byte first.
 */
static u8 text_put(char *to, const char *from, size_t size)
{
	ssize_t len;

	OPTIMIZER_HIDE_VAR(from);
	len = strscpy(to, from, size);
	return len < 0 ? size - 1 : len;
}

/* The server of an import; valid as long as the device stays set up. */
static u8 conn_put(char *to, struct obd_device *obd)
{
	u8 len = 0;

	if (!READ_ONCE(obd->obd_cli) || !obd_op_enter(obd))
		return 0;
	if (obd->obd_cli && obd->obd_type->typ_import) {
		*to = '\0';
		obd->obd_type->typ_import->io_server_text(obd, to, CONN_MAX);
		len = strnlen(to, CONN_MAX - 1);
	}
	obd_op_leave(obd);
	return len;
}

/*
 * Append a device, which may be being removed. The record is written in place,
 * and accounted for afterwards: a list may have a million devices.
 *
 * Return: false if no space for a device is left, which ends a message
 */
static bool device_put(struct sk_buff *skb, struct obd_device *obd)
{
	struct nlattr *nla = (struct nlattr *)skb_tail_pointer(skb);
	struct ll_obd_device *d = nla_data(nla);
	char *text = d->d_text;
	unsigned int len;

	if (skb_tailroom(skb) < nla_total_size(RECORD_MAX))
		return false;
	memset(d, 0, sizeof(*d));
	d->d_index = READ_ONCE(obd->obd_minor);
	d->d_refcount = refcount_read(&obd->obd_refcount);
	d->d_status = class_obd_status(obd);
	d->d_type_len = text_put(text, obd->obd_type_name, MAX_OBD_TYPE);
	text += d->d_type_len;
	d->d_name_len = text_put(text, obd->obd_name, MAX_OBD_NAME);
	text += d->d_name_len;
	d->d_uuid_len = text_put(text, obd->obd_uuid.uuid, UUID_MAX);
	text += d->d_uuid_len;
	d->d_conn_len = conn_put(text, obd);
	text += d->d_conn_len;

	len = text - (char *)nla;
	nla->nla_type = LL_OBD_A_DEVICE;
	nla->nla_len = len;
	memset(text, 0, NLA_ALIGN(len) - len);
	skb_put(skb, NLA_ALIGN(len));
	return true;
}

/* A message of a dump, and the namespace of the requesting task. */
struct obd_dump {
	struct sk_buff		*skb;
	const struct net	*net;
};

static bool dump_device(struct obd_device *obd, void *data)
{
	struct obd_dump *dump = data;

	/* Removed from the table meanwhile. */
	if (READ_ONCE(obd->obd_minor) == OBD_INDEX_NONE)
		return true;
	if (!libcfs_genl_sees(dump->net, obd->obd_net))
		return true;
	return device_put(dump->skb, obd);
}

/* One message with as many devices as fit; cb->args[0] is the next index. */
static int obd_dump_devices(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct obd_dump dump = { .skb = skb, .net = sock_net(cb->skb->sk) };
	u32 next = cb->args[0];
	unsigned int empty;
	void *head;

	if (next == OBD_INDEX_NONE)
		return 0;
	head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &obd_family, NLM_F_MULTI, LL_OBD_CMD_DEVICES);
	if (!head)
		return -EMSGSIZE;
	empty = skb->len;
	obd_devs_walk(&next, dump_device, &dump);
	cb->args[0] = next;
	if (skb->len == empty) {
		genlmsg_cancel(skb, head);
		return next == OBD_INDEX_NONE ? 0 : -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return skb->len;
}

/* An event without its number. */
struct obd_event_info {
	struct obd_device	*obd;
	const char		*peer;
	u32			state;
	u8			event;
};

static int event_fill(struct sk_buff *skb, const struct obd_event_info *what,
		      u64 seq)
{
	void *head = genlmsg_put(skb, 0, 0, &obd_family, 0, LL_OBD_CMD_EVENT);

	if (!head || !device_put(skb, what->obd) ||
	    nla_put_u8(skb, LL_OBD_A_EVENT, what->event) ||
	    nla_put_u64_64bit(skb, LL_OBD_A_SEQ, seq, LL_OBD_A_PAD) ||
	    nla_put_u64_64bit(skb, LL_OBD_A_TIME, ktime_get_real_ns(),
			      LL_OBD_A_PAD) ||
	    nla_put_u32(skb, LL_OBD_A_STATE, what->state) ||
	    (what->peer && nla_put_string(skb, LL_OBD_A_PEER, what->peer)))
		return -EMSGSIZE;
	genlmsg_end(skb, head);
	return 0;
}

static size_t event_size(const struct obd_event_info *what)
{
	return nla_total_size(RECORD_MAX) + nla_total_size(sizeof(u8)) +
	       2 * nla_total_size_64bit(sizeof(u64)) +
	       nla_total_size(sizeof(u32)) +
	       (what->peer ? nla_total_size(strlen(what->peer) + 1) : 0);
}

/* On failure the listener sees a gap in the numbers. */
static void event_multicast(const struct obd_event_info *what)
{
	u64 seq = atomic64_inc_return(&obd_event_seq);
	struct sk_buff *skb;

	lockdep_assert_held(&obd_event_lock);
	skb = genlmsg_new(event_size(what), GFP_KERNEL);
	if (!skb)
		return;
	if (event_fill(skb, what, seq)) {
		nlmsg_free(skb);
		return;
	}
	libcfs_genl_send(&obd_family, skb, what->obd->obd_net);
}

/**
 * obd_event() - send an event of a device
 * @obd: device that the caller holds
 * @event: enum ll_obd_event
 * @state: depends on the event, else 0
 * @peer: uuid of the other side, or NULL
 *
 * Context: may sleep
 */
void obd_event(struct obd_device *obd, unsigned int event, u32 state,
	       const char *peer)
{
	const struct obd_event_info what = {
		.obd = obd,
		.peer = peer,
		.state = state,
		.event = event,
	};

	if (!libcfs_genl_heard(&obd_family, obd->obd_net)) {
		atomic64_inc(&obd_event_seq);
		return;
	}
	mutex_lock(&obd_event_lock);
	event_multicast(&what);
	mutex_unlock(&obd_event_lock);
}
EXPORT_SYMBOL_NS_GPL(obd_event, LUSTRE_LITE);

/* Register the family. */
int obd_netlink_init(void)
{
	return genl_register_family(&obd_family);
}

/* Unregister the family. */
void obd_netlink_exit(void)
{
	genl_unregister_family(&obd_family);
}
