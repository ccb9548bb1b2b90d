/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold of the codec for each vector, without any test framework: each
 * check returns NULL, or what was not as it should be.
 */
#ifndef _WIRE_CHECKS_H
#define _WIRE_CHECKS_H

#include "wire_vectors_frame.h"
#include "wire_vectors_msg.h"

/* struct wire_member - a member of a structure of the codec */
struct wire_member {
	const char	*name;
	size_t		offset;
	size_t		size;
};

#define WIRE_MEMBER(type, member)					\
	{ #member, offsetof(struct type, member),			\
	  sizeof(((struct type *)0)->member) }

static const struct wire_member wire_msg_members[] = {
	WIRE_MEMBER(wire_msg, type),
	WIRE_MEMBER(wire_msg, opc),
	WIRE_MEMBER(wire_msg, xid),
	WIRE_MEMBER(wire_msg, handle),
	WIRE_MEMBER(wire_msg, transno),
	WIRE_MEMBER(wire_msg, last_committed),
	WIRE_MEMBER(wire_msg, last_xid),
	WIRE_MEMBER(wire_msg, status),
	WIRE_MEMBER(wire_msg, flags),
	WIRE_MEMBER(wire_msg, op_flags),
	WIRE_MEMBER(wire_msg, conn_cnt),
	WIRE_MEMBER(wire_msg, timeout),
	WIRE_MEMBER(wire_msg, service_time),
	WIRE_MEMBER(wire_msg, portal),
	WIRE_MEMBER(wire_msg, bufcount),
	WIRE_MEMBER(wire_msg, jobid),
	WIRE_MEMBER(wire_msg, buflens),
};

static const struct wire_member wire_frame_members[] = {
	WIRE_MEMBER(wire_frame, type),
	WIRE_MEMBER(wire_frame, msg_len),
	WIRE_MEMBER(wire_frame, bulk_len),
	WIRE_MEMBER(wire_frame, seq),
	WIRE_MEMBER(wire_frame, msg_crc),
	WIRE_MEMBER(wire_frame, bulk_crc),
};

/* Name of the first member that differs. */
static inline const char *wire_check_same(const void *a, const void *b,
					  const struct wire_member *members,
					  size_t count)
{
	size_t n;

	for (n = 0; n < count; n++) {
		if (memcmp((const u8 *)a + members[n].offset,
			   (const u8 *)b + members[n].offset, members[n].size))
			return members[n].name;
	}
	return NULL;
}

/*
 * Copy the bytes of the vector of that name to @room. Return: their number; 0: no such
 * vector
 */
static inline size_t wire_vector_named(const char *name, u8 *room)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(wire_vectors); n++) {
		if (!strcmp(wire_vectors[n].name, name))
			return wire_vector_bytes(&wire_vectors[n], room);
	}
	return 0;
}

/* Each buffer starts at a multiple of 8, after the previous one. */
static inline const char *wire_check_buffers(const struct wire_msg *msg,
					     const u8 *bytes, size_t len)
{
	const u8 *at = bytes + WIRE_MSG_SIZE;
	unsigned int n;

	for (n = 0; n < WIRE_MSG_BUFS_MAX; n++) {
		if (msg->bufs[n] != (n < msg->bufcount ? at : NULL))
			return "where a buffer begins";
		at += (msg->buflens[n] + 7) / 8 * 8;
	}
	return at == bytes + len ? NULL : "where the buffers end";
}

static inline const char *wire_check_fields(const struct wire_vector *v,
					    const struct wire_msg *msg)
{
	const struct wire_vector_field *field;
	const u8 *buf;

	for (field = v->fields; field && field->size; field++) {
		buf = (const u8 *)wire_buf(msg, field->buf, (size_t)field->offset +
					   field->size);
		if (!buf)
			return "a buffer is too short";
		if (wire_vector_get(buf + field->offset, field->size) !=
		    field->value)
			return "a field of a buffer";
	}
	return NULL;
}

/* Decoding the bytes of the vector gives its fields. */
static inline const char *wire_check_view(const struct wire_vector *v,
					  const u8 *bytes, size_t len)
{
	struct wire_msg msg;
	const char *why;

	if (wire_msg_view(bytes, len, &msg) != WIRE_OK)
		return "a good message is refused";
	why = wire_check_same(&msg, &v->msg, wire_msg_members,
			      ARRAY_SIZE(wire_msg_members));
	if (!why)
		why = wire_check_buffers(&msg, bytes, len);
	return why ? why : wire_check_fields(v, &msg);
}

/* Encoding the fields of the vector into @room gives its bytes. */
static inline const char *wire_check_made(const struct wire_vector *v,
					  const u8 *bytes, size_t len, u8 *room)
{
	const u8 *from = bytes + WIRE_MSG_SIZE;
	unsigned int n;

	if (wire_msg_size(v->msg.buflens, v->msg.bufcount) != len)
		return "size of the message";
	memset(room, 0x5a, len);
	wire_msg_init(room, v->msg.buflens, v->msg.bufcount);
	wire_msg_encode(room, &v->msg);
	for (n = 0; n < v->msg.bufcount; n++) {
		memcpy(wire_msg_buf(room, n), from, v->msg.buflens[n]);
		from += (v->msg.buflens[n] + 7) / 8 * 8;
	}
	return memcmp(room, bytes, len) ? "bytes of the message" : NULL;
}

/* The message of @len bytes is truncated, or extended, at every byte of its @room. */
static inline const char *wire_check_cut(u8 *room, size_t len)
{
	struct wire_msg msg;
	size_t other;

	memset(room + len, 0, WIRE_VECTOR_ROOM - len);
	for (other = 0; other < WIRE_VECTOR_ROOM; other++) {
		if (other != len && wire_msg_view(room, other, &msg) == WIRE_OK)
			return "a message of another length is taken";
	}
	return NULL;
}

static inline const char *wire_check_hello(const struct wire_vector_hello *v)
{
	struct lnet_hello made;
	struct wire_hello hello;

	if (wire_hello_decode(v->bytes, v->len, &hello) != WIRE_OK)
		return "a good HELLO is refused";
	if (memcmp(&hello, &v->hello, sizeof(hello)))
		return "fields of the HELLO";
	wire_hello_encode(&made, &v->hello);
	return memcmp(&made, v->bytes, v->len) ? "bytes of the HELLO" : NULL;
}

static inline const char *wire_check_frame(const struct wire_vector_frame *v)
{
	struct lnet_frame made, from;
	struct wire_frame frame;
	const char *why;

	memset(&frame, 0, sizeof(frame));
	memcpy(&from, v->bytes, sizeof(from));
	if (wire_frame_decode(&from, v->head_crc, &frame) != WIRE_OK)
		return "a good head is refused";
	why = wire_check_same(&frame, &v->frame, wire_frame_members,
			      ARRAY_SIZE(wire_frame_members));
	if (why)
		return why;
	wire_frame_encode(&made, &v->frame);
	wire_frame_seal(&made, v->head_crc);
	return memcmp(&made, v->bytes, sizeof(made)) ? "bytes of the head" : NULL;
}

#endif /* _WIRE_CHECKS_H */
