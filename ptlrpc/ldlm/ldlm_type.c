// SPDX-License-Identifier: GPL-2.0
/*
 * Modes of locks and their compatibility; types of resources. PLAIN is built
 * in; other types are registered by the modules that define the policies of
 * their locks.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

#define LDLM_MODES_ALL	(LCK_EX | LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL)

/*
 * By number of the mode: the modes compatible with it.
 *
 *		EX PW PR CW CR NL
 *	EX	-  -  -  -  -  +	exclusive
 *	PW	-  -  -  -  +  +	one writer
 *	PR	-  -  +  -  +  +	readers
 *	CW	-  -  -  +  +  +	writers that coordinate among themselves
 *	CR	-  +  +  +  +  +	readers that conflict with EX only
 *	NL	+  +  +  +  +  +	interest only
 */
static const struct {
	const char	*name;
	u32		compatible;
} modes[LDLM_MODE_COUNT] = {
	{ "EX", LCK_NL },
	{ "PW", LCK_CR | LCK_NL },
	{ "PR", LCK_PR | LCK_CR | LCK_NL },
	{ "CW", LCK_CW | LCK_CR | LCK_NL },
	{ "CR", LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL },
	{ "NL", LDLM_MODES_ALL },
};

/**
 * ldlm_mode_is_one() - whether a mode from a peer is valid
 * @mode: mode
 *
 * Context: any
 * Return: true if it is exactly one of LCK_*
 */
bool ldlm_mode_is_one(u32 mode)
{
	return mode && !(mode & (mode - 1)) && !(mode & ~LDLM_MODES_ALL);
}

/**
 * ldlm_mode_index() - number of a mode
 * @mode: one of LCK_*
 *
 * Context: any
 * Return: 0 .. LDLM_MODE_COUNT - 1
 */
unsigned int ldlm_mode_index(u32 mode)
{
	return WARN_ON_ONCE(!ldlm_mode_is_one(mode)) ? 0 : __ffs(mode);
}

/**
 * lockmode_compat() - whether two modes are compatible
 * @exists: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: true if they are; an invalid mode is compatible with none
 */
bool lockmode_compat(u32 exists, u32 wanted)
{
	if (!ldlm_mode_is_one(exists) || !ldlm_mode_is_one(wanted))
		return false;
	return modes[__ffs(exists)].compatible & wanted;
}
EXPORT_SYMBOL_NS_GPL(lockmode_compat, LUSTRE_LITE);

/**
 * ldlm_mode_covers() - whether a mode makes another one unnecessary
 * @has: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: true if @has excludes all that @wanted does
 */
bool ldlm_mode_covers(u32 has, u32 wanted)
{
	if (!ldlm_mode_is_one(has) || !ldlm_mode_is_one(wanted))
		return false;
	return !(modes[__ffs(has)].compatible &
		 ~modes[__ffs(wanted)].compatible);
}
EXPORT_SYMBOL_NS_GPL(ldlm_mode_covers, LUSTRE_LITE);

/**
 * ldlm_mode_name() - name of a mode
 * @mode: one of LCK_*, or 0
 *
 * Context: any
 * Return: static text; "--" for none
 */
const char *ldlm_mode_name(u32 mode)
{
	return ldlm_mode_is_one(mode) ? modes[__ffs(mode)].name : "--";
}
EXPORT_SYMBOL_NS_GPL(ldlm_mode_name, LUSTRE_LITE);

/* Numbers of types start at LDLM_PLAIN. */
#define TYPES_MAX	8

static const struct ldlm_policy policy_none;

static bool plain_check(const struct ldlm_policy *policy)
{
	return !memcmp(policy, &policy_none, sizeof(*policy));
}

const struct ldlm_type_ops ldlm_plain_ops = {
	.lt_type = LDLM_PLAIN,
	.lt_name = "PLN",
	.lt_check = plain_check,
};
EXPORT_SYMBOL_NS_GPL(ldlm_plain_ops, LUSTRE_LITE);

/* Guards types, by number. */
static DEFINE_SPINLOCK(types_lock);
static const struct ldlm_type_ops *types[TYPES_MAX] = { &ldlm_plain_ops };

static const struct ldlm_type_ops **type_slot(u32 type)
{
	if (type < LDLM_PLAIN || type - LDLM_PLAIN >= TYPES_MAX)
		return NULL;
	return &types[type - LDLM_PLAIN];
}

/**
 * ldlm_register_type() - register a type of resources
 * @ops: type; valid until ldlm_unregister_type()
 *
 * Context: any
 * Return: 0; -EINVAL for a number out of range, or without a name or lt_check;
 *  -EEXIST if there is such a type
 */
int ldlm_register_type(const struct ldlm_type_ops *ops)
{
	const struct ldlm_type_ops **slot = type_slot(ops->lt_type);
	int rc = 0;

	if (!slot || !ops->lt_name || !ops->lt_check) {
		CERROR("lock type %u: a type needs a number from %u to %u, a name and a check: rc = %d\n",
		       ops->lt_type, LDLM_PLAIN, LDLM_PLAIN + TYPES_MAX - 1,
		       -EINVAL);
		return -EINVAL;
	}
	spin_lock(&types_lock);
	if (*slot)
		rc = -EEXIST;
	else
		*slot = ops;
	spin_unlock(&types_lock);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(ldlm_register_type, LUSTRE_LITE);

/**
 * ldlm_unregister_type() - unregister a type
 * @ops: type
 *
 * Existing resources pin its module (lt_owner).
 *
 * Context: any
 */
void ldlm_unregister_type(const struct ldlm_type_ops *ops)
{
	const struct ldlm_type_ops **slot = type_slot(ops->lt_type);

	if (WARN_ON_ONCE(!slot || ops == &ldlm_plain_ops))
		return;
	spin_lock(&types_lock);
	if (*slot == ops)
		*slot = NULL;
	spin_unlock(&types_lock);
}
EXPORT_SYMBOL_NS_GPL(ldlm_unregister_type, LUSTRE_LITE);

/**
 * ldlm_type_get() - a type by its number
 * @type: number, not validated
 *
 * Context: any
 * Return: type, its module pinned until ldlm_type_put(); NULL if there is none
 */
const struct ldlm_type_ops *ldlm_type_get(u32 type)
{
	const struct ldlm_type_ops **slot = type_slot(type), *ops = NULL;

	if (!slot)
		return NULL;
	spin_lock(&types_lock);
	if (*slot && try_module_get((*slot)->lt_owner))
		ops = *slot;
	spin_unlock(&types_lock);
	return ops;
}

/**
 * ldlm_type_put() - unpin a type
 * @ops: type
 *
 * Context: any
 */
void ldlm_type_put(const struct ldlm_type_ops *ops)
{
	module_put(ops->lt_owner);
}

/**
 * ldlm_type_conflicts() - whether two locks of a resource conflict
 * @ops: type of the resource
 * @a_mode: mode of one
 * @a: its policy
 * @b_mode: mode of the other
 * @b: its policy
 *
 * Context: any
 * Return: true if they do
 */
bool ldlm_type_conflicts(const struct ldlm_type_ops *ops, u32 a_mode,
			 const struct ldlm_policy *a, u32 b_mode,
			 const struct ldlm_policy *b)
{
	if (lockmode_compat(a_mode, b_mode))
		return false;
	return !ops->lt_conflicts || ops->lt_conflicts(a, b);
}

/**
 * ldlm_type_covers() - whether a lock makes another one unnecessary
 * @ops: type of the resource
 * @has: policy of the lock
 * @wanted: policy of the other
 *
 * Context: any
 * Return: true if it does
 */
bool ldlm_type_covers(const struct ldlm_type_ops *ops,
		      const struct ldlm_policy *has,
		      const struct ldlm_policy *wanted)
{
	if (ops->lt_covers)
		return ops->lt_covers(has, wanted);
	return !memcmp(has, wanted, sizeof(*has));
}
