/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that write the logs. The layers, each above those before it:
 *
 *	text.c		names of file systems, targets and logs; settings as text
 *	section.c	logs as sections: reading and writing
 *	device.c	records that make devices; NIDs of a target
 *	identity.c	identities of targets
 *	fsdb.c		state of a file system
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

#define MGS_OWNER_ALL		"general"
#define MGS_SET_BY		"lctl"
#define MGS_BACKUP_SUFFIX	".bak"

/* Largest command that fits into every log */
#define MGS_CFG_MAX		(LLOG_MIN_CHUNK_SIZE - LLOG_MIN_REC_SIZE)

/* Space for names of devices and uuids */
#define MGS_DEVICE_LEN		64

/* enum mgs_log_kind - kind of a log */
enum mgs_log_kind {
	MGS_LOG_CLIENT,
	MGS_LOG_OST,
	MGS_LOG_MDT,
	MGS_LOG_PARAMS,
	MGS_LOG_OTHER,		/* a backup, or an unknown log */
};

/**
 * struct mgs_log_name - parsed name of a log or target
 * @kind: kind
 * @index: index of a target
 * @fsname: file system, or ""
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

/**
 * struct mgs_line_text - a setting in a record
 * @owner: device; file system or "general"
 * @name: name or pattern, not terminated
 * @name_len: length of @name
 * @value: value
 * @number: buffer for a numeric value
 */
struct mgs_line_text {
	const char	*owner;
	const char	*name;
	size_t		name_len;
	const char	*value;
	char		number[12];
};

bool mgs_line_text(const struct lcfg_view *cfg, u32 n,
		   const struct lcfg_marker *marker,
		   struct mgs_line_text *text);

/**
 * typedef mgs_scan_fn - called for each record that is not cancelled
 * @data: argument
 * @section: START of its section; NULL outside of sections
 * @rec: record, also a marker; valid during the call
 *
 * Return: 0 to continue
 */
typedef int (*mgs_scan_fn)(void *data, const struct lcfg_marker *section,
			   const struct mgs_rec *rec);

int mgs_scan(const struct mgs_view *view, const char *log, mgs_scan_fn fn,
	     void *data);

/**
 * struct mgs_line - a record of a section
 * @list: in its section
 * @index: its number
 * @cfg: command, refers to @bytes
 * @len: length of @bytes
 * @bytes: the whole command
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
 * @start_at: where the START is in the log
 * @end: index of its END, 0: none
 * @end_at: where the END is in the log
 * @marker: START
 * @raw: the same, as in the log
 * @lines: struct mgs_line: records between START and END
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
 * @step: highest step of all markers, at least 1
 * @useless: records without effect: cancelled, outside of sections, in skipped or empty
 *	sections
 * @swapped: the log has the other byte order
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

/* Its first record, or NULL */
static inline const struct mgs_line *
mgs_section_first(const struct mgs_section *section)
{
	if (list_empty(&section->lines))
		return NULL;
	return list_entry(section->lines.next, struct mgs_line, list);
}

/**
 * struct mgs_edit - edit of logs within a change
 * @txn: change
 * @view: the logs as the change sees them
 * @why: out: reason of a refusal
 * @when: time of the change
 * @step: step of the last section
 * @rc: first error; nothing is written after it
 * @buf: buffer for one command
 * @log: log of the current section
 * @marker: its START
 * @start: index of its START
 * @start_at: where the START is in the log
 * @index: number of the last appended record
 */
struct mgs_edit {
	struct mgs_txn		*txn;
	const struct mgs_view	*view;
	struct obd_why		*why;
	u64			when;
	u32			step;
	int			rc;
	u8			*buf;
	char			log[MGS_LOGNAME_MAX];
	struct cfg_marker	marker;
	u32			start;
	u64			start_at;
	u32			index;
};

int mgs_edit_init(struct mgs_edit *edit, struct mgs_txn *txn,
		  struct obd_why *why);
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
void mgs_log_new_epoch(struct mgs_edit *edit, const char *log);
void mgs_log_remove(struct mgs_edit *edit, const char *log);
void mgs_log_backup(struct mgs_edit *edit, const char *log);

/**
 * struct mgs_nodes - the nodes of a target, in the order in which they are tried
 * @count: number of NIDs
 * @nid: NIDs
 * @node: number of the node of each NID, from 0
 */
struct mgs_nodes {
	u32		count;
	struct lnet_nid	nid[MGS_TARGET_NIDS_MAX];
	u8		node[MGS_TARGET_NIDS_MAX];
};

int mgs_nodes_parse(struct mgs_nodes *nodes, const char *text, size_t len,
		    struct obd_why *why);
int mgs_nodes_add(struct mgs_nodes *nodes, const char *nid, size_t len,
		  bool first, struct obd_why *why);
void mgs_nodes_of(struct mgs_nodes *nodes, const struct mgs_section *section);
bool mgs_nodes_same(const struct mgs_nodes *a, const struct mgs_nodes *b);
bool mgs_nodes_meet(const struct mgs_nodes *a, const struct mgs_nodes *b);
void mgs_put_primary(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		     char *uuid);
void mgs_put_failover(struct mgs_edit *edit, const struct mgs_nodes *nodes,
		      const char *device, u32 from);

/**
 * struct mgs_fs_target - a target of a file system
 * @list: in its file system: OSTs, then MDTs, by index
 * @kind: MGS_LOG_OST or MGS_LOG_MDT
 * @index: its index
 * @has_log: it has a log
 * @own: its log makes its device
 * @damaged: its log is damaged
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
 * struct mgs_fsdb - state of a file system
 * @fsname: its name
 * @log: name of the client log
 * @has_client: the client log exists
 * @lov: it makes the lov
 * @lmv: it makes the lmv
 * @mountopt: it has the devices of the profile
 * @step: highest step of all markers, at least 1
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
 * struct mgs_fs_change - a change of a file system
 * @edit: edit of its logs
 * @db: its state
 * @target: target that the change is about, or NULL
 */
struct mgs_fs_change {
	struct mgs_edit		edit;
	struct mgs_fsdb		db;
	struct mgs_fs_target	*target;
};

int mgs_fs_change_init(struct mgs_fs_change *change, struct mgs_txn *txn,
		    const char *fsname, struct obd_why *why);
void mgs_fs_change_fini(struct mgs_fs_change *change);
int mgs_fs_change_target(struct mgs_fs_change *change, struct mgs_txn *txn,
		      const char *svname, struct obd_why *why);

/**
 * enum mgs_verdict - what a registration may do
 * @MGS_PROVEN: it has the known identity
 * @MGS_FIRST: no identity is known: it establishes its own
 * @MGS_REPLACES: it replaces the known identity, as an administrator permitted
 * @MGS_ANOTHER: refused: another directory has the name
 * @MGS_UNPROVEN: refused: the known uuid without its secret
 * @MGS_CLOSED: refused: no identity is known, and allow_register is 0
 * @MGS_KEYLESS: refused: it offers no key
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

/* setting.c: settings for all nodes; tests compact the log earlier */
extern u32 mgs_compact_at;

/**
 * struct mgs_place - where a setting of a target or file system is written
 * @log: log
 * @device: device, also in the marker
 */
struct mgs_place {
	char	log[MGS_LOGNAME_MAX];
	char	device[MGS_DEVICE_LEN];
};

/**
 * struct mgs_param - a setting by conf_param, or of ldd_params
 * @name: "osc.max_dirty_mb"
 * @value: NULL: remove it
 */
struct mgs_param {
	const char	*name;
	const char	*value;
};

struct mgs_conf;

/**
 * struct mgs_conf_class - a class of settings, by the first part of their names
 * @prefix: first part
 * @of: what has such settings, OF_* of conf.c
 * @place: writes a setting to the logs that it belongs to
 * @want: what it is a setting of, for messages
 * @type: type of the devices with such parameters; NULL: a parameter of the node
 * @suffix: end of the device name, after the target or file system
 * @of_fs: the device name starts with the file system
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
int mgs_value_check(const char *name, const char *value, struct obd_why *why);
void mgs_conf_inherit(struct mgs_fs_change *change);

/* pool.c */
void mgs_pool_inherit(struct mgs_fs_change *change);
bool mgs_is_pool(u32 command);
void mgs_pool_comment(char *comment, u32 command, const char *fsname,
		      const char *pool, const char *uuid);

/**
 * struct mgs_call - an operation of mgs_log_change()
 * @txn: change
 * @why: out: reason of a refusal
 * @args: texts
 * @index: mc_index
 */
struct mgs_call {
	struct mgs_txn		*txn;
	struct obd_why		*why;
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
