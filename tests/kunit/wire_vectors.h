/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire, byte for byte: what a message with these fields looks like. Laid
 * out after include/uapi/lustre_lite/wire.h without the codec, and shared by its
 * tests in user space (tests/unit/wire_codec_test.c) and in the kernel
 * (wire_kunit.c).
 */
#ifndef _WIRE_VECTORS_H
#define _WIRE_VECTORS_H

#include <lustre_lite/wire.h>

/* struct wire_vector_field - an integer in a buffer: where, and which */
struct wire_vector_field {
	u8	buf;
	u8	size;
	u16	offset;
	u64	value;
};

#define WIRE_FIELD(n, type, member, number)				\
	{								\
		.buf = (n),						\
		.size = sizeof(((struct type *)0)->member),		\
		.offset = offsetof(struct type, member),		\
		.value = (number),					\
	}

/* struct wire_vector - a message: bytes, and what they say */
struct wire_vector {
	const char				*name;
	const u8				*bytes;
	size_t					len;
	const struct wire_vector_field		*fields;
	size_t					field_count;
	struct wire_msg				msg;
};

struct wire_vector_hello {
	const char		*name;
	const u8		*bytes;
	size_t			len;
	struct wire_hello	hello;
};

/* struct wire_vector_frame - head of a frame; @head_crc: of its first 28 bytes */
struct wire_vector_frame {
	const char		*name;
	const u8		*bytes;
	u32			head_crc;
	struct wire_frame	frame;
};

/* A field of a buffer, as the vector's bytes have it. */
static inline u64 wire_vector_get(const u8 *at, size_t size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

#endif /* _WIRE_VECTORS_H */
