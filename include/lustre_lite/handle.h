/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles: 64-bit cookies by which a peer names an object. Cookies are random
 * and cannot be guessed. A lookup runs under RCU, returns a reference, and
 * succeeds only for the expected kind of object.
 */
#ifndef _LUSTRE_LITE_HANDLE_H
#define _LUSTRE_LITE_HANDLE_H

#include <linux/compiler.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

struct portals_handle;

/**
 * struct lustre_handle - a cookie, as it is passed around
 * @cookie: 0 names nothing
 */
struct lustre_handle {
	u64 cookie;
};

/**
 * struct portals_handle_ops - a kind of object that has handles
 * @hop_name: for messages
 * @hop_get: take a reference if the object still has one; called under RCU.
 *  Return: true if it did
 *
 * The address identifies the kind.
 */
struct portals_handle_ops {
	const char	*hop_name;
	bool		(*hop_get)(struct portals_handle *handle);
};

/**
 * struct portals_handle - part of an object that has a cookie
 * @h_cookie: cookie; 0 before class_handle_hash(), unchanged by
 *  class_handle_unhash()
 * @h_ops: kind
 * @h_node: in the table, which holds no reference
 * @h_hashed: in the table
 *
 * The object is freed after an RCU grace period.
 */
struct portals_handle {
	u64				h_cookie;
	const struct portals_handle_ops	*h_ops;
	struct rhash_head		h_node;
	bool				h_hashed;
};

int class_handle_hash(struct portals_handle *handle,
		      const struct portals_handle_ops *ops);
void class_handle_unhash(struct portals_handle *handle);
void class_handle_pass(struct portals_handle *from, struct portals_handle *to,
		       const struct portals_handle_ops *ops);
struct portals_handle * __must_check
class_handle2object(u64 cookie, const struct portals_handle_ops *ops);

#endif /* _LUSTRE_LITE_HANDLE_H */
