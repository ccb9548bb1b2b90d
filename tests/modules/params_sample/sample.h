/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * params_sample.ko: a tree to try things with.
 *
 *	sample/
 *		lustre-OST0000/		groups: what a client's device looks like
 *			active, import, stats, ... (36 values of every type)
 *		...
 *		special/		values that are slow, fail, refuse, are large
 *		control/		triggers that add and delete subtrees
 *		dyn/			what the triggers add
 *		churn/			what threads add and delete without pause
 *		links/			symbolic links
 *		few/ wide/		ten children, and wide=N children
 *		deep/			directories in directories
 *		measure/		how long a lookup takes
 *
 * extras=0 leaves the groups alone, for counting and timing.
 */
#ifndef _SAMPLE_H
#define _SAMPLE_H

#include <linux/kobject.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>

#define SAMPLE_NAME		"sample"
#define SAMPLE_UUID_MAX		40
#define SAMPLE_GROUP_ATTRS	36

enum sample_op {
	SAMPLE_OP_READ_BYTES,
	SAMPLE_OP_WRITE_BYTES,
	SAMPLE_OP_READ,
	SAMPLE_OP_PING,
	SAMPLE_OP_COUNT,
};

/**
 * struct sample_group - the owner's data of one group of values
 * @sg_dir: the group's directory, lent by the tree
 * @sg_kobj: the group's twin in sysfs
 * @sg_in_sysfs: @sg_kobj was added
 * @sg_index: number in the name
 * @sg_lock: guards @sg_conn_uuid
 * @sg_conn_uuid: a text that can be set
 * @sg_ops: counters, this group's or those shared by all
 * @sg_sizes: histogram, likewise
 * @sg_own_stats: @sg_ops and @sg_sizes are this group's own
 */
struct sample_group {
	struct lustre_params_entry	*sg_dir;
	struct kobject			sg_kobj;
	bool				sg_in_sysfs;
	bool				sg_own_stats;
	u32				sg_index;
	spinlock_t			sg_lock;	/* guards sg_conn_uuid */
	char				sg_conn_uuid[SAMPLE_UUID_MAX];
	struct params_stats		*sg_ops;
	struct params_stats		*sg_sizes;

	/* private: values that the tree reads and writes in place */
	u32	max_rpcs_in_flight;
	u32	max_mod_rpcs_in_flight;
	u32	max_pages_per_rpc;
	u32	max_parallel_ast;
	u32	resend_count;
	u32	contended_locks;
	u32	ldlm_enqueue_min;
	u32	short_io_pages;
	u32	checksum_type;
	u64	lru_size;
	u64	max_dirty;
	u64	short_io_bytes;
	u64	connect_flags;
	s64	clock_skew;
	s64	dirty_balance;
	s64	idle_timeout;
	s64	lru_max_age;
	s32	nice_level;
	s32	numa_node;
	bool	active;
	bool	checksums;
	bool	grant_shrink;
	bool	pinger_recov;
};

/* group.c */
extern const struct lustre_params_attr sample_group_attrs[SAMPLE_GROUP_ATTRS];
struct sample_group *sample_group_alloc(u32 index, struct sample_group *shared);
void sample_group_free(struct sample_group *group);
void sample_group_sample(struct sample_group *group, unsigned int samples);
int sample_group_publish(struct sample_group *group,
			 struct lustre_params_entry *parent, const char *name,
			 size_t count);
void sample_group_unpublish(struct sample_group *group);

/* groups.c: the groups that are there from load to unload */
int sample_groups_add(struct lustre_params_entry *root);
void sample_groups_remove(void);
void sample_groups_sample(unsigned int samples);
struct sample_group *sample_groups_first(void);

/* sysfs.c: the twin below /sys/kernel/params_sample */
int sample_sysfs_init(void);
void sample_sysfs_exit(void);
int sample_sysfs_add(struct sample_group *group, size_t count);
void sample_sysfs_remove(struct sample_group *group);

/* special.c */
int sample_special_add(struct lustre_params_entry *root);
void sample_special_free(void);
const char *sample_special_text(size_t *len);

/* shape.c: wide and deep directories, links, and a clock for lookups */
int sample_shape_add(struct lustre_params_entry *root);
void sample_shape_remove(void);

/* dyn.c: subtrees that come and go, each below sample/dyn */
int sample_dyn_init(struct lustre_params_entry *root);
int sample_dyn_create(const char *name, unsigned int count);
int sample_dyn_delete(const char *name);
void sample_dyn_exit(void);

/* control.c: triggers */
int sample_control_add(struct lustre_params_entry *root);
void sample_control_remove(void);

/* churn.c: threads that add and delete subtrees without pause */
int sample_churn_start(struct lustre_params_entry *root);
void sample_churn_stop(void);
u64 sample_churn_cycles(void);

/* ioctl.c */
int sample_ioctl_register(void);
void sample_ioctl_deregister(void);

#endif /* _SAMPLE_H */
