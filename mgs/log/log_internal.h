/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that write the logs share. The layers, each on those before:
 *
 *	name.c		names of file systems, targets, logs and devices
 *	section.c	a log in sections: read, and written
 *	index.c		where the settings for all nodes are, without reading them all
 *	device.c	records that make devices; NIDs of a target, as text and records
 *	identity.c	which folder is a target's
 *	fsdb.c		what a file system has, from a walk of its logs
 *	the others	one kind of change each
 */
#ifndef _MGS_LOG_INTERNAL_H
#define _MGS_LOG_INTERNAL_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/nid.h>

#include "log.h"

#define MGS_PARAMS_LOG		"params"
#define MGS_OWNER_ALL		"general"
#define MGS_SET_BY		"lctl"
#define MGS_BACKUP_SUFFIX	".bak"

/* Most bytes of a command that every log has room for. */
#define MGS_CFG_MAX		(LLOG_MIN_CHUNK_SIZE - LLOG_MIN_REC_SIZE)

/* Names of devices and uuids, which get far less long. */
#define MGS_DEVICE_LEN		64

/* enum mgs_log_kind - what a log is */
enum mgs_log_kind {
	MGS_LOG_CLIENT,
	MGS_LOG_OST,
	MGS_LOG_MDT,
	MGS_LOG_PARAMS,
	MGS_LOG_OTHER,		/* a backup, or of something that is not known */
};

/**
 * struct mgs_log_name - the name of a log or target, taken apart
 * @kind: what it is
 * @index: of a target
 * @fsname: file system, "" where it has none
 */
struct mgs_log_name {
	enum mgs_log_kind	kind;
	u32			index;
	char			fsname[LUSTRE_MAXFSNAME + 1];
};

void mgs_log_name_parse(const char *log, struct mgs_log_name *name);
bool mgs_target_name_parse(const char *svname, struct mgs_log_name *name);
void mgs_target_name(char *svname, const char *fsname, enum mgs_log_kind kind,
		     u32 index);
__printf(2, 3) void mgs_name(char *name, const char *fmt, ...);
__printf(3, 4)
int mgs_refuse(struct mgs_words *why, int rc, const char *fmt, ...);

/**
 * typedef mgs_scan_fn - look at a record that is not cancelled
 * @data: the caller's
 * @section: START of the section that it is in, NULL outside of any
 * @rec: record, markers too; good until this returns
 *
 * Return: 0 to go on
 */
typedef int (*mgs_scan_fn)(void *data, const struct lcfg_marker *section,
			   const struct mgs_rec *rec);

int mgs_scan(const struct mgs_view *view, const char *log, mgs_scan_fn fn,
	     void *data);

/**
 * struct mgs_line - a record of a section
 * @list: in its section
 * @index: its number
 * @cfg: command, of @bytes
 * @len: their count
 * @bytes: the command, whole
 */
struct mgs_line {
	struct list_head	list;
	u32			index;
	struct lcfg_view	cfg;
	size_t			len;
	u8			bytes[];
};

/**
 * struct mgs_section - a section of a log
 * @list: in its log
 * @start: index of its START
 * @start_at: where in the log that begins
 * @end: index of its END, 0 for none
 * @end_at: where in the log that begins
 * @marker: START
 * @raw: the same, as it is written
 * @lines: what is between, struct mgs_line
 */
struct mgs_section {
	struct list_head	list;
	u32			start;
	u64			start_at;
	u32			end;
	u64			end_at;
	struct lcfg_marker	marker;
	struct cfg_marker	raw;
	struct list_head	lines;
};

/**
 * struct mgs_sections - a log in memory
 * @sections: struct mgs_section
 * @step: highest of all markers, at least 1
 * @useless: records that say nothing: cancelled, outside of any section, in one that
 *	was taken back, markers without anything between
 * @swapped: written in the other byte order
 */
struct mgs_sections {
	struct list_head	sections;
	u32			step;
	u32			useless;
	bool			swapped;
};

int mgs_sections_load(struct mgs_sections *image, const struct mgs_view *view,
		      const char *log);
void mgs_sections_init(struct mgs_sections *image);
int mgs_sections_add(struct mgs_sections *image, const struct mgs_view *view,
		     const char *log, u32 start, u64 at);
void mgs_sections_free(struct mgs_sections *image);

static inline bool mgs_section_live(const struct mgs_section *section)
{
	return !(section->marker.flags & CM_SKIP);
}

/* Its first record, NULL where it has none. */
static inline const struct mgs_line *
mgs_section_first(const struct mgs_section *section)
{
	if (list_empty(&section->lines))
		return NULL;
	return list_entry(section->lines.next, struct mgs_line, list);
}

/**
 * struct mgs_edit - logs being written, within one change
 * @txn: the change
 * @view: the logs as the change sees them
 * @why: words of a refusal
 * @when: time of it
 * @step: of the last section
 * @rc: the first error; nothing is written from there on
 * @room: for one command
 * @log: log of the section at hand
 * @marker: its START
 * @start: index of that
 * @start_at: where it begins
 * @index: of the record that was appended last
 */
struct mgs_edit {
	struct mgs_txn		*txn;
	const struct mgs_view	*view;
	struct mgs_words	*why;
	u64			when;
	u32			step;
	int			rc;
	u8			*room;
	char			log[MGS_LOGNAME_MAX];
	struct cfg_marker	marker;
	u32			start;
	u64			start_at;
	u32			index;
};

int mgs_edit_init(struct mgs_edit *edit, struct mgs_txn *txn,
		  struct mgs_words *why);
void mgs_edit_fini(struct mgs_edit *edit);
void mgs_edit_error(struct mgs_edit *edit, const char *log, int rc);
int mgs_edit_load(struct mgs_edit *edit, struct mgs_sections *image,
		  const char *log);
u32 mgs_edit_skip(struct mgs_edit *edit, const char *log,
		  bool (*match)(const struct mgs_section *section,
				const char *name), const char *name);
void mgs_section_begin(struct mgs_edit *edit, const char *log,
		       const char *tgtname, const char *comment);
void mgs_section_end(struct mgs_edit *edit);
void mgs_put(struct mgs_edit *edit, const struct lcfg_view *cfg);
void mgs_put_texts(struct mgs_edit *edit, u32 command, const char *const *texts,
		   u32 count);
/* One command; the first text is the device, NULL is an empty buffer. */
#define mgs_put_args(edit, command, ...)				\
do {									\
	const char *const args_of_it[] = { __VA_ARGS__ };		\
									\
	mgs_put_texts(edit, command, args_of_it,			\
		      ARRAY_SIZE(args_of_it));				\
} while (0)
void mgs_section_skip(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section);
void mgs_section_cancel(struct mgs_edit *edit, const char *log,
			const struct mgs_section *section);
void mgs_section_copy(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section);
void mgs_section_open(struct mgs_edit *edit, const char *log,
		      const struct mgs_section *section);
void mgs_log_reborn(struct mgs_edit *edit, const char *log);
void mgs_log_remove(struct mgs_edit *edit, const char *log);
void mgs_log_backup(struct mgs_edit *edit, const char *log);

/**
 * struct mgs_nodes - the nodes that a target may be at, in the order in which they
 *	are tried
 * @count: NIDs, of all
 * @nid: NIDs
 * @node: which node each is of, rising from 0
 */
struct mgs_nodes {
	u32		count;
	struct lnet_nid	nid[MGS_TARGET_NIDS_MAX];
	u8		node[MGS_TARGET_NIDS_MAX];
};

int mgs_nodes_parse(struct mgs_nodes *nodes, const char *text, size_t len,
		    struct mgs_words *why);
int mgs_nodes_add(struct mgs_nodes *nodes, const char *nid, size_t len,
		  bool first, struct mgs_words *why);
void mgs_nodes_of(struct mgs_nodes *nodes, const struct mgs_section *section);
bool mgs_nodes_same(const struct mgs_nodes *a, const struct mgs_nodes *b);
bool mgs_nodes_meet(const struct mgs_nodes *a, const struct mgs_nodes *b);
void mgs_put_primary(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     char *uuid);
void mgs_put_failover(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		      const char *device, u32 from);

/**
 * struct mgs_fs_target - a target that the logs know
 * @list: in its file system: OSTs, then MDTs, by index
 * @kind: MGS_LOG_OST or MGS_LOG_MDT
 * @index: its index
 * @has_log: there is a log of its own
 * @own: that one makes its device
 * @damaged: it cannot be read
 * @client: the client log adds it
 * @name: its name
 */
struct mgs_fs_target {
	struct list_head	list;
	enum mgs_log_kind	kind;
	u32			index;
	bool			has_log;
	bool			own;
	bool			damaged;
	bool			client;
	char			name[MGS_DEVICE_LEN];
};

/**
 * struct mgs_fsdb - what a file system has
 * @fsname: its name
 * @log: of the client
 * @has_client: there is such a log
 * @lov: it makes the client's lov
 * @lmv: ... and lmv
 * @mountopt: ... and says which a mount takes
 * @step: highest of all markers, at least 1
 * @targets: struct mgs_fs_target
 */
struct mgs_fsdb {
	char			fsname[LUSTRE_MAXFSNAME + 1];
	char			log[MGS_DEVICE_LEN];
	bool			has_client;
	bool			lov;
	bool			lmv;
	bool			mountopt;
	u32			step;
	struct list_head	targets;
};

int mgs_fsdb_load(struct mgs_fsdb *db, struct mgs_txn *txn, const char *fsname);
void mgs_fsdb_free(struct mgs_fsdb *db);
struct mgs_fs_target *mgs_fsdb_find(const struct mgs_fsdb *db,
				    enum mgs_log_kind kind, u32 index);
struct mgs_fs_target *mgs_fsdb_target(struct mgs_fsdb *db,
				      enum mgs_log_kind kind, u32 index);
bool mgs_fsdb_exists(const struct mgs_fsdb *db);

/**
 * struct mgs_fs_change - a change being made
 * @edit: what is written
 * @db: file system that it is in
 * @target: what it is about, where that is a target
 */
struct mgs_fs_change {
	struct mgs_edit		edit;
	struct mgs_fsdb		db;
	struct mgs_fs_target	*target;
};

int mgs_fs_change_init(struct mgs_fs_change *change, struct mgs_txn *txn,
		    const char *fsname, struct mgs_words *why);
void mgs_fs_change_fini(struct mgs_fs_change *change);
int mgs_fs_change_target(struct mgs_fs_change *change, struct mgs_txn *txn,
		      const char *svname, struct mgs_words *why);

/**
 * enum mgs_verdict - what a registration may do
 * @MGS_PROVEN: the identity that is known under the name: whatever its flags say
 * @MGS_FIRST: none is known: this one is from now on
 * @MGS_REPLACES: it takes the place of the one that is known, as a person ordered
 * @MGS_ANOTHER: refused: another directory is known under the name
 * @MGS_UNPROVEN: refused: the uuid is the one that is known, the secret is not
 * @MGS_CLOSED: refused: none is known, and allow_register is 0
 * @MGS_KEYLESS: refused: it offers no key that it could be known by
 */
enum mgs_verdict {
	MGS_PROVEN,
	MGS_FIRST,
	MGS_REPLACES,
	MGS_ANOTHER,
	MGS_UNPROVEN,
	MGS_CLOSED,
	MGS_KEYLESS,
};

/* identity.c */
int mgs_identity_load(struct mgs_txn *txn, const char *svname,
		      struct mgs_target_identity *kept);
int mgs_identity_is(struct mgs_txn *txn, const char *svname, const char *id);
enum mgs_verdict mgs_identity_judge(const struct mgs_target *target,
				    const struct mgs_target_identity *kept);
void mgs_identity_keep(struct mgs_edit *edit, const char *svname,
		       const struct mgs_target *target);
void mgs_identity_settle(struct mgs_edit *edit, const char *svname,
			 const struct mgs_target *target,
			 struct mgs_target_identity *kept);
void mgs_identity_nid(const struct mgs_target_identity *kept,
		      struct lnet_nid *nid);
void mgs_identity_drop(struct mgs_edit *edit, const char *svname);

/* device.c: the records that make devices */
void mgs_write_client_lov(struct mgs_edit *edit, const struct mgs_fsdb *db);
void mgs_write_client_lmv(struct mgs_edit *edit, const struct mgs_fsdb *db);
void mgs_write_client_mount(struct mgs_edit *edit, const struct mgs_fsdb *db);
void mgs_write_mdt(struct mgs_edit *edit, const struct mgs_fs_target *mdt,
		   bool failout);
void mgs_write_ost(struct mgs_edit *edit, const struct mgs_fs_target *ost,
		   bool failout);
void mgs_write_mdc(struct mgs_edit *edit, const struct mgs_fsdb *db,
		   const struct mgs_fs_target *mdt,
		   const struct mgs_nodes *nodes);
void mgs_write_osc(struct mgs_edit *edit, const struct mgs_fsdb *db,
		   const struct mgs_fs_target *ost,
		   const struct mgs_fs_target *mdt,
		   const struct mgs_nodes *nodes);
bool mgs_section_adds(const struct mgs_section *section, const char *svname);
bool mgs_section_about(const struct mgs_section *section, const char *svname);

/**
 * struct mgs_line_text - a setting in a record
 * @owner: device; file system or "general"
 * @name: name or pattern, of @name_len bytes
 * @name_len: these
 * @value: value
 * @number: room for one that is a number
 */
struct mgs_line_text {
	const char	*owner;
	const char	*name;
	size_t		name_len;
	const char	*value;
	char		number[12];
};

/* index.c */
/**
 * struct mgs_settings_change - what a change does to the index of settings
 * @generation: of the log before it
 * @hash: of its pattern
 * @start: START that it appended, 0: none
 * @start_at: where that begins
 * @step: its step
 * @writes: how often the change wrote to the log
 * @gone_count: sections that it took back
 * @gone: START of each
 */
struct mgs_settings_change {
	u64	generation;
	u32	hash;
	u32	start;
	u64	start_at;
	u32	step;
	u32	writes;
	u32	gone_count;
	u32	gone[];
};

extern u32 mgs_compact_at;
u32 mgs_settings_count(const struct mgs_store *store);
bool mgs_settings_usable(struct mgs_txn *txn);
int mgs_settings_load(struct mgs_txn *txn, struct mgs_sections *image,
		      const char *pattern);
struct mgs_settings_change *mgs_settings_change_new(const char *pattern,
						    u32 room);
int mgs_settings_change(struct mgs_edit *edit,
			struct mgs_settings_change *change);

/* setting.c: settings in general, and those for all nodes */
bool mgs_line_text(const struct lcfg_view *cfg, u32 n,
		   const struct lcfg_marker *marker,
		   struct mgs_line_text *text);

/**
 * struct mgs_place - where a setting of a target or file system is written
 * @log: log
 * @device: device that it is of, also the marker's
 */
struct mgs_place {
	char	log[MGS_LOGNAME_MAX];
	char	device[MGS_DEVICE_LEN];
};

/**
 * struct mgs_param - a setting by conf_param, or of ldd_params
 * @name: "osc.max_dirty_mb"
 * @value: NULL to take it back
 */
struct mgs_param {
	const char	*name;
	const char	*value;
};

struct mgs_conf;

/**
 * struct mgs_conf_class - a first part of the names of settings
 * @prefix: the part
 * @of: what has such settings, OF_* of conf.c
 * @place: writes one where it is to be
 * @want: what it is a setting of, in words
 * @type: of the devices whose parameters they are; NULL: the node's
 * @suffix: behind the name of the target or file system in those of devices
 * @of_fs: that is the name of the file system
 */
struct mgs_conf_class {
	const char	*prefix;
	u32		of;
	void		(*place)(struct mgs_conf *conf);
	const char	*want;
	const char	*type;
	const char	*suffix;
	bool		of_fs;
};

/* conf.c */
const struct mgs_conf_class *mgs_conf_class_find(const char *name);
int mgs_conf_write(struct mgs_fs_change *change, const struct mgs_param *param,
		   u32 *found);
int mgs_value_check(const char *name, const char *value, struct mgs_words *why);
void mgs_conf_inherit(struct mgs_fs_change *change);

/* pool.c */
void mgs_pool_inherit(struct mgs_fs_change *change);
bool mgs_is_pool(u32 command);
void mgs_pool_comment(char *comment, u32 command, const char *fsname,
		      const char *pool, const char *uuid);

/**
 * struct mgs_call - an operation of mgs_log_change()
 * @txn: the change
 * @why: words
 * @args: its texts
 * @index: mc_index
 */
struct mgs_call {
	struct mgs_txn		*txn;
	struct mgs_words	*why;
	const char *const	*args;
	u32			index;
};

int mgs_do_set_param(struct mgs_call *call);
int mgs_do_del_param(struct mgs_call *call);
int mgs_do_conf_param(struct mgs_call *call);
int mgs_do_del_conf_param(struct mgs_call *call);
int mgs_do_replace_nids(struct mgs_call *call);
int mgs_log_compact(struct mgs_edit *edit, const char *log, bool backup);
int mgs_do_clear_conf(struct mgs_call *call);
int mgs_do_fork_lcfg(struct mgs_call *call);
int mgs_do_erase_lcfg(struct mgs_call *call);
int mgs_do_pool_new(struct mgs_call *call);
int mgs_do_pool_add(struct mgs_call *call);
int mgs_do_pool_rem(struct mgs_call *call);
int mgs_do_pool_del(struct mgs_call *call);
int mgs_do_writeconf(struct mgs_call *call);
int mgs_do_replace_target(struct mgs_call *call);

int mgs_replace_nodes(struct mgs_fs_change *change, const struct mgs_nodes *nodes);
bool mgs_is_failnid(const struct mgs_section *section, const char *svname);
u32 mgs_params_forget(struct mgs_edit *edit, const char *owner);

#endif /* _MGS_LOG_INTERNAL_H */
