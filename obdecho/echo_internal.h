/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * obdecho: a server that returns the data it gets, and a client to test it.
 * Together they test devices, exports and operations, and over the network all
 * layers between.
 *
 *	echo_client ---- export ----> obdecho	in this kernel, without an import
 *	osc -- import -- export ----> obdecho	through a transport
 *	echo_client -- osc -- import -- export ----> obdecho
 *
 *	server.c		the device; server_params.c
 *	server_export.c		its clients and their texts
 *	server_rpc.c		its operations over the wire
 *	server_open.c		open objects
 *	server_object.c		changes of an object as a whole
 *		counts.c		counts of a client
 *	journal.c		... on disk; journal_open.c
 *	journal_format.c	its format
 *	objects.c		its objects and their sizes
 *	pattern.c		content of its objects
 *	client.c		the client
 *	load.c load_call.c	concurrent calls; load_lock.c load_object.c
 *	load_ioctl.c
 *	cache.c			objects that a client has locked
 *	unstable.c		writes whose pages are kept until they are on disk
 *	open.c			objects that it has open
 */
#ifndef _ECHO_INTERNAL_H
#define _ECHO_INTERNAL_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/lu_target.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc_target.h>
#include <uapi/lustre_lite/rpc_ioctl.h>
#include <uapi/lustre_lite/wire.h>

struct echo_journal;
struct echo_opens;
struct echo_unstable;

/* Key of get_info and set_info_async: a text, stored for each client. */
#define ECHO_KEY		"echo"
/* Key of set_info_async: a number of 8 bytes, little-endian, is added. */
#define ECHO_KEY_COUNT		"count"
/* Most bytes of a text. */
#define ECHO_TEXT_MAX		4096
/* Most bytes of the reason of an unhealthy server, with its NUL. */
#define ECHO_UNHEALTHY_MAX	128

/**
 * struct echo_server - a device of type obdecho
 * @es_obd: its device
 * @es_lock: guards the members up to @es_open
 * @es_exports: struct echo_export of every client that has not been destroyed
 * @es_texts: stored texts
 * @es_bytes: bytes of them
 * @es_unhealthy: reason of being unhealthy, or ""
 * @es_counts: struct echo_counts
 * @es_executed: counting requests executed, since the journal or the device was
 *  created
 * @es_sum: sum of their values
 * @es_rebuilt: requests answered that had been executed before a restart
 * @es_twice: requests executed more than once
 * @es_handles: struct echo_handle, by number
 * @es_handle_next: for xa_alloc_cyclic()
 * @es_open: handles
 * @es_restored: last transaction in the journal when it was opened
 * @es_journal: or NULL
 * @es_capacity: bytes reported by statfs, 0 for the memory of the node
 * @es_check: verify every written byte
 * @es_site: its objects
 * @es_size_lock: guards the sizes of objects, and what follows
 * @es_sized: objects that were written
 * @es_size_count: their number
 */
struct echo_server {
	struct obd_device	*es_obd;
	struct mutex		es_lock;
	struct list_head	es_exports;
	u64			es_texts;
	u64			es_bytes;
	char			es_unhealthy[ECHO_UNHEALTHY_MAX];
	struct list_head	es_counts;
	u64			es_executed;
	u64			es_sum;
	u64			es_rebuilt;
	u64			es_twice;
	struct xarray		es_handles;
	u32			es_handle_next;
	u64			es_open;
	u64			es_restored;
	struct echo_journal	*es_journal;
	u64			es_capacity;
	bool			es_check;
	struct lu_site		*es_site;
	spinlock_t		es_size_lock;
	struct list_head	es_sized;
	unsigned int		es_size_count;
};

/**
 * struct echo_counts - counts of a client
 * @cts_item: in es_counts
 * @cts_uuid: client
 * @cts_executed: its counting requests executed
 * @cts_sum: sum of their values
 * @cts_xids: those whose reply it may not have yet
 * @cts_xid_count: their number
 * @cts_users: exports of the client, and the journal
 * @cts_known: the journal is one of them
 *
 * All guarded by es_lock. Created when the client connects, or when the journal
 * is read; freed by its last user.
 */
struct echo_counts {
	struct list_head	cts_item;
	struct obd_uuid		cts_uuid;
	u64			cts_executed;
	u64			cts_sum;
	struct xarray		cts_xids;
	u32			cts_xid_count;
	unsigned int		cts_users;
	bool			cts_known;
};

/**
 * struct echo_count - a counting request, or an unstable write, which counts 1
 * @number: value to add
 * @xid: its number, 0 for a call within this kernel
 * @last_xid: the client has every reply up to this
 * @transno: in: of a replay; out: its transaction, 0 for none
 * @replay: it was executed before the server restarted, which may have lost it
 * @unstable: it does not wait for the disk, and may be executed again
 * @bytes: of a write
 * @renumber: what it gave is lost in a restart: done again it is a new transaction
 * @executed: out: it was a transaction now
 */
struct echo_count {
	u64	number;
	u64	xid;
	u64	last_xid;
	u64	transno;
	bool	replay;
	bool	unstable;
	u64	bytes;
	bool	renumber;
	bool	executed;
};

/**
 * struct echo_export - the server's part of an export: exp_data
 * @ee_list: in es_exports, guarded by es_lock
 * @ee_exp: its export, which owns this
 * @ee_counts: counts of its client
 * @ee_set: texts set
 * @ee_got: texts read
 * @ee_len: bytes of @ee_text
 * @ee_text: its last text, or NULL
 * @ee_handles: struct echo_handle
 * @ee_reads: reads of it
 * @ee_writes: writes
 *
 * es_lock guards @ee_set to @ee_handles. Created when the client connects, freed
 * when its export is destroyed.
 */
struct echo_export {
	struct list_head	ee_list;
	struct obd_export	*ee_exp;
	struct echo_counts	*ee_counts;
	u64			ee_set;
	u64			ee_got;
	u32			ee_len;
	char			*ee_text;
	struct list_head	ee_handles;
	atomic64_t		ee_reads;
	atomic64_t		ee_writes;
};

static inline struct echo_server *echo_server(const struct obd_device *obd)
{
	return obd->obd_data;
}

extern struct obd_type echo_server_type;
extern struct obd_type echo_client_type;

/* server_export.c */
int echo_server_connect(struct obd_export **exp, struct obd_device *obd,
			const struct obd_uuid *uuid,
			const struct lnet_nid *nid,
			struct obd_connect_data *ocd);
int echo_server_reconnect(struct obd_export *exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  struct obd_connect_data *ocd);
int echo_server_get_info(struct obd_export *exp, const char *key, void *val,
			 u32 *vallen);
int echo_server_set_info(struct obd_export *exp, const char *key,
			 const void *val, u32 vallen);
int echo_server_count(struct obd_export *exp, struct echo_count *count);
struct echo_export *echo_export_lock(struct obd_export *exp);

/* server_params.c */
int echo_server_params_add(struct echo_server *server);

/* server_rpc.c */
extern const struct ptlrpc_target_ops echo_target_ops;
void echo_count_init(struct echo_count *count, const struct ptlrpc_svc_req *sr, u64 number);

/* server_object.c */
int echo_destroy(struct ptlrpc_svc_req *sr);
int echo_punch(struct ptlrpc_svc_req *sr);

/* server_open.c */
int echo_open(struct ptlrpc_svc_req *sr);
int echo_close(struct ptlrpc_svc_req *sr);
void echo_handles_free(struct echo_server *server, struct echo_export *ee);

/* counts.c */
struct echo_counts * __must_check echo_counts_get(struct echo_server *server,
						  const struct obd_uuid *uuid);
void echo_counts_put(struct echo_server *server, struct echo_counts *counts);
int echo_counts_know(struct echo_server *server, const struct obd_uuid *uuid,
		     bool known);
int echo_counts_restore(struct echo_counts *counts, u64 xid);
bool echo_counts_done(struct echo_server *server, struct echo_counts *counts,
		      const struct echo_count *count);
int echo_counts_add(struct echo_server *server, struct echo_counts *counts,
		    struct echo_count *count);

/* journal_open.c */
int echo_journal_open(struct echo_server *server, const char *dir,
		      struct obd_why *why);
void echo_journal_close(struct echo_server *server);

/* Sequence of the FIDs of echo objects, that of real Lustre. */
#define FID_SEQ_ECHO	2

/* The FID of an object by its number. */
static inline struct lu_fid echo_fid(u64 object)
{
	return (struct lu_fid) {
		.f_seq = FID_SEQ_ECHO,
		.f_oid = lower_32_bits(object),
		.f_ver = upper_32_bits(object),
	};
}

static inline u64 echo_fid_number(const struct lu_fid *fid)
{
	return (u64)fid->f_ver << 32 | fid->f_oid;
}

/* objects.c */
int echo_objects_init(struct echo_server *server);
void echo_objects_fini(struct echo_server *server);
struct lu_object * __must_check echo_object_find(struct echo_server *server, u64 object);
u64 echo_object_size(struct echo_server *server, u64 object);
void echo_object_grow(struct echo_server *server, u64 object, u64 size);
int echo_object_truncate(struct echo_server *server, u64 object, u64 size);
extern const struct ldlm_lvb_ops echo_lvb_ops;

/* pattern.c */
#define ECHO_VEC_MAX(len)	(DIV_ROUND_UP(len, PAGE_SIZE) + 1)
int echo_pattern_make(void);
void echo_pattern_free(void);
u32 echo_pattern_at(u64 object, u64 offset);
struct bio_vec *echo_pattern_pages(u32 at, u32 len);
unsigned int echo_pattern_vec(u32 at, u32 len, struct bio_vec *vec);
u32 echo_pattern_copy(u32 at, const struct bio_vec *part);
bool echo_pattern_is(u32 at, const struct bio_vec *vec, unsigned int nr, u32 len);

/**
 * struct echo_use - the connection of an echo client to its server, while in
 * use
 * @eu_exp: export of the server, or of the intermediate client device,
 *  referenced
 * @eu_imp: import over the network, referenced, or NULL
 * @eu_local_imp: import of a server in this kernel, referenced, or NULL
 * @eu_unstable: unstable writes of the client, referenced
 * @eu_opens: its open objects, referenced
 * @eu_site: objects of the client, referenced
 */
struct echo_use {
	struct obd_export	*eu_exp;
	struct obd_import	*eu_imp;
	struct obd_import	*eu_local_imp;
	struct echo_unstable	*eu_unstable;
	struct echo_opens	*eu_opens;
	struct lu_site		*eu_site;
};

/* client.c */
int echo_client_use(struct obd_device *obd, struct echo_use *use,
		    struct obd_why *why);
void echo_client_unuse(struct echo_use *use);

/* load.c */
int echo_load_run(const struct echo_use *use, struct ll_rpc_ioc_echo *et,
		  struct obd_why *why);

/* load_ioctl.c */
int echo_ioctl_init(void);
void echo_ioctl_exit(void);

#endif /* _ECHO_INTERNAL_H */
