// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies of locks on the wire: each type's fields, which values are valid, what
 * one policy means for another. Modes are not compared here.
 */
#include <lustre_lite/wire.h>

/**
 * wire_policy_encode() - a policy to bytes
 * @to: out, wl_policy
 * @policy: policy
 *
 * Context: any
 */
void wire_policy_encode(struct lustre_lock *to, const struct ldlm_policy *policy)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(policy->data); n++)
		codec_put64(&to->wl_policy[n], policy->data[n]);
}

/**
 * wire_policy_decode() - bytes to a policy, which is not validated
 * @from: lock in a message
 * @policy: out
 *
 * Context: any
 */
void wire_policy_decode(const struct lustre_lock *from, struct ldlm_policy *policy)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(policy->data); n++)
		policy->data[n] = codec_get64(&from->wl_policy[n], false);
}

/**
 * wire_lock_type_is_known() - whether this version has locks of a type
 * @type: wl_type, not validated
 *
 * Context: any
 * Return: true if it has
 */
bool wire_lock_type_is_known(u32 type)
{
	return type == LDLM_PLAIN || type == LDLM_EXTENT || type == LDLM_IBITS ||
	       type == LDLM_FLOCK;
}

/**
 * wire_flock_is_valid() - whether a lock of a user may have a policy
 * @policy: policy, not validated
 *
 * Context: any
 * Return: true if it may be requested and granted
 */
bool wire_flock_is_valid(const struct ldlm_policy *policy)
{
	const struct ldlm_flock *flock = &policy->flock;
	u32 kind = wire_flock_kind(flock);

	if (kind == LDLM_FLOCK_WHOLE)
		return flock->owner && !flock->first && flock->last == LDLM_EXTENT_EOF;
	return kind == LDLM_FLOCK_POSIX && flock->owner && flock->first <= flock->last;
}
EXPORT_SYMBOL_NS_GPL(wire_flock_is_valid, LUSTRE_LITE);

/**
 * wire_policy_is_valid() - whether a lock may have a policy
 * @type: type, not validated
 * @policy: policy, not validated
 *
 * Locks of users have a way of their own, see wire_flock_is_valid().
 *
 * Context: any
 * Return: true if it may be requested; one without optional bits may be granted
 */
bool wire_policy_is_valid(u32 type, const struct ldlm_policy *policy)
{
	const u64 *data = policy->data;
	u64 bits = policy->ibits.bits | policy->ibits.try_bits;

	switch (type) {
	case LDLM_PLAIN:
		return !data[0] && !data[1] && !data[2] && !data[3];
	case LDLM_EXTENT:
		return policy->extent.first <= policy->extent.last &&
		       !policy->extent.group && !data[3];
	case LDLM_IBITS:
		return bits && !(bits & ~(u64)MDS_INODELOCK_ALL) &&
		       !data[2] && !data[3];
	default:
		return false;
	}
}
EXPORT_SYMBOL_NS_GPL(wire_policy_is_valid, LUSTRE_LITE);

/**
 * wire_policy_covers() - whether a granted lock makes a request unnecessary
 * @type: type of both
 * @has: granted policy
 * @wanted: requested policy
 *
 * Optional bits are not needed, except that a request of nothing else needs one.
 *
 * Context: any
 * Return: true if it does
 */
bool wire_policy_covers(u32 type, const struct ldlm_policy *has,
			const struct ldlm_policy *wanted)
{
	switch (type) {
	case LDLM_PLAIN:
		return true;
	case LDLM_EXTENT:
		return has->extent.first <= wanted->extent.first &&
		       has->extent.last >= wanted->extent.last;
	case LDLM_IBITS:
		if (!wanted->ibits.bits)
			return has->ibits.bits & wanted->ibits.try_bits;
		return !(wanted->ibits.bits & ~has->ibits.bits);
	case LDLM_FLOCK:
		return has->flock.owner == wanted->flock.owner &&
		       wire_flock_kind(&has->flock) == wire_flock_kind(&wanted->flock) &&
		       has->flock.first <= wanted->flock.first &&
		       has->flock.last >= wanted->flock.last;
	default:
		return false;
	}
}

/**
 * wire_policy_grants() - whether a server may answer a request with a policy
 * @type: type of both
 * @granted: policy in the answer, not validated
 * @wanted: requested policy, valid
 *
 * Context: any
 * Return: true if it is valid, covers the request, and has no bit that was not
 *  requested
 */
bool wire_policy_grants(u32 type, const struct ldlm_policy *granted,
			const struct ldlm_policy *wanted)
{
	bool valid = type == LDLM_FLOCK ? wire_flock_is_valid(granted) :
					  wire_policy_is_valid(type, granted);

	if (!valid || !wire_policy_covers(type, granted, wanted))
		return false;
	if (type != LDLM_IBITS)
		return true;
	return !granted->ibits.try_bits &&
	       !(granted->ibits.bits &
		 ~(wanted->ibits.bits | wanted->ibits.try_bits));
}
