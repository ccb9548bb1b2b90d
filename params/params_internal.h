/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of the parameters tree.
 *
 *	entry.c		an entry: memory, references, path
 *	dir.c		the children of a directory: sorted and hashed
 *	tree.c		the root, and adding
 *	lookup.c	paths, and looking up
 *	remove.c	removing: mark, drain, unlink
 *	walk.c		going through a subtree, entry by entry
 *	sink.c		packing values into records
 *	value.c		the value of a typed entry
 *	describe.c	declaration of an entry
 *	text.c		text to values: by type; range; booleans, enums and masks
 *	number.c	text to numbers, numbers to text; units
 *	version.c	versions, writes in progress, and the source of a value
 *	change.c	one write: check, apply, undo
 *	pattern.c	matching a name with a pattern; in user space, too
 *	glob.c		patterns of paths, and walking over the matching entries
 *	rule.c		rules: adding and deleting them, and entries that appear
 *	rule_index.c	finding those that match a path
 *	rule_match.c	entries they apply to, and their previous values
 *	rule_apply.c	setting an entry to the value of its rules
 *	stats.c		counters and histograms
 *	hist.c		tables of reads and writes
 *	reader.c	the snapshot of a large value in an open file
 *	out.c		filling a caller's buffer
 *	op_read.c	listing, and reading values
 *	op_write.c	setting values, for tools and from within the kernel
 *	ioctl.c		copies and validates arguments, calls op_*.c; start and end
 *	event.c		generic netlink
 */
#ifndef _PARAMS_INTERNAL_H
#define _PARAMS_INTERNAL_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/stat.h>
#include <linux/types.h>

#include <lustre_lite/active.h>
#include <lustre_lite/params.h>
#include <uapi/lustre_lite/netlink.h>
#include <uapi/lustre_lite/params_ioctl.h>

struct libcfs_file;
struct params_reason;
struct params_ruled;

#define PARAMS_MAGIC		0x4c504531	/* "LPE1" */
#define PARAMS_DEAD_MAGIC	0x4c504544	/* "LPED" */

/* lpe_flags */
#define LPE_LINKED		0x01	/* in its parent's children */
#define LPE_DYNAMIC		0x02	/* lpe_attr is the entry's own memory */

/**
 * struct lustre_params_entry - a directory, a value or a link
 * @lpe_node: in the tree of siblings, by name
 * @lpe_hash: in the parent's hash table, if there is one
 * @lpe_parent: directory above; NULL for the root
 * @lpe_attr: declaration; NULL for a directory or a link. Belongs to the owner as
 *  lpe_data does: accessed only while active
 * @lpe_data: argument of the callbacks
 * @lpe_dir: of a directory: its children
 * @lpe_target: of a link: its target, never a link itself
 * @lpe_ruled: of a value: its rules, see rule_match.c; NULL without any
 * @lpe_refcount: pins the memory, see below
 * @lpe_active: pins the owner's data: held around one callback. Closed while the
 *  entry is not visible yet, dead once it is being removed.
 * @lpe_version: rises when the value or the children change; in the high half. The
 *  low half counts writes in progress and has the source of the value, see version.c
 * @lpe_magic: PARAMS_MAGIC
 * @lpe_mode: S_IF* and permission bits
 * @lpe_name_len: bytes of the name
 * @lpe_flags: LPE_*
 * @lpe_type: enum params_type
 * @lpe_traits: PARAMS_EF_*, as declared
 * @lpe_name: own name, with a NUL
 *
 * References are held by:
 *	the tree	from params_dir_link() to params_dir_unlink()
 *	each child	on its parent, for the child's whole life
 *	each link	on its target, for the link's whole life
 *	each lookup	until params_entry_put()
 *	a walk		on its current directory and the entries of its batch
 *	a remover	on the entry that it removes
 *	a change	on the entry that it sets
 * The last put frees the entry and then drops its references on parent and target. An
 * active reference does not pin the memory: its holder has a reference, too.
 *
 * The parent's pd_rw_sem guards @lpe_node, @lpe_hash and LPE_LINKED;
 * params_ruled_lock guards @lpe_ruled. Everything else except the counters does not
 * change after creation.
 */
struct lustre_params_entry {
	struct rb_node				lpe_node;
	struct hlist_node			lpe_hash;
	struct lustre_params_entry		*lpe_parent;
	const struct lustre_params_attr		*lpe_attr;
	void					*lpe_data;
	union {
		struct params_dir		*lpe_dir;
		struct lustre_params_entry	*lpe_target;
		struct params_ruled		*lpe_ruled;
	};
	refcount_t				lpe_refcount;
	struct libcfs_active			lpe_active;
	atomic64_t				lpe_version;
	u32					lpe_magic;
	u16					lpe_mode;
	u8					lpe_name_len;
	u8					lpe_flags;
	u8					lpe_type;
	u8					lpe_traits;
	char					lpe_name[];
};

/**
 * struct params_dir - the children of a directory
 * @pd_rw_sem: guards all below, and members of the children (the lpe_rw_sem of
 *  the design of 2008, which leaf entries need not have). Never held over a
 *  callback, a copy to or from user space, an allocation that sleeps, or
 *  another pd_rw_sem.
 * @pd_children: sorted by name
 * @pd_buckets: hash table, NULL while there are few
 * @pd_bits: log2 of its size
 * @pd_count: children
 * @pd_dead: being removed, takes no more children
 * @pd_appear: entries that rules match were added, here or below; see
 *  rule.c. No lock.
 * @pd_appear_seq: params_appear_seq() when that was last noted. No lock.
 */
struct params_dir {
	struct rw_semaphore	pd_rw_sem;
	struct rb_root_cached	pd_children;
	struct hlist_head	*pd_buckets;
	unsigned int		pd_bits;
	unsigned int		pd_count;
	bool			pd_dead;
	bool			pd_appear;
	int			pd_appear_seq;
};

static inline bool params_is_dir(const struct lustre_params_entry *lpe)
{
	return S_ISDIR(lpe->lpe_mode);
}

static inline bool params_is_link(const struct lustre_params_entry *lpe)
{
	return S_ISLNK(lpe->lpe_mode);
}

#define LPE_WRITE	1LL
#define LPE_VERSION	(1LL << 32)

static inline u32 params_state_version(s64 state)
{
	return (u64)state >> 32;
}

/* Own version of an entry; params_entry_version() follows a link. */
static inline u32 params_version(const struct lustre_params_entry *lpe)
{
	return params_state_version(atomic64_read(&lpe->lpe_version));
}

static inline void params_version_raise(struct lustre_params_entry *lpe)
{
	atomic64_add(LPE_VERSION, &lpe->lpe_version);
}

/* The target of a link, else the entry itself; no reference is taken. */
static inline struct lustre_params_entry *
params_resolve(struct lustre_params_entry *lpe)
{
	return params_is_link(lpe) ? lpe->lpe_target : lpe;
}

/* version.c */
s64 params_state(const struct lustre_params_entry *lpe);
enum params_source params_state_source(s64 state);
bool params_state_quiet(s64 state);
enum params_source params_write_begin(struct lustre_params_entry *lpe);
bool params_write_begin_alone(struct lustre_params_entry *lpe, s64 *state);
bool params_write_begin_if(struct lustre_params_entry *lpe, bool ruled);
void params_write_end(struct lustre_params_entry *lpe);
void params_write_end_as(struct lustre_params_entry *lpe,
			 enum params_source source);
bool params_write_end_alone(struct lustre_params_entry *lpe, s64 state,
			    enum params_source source);
void params_write_end_unruled(struct lustre_params_entry *lpe,
			      enum params_source source);

/* entry.c */
int params_name_check(const char *name, size_t len);
struct lustre_params_entry *
params_entry_alloc(struct lustre_params_entry *parent, const char *name,
		   umode_t mode, const struct lustre_params_attr *attr,
		   void *data);
bool params_entry_hidden(const struct lustre_params_entry *lpe);
int __must_check params_entry_activate(struct lustre_params_entry *lpe);
void params_entry_deactivate(struct lustre_params_entry *lpe);
int params_entry_path(struct lustre_params_entry *lpe, char *buf, size_t size);
u8 params_entry_type(const struct lustre_params_entry *lpe);
u32 params_entry_flags(const struct lustre_params_entry *lpe);
umode_t params_entry_mode(const struct lustre_params_entry *lpe);
u32 params_entry_version(struct lustre_params_entry *lpe);

/**
 * struct params_about - properties of an entry; of a link its target's, except
 * S_IF* in the mode
 * @ab_version: version; read before the value is, see version.c
 * @ab_mode: S_IF* and permission bits
 * @ab_type: enum params_type
 * @ab_flags: PARAMS_EF_*
 */
struct params_about {
	u32	ab_version;
	u16	ab_mode;
	u8	ab_type;
	u8	ab_flags;
};

void params_entry_about(struct lustre_params_entry *lpe,
			struct params_about *about);

/**
 * params_entry_get() - take a reference
 * @lpe: entry; the caller has or borrows a reference
 *
 * Context: any
 * Return: @lpe
 */
static inline struct lustre_params_entry *
params_entry_get(struct lustre_params_entry *lpe)
{
	refcount_inc(&lpe->lpe_refcount);
	return lpe;
}

/**
 * params_entry_gate() - whether an entry is visible
 * @lpe: entry
 *
 * Context: any
 * Return: 0, -ENOENT if it is not visible yet, -ENODEV if it is being removed
 */
static inline int params_entry_gate(struct lustre_params_entry *lpe)
{
	if (likely(libcfs_active_is_open(&lpe->lpe_active)))
		return 0;
	return libcfs_active_is_dead(&lpe->lpe_active) ? -ENODEV : -ENOENT;
}

/* dir.c; all except alloc, free and reserve need pd_rw_sem */
struct params_dir *params_dir_alloc(void);
void params_dir_free(struct params_dir *dir);
struct lustre_params_entry *params_dir_find(struct params_dir *dir,
					    const char *name, size_t len);
struct lustre_params_entry *params_dir_first(struct params_dir *dir);
struct lustre_params_entry *params_dir_after(struct params_dir *dir,
					     const char *name, size_t len);
struct lustre_params_entry *params_dir_next(struct params_dir *dir,
					    struct lustre_params_entry *lpe);
int params_dir_link(struct params_dir *dir, struct lustre_params_entry *lpe);
void params_dir_unlink(struct params_dir *dir, struct lustre_params_entry *lpe);

/**
 * struct params_table - a hash table, allocated before the lock is taken
 * @tbl_buckets: the table, NULL if none is needed
 * @tbl_bits: log2 of its size
 */
struct params_table {
	struct hlist_head	*tbl_buckets;
	unsigned int		tbl_bits;
};

int params_table_reserve(struct params_table *table, struct params_dir *dir,
			 size_t more);
void params_table_install(struct params_table *table, struct params_dir *dir);
void params_table_free(struct params_table *table);

/* tree.c */
int params_tree_init(void);
void params_tree_exit(void);
struct lustre_params_entry *params_root(void);

/* lookup.c */
struct lustre_params_entry * __must_check
params_find(struct lustre_params_entry *dir, const char *path, size_t len);
struct lustre_params_entry * __must_check
params_find_dir(const char *path, size_t len);
struct lustre_params_entry *params_follow(struct lustre_params_entry *lpe);
int params_path_check(const char *path, size_t len);
size_t params_path_component(const char *path, size_t len);

/* walk.c */
#define PARAMS_WALK_BATCH	32

/**
 * struct params_walk - position of a walk through a subtree
 * @wk_dir: directory whose children are being returned; the walk's reference
 * @wk_depth: levels between the root of the walk and @wk_dir
 * @wk_levels: levels to descend; 1 is the children only
 * @wk_all: return hidden entries too
 * @wk_begun: the first entry was looked for
 * @wk_here: index in @wk_batch of the entry returned last, plus 1
 * @wk_count: entries in @wk_batch
 * @wk_batch: siblings in order, a reference on each from @wk_here - 1 on
 */
struct params_walk {
	struct lustre_params_entry	*wk_dir;
	unsigned int			wk_depth;
	unsigned int			wk_levels;
	bool				wk_all;
	bool				wk_begun;
	unsigned int			wk_here;
	unsigned int			wk_count;
	struct lustre_params_entry	*wk_batch[PARAMS_WALK_BATCH];
};

void params_walk_start(struct params_walk *walk,
		       struct lustre_params_entry *root, unsigned int levels);
void params_walk_resume(struct params_walk *walk, const char *after,
			size_t len);
struct lustre_params_entry *params_walk_next(struct params_walk *walk);
void params_walk_end(struct params_walk *walk);

/* sink.c */

/**
 * struct params_sink - records being packed
 * @snk_buf: buffer
 * @snk_size: its bytes
 * @snk_used: bytes filled
 * @snk_own: @snk_buf was allocated by the sink (kvmalloc), not by the caller
 * @snk_depth: open lists
 * @snk_error: first error, 0 while there is none
 * @snk_limit: most bytes, PARAMS_VALUE_MAX
 *
 * A sink starts in the caller's buffer, and allocates its own when that is
 * full.
 */
struct params_sink {
	char		*snk_buf;
	size_t		snk_size;
	size_t		snk_used;
	bool		snk_own;
	unsigned int	snk_depth;
	int		snk_error;
	size_t		snk_limit;
};

void params_sink_init(struct params_sink *sink, char *buf, size_t size);
void params_sink_free(struct params_sink *sink);
int params_sink_finish(struct params_sink *sink);
size_t params_rec_bytes(const struct params_value_rec *rec);

/* value.c */
int params_value_pack(struct lustre_params_entry *lpe,
		      struct params_sink *sink);
int params_value_number(struct lustre_params_entry *lpe, u64 *bits);
int params_value_set_number(struct lustre_params_entry *lpe, u64 bits);
int params_value_text(struct lustre_params_entry *lpe, char **text,
		      size_t *len);
int params_put_in_unit(struct params_sink *sink, const char *name, u64 bytes,
		       enum params_unit unit);
int params_may_read(const struct lustre_params_entry *lpe);
int params_may_write(const struct lustre_params_entry *lpe);
bool params_type_is_number(u8 type);

/* describe.c */
int params_describe(struct lustre_params_entry *lpe, struct params_sink *sink);

/* remove.c: see params.h */

/* reader.c */
struct params_reader;

void params_reader_free(struct params_reader *reader);
int params_reader_save(struct libcfs_file *lf, struct params_sink *sink,
		       const struct params_about *about, u64 *id);
int params_reader_read(struct libcfs_file *lf, struct params_ioc_read *pr);

/* out.c */
#define PARAMS_BOUNCE		(8 * 1024)	/* zeroed for each call: keep it small */

/**
 * struct params_out - filling a caller's buffer with records
 * @out_user: the buffer
 * @out_space: its bytes
 * @out_done: bytes copied there
 * @out_buf: kernel buffer of bytes to copy
 * @out_size: bytes of @out_buf
 * @out_fill: bytes in it
 * @out_need: bytes needed by the record that did not fit
 */
struct params_out {
	char __user	*out_user;
	size_t		out_space;
	size_t		out_done;
	char		*out_buf;
	size_t		out_size;
	size_t		out_fill;
	size_t		out_need;
};

int params_out_init(struct params_out *out, u64 user, u32 size);
void params_out_free(struct params_out *out);
size_t params_out_left(const struct params_out *out);
void *params_out_reserve(struct params_out *out, size_t len);
int params_out_tail(struct params_out *out, size_t want);
int params_out_copy(struct params_out *out, const void *data, size_t len);
int params_out_flush(struct params_out *out);

/* op_*.c: called by ioctl.c with validated paths and kernel buffers */
int params_op_list(struct params_ioc_list *pl, const char *path,
		   const char *after, struct params_out *out);
int params_op_read(struct libcfs_file *lf, struct params_ioc_read *pr,
		   const char *path);
int params_op_read_list(struct libcfs_file *lf,
			struct params_ioc_read_batch *rb, const char *paths,
			struct params_out *out);
int params_op_read_subtree(struct libcfs_file *lf,
			   struct params_ioc_read_batch *rb, const char *path,
			   const char *after, struct params_out *out);
int params_op_write(struct params_ioc_write *pw, const char *path,
		    const char *value, struct params_reason *why);
int params_op_write_batch(struct params_ioc_write_batch *wb, const char *in,
			  struct params_out *out);

/* event.c */
int params_event_init(void);
void params_event_exit(void);
void params_event_send(enum ll_params_event event,
		       struct lustre_params_entry *lpe);

/* Send an event, unless the entry is hidden. */
static inline void params_event(enum ll_params_event event,
				struct lustre_params_entry *lpe)
{
	if (!params_entry_hidden(lpe))
		params_event_send(event, lpe);
}

/* ioctl.c */
int params_init(void);
void params_exit(void);
long params_ioctl(struct libcfs_file *lf, unsigned int nr, void __user *arg,
		  size_t size);

#endif /* _PARAMS_INTERNAL_H */
