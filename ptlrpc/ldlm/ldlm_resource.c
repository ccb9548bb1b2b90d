// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resources of a namespace: looked up by name, created by the first lock, freed
 * by the last.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/rhashtable.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static const struct rhashtable_params table_params = {
	.head_offset = offsetof(struct ldlm_resource, r_node),
	.key_offset = offsetof(struct ldlm_resource, r_id),
	.key_len = sizeof_field(struct ldlm_resource, r_id),
	.automatic_shrinking = true,
};

/* Allocate the table. */
int ldlm_resources_init(struct ldlm_namespace *ns)
{
	return rhashtable_init(&ns->ns_table, &table_params);
}

/* Free the table, which is empty. */
void ldlm_resources_exit(struct ldlm_namespace *ns)
{
	WARN_ON_ONCE(ns->ns_resource_count);
	rhashtable_destroy(&ns->ns_table);
}

static struct ldlm_resource *__resource_find(struct ldlm_namespace *ns,
					     const struct ldlm_res_id *id)
{
	struct ldlm_resource *res;

	lockdep_assert_held(&ns->ns_lock);
	res = rhashtable_lookup_fast(&ns->ns_table, id, table_params);
	if (res)
		refcount_inc(&res->r_refcount);
	return res;
}

/**
 * ldlm_resource_find() - look up a resource by its name
 * @ns: namespace
 * @id: name
 *
 * Context: any
 * Return: resource, referenced, or NULL
 */
struct ldlm_resource *ldlm_resource_find(struct ldlm_namespace *ns,
					 const struct ldlm_res_id *id)
{
	struct ldlm_resource *res;

	spin_lock(&ns->ns_lock);
	res = __resource_find(ns, id);
	spin_unlock(&ns->ns_lock);
	return res;
}
EXPORT_FOR_KUNIT(ldlm_resource_find);

static void resource_free(struct ldlm_resource *res)
{
	ldlm_set_exit(&res->r_granted, res->r_type);
	ldlm_set_exit(&res->r_waiting, res->r_type);
	if (res->r_lvb)
		libcfs_free(res->r_lvb, ldlm_lvb_size(res->r_ns, res->r_type));
	ldlm_namespace_put(res->r_ns);
	libcfs_free(res, sizeof(*res));
}

static int resource_init(struct ldlm_resource *res)
{
	const struct ldlm_namespace *ns = res->r_ns;
	u32 size = ldlm_lvb_size(ns, res->r_type);
	int rc;

	rc = ldlm_set_init(&res->r_granted, res->r_type, ns->ns_side) ?:
	     ldlm_set_init(&res->r_waiting, res->r_type, ns->ns_side);
	if (rc || !size)
		return rc;
	res->r_lvb = libcfs_zalloc(size, GFP_NOFS | __GFP_ACCOUNT);
	return res->r_lvb ? 0 : -ENOMEM;
}

static struct ldlm_resource *resource_alloc(struct ldlm_namespace *ns, u32 type,
					    const struct ldlm_res_id *id)
{
	struct ldlm_resource *res = libcfs_zalloc(sizeof(*res),
						  GFP_NOFS | __GFP_ACCOUNT);

	if (!res)
		return NULL;
	refcount_set(&res->r_refcount, 1);
	res->r_id = *id;
	spin_lock_init(&res->r_lock);
	res->r_type = type;
	res->r_ns = ldlm_namespace_get(ns);
	if (!resource_init(res))
		return res;
	resource_free(res);
	return NULL;
}

static int __resource_insert(struct ldlm_resource *res)
{
	struct ldlm_namespace *ns = res->r_ns;
	int rc;

	lockdep_assert_held(&ns->ns_lock);
	rc = rhashtable_insert_fast(&ns->ns_table, &res->r_node, table_params);
	if (rc)
		return rc;
	list_add(&res->r_item, &ns->ns_resources);
	ns->ns_resource_count++;
	return 0;
}

/* The resource found, or @made after adding it; or ERR_PTR. */
static struct ldlm_resource *resource_insert(struct ldlm_namespace *ns,
					     struct ldlm_resource *made)
{
	struct ldlm_resource *res;
	unsigned int tries = 0;
	int rc = 0;

	do {
		spin_lock(&ns->ns_lock);
		res = __resource_find(ns, &made->r_id);
		if (!res)
			rc = __resource_insert(made);
		spin_unlock(&ns->ns_lock);
	} while (!res && libcfs_insert_again(rc, &tries));
	if (res)
		return res;
	return rc ? ERR_PTR(rc) : made;
}

/**
 * ldlm_resource_make() - a resource by its name, created if needed
 * @ns: namespace
 * @type: expected type, a known one
 * @id: name
 *
 * Allocated without a lock, and freed if another task has added one meanwhile.
 *
 * Context: may sleep
 * Return: resource, referenced; -EINVAL if it is of another type; -ENOMEM
 */
struct ldlm_resource *ldlm_resource_make(struct ldlm_namespace *ns, u32 type,
					 const struct ldlm_res_id *id)
{
	struct ldlm_resource *res = ldlm_resource_find(ns, id), *made;

	if (!res) {
		made = resource_alloc(ns, type, id);
		if (!made)
			return ERR_PTR(-ENOMEM);
		res = resource_insert(ns, made);
		if (res != made)
			resource_free(made);
	}
	if (IS_ERR(res) || res->r_type == type)
		return res;
	ldlm_resource_put(res);
	return ERR_PTR(-EINVAL);
}

/**
 * ldlm_resource_put() - drop a reference; the last put frees it
 * @res: resource
 *
 * Context: any; not under r_lock or ns_lock
 */
void ldlm_resource_put(struct ldlm_resource *res)
{
	struct ldlm_namespace *ns = res->r_ns;
	bool last;

	if (refcount_dec_not_one(&res->r_refcount))
		return;
	spin_lock(&ns->ns_lock);
	last = refcount_dec_and_test(&res->r_refcount);
	if (last) {
		rhashtable_remove_fast(&ns->ns_table, &res->r_node,
				       table_params);
		list_del(&res->r_item);
		ns->ns_resource_count--;
	}
	spin_unlock(&ns->ns_lock);
	if (last)
		resource_free(res);
}
EXPORT_FOR_KUNIT(ldlm_resource_put);

/**
 * ldlm_resource_next() - iterate over the resources of a namespace
 * @ns: namespace
 * @res: the previous one, whose reference is dropped; or NULL
 *
 * Resources added meanwhile are not visited.
 *
 * Context: any; not under r_lock or ns_lock
 * Return: the next one, referenced; NULL at the end
 */
struct ldlm_resource *ldlm_resource_next(struct ldlm_namespace *ns,
					 struct ldlm_resource *res)
{
	struct ldlm_resource *next = NULL;
	struct list_head *at;

	spin_lock(&ns->ns_lock);
	at = res ? res->r_item.next : ns->ns_resources.next;
	/* A resource in the list has a reference that cannot be the last. */
	if (at != &ns->ns_resources) {
		next = list_entry(at, struct ldlm_resource, r_item);
		refcount_inc(&next->r_refcount);
	}
	spin_unlock(&ns->ns_lock);
	if (res)
		ldlm_resource_put(res);
	return next;
}

/**
 * ldlm_resource_text() - print the name of a resource
 * @id: name
 * @buf: out
 * @size: its bytes, LDLM_RES_TEXT_MAX are enough
 *
 * Context: any
 * Return: bytes without the NUL
 */
int ldlm_resource_text(const struct ldlm_res_id *id, char *buf, size_t size)
{
	return scnprintf(buf, size, "[%#llx:%#llx:%#llx:%#llx]", id->name[0],
			 id->name[1], id->name[2], id->name[3]);
}
