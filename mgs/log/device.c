// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that make devices, one section each, as in real Lustre; and the NIDs of a target,
 * grouped by node: parsed from text and records, written to records.
 *
 *	NID[,NID...][:NID[,NID...]...]		',': same node, ':': next node
 *
 * Records name a node by the text of its first NID.
 */
#include "log_internal.h"

static bool nodes_have(const struct mgs_nodes *nodes, const struct lnet_nid *nid)
{
	u32 n;

	for (n = 0; n < nodes->count; n++)
		if (libcfs_nid_same(&nodes->nid[n], nid))
			return true;
	return false;
}

static void nodes_append(struct mgs_nodes *nodes, const struct lnet_nid *nid,
			 bool first)
{
	u32 last = nodes->count ? nodes->node[nodes->count - 1] : 0;

	nodes->nid[nodes->count] = *nid;
	nodes->node[nodes->count] = nodes->count && first ? last + 1 : last;
	nodes->count++;
}

/* Add a NID to the last node or, if @first, to a new one; a duplicate is ignored. */
int mgs_nodes_add(struct mgs_nodes *nodes, const char *text, size_t len,
		  bool first, struct obd_why *why)
{
	const char *words = "";
	struct lnet_nid nid;
	int rc;

	rc = libcfs_nid_parse(text, len, &nid, &words);
	if (rc)
		return obd_refuse(why, rc, "NID '%.*s': %s",
				  (int)min_t(size_t, len, LNET_NID_TEXT_MAX),
				  text, words);
	if (nid.nid_type == LNET_LO)
		return obd_refuse(why, -EINVAL,
				  "NID 0@lo reaches no other node; give one as 10.0.0.1@tcp");
	if (nodes_have(nodes, &nid))
		return 0;
	if (nodes->count == MGS_TARGET_NIDS_MAX)
		return obd_refuse(why, -E2BIG,
				  "a target has at most %u NIDs, over all its nodes",
				  MGS_TARGET_NIDS_MAX);
	nodes_append(nodes, &nid, first);
	return 0;
}

/* Add the nodes of a text. */
int mgs_nodes_parse(struct mgs_nodes *nodes, const char *text, size_t len,
		    struct obd_why *why)
{
	const char *end = text + len;
	bool first = true;
	size_t part;
	int rc;

	for (;;) {
		part = libcfs_nid_length(text, end - text);
		rc = mgs_nodes_add(nodes, text, part, first, why);
		if (rc)
			return rc;
		text += part;
		if (text == end)
			return 0;
		first = *text++ == ':';
	}
}

static bool nid_of_number(u64 number, struct lnet_nid *nid)
{
	u32 net = (u32)(number >> 32);
	int n;

	memset(nid, 0, sizeof(*nid));
	if (net >> 16 != LNET_TCP)
		return false;
	nid->nid_type = LNET_TCP;
	nid->nid_net = net & 0xffff;
	nid->nid_len = 4;
	for (n = 0; n < 4; n++)
		nid->nid_addr[n] = number >> (24 - 8 * n) & 0xff;
	return true;
}

static u64 nid_number(const struct lnet_nid *nid)
{
	u64 number = (u64)nid->nid_type << 48 | (u64)nid->nid_net << 32;
	int n;

	if (nid->nid_len != 4)
		return 0;
	for (n = 0; n < 4; n++)
		number |= (u64)nid->nid_addr[n] << (24 - 8 * n);
	return number;
}

static bool line_nid(const struct mgs_line *line, struct lnet_nid *nid)
{
	const char *text = lcfg_string(&line->cfg, 2);

	if (line->cfg.nid)
		return nid_of_number(line->cfg.nid, nid);
	return text && !libcfs_nid_parse(text, strlen(text), nid, NULL);
}

/* Add the nodes of a section; NIDs of unknown networks are ignored. */
void mgs_nodes_of(struct mgs_nodes *nodes, const struct mgs_section *section)
{
	const struct mgs_line *line;
	const char *uuid, *last = "";
	struct lnet_nid nid;

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

/* Whether they have a common NID */
bool mgs_nodes_meet(const struct mgs_nodes *a, const struct mgs_nodes *b)
{
	u32 n;

	for (n = 0; n < a->count; n++)
		if (nodes_have(b, &a->nid[n]))
			return true;
	return false;
}

static void put_nid(struct mgs_edit *edit, const char *uuid,
		    const struct lnet_nid *nid)
{
	char text[LNET_NID_TEXT_MAX];
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_ADD_UUID, NULL);
	lcfg_add_string(&cfg, uuid);
	cfg.nid = nid_number(nid);
	if (!cfg.nid && libcfs_nid_print(nid, text, sizeof(text)) > 0)
		lcfg_add_string(&cfg, text);
	mgs_put(edit, &cfg);
}

/* Write the NIDs of node @node. @uuid: out: its name, LNET_NID_TEXT_MAX bytes */
static void put_node(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     u32 node, char *uuid)
{
	u32 n;

	uuid[0] = '\0';
	for (n = 0; n < nodes->count; n++) {
		if (nodes->node[n] != node)
			continue;
		if (!uuid[0])
			libcfs_nid_print(&nodes->nid[n], uuid, LNET_NID_TEXT_MAX);
		put_nid(edit, uuid, &nodes->nid[n]);
	}
}

/* Write the node that is tried first. */
void mgs_put_primary(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     char *uuid)
{
	put_node(edit, nodes, 0, uuid);
}

/* Write the nodes from @from on as further connections of @device. */
void mgs_put_failover(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		      const char *device, u32 from)
{
	u32 last = nodes->count ? nodes->node[nodes->count - 1] : 0;
	char uuid[LNET_NID_TEXT_MAX];

	for (; from <= last; from++) {
		put_node(edit, nodes, from, uuid);
		mgs_put_args(edit, LCFG_ADD_CONN, device, uuid);
	}
}

#define LOV_STRIPE_COUNT	1
#define LOV_STRIPE_SIZE		(1 << 20)
#define LOV_PATTERN_RAID0	1
#define LOV_QOS_MAXAGE		5

/* Defaults of a new lov */
static void lov_desc_fill(struct lov_desc *desc)
{
	codec_put32(&desc->ld_magic, LOV_DESC_MAGIC);
	codec_put32(&desc->ld_default_stripe_count, LOV_STRIPE_COUNT);
	codec_put32(&desc->ld_pattern, LOV_PATTERN_RAID0);
	codec_put64(&desc->ld_default_stripe_size, LOV_STRIPE_SIZE);
	codec_put64(&desc->ld_default_stripe_offset, ~0ULL);
	codec_put32(&desc->ld_qos_maxage, LOV_QOS_MAXAGE);
}

/* Write a section that makes a lov or lmv. */
static void write_lov(struct mgs_edit *edit, const char *log,
		      const char *device, const char *type)
{
	bool lov = !strcmp(type, "lov");
	char uuid[MGS_DEVICE_LEN];
	struct lov_desc desc;
	struct lcfg_view cfg;

	mgs_name(uuid, "%s_UUID", device);
	memset(&desc, 0, sizeof(desc));
	if (lov)
		lov_desc_fill(&desc);
	strscpy(desc.ld_uuid, uuid, sizeof(desc.ld_uuid));
	lcfg_init(&cfg, LCFG_SETUP, device);
	lcfg_add_buf(&cfg, &desc, sizeof(desc));
	mgs_section_begin(edit, log, device, lov ? "lov setup" : "lmv setup");
	mgs_put_args(edit, LCFG_ATTACH, device, type, uuid);
	mgs_put(edit, &cfg);
	mgs_section_end(edit);
}

void mgs_write_client_lov(struct mgs_edit *edit, const struct mgs_fsdb *db)
{
	char device[MGS_DEVICE_LEN];

	mgs_name(device, "%s-clilov", db->fsname);
	write_lov(edit, db->log, device, "lov");
}

void mgs_write_client_lmv(struct mgs_edit *edit, const struct mgs_fsdb *db)
{
	char device[MGS_DEVICE_LEN];

	mgs_name(device, "%s-clilmv", db->fsname);
	write_lov(edit, db->log, device, "lmv");
}

/* Write the devices of the profile. */
void mgs_write_client_mount(struct mgs_edit *edit, const struct mgs_fsdb *db)
{
	char lov[MGS_DEVICE_LEN], lmv[MGS_DEVICE_LEN];

	mgs_name(lov, "%s-clilov", db->fsname);
	mgs_name(lmv, "%s-clilmv", db->fsname);
	mgs_section_begin(edit, db->log, db->log, "mount opts");
	mgs_put_args(edit, LCFG_MOUNTOPT, NULL, db->log, lov, lmv);
	mgs_section_end(edit);
}

/* Write the log of a metadata target, without the records of other targets. */
void mgs_write_mdt(struct mgs_edit *edit, const struct mgs_fs_target *mdt,
		   bool failout)
{
	char lov[MGS_DEVICE_LEN], uuid[MGS_DEVICE_LEN], index[16];

	mgs_name(lov, "%s-mdtlov", mdt->name);
	mgs_name(uuid, "%s_UUID", mdt->name);
	scnprintf(index, sizeof(index), "%u", mdt->index);
	write_lov(edit, mdt->name, lov, "lov");
	mgs_section_begin(edit, mdt->name, mdt->name, "add mdt");
	mgs_put_args(edit, LCFG_ATTACH, mdt->name, "mdt", uuid);
	mgs_put_args(edit, LCFG_MOUNTOPT, NULL, mdt->name, lov);
	mgs_put_args(edit, LCFG_SETUP, mdt->name, uuid, index, lov,
		     failout ? "n" : "f");
	mgs_section_end(edit);
}

/* Write the log of an object storage target. */
void mgs_write_ost(struct mgs_edit *edit, const struct mgs_fs_target *ost,
		   bool failout)
{
	char uuid[MGS_DEVICE_LEN];

	mgs_name(uuid, "%s_UUID", ost->name);
	mgs_section_begin(edit, ost->name, ost->name, "add ost");
	mgs_put_args(edit, LCFG_ATTACH, ost->name, "obdfilter", uuid);
	mgs_put_args(edit, LCFG_SETUP, ost->name, "dev", "type",
		     failout ? "n" : "f");
	mgs_section_end(edit);
}

/* Attach and set up a client of a target, with all its connections. */
static void put_client(struct mgs_edit *edit, const char *device,
		       const char *type, const char *of, const char *target,
		       const struct mgs_nodes *nodes)
{
	char node[LNET_NID_TEXT_MAX];

	mgs_put_primary(edit, nodes, node);
	mgs_put_args(edit, LCFG_ATTACH, device, type, of);
	mgs_put_args(edit, LCFG_SETUP, device, target, node);
	mgs_put_failover(edit, nodes, device, 1);
}

/* Add a metadata target to the client log. */
void mgs_write_mdc(struct mgs_edit *edit, const struct mgs_fsdb *db,
		   const struct mgs_fs_target *mdt,
		   const struct mgs_nodes *nodes)
{
	char lmv[MGS_DEVICE_LEN], of[MGS_DEVICE_LEN], uuid[MGS_DEVICE_LEN];
	char device[MGS_DEVICE_LEN], own[MGS_DEVICE_LEN], index[16];

	mgs_name(lmv, "%s-clilmv", db->fsname);
	mgs_name(of, "%s_UUID", lmv);
	mgs_name(uuid, "%s_UUID", mdt->name);
	mgs_name(device, "%s-mdc", mdt->name);
	mgs_name(own, "%s_UUID", device);
	scnprintf(index, sizeof(index), "%u", mdt->index);
	mgs_section_begin(edit, db->log, mdt->name, "add mdc");
	put_client(edit, device, "mdc", of, uuid, nodes);
	mgs_put_args(edit, LCFG_ADD_MDC, lmv, uuid, index, "1", own);
	mgs_section_end(edit);
}

/* Add an object storage target to the log of @mdt; NULL: to the client log. */
void mgs_write_osc(struct mgs_edit *edit, const struct mgs_fsdb *db,
		   const struct mgs_fs_target *ost,
		   const struct mgs_fs_target *mdt,
		   const struct mgs_nodes *nodes)
{
	char lov[MGS_DEVICE_LEN], of[MGS_DEVICE_LEN], uuid[MGS_DEVICE_LEN];
	char device[MGS_DEVICE_LEN], index[16];

	mgs_name(lov, mdt ? "%s-mdtlov" : "%s-clilov",
		 mdt ? mdt->name : db->fsname);
	mgs_name(of, "%s_UUID", lov);
	mgs_name(uuid, "%s_UUID", ost->name);
	if (mdt)
		mgs_name(device, "%s-osc-MDT%04x", ost->name, mdt->index);
	else
		mgs_name(device, "%s-osc", ost->name);
	scnprintf(index, sizeof(index), "%u", ost->index);
	mgs_section_begin(edit, mdt ? mdt->name : db->log, ost->name,
			  "add osc");
	put_client(edit, device, "osc", of, uuid, nodes);
	mgs_put_args(edit, LCFG_LOV_ADD_OBD, lov, uuid, index, "1");
	mgs_section_end(edit);
}

/* Whether a section adds a target to a lov or lmv */
bool mgs_section_adds(const struct mgs_section *section, const char *svname)
{
	const struct mgs_line *line;
	char uuid[MGS_DEVICE_LEN];
	const char *seen;

	mgs_name(uuid, "%s_UUID", svname);
	list_for_each_entry(line, &section->lines, list) {
		seen = lcfg_string(&line->cfg, 1);
		switch (line->cfg.command) {
		case LCFG_LOV_ADD_OBD:
		case LCFG_LOV_ADD_INA:
		case LCFG_ADD_MDC:
			if (seen && !strcmp(seen, uuid))
				return true;
		}
	}
	return false;
}

/* Whether a section is about a target or one of its devices, not a pool */
bool mgs_section_about(const struct mgs_section *section, const char *svname)
{
	const char *name = section->marker.tgtname;
	size_t len = strlen(svname);

	if (!strncmp(name, svname, len) && (!name[len] || name[len] == '-'))
		return true;
	return mgs_section_adds(section, svname);
}
