/* SPDX-License-Identifier: GPL-2.0-only */
/* The part that all fuzzers of the wire share. */
#ifndef _FUZZ_WIRE_H
#define _FUZZ_WIRE_H

#include <stdio.h>
#include <stdlib.h>

#include <lustre_lite/wire.h>

#define FUZZ_CHECK(cond)						\
do {									\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

/* A copy of exactly its size, so that a byte too many is seen. */
static inline u8 *fuzz_exactly(const u8 *data, size_t size)
{
	u8 *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

static inline void fuzz_fault(enum wire_fault fault)
{
	FUZZ_CHECK(fault < WIRE_FAULT_COUNT);
	FUZZ_CHECK(wire_fault_name(fault));
}

#endif /* _FUZZ_WIRE_H */
