/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * liblustrelite: list, read and write the parameters tree of lustre-lite.
 *
 * The functions and structures follow the parameters design of 2008
 * (params_list, params_read, params_write, params_value_entry, list_entry), with
 * these differences:
 *
 *  - The first argument is a handle, an open /dev/libcfs. NULL stands for the
 *    handle of the calling thread, which is opened at its first use and closed
 *    when the thread ends.
 *  - Values are a linked list through pve_next instead of a kernel list_head. A
 *    list of paths is linked through le_next, as in the design.
 *  - An offset counts records, not bytes of a text.
 *  - pve_value points to the value, also for a number (8 bytes). Use
 *    params_value_u64() and similar functions.
 *
 * Names
 *	Names have the syntax of lctl: "osc.a.state" or "osc/a/state". Write a dot
 *	within a component as "\." or in quotes. A NID after "exports" or "MGC"
 *	needs no escapes. A pattern may contain the globs * ? [set] [!set] {a,b}
 *	within a component and ** across components. A length of -1 means that
 *	the text is NUL-terminated.
 *
 * Errors
 *	On failure a function returns a negative errno: -ENOENT no such name,
 *	-ENODEV the entry is being removed, -EACCES or -EPERM no permission,
 *	-EISDIR or -ENOTDIR, -EINVAL invalid text, -ERANGE, -ESTALE another
 *	version, -E2BIG, -ENAMETOOLONG, -ENOMEM, -EPROTO a module of another ABI,
 *	-EBADMSG a malformed reply from the module. Opening returns the errnos of
 *	open(2); -ENOENT or -ENXIO mean that libcfs.ko is not loaded.
 *	params_error() returns a description.
 *
 * Threads
 *	A handle must not be used by two threads at the same time. Different
 *	handles are independent. Results belong to the caller and may be passed
 *	to any thread.
 *
 * Memory
 *	The caller frees results with the function named in the description.
 *	Every free function accepts NULL.
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
 * @handle: out, close it with params_close(); also set on failure, except on
 *	allocation failure, so that params_error() works; close it then too
 *
 * Return: 0 or a negative errno
 */
int params_open(struct params_handle **handle);
void params_close(struct params_handle *handle);

/**
 * params_error() - describe the last failure of a handle
 * @handle: handle, or NULL for the calling thread's own
 *
 * Return: text that names the object and what to do; "" before any failure.
 *	Valid until the next call with that handle.
 */
const char *params_error(struct params_handle *handle);

/* ---- listing ---------------------------------------------------------- */

/**
 * struct list_entry - a matching name
 * @le_name: full name, as params_read() and lctl accept it, NUL-terminated
 * @le_name_len: length of the name, without the NUL
 * @le_next: next entry, NULL at the end
 * @le_mode: kind and permissions as in stat(2): S_ISDIR(le_mode) ...
 * @le_type: enum params_type; for a link, that of its target
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
 * params_list() - list the entries that match a pattern
 * @handle: handle or NULL
 * @pattern: name, with or without globs
 * @list: out, the entries in the order of the tree; free with
 *	params_list_free()
 *
 * Return: 0, or a negative errno; -ENOENT if nothing matches
 */
int params_list(struct params_handle *handle, const char *pattern,
		struct list_entry **list);
void params_list_free(struct list_entry *list);

/* ---- values ----------------------------------------------------------- */

/**
 * struct params_value_entry - one record of a value
 * @pve_next: next record, NULL at the end
 * @pve_type: type of @pve_value, enum params_value_type; not an enum here,
 *	because a newer module may send a type unknown to this header
 * @pve_name_len: length of @pve_name, 0 for a record without a name
 * @pve_name: name, NUL-terminated
 * @pve_value_len: length of @pve_value
 * @pve_value: the value, aligned for its type; followed by a NUL that
 *	@pve_value_len does not include
 *
 * A list within a value is a PARAMS_V_LIST_BEGIN, its members and a
 * PARAMS_V_LIST_END. A text that was sent in several records is one record here.
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
 * params_read() - read the value of one entry
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: length of @path, or -1
 * @values: out, the records; free with params_value_free(). An empty value is
 *	NULL.
 * @offset: number of records to skip at the start
 * @opt_flag: 0
 *
 * Return: size of the packed value (0 or more), or a negative errno
 */
int params_read(struct params_handle *handle, const char *path, int path_len,
		struct params_value_entry **values, int offset,
		unsigned int opt_flag);

/* opt_flag of params_write() and params_write_batch() */
#define PARAMS_OPT_TYPED	0x1	/* send records even for a text */
#define PARAMS_OPT_DRY_RUN	0x2	/* check everything, change nothing */
#define PARAMS_OPT_ATOMIC	0x4	/* batch: all or nothing */

/**
 * params_write() - set one entry; requires CAP_SYS_ADMIN
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: length of @path, or -1
 * @values: a single unnamed PARAMS_V_STRING is sent as text, which the kernel
 *	converts; anything else is sent as typed records
 * @offset: 0
 * @opt_flag: PARAMS_OPT_TYPED, PARAMS_OPT_DRY_RUN
 *
 * Return: bytes written, or a negative errno; params_error() then returns the
 *	kernel's reason, such as the valid range
 */
int params_write(struct params_handle *handle, const char *path, int path_len,
		 const struct params_value_entry *values, int offset,
		 unsigned int opt_flag);

/* params_write() of a text. Return: 0 or a negative errno. */
int params_write_text(struct params_handle *handle, const char *path,
		      const char *text, unsigned int opt_flag);

void params_value_free(struct params_value_entry *values);

/*
 * Get the number of a record. u64 accepts U64, BOOL, BYTES and HEX, s64 accepts
 * S64 and every u64 that fits. Return: 0, or -EINVAL for another type.
 */
int params_value_u64(const struct params_value_entry *value, uint64_t *number);
int params_value_s64(const struct params_value_entry *value, int64_t *number);

/**
 * params_value_text() - format a value like lctl
 * @values: first record of a value
 * @type: type from struct list_entry, or 0 if unknown
 *
 * Return: text without a trailing newline, free it with free(3); NULL on
 *	allocation failure or if the lists in @values do not match
 */
char *params_value_text(const struct params_value_entry *values, int type);

/* ---- many at once ----------------------------------------------------- */

/**
 * struct params_batch - one entry of a batch
 * @pb_path: in, name without globs, NUL-terminated
 * @pb_text: write: in, text to set; ignored if @pb_values is given
 * @pb_values: read: out, records; write: in, typed records, or NULL
 * @pb_check_version: write: in, if not 0: fail with -ESTALE unless the version is
 *	@pb_version
 * @pb_version: write: in as above; out, version of the entry
 * @pb_status: out, 0 or a negative errno
 * @pb_type: read: out, enum params_type
 * @pb_mode: read: out, kind and permissions
 * @pb_reason: write: out, reason of a refusal as text, or NULL
 *
 * params_read_batch_free() and params_write_batch_free() free the results.
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
 * params_read_batch() - read many entries in few system calls
 * @handle: handle or NULL
 * @batch: what to read; @pb_values must be NULL
 * @count: entries of @batch
 * @opt_flag: 0
 *
 * Return: number of entries whose status is not 0, or a negative errno if nothing
 *	was read
 */
int params_read_batch(struct params_handle *handle, struct params_batch *batch,
		      size_t count, unsigned int opt_flag);
/* Free pb_values and pb_reason of a batch that was read. */
void params_read_batch_free(struct params_batch *batch, size_t count);

/**
 * params_write_batch() - set many entries; requires CAP_SYS_ADMIN
 * @handle: handle or NULL
 * @batch: what to write
 * @count: entries of @batch
 * @opt_flag: PARAMS_OPT_ATOMIC, PARAMS_OPT_DRY_RUN
 *
 * With PARAMS_OPT_ATOMIC all entries are set or none: the refused one has its
 * errno, the others -ECANCELED.
 *
 * Return: number of entries whose status is not 0, or a negative errno if nothing
 *	was processed
 */
int params_write_batch(struct params_handle *handle, struct params_batch *batch,
		       size_t count, unsigned int opt_flag);
/* Free pb_reason of a batch that was written; pb_values stays the caller's. */
void params_write_batch_free(struct params_batch *batch, size_t count);

/* ---- many, one by one ------------------------------------------------- */

/**
 * struct params_visit_entry - argument of a visitor
 * @pv_name: full name, as lctl prints it, NUL-terminated
 * @pv_mode: kind and permissions
 * @pv_type: enum params_type
 * @pv_flags: PARAMS_EF_*
 * @pv_version: version
 * @pv_status: 0, or the negative errno of the read
 * @pv_value: packed records (struct params_value_rec), NULL without a value;
 *	params_unpack() converts them to a list
 * @pv_value_len: size of the records
 *
 * All members are valid only until the visitor returns.
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

/* Return: 0 to continue; any other value ends the visit, which returns it. */
typedef int (*params_visitor_t)(const struct params_visit_entry *entry, void *arg);

#define PARAMS_VISIT_RECURSIVE	0x1	/* include everything below a match */
#define PARAMS_VISIT_NAMES	0x2	/* no values */

/**
 * params_visit() - call a function for each matching entry
 * @handle: handle or NULL; the visitor must not use it
 * @pattern: name, with or without globs
 * @flags: PARAMS_VISIT_*
 * @visit: function
 * @arg: passed to @visit
 *
 * Needs the memory of one buffer, regardless of the number of matches.
 *
 * Return: 0, what the visitor returned, or a negative errno; -ENOENT if
 *	nothing matches
 */
int params_visit(struct params_handle *handle, const char *pattern,
		 unsigned int flags, params_visitor_t visit, void *arg);

/**
 * params_unpack() - convert packed records to a list
 * @value: packed records
 * @len: size of @value
 * @values: out, free with params_value_free()
 *
 * Return: 0, -EBADMSG if the records are malformed, -ENOMEM
 */
int params_unpack(const void *value, size_t len,
		  struct params_value_entry **values);

/* ---- declarations ----------------------------------------------------- */

/**
 * params_describe() - get the declaration of an entry
 * @handle: handle or NULL
 * @path: name without globs
 * @path_len: length of @path, or -1
 * @values: out, named records "type", "mode", "flags", "source", "unit", "min",
 *	"max", "default", "values", "doc", "target", as far as declared; free
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
