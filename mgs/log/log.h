/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a management service writes into its logs: the records of a registration,
 * of a setting, of a pool. Pure like the store below: tests compare what is
 * written with what real Lustre wrote.
 *
 * Each function works within a change that the caller began, and commits or
 * aborts. All take and give texts; names are checked here.
 */
#ifndef _MGS_LOG_H
#define _MGS_LOG_H

#include <lustre_lite/nid.h>
#include <lustre_lite/proof.h>

#include "../store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most NIDs of a target, all its nodes together. */
#define MGS_TARGET_NIDS_MAX	32

/**
 * struct mgs_target - a target that registers
 * @flags: LDD_F_*
 * @index: in: index, LDD_INDEX_NONE with LDD_F_NEED_INDEX; out: index
 * @fsname: file system
 * @svname: out, name: "lustre-OST0001"
 * @uuid: out, "lustre-OST0001_UUID"
 * @id: uuid of its directory, "" where it has none
 * @key: key that it is to be known by, zeros: it offers none
 * @proof: proof of the key that it has, of @digest
 * @digest: what it says, as libcfs_target_digest()
 * @allowed: one that is not known may register
 * @changed: out, the identity that is kept of it is written
 * @from: NID that its node is connected from
 * @before: out, NID of the node where it registered before; of type 0 where it said that
 *	it stopped, or none is known
 * @nids: NIDs of the node that it runs on: texts, each with its NUL
 * @nid_count: how many
 * @params: ldd_params: failover.node=, and settings, as conf_param has them
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

/**
 * struct mgs_words - why something was refused
 * @text: names the object and says what would be right; empty: errno says it all. Of
 *	what succeeded: what there is to say besides
 */
struct mgs_words {
	char text[OBD_WHY_MAX];
};

/*
 * Registration: the target's own log, and what others need to know of it: the
 * client log, and those of the metadata targets. Nothing is written for one that
 * is registered and has neither LDD_F_VIRGIN, WRITECONF, UPDATE nor PARAM, but its
 * names are filled in.
 *
 *	VIRGIN, NEED_INDEX	its logs are written
 *	WRITECONF		... anew: what was set in them for this target goes; what
 *				is set for all of the file system, and pools, stay.
 *				So it is without a flag where MGS_WRITECONF asked for
 *				it, or its own log is gone
 *	UPDATE			it is at other NIDs: these are put where the old ones are
 *	PARAM			@params are set, and failover.node as UPDATE does
 *
 * Its identity, uuid and key, is kept beside its logs from the first registration on;
 * what comes later needs both, whatever its flags say. One that says VIRGIN and whose
 * identity is kept, for its index or, with NEED_INDEX, for any target of its kind,
 * registered before and does not know: it is as one that does, VIRGIN and NEED_INDEX
 * are taken off. One that takes the place of another, as MGS_REPLACE_TARGET ordered, is
 * as that one with UPDATE.
 *
 * mgs_txn_say() is told what it is.
 *
 * Return: 0; -EACCES: it is not known and none may come, or does not prove that it is
 * the one that is known; -EADDRINUSE: another target has that index; -EALREADY: it is
 * registered at one of its NIDs and says that it is new (the names are filled in);
 * -EINVAL: a name, a NID or a parameter that cannot be; -ENOENT: it says that it is
 * registered and is not; -EIO: a log is damaged; -ENOSPC: no index is left
 */
int mgs_log_register(struct mgs_txn *txn, struct mgs_target *target,
		     struct mgs_words *why);

/*
 * A target has stopped: it may start at any node. Return: 0, also for one that is not
 * known; what the store says
 */
int mgs_log_stop(struct mgs_txn *txn, const char *svname);

/*
 * One of enum mgs_change_op, but for what of it is no matter of logs. @argc texts
 * as that says. Return: 0; -ENOENT; -EINVAL; -EEXIST; -ENOTEMPTY for a pool. What it
 * changed nothing of (the value that there is already) is 0 too, and mgs_txn_count()
 * says so; mgs_txn_say() is told of all.
 *
 * A setting that gets another value: its section is marked CM_SKIP, a new one is
 * appended. One that is taken back: marked, and the log reborn. Pools: only ever
 * appended to. NIDs, and logs that are cleared: the log is written anew, and what it
 * was is LOG.bak.
 */
int mgs_log_change(struct mgs_txn *txn, u32 op, const char *const *args,
		   unsigned int argc, u32 index, struct mgs_words *why);

/* File system that a pattern names by its second part, or "" for all. */
int mgs_pattern_fsname(const struct mgs_view *view, const char *pattern,
		       char *fsname, size_t size);
/*
 * The parameters that "TARGET.NAME" or "FS.NAME" of a conf_param is for, as a pattern of
 * set_param; "" for what is no parameter of a node. Return: 0 or a negative errno
 */
int mgs_conf_pattern(const char *text, char *pattern, size_t size);

/* 0, or -EINVAL: LUSTRE_MAXFSNAME bytes of the right kind, and not "general". */
int mgs_fsname_check(const char *fsname);
/*
 * File system of a log: "lustre" of "lustre-OST0001", "" of "params". -EINVAL for a
 * log that nobody follows: a backup, or what is not known.
 */
int mgs_log_fsname(const char *log, char *fsname, size_t size);

/**
 * struct mgs_setting - a permanent setting
 * @log: log that it is in
 * @owner: buffer 0: file system or "general"; of LCFG_PARAM: device
 * @name: pattern or name
 * @value: value
 * @when: since when, seconds since 1970
 * @index: its record
 */
struct mgs_setting {
	const char	*log;
	const char	*owner;
	const char	*name;
	const char	*value;
	u64		when;
	u32		index;
};

/* Every setting that is in force, but those of damaged logs. */
int mgs_log_settings(const struct mgs_view *view,
		     int (*fn)(void *data, const struct mgs_setting *setting),
		     void *data);

/* File systems that there are logs of, and their targets. */
int mgs_log_fsnames(const struct mgs_view *view,
		    int (*fn)(void *data, const char *fsname), void *data);
int mgs_log_targets(const struct mgs_view *view, const char *fsname,
		    int (*fn)(void *data, const char *svname), void *data);

#ifdef __cplusplus
}
#endif

#endif /* _MGS_LOG_H */
