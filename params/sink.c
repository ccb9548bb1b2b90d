// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packing values into records. The format is in
 * uapi/lustre_lite/params_value.h.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"

#define PARAMS_SINK_MIN		4096

/**
 * params_sink_init() - initialize
 * @sink: sink
 * @buf: initial buffer, may be NULL
 * @size: its bytes
 *
 * Context: any
 */
void params_sink_init(struct params_sink *sink, char *buf, size_t size)
{
	sink->snk_buf = buf;
	sink->snk_size = size;
	sink->snk_used = 0;
	sink->snk_own = false;
	sink->snk_depth = 0;
	sink->snk_error = 0;
	sink->snk_limit = PARAMS_VALUE_MAX;
}

/* Free the buffer, if the sink has allocated one. May sleep. */
void params_sink_free(struct params_sink *sink)
{
	if (sink->snk_own)
		kvfree(sink->snk_buf);
	sink->snk_own = false;
	sink->snk_buf = NULL;
	sink->snk_size = 0;
}

/**
 * params_sink_error() - the first error of a sink
 * @sink: sink
 *
 * Context: any
 * Return: 0 or a negative errno
 */
int params_sink_error(const struct params_sink *sink)
{
	return sink->snk_error;
}
EXPORT_SYMBOL_NS_GPL(params_sink_error, LUSTRE_LITE);

static int params_sink_fail(struct params_sink *sink, int rc)
{
	if (!sink->snk_error)
		sink->snk_error = rc;
	return sink->snk_error;
}

/**
 * params_sink_finish() - the value is complete
 * @sink: sink
 *
 * Context: any
 * Return: 0, or the first error; -EINVAL when a list is still open
 */
int params_sink_finish(struct params_sink *sink)
{
	if (sink->snk_depth)
		params_sink_fail(sink, -EINVAL);
	return sink->snk_error;
}

/* Move to an allocated buffer with space for @len more bytes. */
static int params_sink_grow(struct params_sink *sink, size_t len)
{
	size_t want = sink->snk_used + len;
	size_t size = max_t(size_t, PARAMS_SINK_MIN, 2 * want);
	char *buf;

	if (want > sink->snk_limit)
		return params_sink_fail(sink, -E2BIG);
	buf = kvmalloc(min(size, sink->snk_limit), GFP_KERNEL_ACCOUNT);
	if (!buf)
		return params_sink_fail(sink, -ENOMEM);
	if (sink->snk_used)
		memcpy(buf, sink->snk_buf, sink->snk_used);
	if (sink->snk_own)
		kvfree(sink->snk_buf);
	sink->snk_buf = buf;
	sink->snk_size = min(size, sink->snk_limit);
	sink->snk_own = true;
	return 0;
}

/* Append bytes, and zeros up to a multiple of 8. */
static void params_sink_pad(struct params_sink *sink, const void *data,
			    size_t len)
{
	size_t padded = PARAMS_ALIGN(len);

	if (!len)
		return;
	/* The padding first: most values need none. */
	if (padded != len)
		memset(sink->snk_buf + sink->snk_used + padded - 8, 0, 8);
	memcpy(sink->snk_buf + sink->snk_used, data, len);
	sink->snk_used += padded;
}

/**
 * params_rec_bytes() - bytes of a record, head and padding included
 * @rec: its head
 *
 * Context: any
 * Return: the bytes
 */
size_t params_rec_bytes(const struct params_value_rec *rec)
{
	return sizeof(*rec) + PARAMS_ALIGN((size_t)rec->vr_name_len) +
		PARAMS_ALIGN((size_t)rec->vr_len);
}

static int params_put(struct params_sink *sink, u8 type, u8 flags,
		      const char *name, const void *data, size_t len)
{
	struct params_value_rec rec = {
		.vr_type = type,
		.vr_flags = flags,
		.vr_len = len,
	};
	size_t name_len = name ? strlen(name) : 0;
	size_t bytes;

	if (sink->snk_error)
		return sink->snk_error;
	if (name_len > PARAMS_NAME_MAX)
		return params_sink_fail(sink, -ENAMETOOLONG);
	rec.vr_name_len = name_len;
	bytes = params_rec_bytes(&rec);
	if (bytes > PARAMS_REC_MAX)
		return params_sink_fail(sink, -E2BIG);
	if (sink->snk_size - sink->snk_used < bytes &&
	    params_sink_grow(sink, bytes))
		return sink->snk_error;
	/* The sizes of the head and of a number are constants: no call. */
	memcpy(sink->snk_buf + sink->snk_used, &rec, sizeof(rec));
	sink->snk_used += sizeof(rec);
	params_sink_pad(sink, name, name_len);
	if (len == sizeof(u64)) {
		memcpy(sink->snk_buf + sink->snk_used, data, sizeof(u64));
		sink->snk_used += sizeof(u64);
	} else {
		params_sink_pad(sink, data, len);
	}
	return 0;
}

/**
 * params_put_u64() - an unsigned number
 * @sink: sink
 * @name: name of the record, or NULL
 * @val: value
 *
 * Context: may sleep; so do all params_put_*()
 * Return: 0 or a negative errno, which is sticky; so do all params_put_*()
 */
int params_put_u64(struct params_sink *sink, const char *name, u64 val)
{
	return params_put(sink, PARAMS_V_U64, 0, name, &val, sizeof(val));
}
EXPORT_SYMBOL_NS_GPL(params_put_u64, LUSTRE_LITE);

/**
 * params_put_hex() - an unsigned number that prints in hexadecimal
 * @sink: sink
 * @name: name of the record, or NULL
 * @val: value
 *
 * Return: as params_put_u64()
 */
int params_put_hex(struct params_sink *sink, const char *name, u64 val)
{
	return params_put(sink, PARAMS_V_HEX, 0, name, &val, sizeof(val));
}
EXPORT_SYMBOL_NS_GPL(params_put_hex, LUSTRE_LITE);

/**
 * params_put_s64() - a signed number
 * @sink: sink
 * @name: name of the record, or NULL
 * @val: value
 *
 * Return: as params_put_u64()
 */
int params_put_s64(struct params_sink *sink, const char *name, s64 val)
{
	return params_put(sink, PARAMS_V_S64, 0, name, &val, sizeof(val));
}
EXPORT_SYMBOL_NS_GPL(params_put_s64, LUSTRE_LITE);

/**
 * params_put_bool() - a boolean
 * @sink: sink
 * @name: name of the record, or NULL
 * @val: value
 *
 * Return: as params_put_u64()
 */
int params_put_bool(struct params_sink *sink, const char *name, bool val)
{
	u64 bits = val;

	return params_put(sink, PARAMS_V_BOOL, 0, name, &bits, sizeof(bits));
}
EXPORT_SYMBOL_NS_GPL(params_put_bool, LUSTRE_LITE);

/**
 * params_put_bytes() - a number of bytes
 * @sink: sink
 * @name: name of the record, or NULL
 * @bytes: value
 *
 * Return: as params_put_u64()
 */
int params_put_bytes(struct params_sink *sink, const char *name, u64 bytes)
{
	return params_put(sink, PARAMS_V_BYTES, 0, name, &bytes, sizeof(bytes));
}
EXPORT_SYMBOL_NS_GPL(params_put_bytes, LUSTRE_LITE);

static int params_put_chunks(struct params_sink *sink, u8 type,
			     const char *name, const char *data, size_t len)
{
	do {
		size_t part = min_t(size_t, len, PARAMS_TEXT_CHUNK);
		u8 flags = part < len ? PARAMS_VF_CONT : 0;

		if (params_put(sink, type, flags, name, data, part))
			break;
		name = NULL;
		data += part;
		len -= part;
	} while (len);
	return sink->snk_error;
}

/**
 * params_put_strn() - a text of given length
 * @sink: sink
 * @name: name of the record, or NULL
 * @text: bytes of the text, a NUL is not needed
 * @len: their number
 *
 * A long one is split into several records.
 *
 * Return: as params_put_u64()
 */
int params_put_strn(struct params_sink *sink, const char *name,
		    const char *text, size_t len)
{
	return params_put_chunks(sink, PARAMS_V_STRING, name, text, len);
}
EXPORT_SYMBOL_NS_GPL(params_put_strn, LUSTRE_LITE);

/**
 * params_put_str() - a text
 * @sink: sink
 * @name: name of the record, or NULL
 * @text: text, with a NUL
 *
 * Return: as params_put_u64()
 */
int params_put_str(struct params_sink *sink, const char *name, const char *text)
{
	return params_put_strn(sink, name, text, strlen(text));
}
EXPORT_SYMBOL_NS_GPL(params_put_str, LUSTRE_LITE);

/**
 * params_put_strf() - a text, formatted
 * @sink: sink
 * @name: name of the record, or NULL
 * @fmt: as printk()
 *
 * Return: as params_put_u64()
 */
int params_put_strf(struct params_sink *sink, const char *name,
		    const char *fmt, ...)
{
	va_list args;
	char *text;
	int rc;

	va_start(args, fmt);
	text = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (!text)
		return params_sink_fail(sink, -ENOMEM);
	rc = params_put_str(sink, name, text);
	kfree(text);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(params_put_strf, LUSTRE_LITE);

/**
 * params_put_blob() - octets
 * @sink: sink
 * @name: name of the record, or NULL
 * @data: octets
 * @len: their number
 *
 * Return: as params_put_u64()
 */
int params_put_blob(struct params_sink *sink, const char *name,
		    const void *data, size_t len)
{
	return params_put_chunks(sink, PARAMS_V_BLOB, name, data, len);
}
EXPORT_SYMBOL_NS_GPL(params_put_blob, LUSTRE_LITE);

/**
 * params_put_time() - a duration or a moment
 * @sink: sink
 * @name: name of the record, or NULL
 * @ns: nanoseconds
 * @unit: PARAMS_UNIT_SEC, MSEC, USEC or NSEC, in which a duration prints
 * @kind: whether it is a duration or a moment
 *
 * Return: as params_put_u64()
 */
int params_put_time(struct params_sink *sink, const char *name, s64 ns,
		    enum params_unit unit, enum params_time_kind kind)
{
	struct params_time time = {
		.pt_ns = ns,
		.pt_unit = unit,
		.pt_kind = kind,
	};

	return params_put(sink, PARAMS_V_TIME, 0, name, &time, sizeof(time));
}
EXPORT_SYMBOL_NS_GPL(params_put_time, LUSTRE_LITE);

/**
 * params_put_counter() - a counter
 * @sink: sink
 * @name: name of the record, or NULL
 * @counter: its values
 *
 * Return: as params_put_u64()
 */
int params_put_counter(struct params_sink *sink, const char *name,
		       const struct params_counter *counter)
{
	return params_put(sink, PARAMS_V_COUNTER, 0, name, counter,
			  sizeof(*counter));
}

/**
 * params_put_bucket() - a bucket of a histogram
 * @sink: sink
 * @bucket: the bucket
 *
 * Return: as params_put_u64()
 */
int params_put_bucket(struct params_sink *sink,
		      const struct params_bucket *bucket)
{
	return params_put(sink, PARAMS_V_BUCKET, 0, NULL, bucket,
			  sizeof(*bucket));
}

/**
 * params_list_begin() - open a list, which contains all records up to its end
 * @sink: sink
 * @name: name of the list, or NULL
 * @kind: how it prints
 *
 * Return: as params_put_u64(); -E2BIG above PARAMS_NEST_MAX nested lists
 */
int params_list_begin(struct params_sink *sink, const char *name,
		      enum params_list_kind kind)
{
	u64 bits = kind;

	if (sink->snk_depth == PARAMS_NEST_MAX)
		return params_sink_fail(sink, -E2BIG);
	sink->snk_depth++;
	return params_put(sink, PARAMS_V_LIST_BEGIN, 0, name, &bits,
			  sizeof(bits));
}
EXPORT_SYMBOL_NS_GPL(params_list_begin, LUSTRE_LITE);

/**
 * params_list_end() - close the list opened last
 * @sink: sink
 *
 * Return: as params_put_u64(); -EINVAL when none is open
 */
int params_list_end(struct params_sink *sink)
{
	if (!sink->snk_depth)
		return params_sink_fail(sink, -EINVAL);
	sink->snk_depth--;
	return params_put(sink, PARAMS_V_LIST_END, 0, NULL, NULL, 0);
}
EXPORT_SYMBOL_NS_GPL(params_list_end, LUSTRE_LITE);
