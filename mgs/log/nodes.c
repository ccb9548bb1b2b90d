// SPDX-License-Identifier: GPL-2.0
/*
 * NIDs of a target, by the node that they are of: from text, from records, into
 * records.
 *
 *	NID[,NID...][:NID[,NID...]...]		',' one node, ':' the next one
 *
 * A node is known to the records by the text of its first NID.
 */
#include "log_internal.h"

/*
 * Bytes of the NID at the begin. A ':' is part of an IPv6 address, but behind an '@', a
 * ']' or the '.' of an IPv4 address.
 */
static size_t nid_length(const char *at, const char *end)
{
	bool whole = false;
	const char *p;

	for (p = at; p < end && *p != ','; p++) {
		if (*p == ':' && whole)
			break;
		whole = whole || *p == '@' || *p == '.' || *p == ']';
	}
	return p - at;
}

static bool nodes_have(const struct mgs_nodes *nodes, const struct ll_nid *nid)
{
	u32 n;

	for (n = 0; n < nodes->count; n++)
		if (libcfs_nid_same(&nodes->nid[n], nid))
			return true;
	return false;
}

static void nodes_append(struct mgs_nodes *nodes, const struct ll_nid *nid,
			 bool first)
{
	u32 last = nodes->count ? nodes->node[nodes->count - 1] : 0;

	nodes->nid[nodes->count] = *nid;
	nodes->node[nodes->count] = nodes->count && first ? last + 1 : last;
	nodes->count++;
}

/*
 * One more NID, of the last node or, @first, of a new one. One that is there
 * already is left out.
 */
int mgs_nodes_add(struct mgs_nodes *nodes, const char *text, size_t len,
		  bool first, struct mgs_words *why)
{
	const char *words = "";
	struct ll_nid nid;
	int rc;

	rc = libcfs_nid_parse(text, len, &nid, &words);
	if (rc)
		return mgs_refuse(why, rc, "NID '%.*s': %s",
				  (int)min_t(size_t, len, LL_NID_TEXT_MAX),
				  text, words);
	if (nid.nid_type == LL_NET_LO)
		return mgs_refuse(why, -EINVAL,
				  "NID 0@lo reaches no other node; give one as 10.0.0.1@tcp");
	if (nodes_have(nodes, &nid))
		return 0;
	if (nodes->count == MGS_TARGET_NIDS_MAX)
		return mgs_refuse(why, -E2BIG,
				  "a target has at most %u NIDs, all its nodes together",
				  MGS_TARGET_NIDS_MAX);
	nodes_append(nodes, &nid, first);
	return 0;
}

/* More nodes, behind those that there are. */
int mgs_nodes_parse(struct mgs_nodes *nodes, const char *text, size_t len,
		    struct mgs_words *why)
{
	const char *end = text + len;
	bool first = true;
	size_t part;
	int rc;

	for (;;) {
		part = nid_length(text, end);
		rc = mgs_nodes_add(nodes, text, part, first, why);
		if (rc)
			return rc;
		text += part;
		if (text == end)
			return 0;
		first = *text++ == ':';
	}
}

static bool nid_of_number(u64 number, struct ll_nid *nid)
{
	u32 net = (u32)(number >> 32);
	int n;

	memset(nid, 0, sizeof(*nid));
	if (net >> 16 != LL_NET_TCP)
		return false;
	nid->nid_type = LL_NET_TCP;
	nid->nid_net = net & 0xffff;
	nid->nid_len = 4;
	for (n = 0; n < 4; n++)
		nid->nid_addr[n] = number >> (24 - 8 * n) & 0xff;
	return true;
}

static u64 nid_number(const struct ll_nid *nid)
{
	u64 number = (u64)nid->nid_type << 48 | (u64)nid->nid_net << 32;
	int n;

	if (nid->nid_len != 4)
		return 0;
	for (n = 0; n < 4; n++)
		number |= (u64)nid->nid_addr[n] << (24 - 8 * n);
	return number;
}

static bool line_nid(const struct mgs_line *line, struct ll_nid *nid)
{
	const char *text = lcfg_string(&line->cfg, 2);

	if (line->cfg.nid)
		return nid_of_number(line->cfg.nid, nid);
	return text && !libcfs_nid_parse(text, strlen(text), nid, NULL);
}

/*
 * The nodes that a section gives a target, behind those that there are. What is of
 * a network that is not known here is left out.
 */
void mgs_nodes_of(struct mgs_nodes *nodes, const struct mgs_section *section)
{
	const struct mgs_line *line;
	const char *uuid, *last = "";
	struct ll_nid nid;

	list_for_each_entry(line, &section->lines, list) {
		uuid = lcfg_string(&line->cfg, 1);
		if (line->cfg.command != LCFG_ADD_UUID || !uuid ||
		    !line_nid(line, &nid) || nodes_have(nodes, &nid) ||
		    nodes->count == MGS_TARGET_NIDS_MAX)
			continue;
		nodes_append(nodes, &nid, strcmp(uuid, last) != 0);
		last = uuid;
	}
}

bool mgs_nodes_same(const struct mgs_nodes *a, const struct mgs_nodes *b)
{
	u32 n;

	if (a->count != b->count)
		return false;
	for (n = 0; n < a->count; n++)
		if (!libcfs_nid_same(&a->nid[n], &b->nid[n]) ||
		    a->node[n] != b->node[n])
			return false;
	return true;
}

/* Whether they have a NID in common. */
bool mgs_nodes_meet(const struct mgs_nodes *a, const struct mgs_nodes *b)
{
	u32 n;

	for (n = 0; n < a->count; n++)
		if (nodes_have(b, &a->nid[n]))
			return true;
	return false;
}

static void put_nid(struct mgs_edit *edit, const char *uuid,
		    const struct ll_nid *nid)
{
	char text[LL_NID_TEXT_MAX];
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_ADD_UUID, NULL);
	lcfg_add_string(&cfg, uuid);
	cfg.nid = nid_number(nid);
	if (!cfg.nid && libcfs_nid_print(nid, text, sizeof(text)) > 0)
		lcfg_add_string(&cfg, text);
	mgs_put(edit, &cfg);
}

/* The NIDs of node @node; @uuid, of LL_NID_TEXT_MAX bytes, is what it is called. */
static void put_node(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     u32 node, char *uuid)
{
	u32 n;

	uuid[0] = '\0';
	for (n = 0; n < nodes->count; n++) {
		if (nodes->node[n] != node)
			continue;
		if (!uuid[0])
			libcfs_nid_print(&nodes->nid[n], uuid, LL_NID_TEXT_MAX);
		put_nid(edit, uuid, &nodes->nid[n]);
	}
}

/* The node where it is tried first. */
void mgs_put_primary(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     char *uuid)
{
	put_node(edit, nodes, 0, uuid);
}

/* Nodes from @from on, as further connections of @device. */
void mgs_put_failover(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		      const char *device, u32 from)
{
	u32 last = nodes->count ? nodes->node[nodes->count - 1] : 0;
	char uuid[LL_NID_TEXT_MAX];

	for (; from <= last; from++) {
		put_node(edit, nodes, from, uuid);
		mgs_put_args(edit, LCFG_ADD_CONN, device, uuid);
	}
}
