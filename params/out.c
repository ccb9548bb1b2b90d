// SPDX-License-Identifier: GPL-2.0-only
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
	out->out_user = u64_to_user_ptr(user);
	out->out_space = size & ~7U;
	out->out_size = clamp_t(size_t, out->out_space, 8, PARAMS_BOUNCE);
	out->out_buf = kvmalloc(out->out_size, GFP_KERNEL);
	return out->out_buf ? 0 : -ENOMEM;
}

/* Free; does not copy unflushed records. */
void params_out_free(struct params_out *out)
{
	kvfree(out->out_buf);
}

/* Free bytes of the caller's buffer. */
size_t params_out_left(const struct params_out *out)
{
	return out->out_space - out->out_done - out->out_fill;
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
	if (out->out_fill && copy_to_user(out->out_user + out->out_done,
					  out->out_buf, out->out_fill))
		return -EFAULT;
	out->out_done += out->out_fill;
	out->out_fill = 0;
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
 * Return: 0 or -EFAULT. The space is at out_buf + out_fill. It may still be less
 *  at the end of the caller's buffer.
 */
int params_out_tail(struct params_out *out, size_t want)
{
	if (out->out_size - out->out_fill >= want)
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
 *  is full, with the needed bytes in out_need
 */
void *params_out_reserve(struct params_out *out, size_t len)
{
	void *at;
	int rc;

	if (len > params_out_left(out)) {
		out->out_need = len;
		return ERR_PTR(-ENOSPC);
	}
	rc = params_out_tail(out, len);
	if (rc)
		return ERR_PTR(rc);
	at = out->out_buf + out->out_fill;
	out->out_fill += len;
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

	if (len <= out->out_size - out->out_fill) {
		memcpy(out->out_buf + out->out_fill, data, len);
		out->out_fill += len;
		return 0;
	}
	rc = params_out_flush(out);
	if (rc)
		return rc;
	if (copy_to_user(out->out_user + out->out_done, data, len))
		return -EFAULT;
	out->out_done += len;
	return 0;
}
