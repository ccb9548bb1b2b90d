/* SPDX-License-Identifier: GPL-2.0 */
/*
 * liblustrelite: list, read and write the parameters tree of lustre-lite.
 *
 * The functions and structures are those of the parameters design of 2008
 * (params_list, params_read, params_write, params_value_entry, list_entry), with
 * these differences:
 *
 *  - Every function takes a handle first, an open /dev/libcfs. NULL stands for
 *    the calling thread's own, opened at its first use and closed when the
 *    thread ends.
 *  - The design passes values in a kernel list_head, which user space does not
 *    have: values are a linked list through pve_next, and a list of paths is one
 *    through le_next, as in the design.
 *  - The design's offset counts bytes of a text; here it counts records, since a
 *    value is records.
 *  - pve_value points to the value; for a number it points to one of 8 bytes, so
 *    that there is one way to get at it (params_value_u64() and the like do).
 *
 * Names
 *	A name is what a person types to lctl: "osc.a.state" or "osc/a/state", a
 *	dot within a component as "\." or within quotes; a NID after "exports" or
 *	after "MGC" keeps its dots. A pattern may hold the globs * ? [set] [!set]
 *	{a,b} within a component and ** across components. Where a function takes
 *	a length, -1 means that the text ends with a NUL.
 *
 * Errors
 *	A function that fails returns a negative errno: -ENOENT no such name,
 *	-ENODEV it is being removed, -EACCES or -EPERM not allowed, -EISDIR or
 *	-ENOTDIR, -EINVAL text that makes no sense, -ERANGE, -ESTALE another
 *	version, -E2BIG, -ENAMETOOLONG, -ENOMEM, -EPROTO a module of another ABI,
 *	-EBADMSG the module sent what makes no sense. Opening gives what open(2)
 *	gives; -ENOENT or -ENXIO then mean that libcfs.ko is not loaded.
 *	params_error() has the words.
 *
 * Threads
 *	A handle is used by one thread at a time; different handles are
 *	independent. Results belong to the caller and may go to any thread.
 *
 * Memory
 *	What a function allocates, the caller frees with the function named
 *	there; every free function takes NULL.
 */
#ifndef LUSTRE_LITE_LIBLUSTRELITE_H
#define LUSTRE_LITE_LIBLUSTRELITE_H

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C */
#include <stddef.h>
#include <stdint.h>

#include <uapi/lustre_lite/params_ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define LIBLUSTRELITE_VERSION_MAJOR	1
#define LIBLUSTRELITE_VERSION_MINOR	0

/* ---- handles ---------------------------------------------------------- */

struct params_handle;

/**
 * params_open() - open /dev/libcfs and compare versions
 * @handle: out, to be closed with params_close(); also set when the call fails
 *	for another reason than memory, so that params_error() can be asked; it
 *	is to be closed then too
 *
 * Return: 0 or a negative errno
 */
int params_open(struct params_handle **handle);
void params_close(struct params_handle *handle);

/**
 * params_error() - words for the last failure of a handle
 * @handle: handle, or NULL for the calling thread's own
 *
 * Return: text that names the object and what to do; "" before any failure.
 *	Good until the next call with that handle.
 */
const char *params_error(struct params_handle *handle);

/* ---- listing ---------------------------------------------------------- */

/**
 * struct list_entry - a name that matched
 * @le_name: whole name, as params_read() and lctl take it, NUL-terminated
 * @le_name_len: its bytes, without the NUL
 * @le_next: next entry, NULL at the end
 * @le_mode: kind and permissions as in stat(2): S_ISDIR(le_mode) ...
 * @le_type: enum params_type; of a link its target's
 * @le_flags: PARAMS_EF_VOLATILE, PARAMS_EF_TUNABLE
 * @le_version: rises whenever the value or the children change
 */
struct list_entry {
	char			*le_name;
	int			le_name_len;
	struct list_entry	*le_next;
	int			le_mode;
	int			le_type;
	unsigned int		le_flags;
	uint32_t		le_version;
};

/**
 * params_list() - entries whose name matches
 * @handle: handle or NULL
 * @pattern: name, with or without globs
 * @list: out, the entries in the order of the tree; free with
 *	params_list_free()
 *
 * Return: 0, or a negative errno; -ENOENT when nothing matches
 */
int params_list(struct params_handle *handle, const char *pattern,
		struct list_entry **list);
void params_list_free(struct list_entry *list);

/* ---- values ----------------------------------------------------------- */

/**
 * struct params_value_entry - one record of a value
 * @pve_next: next record, NULL at the end
 * @pve_type: what @pve_value points to, enum params_value_type; a number, since
 *	a newer module may send a type that this header does not have
 * @pve_name_len: bytes of @pve_name, 0 for a record without a name
 * @pve_name: its name, NUL-terminated
 * @pve_value_len: bytes of @pve_value
 * @pve_value: the value, aligned for its type; a NUL follows that
 *	pve_value_len does not count
 *
 * A list within a value is a PARAMS_V_LIST_BEGIN, its members and a
 * PARAMS_V_LIST_END. A text that crossed in pieces is one record here.
 */
struct params_value_entry {
	struct params_value_entry	*pve_next;
	uint32_t			pve_type;
	uint32_t			pve_name_len;
	char				*pve_name;
	uint32_t			pve_value_len;
	char				*pve_value;
};

/**
 * params_read() - value of one entry
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: its bytes, or -1
 * @values: out, the records; free with params_value_free(). An empty value is
 *	NULL.
 * @offset: records to leave out at the beginning
 * @opt_flag: 0
 *
 * Return: bytes of the value as it was packed (0 or more), or a negative errno
 */
int params_read(struct params_handle *handle, const char *path, int path_len,
		struct params_value_entry **values, int offset,
		unsigned int opt_flag);

/* opt_flag of params_write() and params_write_batch() */
#define PARAMS_OPT_TYPED	0x1	/* send records even where a text would do */
#define PARAMS_OPT_DRY_RUN	0x2	/* check everything, change nothing */
#define PARAMS_OPT_ATOMIC	0x4	/* batch: all or nothing */

/**
 * params_write() - set one entry; needs CAP_SYS_ADMIN
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: its bytes, or -1
 * @values: a single unnamed PARAMS_V_STRING is text as a person types it, and
 *	the kernel converts it; anything else goes as typed records
 * @offset: 0
 * @opt_flag: PARAMS_OPT_TYPED, PARAMS_OPT_DRY_RUN
 *
 * Return: bytes written, or a negative errno; params_error() then has the reason
 *	that the kernel gave, such as the range of the value
 */
int params_write(struct params_handle *handle, const char *path, int path_len,
		 const struct params_value_entry *values, int offset,
		 unsigned int opt_flag);

/* params_write() of a text. Return: 0 or a negative errno. */
int params_write_text(struct params_handle *handle, const char *path,
		      const char *text, unsigned int opt_flag);

void params_value_free(struct params_value_entry *values);

/*
 * The number in a record: 0 and *number, or -EINVAL for another type. u64 takes
 * U64, BOOL, BYTES and HEX, s64 takes S64 and any u64 that fits.
 */
int params_value_u64(const struct params_value_entry *value, uint64_t *number);
int params_value_s64(const struct params_value_entry *value, int64_t *number);

/**
 * params_value_text() - a value as lctl prints it
 * @values: records of one value, from the first on
 * @type: its type from struct list_entry, or 0 where not known
 *
 * Return: text without a newline at its end, to be freed with free(3); NULL when
 *	memory is short or the lists in @values do not match
 */
char *params_value_text(const struct params_value_entry *values, int type);

/* ---- many at once ----------------------------------------------------- */

/**
 * struct params_batch - one entry of a batch
 * @pb_path: in, name without globs, NUL-terminated
 * @pb_text: write: in, text to set; not looked at where @pb_values is given
 * @pb_values: read: out, records; write: in, typed records, or NULL
 * @pb_check_version: write: in, other than 0: only if the version is
 *	@pb_version, else -ESTALE
 * @pb_version: write: in as above; out, version of the entry
 * @pb_status: out, 0 or a negative errno
 * @pb_type: read: out, enum params_type
 * @pb_mode: read: out, kind and permissions
 * @pb_reason: write: out, why it was refused, in words, or NULL
 *
 * params_read_batch_free() and params_write_batch_free() free what came out.
 */
struct params_batch {
	const char			*pb_path;
	const char			*pb_text;
	struct params_value_entry	*pb_values;
	int				pb_check_version;
	uint32_t			pb_version;
	int				pb_status;
	int				pb_type;
	int				pb_mode;
	char				*pb_reason;
};

/**
 * params_read_batch() - values of many entries in few calls
 * @handle: handle or NULL
 * @batch: what to read; @pb_values must be NULL
 * @count: entries of @batch
 * @opt_flag: 0
 *
 * Return: entries with a status other than 0, or a negative errno when nothing
 *	was read
 */
int params_read_batch(struct params_handle *handle, struct params_batch *batch,
		      size_t count, unsigned int opt_flag);
/* Free pb_values and pb_reason of a batch that was read. */
void params_read_batch_free(struct params_batch *batch, size_t count);

/**
 * params_write_batch() - set many entries; needs CAP_SYS_ADMIN
 * @handle: handle or NULL
 * @batch: what to write
 * @count: entries of @batch
 * @opt_flag: PARAMS_OPT_ATOMIC, PARAMS_OPT_DRY_RUN
 *
 * With PARAMS_OPT_ATOMIC either all are set or none: the one that refused has
 * its errno, the others -ECANCELED.
 *
 * Return: entries with a status other than 0, or a negative errno when nothing
 *	was looked at
 */
int params_write_batch(struct params_handle *handle, struct params_batch *batch,
		       size_t count, unsigned int opt_flag);
/* Free pb_reason of a batch that was written; pb_values stays the caller's. */
void params_write_batch_free(struct params_batch *batch, size_t count);

/* ---- many, one by one ------------------------------------------------- */

/**
 * struct params_visit_entry - what a visitor sees
 * @pv_name: whole name, as lctl prints it, NUL-terminated
 * @pv_mode: kind and permissions
 * @pv_type: enum params_type
 * @pv_flags: PARAMS_EF_*
 * @pv_version: version
 * @pv_status: 0, or a negative errno: why there is no value
 * @pv_value: packed records (struct params_value_rec), NULL where there is no
 *	value; params_unpack() makes a list of them
 * @pv_value_len: their bytes
 *
 * All of it is good only until the visitor returns.
 */
struct params_visit_entry {
	const char	*pv_name;
	int		pv_mode;
	int		pv_type;
	unsigned int	pv_flags;
	uint32_t	pv_version;
	int		pv_status;
	const void	*pv_value;
	size_t		pv_value_len;
};

/* Returns 0 to go on; anything else ends the visit and is what it returns. */
typedef int (*params_visitor_t)(const struct params_visit_entry *entry, void *arg);

#define PARAMS_VISIT_RECURSIVE	0x1	/* also all below what matches */
#define PARAMS_VISIT_NAMES	0x2	/* no values */

/**
 * params_visit() - see all entries that match, with their values, one by one
 * @handle: handle or NULL; the visitor must not use it
 * @pattern: name, with or without globs
 * @flags: PARAMS_VISIT_*
 * @visit: called for each
 * @arg: for the visitor
 *
 * Needs the memory of one buffer however many entries match.
 *
 * Return: 0, what the visitor returned, or a negative errno; -ENOENT when
 *	nothing matches
 */
int params_visit(struct params_handle *handle, const char *pattern,
		 unsigned int flags, params_visitor_t visit, void *arg);

/**
 * params_unpack() - records into a list
 * @value: packed records
 * @len: their bytes
 * @values: out, free with params_value_free()
 *
 * Return: 0, -EBADMSG when they are malformed, -ENOMEM
 */
int params_unpack(const void *value, size_t len,
		  struct params_value_entry **values);

/* ---- declarations ----------------------------------------------------- */

/**
 * params_describe() - what is declared of an entry
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: its bytes, or -1
 * @values: out, named records "type", "mode", "flags", "source", "unit", "min",
 *	"max", "default", "values", "doc", "target", those that there are; free
 *	with params_value_free()
 *
 * Return: 0 or a negative errno
 */
int params_describe(struct params_handle *handle, const char *path, int path_len,
		    struct params_value_entry **values);

#pragma GCC visibility pop
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif /* LUSTRE_LITE_LIBLUSTRELITE_H */
