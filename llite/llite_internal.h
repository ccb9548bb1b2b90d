/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of llite.ko.
 *
 *	fs_type.c	file system type: contexts of mounts, start and end of super
 *			blocks
 *	source.c options.c mountdata.c	parsing and validation (llite_parse.h)
 *	subdir.c	mounts of a directory of a file system
 *	super.c		super blocks
 *	client.c	a client mount; client_statfs.c its free space, client_params.c;
 *			llite_inode.h its files
 *	target.c	a target mount; target_mgs.c its management service,
 *			target_dir.c its directory, secret.c its identity
 *	devices.c	devices created by a log
 *
 * A mount waits for other nodes before its super block is created, an umount after it is gone, so
 * neither blocks a task that iterates over super blocks. In between, operations on files wait.
 */
#ifndef _LLITE_INTERNAL_H
#define _LLITE_INTERNAL_H

#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/statfs.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/mgc.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "llite_parse.h"

#define LLITE_SUPER_MAGIC	0x0bd00bd0
/* Inode number of the root: that of real Lustre's root in 64 bits. */
#define LLITE_ROOT_INO		0x200000007000001ULL

struct lustre_params_entry;

/*
 * Seconds that a mount waits for the management service, with a `timeout` of
 * LLITE_WAIT_TIMEOUT or more; with a shorter one in proportion, but at least a
 * sixth of that, and LLITE_WAIT_LEAST. With a copy of the log the wait is
 * shorter.
 */
#define LLITE_WAIT_MGS		30
#define LLITE_WAIT_TARGET_COPY	10
#define LLITE_WAIT_CLIENT_COPY	5
#define LLITE_WAIT_TIMEOUT	100
#define LLITE_WAIT_LEAST	2
#define LLITE_WAIT_PARTS	6

/**
 * llite_mgs_wait() - time to wait for the management service
 * @most: LLITE_WAIT_*
 *
 * Context: any
 * Return: seconds
 */
static inline unsigned int llite_mgs_wait(unsigned int most)
{
	unsigned int least = max_t(unsigned int, most / LLITE_WAIT_PARTS,
				   LLITE_WAIT_LEAST);

	return clamp_t(unsigned int,
		       READ_ONCE(obd_timeout) * most / LLITE_WAIT_TIMEOUT,
		       least, most);
}

/**
 * struct llite_space - cached free space of a file system
 * @lls_lock: guards @lls_st, @lls_rc and @lls_seen
 * @lls_st: data of all targets together, inodes of all MDTs
 * @lls_rc: 0, or the error of the last update
 * @lls_seen: time of the last update, ktime_get_ns(); 0: never
 * @lls_max_age: lifetime, nanoseconds
 * @lls_work: updates it
 */
struct llite_space {
	spinlock_t		lls_lock;
	struct obd_statfs	lls_st;
	int			lls_rc;
	u64			lls_seen;
	u64			lls_max_age;
	struct work_struct	lls_work;
};

#define LL_READERS	16

/**
 * struct ll_reader - a process that reads directories; changed without a lock
 * @lrd_pid: process
 * @lrd_credit: entries that may come with locks
 */
struct ll_reader {
	pid_t	lrd_pid;
	int	lrd_credit;
};

/**
 * struct llite_client - a client mount
 * @llc_mgc: management client, held
 * @llc_log: the log of its devices
 * @llc_instance: of those devices
 * @llc_uuid: of this client
 * @llc_dt: connection to the data volume, owns a reference
 * @llc_md: connection to the metadata volume, owns a reference
 * @llc_space: cached free space
 * @llc_params: directory llite.FSNAME-INSTANCE
 * @llc_stats: calls, see stats.h
 * @llc_checksums: data has checksums: what was set last for all of its object connections
 * @llc_readers: processes that read directories, by their numbers, see ahead.c
 * @llc_som_lock: guards @llc_som to @llc_som_ends
 * @llc_som: inodes whose sizes the metadata target will be told, by lli_som_item
 * @llc_som_nr: their number
 * @llc_som_ends: the super block goes: @llc_som_work is not started any more
 * @llc_som_work: tells it, see som.c
 * @llc_kept_lock: guards what follows, and lli_kept
 * @llc_kept: files that are open at the target for the next open, see reopen.c
 * @llc_kept_nr: their number
 * @llc_kept_ends: the super block goes: there are no more
 * @llc_kept_work: closes those of long ago
 */
struct llite_client {
	struct obd_device		*llc_mgc;
	struct mgc_log			*llc_log;
	u64				llc_instance;
	struct obd_uuid			llc_uuid;
	struct obd_export		*llc_dt;
	struct obd_export		*llc_md;
	struct llite_space		llc_space;
	struct lustre_params_entry	*llc_params;
	struct params_stats		*llc_stats;
	bool				llc_checksums;
	struct ll_reader		llc_readers[LL_READERS];
	spinlock_t			llc_som_lock;
	struct list_head		llc_som;
	unsigned int			llc_som_nr;
	bool				llc_som_ends;
	struct delayed_work		llc_som_work;
	spinlock_t			llc_kept_lock;
	struct list_head		llc_kept;
	unsigned int			llc_kept_nr;
	bool				llc_kept_ends;
	struct delayed_work		llc_kept_work;
};

/**
 * struct llite_claim - a mounted directory
 * @fc_item: in the list of directories
 * @fc_path: directory, referenced
 * @fc_configs: its CONFIGS, referenced: all files in it are reached by this path, also when
 *  the directory gets another name
 * @fc_cred: credentials for its files: those of kernel threads, which write them too
 * @fc_uuid: identity of its target; empty: unknown
 * @fc_net: number of the network namespace that serves the target
 */
struct llite_claim {
	struct list_head	fc_item;
	struct path		fc_path;
	struct path		fc_configs;
	const struct cred	*fc_cred;
	char			fc_uuid[UUID_STRING_LEN + 1];
	unsigned int		fc_net;
};

/**
 * struct llite_target - a target mount
 * @llt_claim: its directory
 * @llt_ldd: its mountdata
 * @llt_mgs: device of the management service, held (OBD_REF_LOOKUP), or NULL
 * @llt_mgc: management client, held, or NULL
 * @llt_log: the log of its devices
 * @llt_deferred: deferred registration; or NULL
 * @llt_instance: of those devices
 * @llt_start: number of this start of the target
 * @llt_wait_end: end of the wait for the management service, jiffies
 */
struct llite_target {
	struct llite_claim		llt_claim;
	struct lustre_disk_data		*llt_ldd;
	struct obd_device		*llt_mgs;
	struct obd_device		*llt_mgc;
	struct mgc_log			*llt_log;
	struct mgc_deferred			*llt_deferred;
	u64				llt_instance;
	u32				llt_start;
	unsigned long			llt_wait_end;
};

/**
 * struct llite_mount - a mount
 * @llm_source: source
 * @llm_options: options; changed by remounts, under s_umount
 * @llm_force: umount -f: do not wait for peers
 * @llm_client: of a client
 * @llm_target: of a target
 *
 * Created by get_tree; owned by the context, later by the super block, which
 * frees it.
 */
struct llite_mount {
	struct llite_source	llm_source;
	struct llite_options	llm_options;
	bool			llm_force;
	union {
		struct llite_client	llm_client;
		struct llite_target	llm_target;
	};
};

/* client.c */
int llite_client_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why);
void llite_client_stop(struct llite_mount *lm);

/* client_statfs.c */
void llite_space_init(struct llite_space *space);
int llite_client_statfs(struct llite_mount *lm, struct obd_statfs *st);
void llite_space_cached(struct llite_mount *lm, struct obd_statfs *st);

/* client_params.c */
int llite_client_params_add(struct llite_mount *lm);
void llite_client_params_del(struct llite_mount *lm);
int llite_params_init(void);
void llite_params_exit(void);

/* target.c */
int llite_target_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why);
void llite_target_stop(struct llite_mount *lm);

/* target_mgs.c */
int llite_mgs_start(struct llite_target *lt, struct net *net,
		    struct obd_why *why);
void llite_mgs_stop(struct llite_target *lt, bool force);

/* target_dir.c */
int llite_dir_claim(struct llite_claim *claim, const char *name,
		    struct obd_why *why);
int llite_dir_identify(struct llite_claim *claim, const struct lustre_disk_data *ldd,
		       const struct net *net, struct obd_why *why);
void llite_dir_release(struct llite_claim *claim);
struct file *llite_file_open(const struct llite_claim *claim, const struct path *dir,
			     const char *name);
int llite_mountdata_read(const struct llite_claim *claim,
			 struct lustre_disk_data *ldd, struct obd_why *why);
int llite_mountdata_write(const struct llite_claim *claim,
			  const struct lustre_disk_data *ldd,
			  struct obd_why *why);

/* struct llite_bytes - content and mode of a file */
struct llite_bytes {
	const void	*lby_bytes;
	size_t		lby_len;
	umode_t		lby_mode;
};

int llite_file_replace(const struct llite_claim *claim, const struct path *dir,
		       const char *name, const struct llite_bytes *bytes);

/* secret.c */
int llite_secret_load(const struct llite_target *lt, struct mgc_target *mt,
		      struct obd_why *why);
void llite_secret_known(const struct llite_target *lt);

/* devices.c */
u64 llite_instance_new(void);
void llite_imports_each(u64 instance,
			void (*fn)(struct obd_device *obd, void *arg),
			void *arg);
bool llite_import_down(struct obd_device *obd);
bool llite_mdts_down(u64 instance);
void llite_imports_warn(u64 instance, const char *who, struct fs_context *fc);
void llite_imports_abort(u64 instance);
void llite_imports_abort_down(u64 instance);
void llite_devices_down(u64 instance, const char *who, bool force);

/* A warning of a successful mount: to the console, and to the mounting task. */
#define llite_warn(fc, fmt, ...)					\
do {									\
	CWARN(fmt "\n", ##__VA_ARGS__);					\
	if ((fc)->log.log)						\
		warnf(fc, fmt, ##__VA_ARGS__);				\
} while (0)

/* fs_type.c */
int llite_fs_register(void);
void llite_fs_unregister(void);

/* subdir.c */
int llite_subdir_get_tree(struct fs_context *fc, size_t at, struct obd_why *why);

/* super.c */
int llite_fill_super(struct super_block *sb, struct fs_context *fc);

static inline struct llite_mount *llite_mount(const struct super_block *sb)
{
	return sb->s_fs_info;
}

/* A FID as programs have it, and back. */
static inline struct ll_user_fid ll_user_fid_of(const struct lu_fid *fid)
{
	return (struct ll_user_fid){ fid->f_seq, fid->f_oid, fid->f_ver };
}

static inline struct lu_fid ll_fid_of_user(const struct ll_user_fid *user)
{
	return (struct lu_fid){ user->f_seq, user->f_oid, user->f_ver };
}

#endif /* _LLITE_INTERNAL_H */
