// SPDX-License-Identifier: GPL-2.0-only
/*
 * The value of a typed entry: reading, packing, setting, and permissions. All
 * functions that run a callback need the entry active and no lock held.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "params_text.h"

#define PARAMS_STR_STACK	128	/* most texts are shorter */

/**
 * params_may_read() - whether the calling task may read an entry's value
 * @lpe: entry, not a link
 *
 * Context: process
 * Return: 0, -EISDIR, -EACCES without any read permission, -EPERM without
 *  CAP_SYS_ADMIN
 */
int params_may_read(const struct lustre_params_entry *lpe)
{
	if (params_is_dir(lpe))
		return -EISDIR;
	if (lpe->lpe_mode & 0004)
		return 0;
	if (!(lpe->lpe_mode & 0444))
		return -EACCES;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/**
 * params_may_write() - whether an entry can be set; params_ioctl() has checked
 * CAP_SYS_ADMIN
 * @lpe: entry, not a link
 *
 * Context: any
 * Return: 0, -EISDIR, or -EACCES without write permission
 */
int params_may_write(const struct lustre_params_entry *lpe)
{
	if (params_is_dir(lpe))
		return -EISDIR;
	return lpe->lpe_mode & 0222 ? 0 : -EACCES;
}

/**
 * params_type_is_number() - whether values of a type fit in 64 bits
 * @type: enum params_type
 *
 * Context: any
 * Return: true except for STRING, STATS, RECORDS, TRIGGER and types without a
 *  value
 */
bool params_type_is_number(u8 type)
{
	switch (type) {
	case PARAMS_T_U32:
	case PARAMS_T_U64:
	case PARAMS_T_S32:
	case PARAMS_T_S64:
	case PARAMS_T_BOOL:
	case PARAMS_T_ENUM:
	case PARAMS_T_BYTES:
	case PARAMS_T_TIME:
	case PARAMS_T_MASK:
		return true;
	default:
		return false;
	}
}

static u64 params_field_get(const struct lustre_params_attr *attr, void *data)
{
	void *at = (char *)data + attr->offset;

	switch (attr->type) {
	case PARAMS_T_U32:
	case PARAMS_T_ENUM:
		return READ_ONCE(*(u32 *)at);
	case PARAMS_T_S32:
		return (s64)READ_ONCE(*(s32 *)at);
	case PARAMS_T_BOOL:
		return READ_ONCE(*(bool *)at);
	default:
		return READ_ONCE(*(u64 *)at);
	}
}

static void params_field_set(const struct lustre_params_attr *attr, void *data,
			     u64 bits)
{
	void *at = (char *)data + attr->offset;

	switch (attr->type) {
	case PARAMS_T_U32:
	case PARAMS_T_S32:
	case PARAMS_T_ENUM:
		WRITE_ONCE(*(u32 *)at, (u32)bits);
		break;
	case PARAMS_T_BOOL:
		WRITE_ONCE(*(bool *)at, !!bits);
		break;
	default:
		WRITE_ONCE(*(u64 *)at, bits);
	}
}

/**
 * params_value_number() - the value of an entry of a numeric type
 * @lpe: entry, active
 * @bits: out, the value; two's complement for signed types
 *
 * Context: may sleep
 * Return: 0, -EACCES if it cannot be read, or the error of the callback
 */
int params_value_number(struct lustre_params_entry *lpe, u64 *bits)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	s64 val = 0;
	int rc;

	*bits = 0;
	if (attr->field) {
		*bits = params_field_get(attr, lpe->lpe_data);
		return 0;
	}
	if (!attr->get_u)
		return -EACCES;
	if (!params_type_signed(attr->type))
		return attr->get_u(lpe->lpe_data, bits);
	rc = attr->get_s(lpe->lpe_data, &val);
	*bits = val;
	return rc;
}

/**
 * params_value_set_number() - set an entry of a numeric type
 * @lpe: entry, active
 * @bits: value, checked; two's complement for signed types
 *
 * Context: may sleep
 * Return: 0 or the error of the callback
 */
int params_value_set_number(struct lustre_params_entry *lpe, u64 bits)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;

	if (attr->field) {
		params_field_set(attr, lpe->lpe_data, bits);
		return 0;
	}
	if (params_type_signed(attr->type))
		return attr->set_s(lpe->lpe_data, bits);
	return attr->set_u(lpe->lpe_data, bits);
}

/* Guard against a callback that returns more than the size of its buffer. */
static ssize_t params_text_read(struct lustre_params_entry *lpe, char *buf,
				size_t size)
{
	ssize_t len = lpe->lpe_attr->get_str(lpe->lpe_data, buf, size);

	return len > (ssize_t)size ? -EIO : len;
}

/* Read a text into ever larger buffers, until it fits or is too long. */
static ssize_t params_text_grow(struct lustre_params_entry *lpe, char **text)
{
	size_t size = PARAMS_STR_STACK;
	ssize_t len = -EOVERFLOW;

	*text = NULL;
	while (len == -EOVERFLOW && size < PARAMS_VALUE_MAX) {
		size *= 8;
		kvfree(*text);
		*text = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (!*text)
			return -ENOMEM;
		len = params_text_read(lpe, *text, size - 1);
	}
	if (len >= 0) {
		(*text)[len] = '\0';
		return len;
	}
	kvfree(*text);
	*text = NULL;
	return len == -EOVERFLOW ? -E2BIG : len;
}

/**
 * params_value_text() - the value of an entry of type STRING
 * @lpe: entry, active
 * @text: out, NUL-terminated; the caller frees it with kvfree()
 * @len: out, its bytes without NUL
 *
 * Context: may sleep
 * Return: 0, -ENOMEM, or the error of the callback
 */
int params_value_text(struct lustre_params_entry *lpe, char **text, size_t *len)
{
	ssize_t rc = params_text_grow(lpe, text);

	if (rc < 0)
		return rc;
	*len = rc;
	return 0;
}

static int params_pack_string(struct lustre_params_entry *lpe,
			      struct params_sink *sink)
{
	char small[PARAMS_STR_STACK];
	char *text;
	ssize_t len;
	int rc;

	len = params_text_read(lpe, small, sizeof(small));
	if (len >= 0)
		return params_put_strn(sink, NULL, small, len);
	if (len != -EOVERFLOW)
		return len;
	len = params_text_grow(lpe, &text);
	if (len < 0)
		return len;
	rc = params_put_strn(sink, NULL, text, len);
	kvfree(text);
	return rc;
}

static int params_pack_enum(const struct lustre_params_attr *attr,
			    struct params_sink *sink, u64 val)
{
	u64 n;

	for (n = 0; attr->names[n]; n++)
		if (n == val)
			return params_put_str(sink, NULL, attr->names[n]);
	return params_put_u64(sink, NULL, val);
}

#define PARAMS_MASK_REST	32	/* bytes of a mask without names */

static size_t params_names_size(const char *const *names)
{
	size_t size = PARAMS_MASK_REST;

	for (; *names; names++)
		size += strlen(*names) + 1;
	return size;
}

/* Names of the set bits, separated by blanks; unnamed bits in hexadecimal. */
static int params_mask_text(const char *const *names, u64 val, char *text,
			    size_t size)
{
	unsigned int n;
	int len = 0;

	for (n = 0; n < 64 && names[n]; n++) {
		if (!(val & BIT_ULL(n)) || !names[n][0])
			continue;
		len += scnprintf(text + len, size - len, "%s ", names[n]);
		val &= ~BIT_ULL(n);
	}
	if (val)
		return len + scnprintf(text + len, size - len, "0x%llx", val);
	return len ? len - 1 : scnprintf(text, size, "0");
}

static int params_pack_mask(const struct lustre_params_attr *attr,
			    struct params_sink *sink, u64 val)
{
	size_t size = params_names_size(attr->names);
	char *text = kmalloc(size, GFP_KERNEL);
	int rc;

	if (!text)
		return -ENOMEM;
	rc = params_put_strn(sink, NULL, text,
			     params_mask_text(attr->names, val, text, size));
	kfree(text);
	return rc;
}

/**
 * params_put_in_unit() - a number of bytes, in the unit that it prints in
 * @sink: sink
 * @name: name of the record, or NULL
 * @bytes: value
 * @unit: unit; a fraction of it becomes a text
 *
 * Context: may sleep
 * Return: as params_put_u64()
 */
int params_put_in_unit(struct params_sink *sink, const char *name, u64 bytes,
		       enum params_unit unit)
{
	u64 one = params_unit_bytes(unit);
	char text[48];
	size_t len;

	if (one == 1)
		return params_put_bytes(sink, name, bytes);
	if (!(bytes % one))
		return params_put_u64(sink, name, bytes / one);
	len = params_format_bytes(bytes, unit, text, sizeof(text));
	return params_put_strn(sink, name, text, len);
}

static int params_pack_number(struct lustre_params_entry *lpe,
			      struct params_sink *sink)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	u64 val;
	int rc;

	rc = params_value_number(lpe, &val);
	if (rc)
		return rc;
	switch (attr->type) {
	case PARAMS_T_BOOL:
		return params_put_bool(sink, NULL, val);
	case PARAMS_T_ENUM:
		return params_pack_enum(attr, sink, val);
	case PARAMS_T_MASK:
		return params_pack_mask(attr, sink, val);
	case PARAMS_T_BYTES:
		return params_put_in_unit(sink, NULL, val, attr->unit);
	case PARAMS_T_TIME:
		return params_put_time(sink, NULL, val, attr->unit,
				       attr->wall ? PARAMS_TIME_WALL :
						    PARAMS_TIME_SPAN);
	default:
		break;
	}
	if (params_type_signed(attr->type))
		return params_put_s64(sink, NULL, val);
	return attr->hex ? params_put_hex(sink, NULL, val) :
			   params_put_u64(sink, NULL, val);
}

static int params_pack_stats(struct lustre_params_entry *lpe,
			     struct params_sink *sink)
{
	struct params_stats *stats = lpe->lpe_attr->get_stats(lpe->lpe_data);

	return stats ? params_stats_put(sink, stats) : -ENODEV;
}

/**
 * params_value_pack() - pack the value of an entry
 * @lpe: entry, active, not a directory or link
 * @sink: destination
 *
 * Context: may sleep
 * Return: 0, or the error of the callback or of the sink
 */
int params_value_pack(struct lustre_params_entry *lpe,
		      struct params_sink *sink)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	int rc;

	if (params_type_is_number(attr->type))
		rc = params_pack_number(lpe, sink);
	else if (!attr->read)
		rc = -EACCES;
	else if (attr->type == PARAMS_T_STRING)
		rc = params_pack_string(lpe, sink);
	else if (attr->type == PARAMS_T_STATS)
		rc = params_pack_stats(lpe, sink);
	else
		rc = attr->read(sink, lpe->lpe_data);
	if (rc < 0)
		return rc;
	return params_sink_finish(sink);
}
