/* SPDX-License-Identifier: GPL-2.0 */
/* All vectors of messages; see wire_vectors.h. */
#ifndef _WIRE_VECTORS_ALL_H
#define _WIRE_VECTORS_ALL_H

#include "wire_vectors_callback.h"
#include "wire_vectors_connect.h"
#include "wire_vectors_frame.h"
#include "wire_vectors_info.h"
#include "wire_vectors_io.h"
#include "wire_vectors_lock.h"
#include "wire_vectors_mgs.h"
#include "wire_vectors_ping.h"
#include "wire_vectors_target.h"

#define WIRE_VECTOR_GROUP(group)	{ group, ARRAY_SIZE(group) }

static const struct {
	const struct wire_vector *vectors;
	size_t count;
} wire_vector_groups[] = {
	WIRE_VECTOR_GROUP(connect_vectors),
	WIRE_VECTOR_GROUP(ping_vectors),
	WIRE_VECTOR_GROUP(target_vectors),
	WIRE_VECTOR_GROUP(info_vectors),
	WIRE_VECTOR_GROUP(io_vectors),
	WIRE_VECTOR_GROUP(lock_vectors),
	WIRE_VECTOR_GROUP(callback_vectors),
	WIRE_VECTOR_GROUP(mgs_vectors),
};

#endif /* _WIRE_VECTORS_ALL_H */
