/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Valid messages with one change each, and the resulting fault. Sequences and CRCs of
 * messages and bulk data are not checked by the codec.
 */
#ifndef _WIRE_DAMAGE_H
#define _WIRE_DAMAGE_H

#include "wire_vectors_frame.h"

/* struct wire_damage - @size bytes at @offset become @value; then it is @len long */
struct wire_damage {
	const char	*what;
	u16		offset;
	u16		size;
	u32		value;
	u32		len;
	enum wire_fault	fault;
};

#define WIRE_DAMAGE(type, member, number, is)				\
	{								\
		.what = #member " " #number,				\
		.offset = offsetof(struct type, member),		\
		.size = sizeof(((struct type *)0)->member),		\
		.value = (number),					\
		.fault = (is),						\
	}

/* Behind an array or a structure in it. */
#define WIRE_DAMAGE_AT(type, member, at, bytes, number, is)		\
	{								\
		.what = #member "+" #at " " #number,			\
		.offset = offsetof(struct type, member) + (at),		\
		.size = (bytes),					\
		.value = (number),					\
		.fault = (is),						\
	}

#define WIRE_DAMAGE_LEN(bytes, is)					\
	{ .what = #bytes " bytes", .len = (bytes), .fault = (is) }

/* Of frame_write; the head's CRC is right again, but where it is the fault. */
static const struct wire_damage frame_damages[] = {
	WIRE_DAMAGE(lnet_frame, fr_magic, 0x32574c4c, WIRE_BAD_MAGIC),
	WIRE_DAMAGE(lnet_frame, fr_magic, 0x4c4c5731, WIRE_BAD_MAGIC),
	WIRE_DAMAGE(lnet_frame, fr_version, 0, WIRE_BAD_VERSION),
	WIRE_DAMAGE(lnet_frame, fr_version, 2, WIRE_BAD_VERSION),
	WIRE_DAMAGE(lnet_frame, fr_type, 0, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lnet_frame, fr_type, 3, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lnet_frame, fr_type, 255, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lnet_frame, fr_type, LNET_FRAME_HELLO, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_flags, 1, WIRE_BAD_FLAGS),
	WIRE_DAMAGE(lnet_frame, fr_flags, 0x8000, WIRE_BAD_FLAGS),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 0, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 136, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 145, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 65544, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 0xfffffff8, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 65536, WIRE_OK),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 144, WIRE_OK),
	WIRE_DAMAGE(lnet_frame, fr_bulk_len, 16777217, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_bulk_len, 0xffffffff, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_bulk_len, 16777216, WIRE_OK),
};

/* Of frame_hello. */
static const struct wire_damage hello_frame_damages[] = {
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 79, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 1025, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_frame, fr_msg_len, 1024, WIRE_OK),
	WIRE_DAMAGE(lnet_frame, fr_bulk_len, 1, WIRE_BAD_LENGTH),
};

/* Of hello_request. */
static const struct wire_damage hello_damages[] = {
	WIRE_DAMAGE(lnet_hello, he_version_min, 2, WIRE_BAD_VERSION),
	WIRE_DAMAGE(lnet_hello, he_version_max, 0, WIRE_BAD_VERSION),
	WIRE_DAMAGE(lnet_hello, he_version_max, 9, WIRE_OK),
	WIRE_DAMAGE(lnet_hello, he_features, 0xffffffff, WIRE_OK),
	WIRE_DAMAGE(lnet_hello, he_flavour, 1, WIRE_BAD_FLAVOUR),
	WIRE_DAMAGE(lnet_hello, he_auth_len, 1, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_hello, he_auth_len, 0xffffffff, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_hello, he_status, 4095, WIRE_OK),
	WIRE_DAMAGE(lnet_hello, he_status, 4096, WIRE_BAD_STATUS),
	WIRE_DAMAGE(lnet_hello, he_status, 0xffffffff, WIRE_BAD_STATUS),
	WIRE_DAMAGE(lnet_hello, he_msg_max, 143, WIRE_BAD_LENGTH),
	WIRE_DAMAGE(lnet_hello, he_msg_max, 144, WIRE_OK),
	WIRE_DAMAGE(lnet_hello, he_lane, 0x80000000, WIRE_BAD_PADDING),
	WIRE_DAMAGE(lnet_hello, he_lane, LNET_BULK, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lnet_hello, he_src, 0, 1, 3, WIRE_BAD_NID),
	WIRE_DAMAGE_AT(lnet_hello, he_src, 1, 1, 5, WIRE_BAD_NID),
	WIRE_DAMAGE_AT(lnet_hello, he_src, 1, 1, 0, WIRE_BAD_NID),
	WIRE_DAMAGE_AT(lnet_hello, he_src, 8, 1, 1, WIRE_BAD_NID),
	WIRE_DAMAGE_AT(lnet_hello, he_dst, 19, 1, 1, WIRE_BAD_NID),
	WIRE_DAMAGE_AT(lnet_hello, he_dst, 0, 1, 9, WIRE_OK),
	WIRE_DAMAGE_LEN(79, WIRE_BAD_LENGTH),
	WIRE_DAMAGE_LEN(81, WIRE_BAD_LENGTH),
	WIRE_DAMAGE_LEN(1, WIRE_BAD_LENGTH),
};

/*
 * Of "OST_GET_INFO request": buffers of 11 and 8 bytes, 168 bytes in all; the key
 * ends at 155 and zeros follow up to 160.
 */
static const struct wire_damage msg_damages[] = {
	WIRE_DAMAGE(lustre_msg, lm_type, 4710, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lustre_msg, lm_type, 4714, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lustre_msg, lm_type, 0x67120000, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lustre_msg, lm_type, PTL_RPC_MSG_REPLY, WIRE_OK),
	WIRE_DAMAGE(lustre_msg, lm_opc, 0xffffffff, WIRE_OK),
	WIRE_DAMAGE(lustre_msg, lm_portal, WIRE_PORTAL_MAX - 1, WIRE_OK),
	WIRE_DAMAGE(lustre_msg, lm_portal, WIRE_PORTAL_MAX, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lustre_msg, lm_portal, 0xffff, WIRE_BAD_TYPE),
	WIRE_DAMAGE(lustre_msg, lm_status, 1, WIRE_BAD_STATUS),
	WIRE_DAMAGE(lustre_msg, lm_status, 0xffffffff, WIRE_BAD_STATUS),
	WIRE_DAMAGE(lustre_msg, lm_status, 0xfffff000, WIRE_BAD_STATUS),
	WIRE_DAMAGE(lustre_msg, lm_reserved, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE(lustre_msg, lm_bufcount, 9, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE(lustre_msg, lm_bufcount, 0xffff, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE(lustre_msg, lm_bufcount, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE(lustre_msg, lm_bufcount, 8, WIRE_OK),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 16, WIRE_OK),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 10, WIRE_OK),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 9, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 17, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 24, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 25, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 8, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 0, 4, 0xffffffff, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 4, 4, 0xfffffff9, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 4, 4, 9, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 4, 4, 0, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 8, 4, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 28, 4, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 32 + 11, 1, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE_AT(lustre_msg, lm_buflens, 32 + 15, 1, 1, WIRE_BAD_PADDING),
	WIRE_DAMAGE_LEN(0, WIRE_OK),
	WIRE_DAMAGE_LEN(8, WIRE_BAD_LENGTH),
	WIRE_DAMAGE_LEN(136, WIRE_BAD_LENGTH),
	WIRE_DAMAGE_LEN(144, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_LEN(160, WIRE_BAD_BUFFERS),
	WIRE_DAMAGE_LEN(167, WIRE_BAD_LENGTH),
	WIRE_DAMAGE_LEN(176, WIRE_BAD_BUFFERS),
};

/* The damaged bytes of @good are in @room, zeros behind. Return: their length */
static inline size_t wire_damage_apply(const struct wire_damage *damage,
				       const u8 *good, size_t len, u8 *room,
				       size_t size)
{
	u16 n;

	memset(room, 0, size);
	memcpy(room, good, len);
	for (n = 0; n < damage->size; n++)
		room[damage->offset + n] = (u8)(damage->value >> n * 8);
	return damage->len ? damage->len : len;
}

#endif /* _WIRE_DAMAGE_H */
