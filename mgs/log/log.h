/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of the logs: records of registrations, settings, pools. Like the store below
 * it needs no kernel: tests compare the logs with those of real Lustre.
 *
 * Functions that write work within a change, which the caller starts and commits or
 * aborts. Names and values are checked here.
 */
#ifndef _MGS_LOG_H
#define _MGS_LOG_H

#include <lustre_lite/nid.h>
#include <lustre_lite/obd_why.h>
#include <lustre_lite/proof.h>

#include "../store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limit of NIDs of a target, on all its nodes */
#define MGS_TARGET_NIDS_MAX	32

/**
 * struct mgs_target - a target that registers
 * @flags: LDD_F_*
 * @index: in: index, LDD_INDEX_NONE with LDD_F_NEED_INDEX; out: index
 * @fsname: file system
 * @svname: out: name, "lustre-OST0001"
 * @uuid: out: "lustre-OST0001_UUID"
 * @id: uuid of its directory, "" if it has none
 * @key: key that it offers, or zeros
 * @proof: proof that it has the key, over @digest
 * @digest: digest of the registration, libcfs_target_digest()
 * @allowed: targets without a known identity may register
 * @changed: out: its stored identity changes
 * @from: NID of its connection
 * @before: out: NID where it registered before; of type 0 if it stopped, or is unknown
 * @nids: NIDs of its node: texts, each with its NUL
 * @nid_count: number of @nids
 * @params: ldd_params: failover.node=, and settings of conf_param
 */
struct mgs_target {
	u32		flags;
	u32		index;
	char		fsname[LDD_FSNAME_LEN];
	char		svname[LDD_SVNAME_LEN];
	char		uuid[LDD_UUID_LEN];
	char		id[LDD_UUID_LEN];
	u8		key[LIBCFS_KEY_LEN];
	u8		proof[LIBCFS_KEY_LEN];
	u8		digest[LIBCFS_KEY_LEN];
	bool		allowed;
	bool		changed;
	struct lnet_nid	from;
	struct lnet_nid	before;
	const char	*nids;
	u32		nid_count;
	const char	*params;
};

/*
 * Write the records of a registration: the target's own log, the client log, the logs of
 * the metadata targets. A registered target without one of these flags writes nothing, and
 * gets its names.
 *
 *	VIRGIN, NEED_INDEX	its records are written
 *	WRITECONF		they are rewritten: settings of this target are dropped,
 *				settings of the file system and pools stay. The same
 *				without the flag after MGS_WRITECONF, or if its own log is
 *				gone
 *	UPDATE			its NIDs are replaced in place
 *	PARAM			@params are set, and failover.node as UPDATE does
 *
 * Its identity, uuid and key, is stored at the first registration; later ones need both.
 * A target with a known identity and VIRGIN has registered before and did not get the
 * answer: VIRGIN and NEED_INDEX are ignored. One that replaces another, as
 * MGS_REPLACE_TARGET permitted, is treated as that one with UPDATE.
 */
int mgs_log_register(struct mgs_txn *txn, struct mgs_target *target,
		     struct obd_why *why);

int mgs_log_stop(struct mgs_txn *txn, const char *svname);

/*
 * One of enum mgs_change_op. A setting with a new value: its section is marked CM_SKIP, a
 * new one is appended. A deleted setting: marked, and nodes read the log again. Pools:
 * commands are appended. New NIDs, and clear_conf: the log is rewritten, LOG.bak is the old
 * one.
 */
int mgs_log_change(struct mgs_txn *txn, u32 op, const char *const *args,
		   unsigned int argc, u32 index, struct obd_why *why);

int mgs_log_change_check(u32 op, unsigned int argc, struct obd_why *why);

int mgs_pattern_fsname(const struct mgs_view *view, const char *pattern,
		       char *fsname, size_t size);
int mgs_conf_pattern(const char *text, char *pattern, size_t size);

int mgs_fsname_check(const char *fsname);
int mgs_log_fsname(const char *log, char *fsname, size_t size);

/**
 * struct mgs_setting - a permanent setting
 * @log: log that it is in
 * @owner: buffer 0: file system or "general"; of LCFG_PARAM: device
 * @name: pattern or name
 * @value: value
 * @when: time when it was set, seconds since 1970
 * @index: number of its record
 */
struct mgs_setting {
	const char	*log;
	const char	*owner;
	const char	*name;
	const char	*value;
	u64		when;
	u32		index;
};

int mgs_log_settings(const struct mgs_view *view,
		     int (*fn)(void *data, const struct mgs_setting *setting),
		     void *data);

int mgs_log_fsnames(const struct mgs_view *view,
		    int (*fn)(void *data, const char *fsname), void *data);
int mgs_log_targets(const struct mgs_view *view, const char *fsname,
		    int (*fn)(void *data, const char *svname), void *data);

#ifdef __cplusplus
}
#endif

#endif /* _MGS_LOG_H */
