/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters tree, for the rest of the kernel.
 *
 * A subsystem creates a directory, adds a table of typed attributes to it and removes
 * the directory before its data goes away:
 *
 *	dir = params_add_dir(NULL, "osc", NULL);
 *	rc = params_add_attrs(dir, osc_attrs, ARRAY_SIZE(osc_attrs), osc);
 *	...
 *	params_remove(dir);	-- no callback runs or will run
 *
 * Documentation/params.md shows how to write a table, Documentation/locking.md the locks
 * and Documentation/lifetimes.md the references.
 */
#ifndef _LUSTRE_LITE_PARAMS_H
#define _LUSTRE_LITE_PARAMS_H

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/types.h>

#include <lustre_lite/compat.h>
#include <uapi/lustre_lite/params_ioctl.h>

/* Largest reason of a refused rule, bytes. */
#define PARAMS_RULE_WHY	160

struct lustre_params_entry;
struct params_sink;
struct params_stats;

/**
 * typedef lustre_params_read_t - pack a value
 * @sink: destination of the params_put_*() calls
 * @data: lpe_data of the entry
 *
 * Context: may sleep; no lock of the tree is held. Must not remove its own
 *  entry nor wait for the network.
 * Return: 0 or a negative errno
 */
typedef int (lustre_params_read_t)(struct params_sink *sink, void *data);

/**
 * typedef lustre_params_write_t - take a value as text
 * @text: NUL-terminated, without a trailing newline
 * @len: its bytes
 * @data: lpe_data of the entry
 *
 * Context: as lustre_params_read_t
 * Return: 0 or a negative errno
 */
typedef int (lustre_params_write_t)(const char *text, size_t len, void *data);

/**
 * struct lustre_params_attr - one parameter, declared
 * @name: name, 1 to PARAMS_NAME_MAX bytes without '/'
 * @doc: one line of help
 * @type: enum params_type
 * @unit: enum params_unit, in which a bare number is meant and printed
 * @mode: permission bits; 0222 only where there is a way to write
 * @field: the value lies at lpe_data + @offset: u32 for U32 S32 and ENUM, u64
 *	for U64 S64 BYTES MASK and TIME, bool for BOOL; accessed with READ_ONCE
 *	and WRITE_ONCE, no callbacks needed
 * @is_volatile: a read has a side effect, so recursion skips it
 * @not_setting: writable, but not a tunable: a trigger, a statistic
 * @hex: prints in hexadecimal
 * @wall: TIME: a moment since 1970, not a duration
 * @has_def: @def is declared
 * @dynamic: created by params_add_entry(), not set by others
 * @offset: see @field
 * @get_u: U32 U64 BOOL ENUM (the index) BYTES (bytes) MASK: get the value
 * @get_s: S32 S64 TIME (nanoseconds): get the value
 * @get_str: STRING: fill @size bytes, return the length without NUL, which may
 *  be missing; -EOVERFLOW requests a larger buffer
 * @get_stats: STATS: get the counters
 * @read: RECORDS: pack the value
 * @set_u: set the value of @get_u
 * @set_s: set the value of @get_s
 * @write: STRING RECORDS TRIGGER: take the text; STATS handle "clear" without
 *  it
 * @min: smallest value, in the type's own unit (bytes, nanoseconds); with @max
 *  0 too the type is the only limit. Signed types read both as s64. STRING:
 *  fewest bytes
 * @max: largest value; STRING: most bytes
 * @def: initial value, if @has_def
 * @names: ENUM, MASK: names, by index or bit, NULL at the end; a hole is ""
 * @total: value of 100 %, for an attribute that takes a percentage
 *
 * Tables are static and const: an entry points to its attribute until
 * params_remove() has returned.
 *
 * A callback gets lpe_data. Its entry cannot be removed while it runs, so
 * lpe_data stays valid. It may sleep. It gets a value only after type, unit and
 * range were checked, or one of its own when a set of writes is undone.
 */
struct lustre_params_attr {
	const char		*name;
	const char		*doc;
	u8			type;
	u8			unit;
	u16			mode;
	u32			field:1;
	u32			is_volatile:1;
	u32			not_setting:1;
	u32			hex:1;
	u32			wall:1;
	u32			has_def:1;
	u32			dynamic:1;
	u32			offset;
	union {
		int (*get_u)(void *data, u64 *val);
		int (*get_s)(void *data, s64 *val);
		ssize_t (*get_str)(void *data, char *buf, size_t size);
		struct params_stats *(*get_stats)(void *data);
		lustre_params_read_t *read;
	};
	union {
		int (*set_u)(void *data, u64 val);
		int (*set_s)(void *data, s64 val);
		lustre_params_write_t *write;
	};
	u64			min;
	u64			max;
	u64			def;
	const char *const	*names;
	u64 (*total)(void *data);
};

/*
 * Declarations: the fixed arguments first, then any further members, e.g.
 *
 *	LP_U32_RW("max_rpcs_in_flight", osc_mrif_get, osc_mrif_set,
 *		  .min = 1, .max = 256, LP_DEF(8), .doc = "RPCs on the wire"),
 *	LP_U32_FIELD("idle_timeout", struct osc, idle_timeout,
 *		     .unit = PARAMS_UNIT_SEC, .doc = "..."),
 */
#define LP_DEF(v)		.has_def = 1, .def = (v)

#define __LP(n, t, m, ...)						\
	{ .name = (n), .type = PARAMS_T_##t, .mode = (m), ##__VA_ARGS__ }
#define __LP_RO(n, t, getter, fn, ...)					\
	__LP(n, t, 0444, .getter = (fn), ##__VA_ARGS__)
#define __LP_RW(n, t, getter, gfn, setter, sfn, ...)			\
	__LP(n, t, 0644, .getter = (gfn), .setter = (sfn), ##__VA_ARGS__)
#define __LP_FIELD(n, t, s, f, ...)					\
	__LP(n, t, 0644, .field = 1, .offset = offsetof(s, f), ##__VA_ARGS__)

#define LP_U32_RO(n, get, ...)	__LP_RO(n, U32, get_u, get, ##__VA_ARGS__)
#define LP_U64_RO(n, get, ...)	__LP_RO(n, U64, get_u, get, ##__VA_ARGS__)
#define LP_S32_RO(n, get, ...)	__LP_RO(n, S32, get_s, get, ##__VA_ARGS__)
#define LP_S64_RO(n, get, ...)	__LP_RO(n, S64, get_s, get, ##__VA_ARGS__)
#define LP_BOOL_RO(n, get, ...)	__LP_RO(n, BOOL, get_u, get, ##__VA_ARGS__)
#define LP_ENUM_RO(n, tab, get, ...)					\
	__LP_RO(n, ENUM, get_u, get, .names = (tab), ##__VA_ARGS__)
#define LP_BYTES_RO(n, get, ...) __LP_RO(n, BYTES, get_u, get, ##__VA_ARGS__)
#define LP_TIME_RO(n, get, ...)	__LP_RO(n, TIME, get_s, get, ##__VA_ARGS__)
#define LP_STR_RO(n, get, ...)	__LP_RO(n, STRING, get_str, get, ##__VA_ARGS__)
#define LP_READER(n, fn, ...)	__LP_RO(n, RECORDS, read, fn, ##__VA_ARGS__)
#define LP_STATS_RO(n, get, ...) __LP_RO(n, STATS, get_stats, get, ##__VA_ARGS__)

#define LP_U32_RW(n, get, set, ...)					\
	__LP_RW(n, U32, get_u, get, set_u, set, ##__VA_ARGS__)
#define LP_U64_RW(n, get, set, ...)					\
	__LP_RW(n, U64, get_u, get, set_u, set, ##__VA_ARGS__)
#define LP_S32_RW(n, get, set, ...)					\
	__LP_RW(n, S32, get_s, get, set_s, set, ##__VA_ARGS__)
#define LP_S64_RW(n, get, set, ...)					\
	__LP_RW(n, S64, get_s, get, set_s, set, ##__VA_ARGS__)
#define LP_BOOL_RW(n, get, set, ...)					\
	__LP_RW(n, BOOL, get_u, get, set_u, set, ##__VA_ARGS__)
#define LP_ENUM_RW(n, tab, get, set, ...)				\
	__LP_RW(n, ENUM, get_u, get, set_u, set, .names = (tab), ##__VA_ARGS__)
#define LP_MASK_RW(n, tab, get, set, ...)				\
	__LP_RW(n, MASK, get_u, get, set_u, set, .names = (tab), ##__VA_ARGS__)
#define LP_BYTES_RW(n, get, set, ...)					\
	__LP_RW(n, BYTES, get_u, get, set_u, set, ##__VA_ARGS__)
#define LP_TIME_RW(n, get, set, ...)					\
	__LP_RW(n, TIME, get_s, get, set_s, set, ##__VA_ARGS__)
#define LP_STR_RW(n, get, set, ...)					\
	__LP_RW(n, STRING, get_str, get, write, set, ##__VA_ARGS__)
#define LP_READER_RW(n, fn, wfn, ...)					\
	__LP_RW(n, RECORDS, read, fn, write, wfn, ##__VA_ARGS__)
#define LP_STATS_RWC(n, get, ...)					\
	__LP(n, STATS, 0644, .get_stats = (get), .not_setting = 1, ##__VA_ARGS__)
#define LP_TRIGGER(n, fn, ...)						\
	__LP(n, TRIGGER, 0200, .write = (fn), .not_setting = 1, ##__VA_ARGS__)

#define LP_U32_FIELD(n, s, f, ...)	__LP_FIELD(n, U32, s, f, ##__VA_ARGS__)
#define LP_U64_FIELD(n, s, f, ...)	__LP_FIELD(n, U64, s, f, ##__VA_ARGS__)
#define LP_S32_FIELD(n, s, f, ...)	__LP_FIELD(n, S32, s, f, ##__VA_ARGS__)
#define LP_S64_FIELD(n, s, f, ...)	__LP_FIELD(n, S64, s, f, ##__VA_ARGS__)
#define LP_BOOL_FIELD(n, s, f, ...)	__LP_FIELD(n, BOOL, s, f, ##__VA_ARGS__)
#define LP_BYTES_FIELD(n, s, f, ...)	__LP_FIELD(n, BYTES, s, f, ##__VA_ARGS__)
#define LP_TIME_FIELD(n, s, f, ...)	__LP_FIELD(n, TIME, s, f, ##__VA_ARGS__)

/*
 * The tree. A NULL parent is the root. Paths are components joined by '/'.
 * Every function may sleep; none may be called under a spinlock.
 *
 * The adders return the tree's own reference: it is valid until the owner of
 * the entry removes it. Only params_lookup_entry() returns a reference of the
 * caller's own.
 */
struct lustre_params_entry *
params_add_dir(struct lustre_params_entry *parent, const char *name, void *data);
struct lustre_params_entry *
params_add_dir_hidden(struct lustre_params_entry *parent, const char *name,
		      void *data);
int params_publish(struct lustre_params_entry *dir);
int params_add_attrs(struct lustre_params_entry *dir,
		     const struct lustre_params_attr *attrs, size_t count,
		     void *data);
int params_add_link(struct lustre_params_entry *parent, const char *name,
		    const char *target);
void params_remove(struct lustre_params_entry *entry);
void params_changed(struct lustre_params_entry *entry);

/*
 * Setting from within the kernel: values are text, checked like those from user
 * space. @flags: PARAMS_W_DRY_RUN. @why, if not NULL, gets the reason of a
 * refusal.
 */
int params_set(struct lustre_params_entry *dir, const char *path,
	       const char *value, u32 flags, char *why, size_t why_size);
int params_set_matching(const char *pattern, const char *value, u32 flags,
			char *why, size_t why_size);

/*
 * Rules: settings that persist. A rule sets the matching parameters when it is
 * added, and from then on every matching parameter that appears, before a
 * reader can see another value. If several rules match, the one added last
 * wins. A value set by a user stays until a matching rule is added. When the
 * last rule that set a parameter is removed, the previous value is restored
 * unless a user has set it since. The description of a parameter tells its
 * source (enum params_source).
 */
struct params_rule;

/**
 * enum params_source - source of a value
 * @PARAMS_SOURCE_DEFAULT: never set
 * @PARAMS_SOURCE_LOCAL: set by a user on this node, or by params_set() and
 *  similar
 * @PARAMS_SOURCE_PERMANENT: set by a rule
 */
enum params_source {
	PARAMS_SOURCE_DEFAULT,
	PARAMS_SOURCE_LOCAL,
	PARAMS_SOURCE_PERMANENT,
};

/**
 * struct params_rule_spec - a rule
 * @pattern: as of set_param, components joined by '.', with its escapes
 * @value: text, checked like a value from user space
 * @applies: whether a parameter that @pattern matches is meant, by its path,
 *  components joined by '/'; NULL: all are. Called without a lock of the tree
 * @data: argument of @applies
 */
struct params_rule_spec {
	const char	*pattern;
	const char	*value;
	bool		(*applies)(const char *path, void *data);
	void		*data;
};

/**
 * struct params_rule_result - result of a rule so far
 * @matched: parameters that it applies to
 * @refused: those of them that refused the value
 * @why: reason of the first refusal
 */
struct params_rule_result {
	u32	matched;
	u32	refused;
	char	why[PARAMS_RULE_WHY];
};

/* Set once what a rule would set, as params_set_matching() does: a trial. */
int params_set_matching_where(const struct params_rule_spec *spec, u32 flags,
			      char *why, size_t why_size);

/*
 * -EINVAL for a malformed pattern; -ENOMEM. A rule that matches nothing or
 * whose value is refused is added all the same: see @result, and
 * params_rule_result() later.
 */
struct params_rule * __must_check
params_rule_add(const struct params_rule_spec *spec,
		struct params_rule_result *result);
/* After this none of its callbacks runs. */
void params_rule_del(struct params_rule *rule);
void params_rule_result(struct params_rule *rule,
			struct params_rule_result *result);

/* The interface of the parameters design of 2008. */
int params_add_entry(struct lustre_params_entry *lpe, const char *name,
		     lustre_params_read_t *read_cb,
		     lustre_params_write_t *write_cb, void *data);
int params_delete_entry(struct lustre_params_entry *lpe, const char *name);
struct lustre_params_entry * __must_check
params_lookup_entry(struct lustre_params_entry *lpe, const char *path);
void params_entry_put(struct lustre_params_entry *lpe);

/*
 * Packing, for read callbacks. A NULL name makes an unnamed record. Each
 * returns 0 or -errno. Errors are sticky, so a callback may ignore them and
 * return params_sink_error() at its end.
 */
int params_put_u64(struct params_sink *sink, const char *name, u64 val);
int params_put_hex(struct params_sink *sink, const char *name, u64 val);
int params_put_s64(struct params_sink *sink, const char *name, s64 val);
int params_put_bool(struct params_sink *sink, const char *name, bool val);
int params_put_bytes(struct params_sink *sink, const char *name, u64 bytes);
int params_put_str(struct params_sink *sink, const char *name, const char *text);
int params_put_strn(struct params_sink *sink, const char *name,
		    const char *text, size_t len);
__printf(3, 4)
int params_put_strf(struct params_sink *sink, const char *name,
		    const char *fmt, ...);
int params_put_blob(struct params_sink *sink, const char *name,
		    const void *data, size_t len);
int params_put_time(struct params_sink *sink, const char *name, s64 ns,
		    enum params_unit unit, enum params_time_kind kind);
int params_put_counter(struct params_sink *sink, const char *name,
		       const struct params_counter *counter);
int params_put_bucket(struct params_sink *sink,
		      const struct params_bucket *bucket);
int params_list_begin(struct params_sink *sink, const char *name,
		      enum params_list_kind kind);
int params_list_end(struct params_sink *sink);
int params_sink_error(const struct params_sink *sink);

/* Statistics: counters per processor, read and cleared as one. */

/**
 * struct params_stat_desc - a counter or a histogram, declared
 * @name: name
 * @unit: enum params_unit
 * @flags: PARAMS_CF_*, of a counter
 * @buckets: 0 for a counter, else buckets of a histogram by powers of two:
 *  bucket 0 counts 0, bucket N counts 2^(N-1) .. 2^N - 1, the last one
 *  everything above; 2 to 65
 */
struct params_stat_desc {
	const char	*name;
	u8		unit;
	u8		flags;
	u8		buckets;
};

/* A counter of samples with all figures: least, greatest, sum, sum of squares. */
#define PARAMS_STAT_SAMPLES(n, u)	{ .name = (n), .unit = (u),			\
					  .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV }

struct params_stats *params_stats_alloc(const struct params_stat_desc *desc,
					unsigned int count);
struct params_stats *params_stats_alloc_small(const struct params_stat_desc *desc,
					      unsigned int count);
void params_stats_free(struct params_stats *stats);
void params_stats_add(struct params_stats *stats, unsigned int idx, u64 val);
void params_stats_clear(struct params_stats *stats);
int params_stats_read(struct params_stats *stats, unsigned int idx,
		      struct params_counter *counter);
int params_stats_put(struct params_sink *sink, struct params_stats *stats);

#endif /* _LUSTRE_LITE_PARAMS_H */
