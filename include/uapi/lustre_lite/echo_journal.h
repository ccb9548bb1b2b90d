/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The journal of an echo server: a file with slots for two records. They are written
 * in turn, so that one is always intact; the intact record with the higher number is
 * valid. All integers are little-endian.
 *
 *	0			record with an even number
 *	LL_ECHO_JRN_SLOT	record with an odd one
 *
 * A record is struct ll_echo_jrn_head, then ej_clients times struct
 * ll_echo_jrn_client, each followed by ec_xids numbers of 8 bytes.
 */
#ifndef _UAPI_LUSTRE_LITE_ECHO_JOURNAL_H
#define _UAPI_LUSTRE_LITE_ECHO_JOURNAL_H

#include <linux/types.h>

#include "check.h"

#define LL_ECHO_JRN_MAGIC	0x314a454cU	/* "LEJ1" */
#define LL_ECHO_JRN_VERSION	1
/* Most bytes of a record, and offset of the second slot. */
#define LL_ECHO_JRN_SLOT	(16U << 20)

/**
 * struct ll_echo_jrn_head - head of a record
 * @ej_magic: LL_ECHO_JRN_MAGIC
 * @ej_version: LL_ECHO_JRN_VERSION
 * @ej_seq: number of the record, from 1
 * @ej_transno: last transaction
 * @ej_executed: counting requests executed
 * @ej_sum: sum of their values
 * @ej_len: bytes of the record
 * @ej_clients: clients
 * @ej_reserved: zero
 * @ej_check: FNV-1a of 64 bits of the record with this as zero
 */
struct ll_echo_jrn_head {
	__le32	ej_magic;
	__le32	ej_version;
	__le64	ej_seq;
	__le64	ej_transno;
	__le64	ej_executed;
	__le64	ej_sum;
	__le32	ej_len;
	__le32	ej_clients;
	__le64	ej_reserved;
	__le64	ej_check;
};

/**
 * struct ll_echo_jrn_client - a client
 * @ec_uuid: NUL-terminated, followed by zeros
 * @ec_executed: its counting requests executed
 * @ec_sum: sum of their values
 * @ec_xids: requests executed whose replies the client may not have received
 * @ec_reserved: zero
 */
struct ll_echo_jrn_client {
	char	ec_uuid[40];
	__le64	ec_executed;
	__le64	ec_sum;
	__le32	ec_xids;
	__le32	ec_reserved;
};

LL_UAPI_ASSERT(sizeof(struct ll_echo_jrn_head) == 64);
LL_UAPI_ASSERT(__builtin_offsetof(struct ll_echo_jrn_head, ej_check) == 56);
LL_UAPI_ASSERT(sizeof(struct ll_echo_jrn_client) == 64);

#endif /* _UAPI_LUSTRE_LITE_ECHO_JOURNAL_H */
