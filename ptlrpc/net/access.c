// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which nodes may connect: by source port and by network. Parameters
 * ptlrpc.accept and ptlrpc.accept_networks.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/ctype.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <net/sock.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "net.h"

/* Text for every network; an empty list would look like a forgotten one. */
#define NETWORKS_ANY	"any"
/* Most networks of a list. */
#define NETWORKS_MAX	64

/**
 * struct lnet_network - a network in CIDR form
 * @nw_addr: address
 * @nw_prefix: significant bits
 */
struct lnet_network {
	struct lnet_nid	nw_addr;
	u8		nw_prefix;
};

/**
 * struct lnet_network_list - networks that may connect
 * @nl_rcu: freed after a grace period
 * @nl_count: number of networks; 0: any
 * @nl_networks: the networks
 */
struct lnet_network_list {
	struct rcu_head		nl_rcu;
	unsigned int		nl_count;
	struct lnet_network	nl_networks[NETWORKS_MAX];
};

/* Serializes changes of the list; NULL: any. */
static DEFINE_MUTEX(networks_mutex);
static struct lnet_network_list __rcu *networks;

static bool network_has(const struct lnet_network *network,
			const struct lnet_nid *nid)
{
	unsigned int bytes = network->nw_prefix / 8;
	unsigned int bits = network->nw_prefix % 8;
	const u8 *a = network->nw_addr.nid_addr;
	const u8 *b = nid->nid_addr;

	if (network->nw_addr.nid_len != nid->nid_len || memcmp(a, b, bytes))
		return false;
	return !bits || !((a[bytes] ^ b[bytes]) >> (8 - bits));
}

static bool networks_have(const struct lnet_nid *nid)
{
	struct lnet_network_list *list;
	unsigned int n;
	bool has;

	rcu_read_lock();
	list = rcu_dereference(networks);
	has = !list;
	for (n = 0; list && n < list->nl_count && !has; n++)
		has = network_has(&list->nl_networks[n], nid);
	rcu_read_unlock();
	return has;
}

static u16 port_of(const struct sockaddr_storage *from)
{
	if (from->ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)from)->sin6_port);
	return ntohs(((const struct sockaddr_in *)from)->sin_port);
}

static bool port_is_welcome(u16 port)
{
	switch (READ_ONCE(lnet_settings.lns_accept)) {
	case LNET_ACCEPT_ALL:
		return true;
	case LNET_ACCEPT_SECURE:
		return port < PROT_SOCK;
	default:
		return false;
	}
}

/**
 * lnet_accepts() - whether a socket may connect
 * @from: remote address and port
 *
 * Context: any but hard interrupt
 * Return: true if it may; if not, the log has the reason
 */
bool lnet_accepts(const struct sockaddr_storage *from)
{
	struct lnet_nid nid;

	if (lnet_nid_from_sockaddr(from, 0, &nid))
		return false;
	if (!networks_have(&nid)) {
		CWARN("%pISpc: refused: its address is in no network of parameter ptlrpc.accept_networks\n",
		      from);
		return false;
	}
	if (!port_is_welcome(port_of(from))) {
		CWARN("%pISpc: refused: parameter ptlrpc.accept does not allow its port: secure: below %u, all: any, none: no port\n",
		      from, PROT_SOCK);
		return false;
	}
	return true;
}

/* ADDRESS or ADDRESS/PREFIX */
static int network_parse(const char *text, size_t len, struct lnet_network *to)
{
	const char *slash = memchr(text, '/', len);
	size_t addr_len = slash ? slash - text : len;
	unsigned int bits, prefix = 0;
	const char *at;

	if (memchr(text, '@', len) ||
	    libcfs_nid_parse(text, addr_len, &to->nw_addr, NULL))
		return -EINVAL;
	bits = to->nw_addr.nid_len * 8;
	to->nw_prefix = bits;
	if (!slash)
		return 0;
	at = slash + 1;
	if (at == text + len || text + len - at > 3)
		return -EINVAL;
	for (; at < text + len; at++) {
		if (!isdigit(*at))
			return -EINVAL;
		prefix = prefix * 10 + (*at - '0');
	}
	if (prefix > bits)
		return -ERANGE;
	to->nw_prefix = prefix;
	return 0;
}

static bool is_separator(char c)
{
	return c == ',' || isspace(c);
}

static int networks_parse(const char *text, size_t len,
			  struct lnet_network_list *list)
{
	size_t from = 0, to;
	int rc;

	if (!strcmp(text, NETWORKS_ANY))
		return 0;
	while (from < len) {
		if (is_separator(text[from])) {
			from++;
			continue;
		}
		for (to = from; to < len && !is_separator(text[to]);)
			to++;
		if (list->nl_count == NETWORKS_MAX)
			return -E2BIG;
		rc = network_parse(text + from, to - from,
				   &list->nl_networks[list->nl_count]);
		if (rc)
			return rc;
		list->nl_count++;
		from = to;
	}
	return 0;
}

static void list_free_rcu(struct rcu_head *head)
{
	libcfs_free(container_of(head, struct lnet_network_list, nl_rcu),
		    sizeof(struct lnet_network_list));
}

static void networks_swap(struct lnet_network_list *list)
{
	struct lnet_network_list *old;

	mutex_lock(&networks_mutex);
	old = rcu_replace_pointer(networks, list,
				  lockdep_is_held(&networks_mutex));
	mutex_unlock(&networks_mutex);
	if (old)
		call_rcu(&old->nl_rcu, list_free_rcu);
}

/**
 * net_networks_set() - set the networks that may connect
 * @text: ADDRESS or ADDRESS/PREFIX, separated by spaces or commas; "any" or "":
 *  any
 * @len: its bytes
 *
 * Context: may sleep
 * Return: 0; -EINVAL for a malformed network, -ERANGE for a prefix longer than
 *  its address, -E2BIG, -ENOMEM
 */
int net_networks_set(const char *text, size_t len)
{
	struct lnet_network_list *list = libcfs_zalloc(sizeof(*list), GFP_KERNEL);
	int rc;

	if (!list)
		return -ENOMEM;
	rc = networks_parse(text, len, list);
	if (!rc && list->nl_count) {
		networks_swap(list);
		return 0;
	}
	libcfs_free(list, sizeof(*list));
	if (!rc)
		networks_swap(NULL);
	return rc;
}

/* Append one network to @buf. */
static size_t network_print(const struct lnet_network *network, char *buf,
			    size_t size)
{
	char nid[LNET_NID_TEXT_MAX];
	char *at;

	if (libcfs_nid_print(&network->nw_addr, nid, sizeof(nid)) < 0)
		return 0;
	at = strchr(nid, '@');
	if (at)
		*at = '\0';
	return scnprintf(buf, size, "%s/%u", nid, network->nw_prefix);
}

/**
 * net_networks_text() - the networks as text
 * @buf: buffer
 * @size: its bytes
 *
 * Context: may sleep
 * Return: bytes, without a NUL; -EOVERFLOW if @size is too small
 */
ssize_t net_networks_text(char *buf, size_t size)
{
	struct lnet_network_list *list;
	unsigned int n;
	size_t used = 0;

	mutex_lock(&networks_mutex);
	list = rcu_dereference_protected(networks,
					 lockdep_is_held(&networks_mutex));
	if (!list)
		used = scnprintf(buf, size, NETWORKS_ANY);
	for (n = 0; list && n < list->nl_count && used + 1 < size; n++) {
		if (n)
			buf[used++] = ' ';
		used += network_print(&list->nl_networks[n], buf + used,
				      size - used);
	}
	mutex_unlock(&networks_mutex);
	return used + 1 < size ? (ssize_t)used : -EOVERFLOW;
}

/* Module exit. */
void net_networks_free(void)
{
	networks_swap(NULL);
	rcu_barrier();
}
