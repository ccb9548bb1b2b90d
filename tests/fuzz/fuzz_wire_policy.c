// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies of two locks of a type. A policy comes back as it was; a grant is valid and
 * covers its request; what covers a lock covers all that the lock covers.
 */
#include "fuzz_wire.h"

/* A type, then three policies; modes and names of resources are not looked at. */
struct input {
	u8			type;
	struct lustre_lock	locks[3];
};

static void check_pair(u32 type, const struct ldlm_policy *granted,
		       const struct ldlm_policy *wanted)
{
	if (!wire_policy_grants(type, granted, wanted))
		return;
	FUZZ_CHECK(wire_lock_type_is_known(type));
	FUZZ_CHECK(type == LDLM_FLOCK ? wire_flock_is_valid(granted) :
					wire_policy_is_valid(type, granted));
	FUZZ_CHECK(wire_policy_covers(type, granted, wanted));
	/* A lock that was granted makes a second one unnecessary. */
	FUZZ_CHECK(wire_policy_covers(type, granted, granted));
	if (type == LDLM_EXTENT || type == LDLM_FLOCK)
		FUZZ_CHECK(granted->extent.first <= granted->extent.last);
	if (type == LDLM_FLOCK)
		FUZZ_CHECK(granted->flock.owner &&
			   wire_flock_who(wire_flock_pid(&granted->flock),
					  wire_flock_kind(&granted->flock)) ==
			   granted->flock.who);
	if (type == LDLM_IBITS)
		FUZZ_CHECK(granted->ibits.bits && !granted->ibits.try_bits);
}

static void check_chain(u32 type, const struct ldlm_policy *policies)
{
	unsigned int n;

	for (n = 0; n < 3; n++) {
		if (!wire_policy_is_valid(type, &policies[n]))
			return;
		if (type == LDLM_IBITS && policies[n].ibits.try_bits)
			return;
	}
	if (wire_policy_covers(type, &policies[0], &policies[1]) &&
	    wire_policy_covers(type, &policies[1], &policies[2]))
		FUZZ_CHECK(wire_policy_covers(type, &policies[0], &policies[2]));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ldlm_policy policies[3];
	struct lustre_lock again;
	struct input input = {};
	unsigned int n;
	u32 type;

	memcpy(&input, data, size < sizeof(input) ? size : sizeof(input));
	type = LDLM_PLAIN - 1 + input.type % 6;
	for (n = 0; n < 3; n++) {
		wire_policy_decode(&input.locks[n], &policies[n]);
		wire_policy_encode(&again, &policies[n]);
		FUZZ_CHECK(!memcmp(again.wl_policy, input.locks[n].wl_policy,
				   sizeof(again.wl_policy)));
		FUZZ_CHECK(wire_lock_type_is_known(type) ||
			   !wire_policy_is_valid(type, &policies[n]));
	}
	check_pair(type, &policies[0], &policies[1]);
	check_pair(type, &policies[1], &policies[0]);
	check_chain(type, policies);
	return 0;
}
