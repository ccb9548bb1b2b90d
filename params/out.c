// SPDX-License-Identifier: GPL-2.0
/*
 * A caller's buffer being filled with records, through a small buffer of the
 * kernel's: so a call that returns megabytes needs no megabytes here, and no
 * lock is held while pages of the caller's are touched.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "params_internal.h"

/**
 * params_out_init() - begin to fill
 * @out: what is filled
 * @user: address of the caller's buffer
 * @room: its bytes
 *
 * Context: may sleep
 * Return: 0, -E2BIG above PARAMS_BUF_MAX, -ENOMEM
 */
int params_out_init(struct params_out *out, u64 user, u32 room)
{
	if (room > PARAMS_BUF_MAX)
		return -E2BIG;
	memset(out, 0, sizeof(*out));
	out->po_user = u64_to_user_ptr(user);
	out->po_room = room & ~7U;
	out->po_size = clamp_t(size_t, out->po_room, 8, PARAMS_BOUNCE);
	out->po_buf = kvmalloc(out->po_size, GFP_KERNEL);
	return out->po_buf ? 0 : -ENOMEM;
}

/**
 * params_out_free() - end, without copying what was not flushed
 * @out: what was filled
 *
 * Context: may sleep
 */
void params_out_free(struct params_out *out)
{
	kvfree(out->po_buf);
}

/**
 * params_out_left() - room that is left for the caller
 * @out: what is filled
 *
 * Context: any
 * Return: bytes
 */
size_t params_out_left(const struct params_out *out)
{
	return out->po_room - out->po_done - out->po_fill;
}

/**
 * params_out_flush() - copy to the caller what is in the kernel's buffer
 * @out: what is filled
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
 * params_out_tail() - have room in the kernel's buffer
 * @out: what is filled
 * @want: bytes wanted, at most PARAMS_BOUNCE
 *
 * What was filled before is copied to the caller when there is less.
 *
 * Context: may sleep
 * Return: 0 or -EFAULT. The room is at po_buf + po_fill and may still be less,
 * where the caller's buffer is.
 */
int params_out_tail(struct params_out *out, size_t want)
{
	if (out->po_size - out->po_fill >= want)
		return 0;
	return params_out_flush(out);
}

/**
 * params_out_reserve() - room for one record
 * @out: what is filled
 * @len: bytes, a multiple of 8, at most PARAMS_BOUNCE
 *
 * Context: may sleep
 * Return: where to put it; ERR_PTR of -EFAULT, or of -ENOSPC when the caller's
 * buffer has no room, with po_need saying how much was needed
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
 * params_out_copy() - pass on bytes that are too many for the kernel's buffer
 * @out: what is filled
 * @data: bytes
 * @len: how many, a multiple of 8, at most params_out_left()
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
