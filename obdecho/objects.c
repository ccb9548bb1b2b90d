// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: sizes of its objects. An object has the bytes up to the last one that was
 * written since the server started; they are the value (LVB) of its resource.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "echo_internal.h"

/* Most objects whose size is known; further ones are empty. */
#define ECHO_SIZES_MAX	65536

/**
 * echo_object_size() - size of an object
 * @server: server
 * @object: its number
 *
 * Context: any
 * Return: bytes
 */
u64 echo_object_size(struct echo_server *server, u64 object)
{
	void *entry = xa_load(&server->es_sizes, object);

	return entry ? xa_to_value(entry) : 0;
}

/* Return: whether it has grown. */
static bool size_store(struct echo_server *server, u64 object, u64 size)
{
	XA_STATE(xas, &server->es_sizes, object);
	void *entry;
	bool grown;

	do {
		xas_lock(&xas);
		entry = xas_load(&xas);
		grown = entry ? xa_to_value(entry) < size :
				server->es_size_count < ECHO_SIZES_MAX;
		if (grown)
			xas_store(&xas, xa_mk_value(size));
		if (grown && !entry && !xas_error(&xas))
			server->es_size_count++;
		xas_unlock(&xas);
	} while (xas_nomem(&xas, GFP_NOFS));
	return grown && !xas_error(&xas);
}

/**
 * echo_object_grow() - bytes of an object were written
 * @server: server
 * @object: its number
 * @size: bytes up to the last written one
 *
 * On allocation failure the size of a new object stays 0.
 *
 * Context: may sleep for memory
 */
void echo_object_grow(struct echo_server *server, u64 object, u64 size)
{
	const struct ldlm_res_id res = { .name = { object } };
	struct lustre_echo_lvb lvb;

	size = min_t(u64, size, LONG_MAX);
	if (echo_object_size(server, object) >= size ||
	    !size_store(server, object, size))
		return;
	lvb.el_size = cpu_to_le64(size);
	ldlm_server_lvb_update(server->es_obd, &res, &lvb);
}

static int lvb_init(struct obd_device *obd, const struct ldlm_res_id *res, void *value)
{
	struct lustre_echo_lvb *lvb = value;

	lvb->el_size = cpu_to_le64(echo_object_size(echo_server(obd), res->name[0]));
	return 0;
}

static void lvb_merge(void *value, const void *newer)
{
	const struct lustre_echo_lvb *other = newer;
	struct lustre_echo_lvb *lvb = value;

	if (le64_to_cpu(other->el_size) > le64_to_cpu(lvb->el_size))
		lvb->el_size = other->el_size;
}

/* A writer below the known end does not move it. */
static bool lvb_asks(const void *value, const struct ldlm_extent *held)
{
	const struct lustre_echo_lvb *lvb = value;

	return held->last >= le64_to_cpu(lvb->el_size);
}

const struct ldlm_lvb_ops echo_lvb_ops = {
	.lv_size	= sizeof(struct lustre_echo_lvb),
	.lv_init	= lvb_init,
	.lv_merge	= lvb_merge,
	.lv_asks	= lvb_asks,
};
