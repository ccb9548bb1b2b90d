/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input taken apart. At its end there are zeros: so every input means
 * something, and a shorter one means something simpler.
 */
#ifndef _FUZZ_INPUT_H
#define _FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

struct fuzz_input {
	const u8	*at;
	size_t		left;
};

static inline void fuzz_bytes(struct fuzz_input *in, void *to, size_t len)
{
	size_t have = len < in->left ? len : in->left;

	if (have)
		memcpy(to, in->at, have);
	memset((char *)to + have, 0, len - have);
	in->at += have;
	in->left -= have;
}

static inline u8 fuzz_u8(struct fuzz_input *in)
{
	u8 val;

	fuzz_bytes(in, &val, sizeof(val));
	return val;
}

static inline u32 fuzz_u32(struct fuzz_input *in)
{
	u32 val;

	fuzz_bytes(in, &val, sizeof(val));
	return val;
}

static inline u64 fuzz_u64(struct fuzz_input *in)
{
	u64 val;

	fuzz_bytes(in, &val, sizeof(val));
	return val;
}

/* Checks that hold for every input. */
#define FUZZ_CHECK(cond)						\
do {									\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

#endif /* _FUZZ_INPUT_H */
