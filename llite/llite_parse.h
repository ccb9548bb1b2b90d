/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source and options of a mount, and CONFIGS/mountdata: parsing and validation.
 * No file, device or lock is touched, so that tests reach all of it.
 */
#ifndef _LLITE_PARSE_H
#define _LLITE_PARSE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <uapi/lustre_lite/disk.h>
#include <uapi/lustre_lite/obd_ioctl.h>

#define LLITE_NODES_MAX		2048
#define LLITE_EXCLUDE_MAX	4096
#define LLITE_PATH_MAX		1024

/* @why has OBD_WHY_MAX bytes; Return: @rc */
__printf(3, 4)
int llite_refuse(char *why, int rc, const char *fmt, ...);

/**
 * struct llite_source - source of a mount
 * @src_client: a file system of a management service; else a directory, a
 *  target
 * @src_nodes: its nodes, "NID[,NID][:NID[,NID]]"
 * @src_fsname: its name
 * @src_subdir: where in the text the path of a directory of it starts; at its end: the root
 */
struct llite_source {
	bool	src_client;
	char	src_nodes[LLITE_NODES_MAX];
	char	src_fsname[LUSTRE_MAXFSNAME + 1];
	size_t	src_subdir;
};

int llite_source_parse(const char *text, struct llite_source *src, char *why);
int llite_nodes_check(const char *text, size_t len, char *why);
bool llite_fsname_ok(const char *name);

/* op_given */
#define LLITE_OPT_NOIR		0x0001	/* no notification of restarted targets */
#define LLITE_OPT_EXCLUDE	0x0002	/* op_exclude */
#define LLITE_OPT_CACHE		0x0004	/* op_cache */
#define LLITE_OPT_LAZYSTATFS	0x0008	/* statfs omits unreachable targets */
#define LLITE_OPT_NOLAZYSTATFS	0x0010	/* ... fails instead */
#define LLITE_OPT_NOSVC		0x0020	/* the management service of the directory only */
#define LLITE_OPT_NOMGS		0x0040	/* ... everything except that */
#define LLITE_OPT_WRITECONF	0x0080	/* logs are written from scratch */
#define LLITE_OPT_NOLOCALLOGS	0x0100	/* not from copies of logs */
#define LLITE_OPT_SVNAME	0x0200	/* op_svname */
#define LLITE_OPT_MGSNODE	0x0400	/* op_mgsnode */
#define LLITE_OPT_ACL		0x0800	/* ACLs, the default */
#define LLITE_OPT_NOACL		0x1000
#define LLITE_OPT_USER_XATTR	0x2000	/* attributes user.*, the default */
#define LLITE_OPT_NOUSER_XATTR	0x4000
#define LLITE_OPT_FLOCK		0x8000	/* locks of users are those of all clients, the default */
#define LLITE_OPT_LOCALFLOCK	0x10000	/* ... are this node's */
#define LLITE_OPT_NOFLOCK	0x20000	/* ... are refused */
#define LLITE_OPT_USER_FID2PATH	0x40000	/* users may find and open objects by FID */
#define LLITE_OPT_NOUSER_FID2PATH 0x80000	/* ... the superuser may, the default */

/**
 * struct llite_options - options of a mount
 * @op_given: LLITE_OPT_*
 * @op_last: the last one given
 * @op_exclude: targets to leave inactive, joined by ':'
 * @op_cache: directory for copies of logs
 * @op_svname: required name of the target
 * @op_mgsnode: nodes of the management service
 */
struct llite_options {
	u32	op_given;
	u32	op_last;
	char	op_exclude[LLITE_EXCLUDE_MAX];
	char	op_cache[LLITE_PATH_MAX];
	char	op_svname[LDD_SVNAME_LEN];
	char	op_mgsnode[LLITE_NODES_MAX];
};

int llite_option_set(struct llite_options *op, const char *name,
		     const char *value, char *why);
const char *llite_options_missing(const struct llite_options *op,
				  const char *text, size_t *len);
int llite_options_check(const struct llite_options *op,
			const struct llite_source *src, char *why);
int llite_options_change(struct llite_options *op,
			 const struct llite_options *to, char *why);

/*
 * Print the options for /proc/mounts. @put is called for each; @value may be
 * NULL.
 */
void llite_options_show(const struct llite_options *op,
			void (*put)(void *arg, const char *name,
				    const char *value),
			void *arg);

int llite_mountdata_check(const struct lustre_disk_data *ldd, char *why);
/* Nodes of the management service in ldd_params, joined by ':'. */
int llite_mountdata_mgsnodes(const struct lustre_disk_data *ldd, char *nodes,
			     size_t size, char *why);

#endif /* _LLITE_PARSE_H */
