/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire, byte for byte: what a message with these fields looks like. Laid
 * out after include/uapi/lustre_lite/wire.h without the codec, and shared by its
 * tests in user space (tests/unit/wire_codec_test.c) and in the kernel
 * (wire_kunit.c).
 */
#ifndef _WIRE_VECTORS_H
#define _WIRE_VECTORS_H

#include <lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_mds.h>

/* Capacity for the largest vector, and for an extended one. */
#define WIRE_VECTOR_ROOM	1024
#define WIRE_VECTOR_HEAD	144

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

/**
 * struct wire_vector - a message: bytes, and what they say
 * @name: ...
 * @msg: members of its head; the bytes are made of them by wire_vector_bytes()
 * @head: the bytes of the head, where they are the thing to test, or NULL
 * @body: the bytes of all buffers and of what fills them up; NULL: none
 * @fields: integers in the buffers; the last has size 0
 *
 * Bytes are written as hexadecimal digits, 'text', and .N for N zeros.
 */
struct wire_vector {
	const char				*name;
	struct wire_msg				msg;
	const char				*head;
	const char				*body;
	const struct wire_vector_field		*fields;
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

static inline void wire_vector_put(u8 *at, size_t size, u64 value)
{
	for (; size--; value >>= 8)
		*at++ = (u8)value;
}

/* Return: value of a hexadecimal digit; more than 15 for another character */
static inline unsigned int wire_vector_digit(char c)
{
	return c >= '0' && c <= '9' ? (unsigned int)(c - '0') :
	       c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

static inline const char *wire_vector_text(const char *text, u8 *to, size_t room,
					   size_t *len)
{
	for (; *text && *text != '\'' && *len < room; text++)
		to[(*len)++] = (u8)*text;
	return *text ? text + 1 : text;
}

static inline const char *wire_vector_zeros(const char *text, u8 *to, size_t room,
					    size_t *len)
{
	size_t zeros = 0;

	for (; wire_vector_digit(*text) < 10; text++)
		zeros = zeros * 10 + wire_vector_digit(*text);
	for (; zeros && *len < room; zeros--)
		to[(*len)++] = 0;
	return text;
}

/* Convert @text into bytes at @to. Return: their number; 0 for an invalid text */
static inline size_t wire_vector_parse(const char *text, u8 *to, size_t room)
{
	unsigned int digits;
	size_t len = 0;

	while (text && *text && len < room) {
		switch (*text++) {
		case ' ':
			break;
		case '\'':
			text = wire_vector_text(text, to, room, &len);
			break;
		case '.':
			text = wire_vector_zeros(text, to, room, &len);
			break;
		default:
			digits = wire_vector_digit(text[-1]) << 4 | wire_vector_digit(*text);
			if (digits > 0xff || wire_vector_digit(*text) > 15)
				return 0;
			to[len++] = (u8)digits;
			text++;
		}
	}
	return len < room ? len : 0;
}

/* The head of a message: where each member is, by number and not by the codec. */
static inline void wire_vector_head(const struct wire_msg *msg, u8 *to)
{
	unsigned int n;

	wire_vector_put(to, 4, msg->type);
	wire_vector_put(to + 4, 4, msg->opc);
	wire_vector_put(to + 8, 8, msg->xid);
	wire_vector_put(to + 16, 8, msg->handle);
	wire_vector_put(to + 24, 8, msg->transno);
	wire_vector_put(to + 32, 8, msg->last_committed);
	wire_vector_put(to + 40, 8, msg->last_xid);
	wire_vector_put(to + 48, 4, (u32)msg->status);
	wire_vector_put(to + 52, 4, msg->flags);
	wire_vector_put(to + 56, 4, msg->op_flags);
	wire_vector_put(to + 60, 4, msg->conn_cnt);
	wire_vector_put(to + 64, 4, msg->timeout);
	wire_vector_put(to + 68, 4, msg->service_time);
	wire_vector_put(to + 72, 2, msg->portal);
	wire_vector_put(to + 74, 2, msg->bufcount);
	wire_vector_put(to + 76, 4, 0);
	memcpy(to + 80, msg->jobid, 32);
	for (n = 0; n < 8; n++)
		wire_vector_put(to + 112 + 4 * n, 4, msg->buflens[n]);
}

/*
 * The bytes of @v in @to, of WIRE_VECTOR_ROOM bytes. Return: their number; 0 for an invalid
 * row.
 */
static inline size_t wire_vector_bytes(const struct wire_vector *v, u8 *to)
{
	u8 head[WIRE_VECTOR_HEAD + 1];
	size_t len;

	wire_vector_head(&v->msg, to);
	if (v->head) {
		len = wire_vector_parse(v->head, head, sizeof(head));
		if (len != WIRE_VECTOR_HEAD || memcmp(head, to, len))
			return 0;
	}
	len = wire_vector_parse(v->body, to + WIRE_VECTOR_HEAD,
				WIRE_VECTOR_ROOM - WIRE_VECTOR_HEAD);
	return v->body && !len ? 0 : WIRE_VECTOR_HEAD + len;
}

#endif /* _WIRE_VECTORS_H */
