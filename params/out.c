// SPDX-License-Identifier: GPL-2.0
/*
 * Filling a caller's buffer with records through a small kernel buffer: a call
 * that returns megabytes needs no megabytes here, and no lock is held while
 * user pages are touched.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "params_internal.h"

/**
 * params_out_init() - initialize
 * @out: output
 * @user: address of the caller's buffer
 * @size: its bytes
 *
 * Context: may sleep
 * Return: 0, -E2BIG above PARAMS_BUF_MAX, -ENOMEM
 */
int params_out_init(struct params_out *out, u64 user, u32 size)
{
	if (size > PARAMS_BUF_MAX)
		return -E2BIG;
	memset(out, 0, sizeof(*out));
	out->po_user = u64_to_user_ptr(user);
	out->po_space = size & ~7U;
	out->po_size = clamp_t(size_t, out->po_space, 8, PARAMS_BOUNCE);
	out->po_buf = kvmalloc(out->po_size, GFP_KERNEL);
	return out->po_buf ? 0 : -ENOMEM;
}

/* Free; does not copy unflushed records. */
void params_out_free(struct params_out *out)
{
	kvfree(out->po_buf);
}

/* Free bytes of the caller's buffer. */
size_t params_out_left(const struct params_out *out)
{
	return out->po_space - out->po_done - out->po_fill;
}

/**
 * params_out_flush() - copy the kernel's buffer to the caller
 * @out: output
 *
 * Context: may sleep
 * Return: 0 or -EFAULT
 */
int params_out_flush(struct params_out *out)
{
	if (out->po_fill && copy_to_user(out->po_user + out->po_done,
					 out->po_buf, out->po_fill))
		return -EFAULT;
	out->po_done += out->po_fill;
	out->po_fill = 0;
	return 0;
}

/**
 * params_out_tail() - make space in the kernel's buffer
 * @out: output
 * @want: bytes wanted, at most PARAMS_BOUNCE
 *
 * Flushes if there is less.
 *
 * Context: may sleep
 * Return: 0 or -EFAULT. The space is at po_buf + po_fill. It may still be less
 *  at the end of the caller's buffer.
 */
int params_out_tail(struct params_out *out, size_t want)
{
	if (out->po_size - out->po_fill >= want)
		return 0;
	return params_out_flush(out);
}

/**
 * params_out_reserve() - space for one record
 * @out: output
 * @len: bytes, a multiple of 8, at most PARAMS_BOUNCE
 *
 * Context: may sleep
 * Return: its address; ERR_PTR of -EFAULT, or of -ENOSPC if the caller's buffer
 *  is full, with the needed bytes in po_need
 */
void *params_out_reserve(struct params_out *out, size_t len)
{
	void *at;
	int rc;

	if (len > params_out_left(out)) {
		out->po_need = len;
		return ERR_PTR(-ENOSPC);
	}
	rc = params_out_tail(out, len);
	if (rc)
		return ERR_PTR(rc);
	at = out->po_buf + out->po_fill;
	out->po_fill += len;
	return at;
}

/**
 * params_out_copy() - copy data larger than the kernel's buffer
 * @out: output
 * @data: bytes
 * @len: their number, a multiple of 8, at most params_out_left()
 *
 * Context: may sleep
 * Return: 0 or -EFAULT
 */
int params_out_copy(struct params_out *out, const void *data, size_t len)
{
	int rc;

	if (len <= out->po_size - out->po_fill) {
		memcpy(out->po_buf + out->po_fill, data, len);
		out->po_fill += len;
		return 0;
	}
	rc = params_out_flush(out);
	if (rc)
		return rc;
	if (copy_to_user(out->po_user + out->po_done, data, len))
		return -EFAULT;
	out->po_done += len;
	return 0;
}
