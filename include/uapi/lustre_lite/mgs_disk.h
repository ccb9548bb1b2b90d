/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What a management service keeps in its folder besides its config logs, which
 * are in CONFIGS/ and those of real Lustre:
 *
 *	mgs_journal	changes that may not be in their files yet
 *	mgs_state	generations of the logs
 *	mgs_changes	who changed what, from where and when: text, a line each
 *	NIDTBL_VERSIONS/FS	version of the table of NIDs, 8 bytes
 *	mgs_nids/TARGET	its entry of the table of NIDs: struct lustre_nidtbl and
 *				its NIDs
 *	mgs_targets/TARGET	identity of the target that is registered:
 *				struct mgs_target_identity
 *
 * A change is on the disk once its entry of the journal is: it is written into the
 * files afterwards, and the journal is emptied when those are on the disk. An entry
 * says which bytes go where, so that doing it again does no harm.
 *
 *	struct mgs_journal_head		two, at 0 and MGS_JOURNAL_HEAD_STEP: that of
 *					an even round, that of an odd one
 *	struct mgs_journal_entry	a change: head, then its parts; the first at
 *					MGS_JOURNAL_BEGIN, each behind the one before
 *	struct mgs_journal_part		what is done to a file: head, name, bytes;
 *					each padded with zeros to 8
 *
 * Emptying it is writing the head of the next round, in the place of the one
 * before the present one: a power cut leaves a head that is whole. What is in the
 * file behind the last entry of the round are left-overs, or zeros.
 *
 * All integers are little-endian, all checksums CRC32C as wire.h has it.
 */
#ifndef _UAPI_LUSTRE_LITE_MGS_DISK_H
#define _UAPI_LUSTRE_LITE_MGS_DISK_H

#include <linux/types.h>

#include "check.h"

#define MGS_JOURNAL_FILE	"mgs_journal"
#define MGS_STATE_FILE		"mgs_state"
#define MGS_CHANGES_FILE	"mgs_changes"
#define MGS_NIDTBL_DIR		"NIDTBL_VERSIONS"
#define MGS_NIDS_DIR		"mgs_nids"
#define MGS_TARGETS_DIR		"mgs_targets"

#define MGS_JOURNAL_MAGIC	0x4a53474dU	/* "MGSJ" */
#define MGS_ENTRY_MAGIC		0x4553474dU	/* "MGSE" */
#define MGS_STATE_MAGIC		0x5453474dU	/* "MGST" */
#define MGS_IDENTITY_MAGIC	0x4953474dU	/* "MGSI" */
#define MGS_JOURNAL_VERSION	1

/* A head is alone in its block: a write that is torn takes one of them. */
#define MGS_JOURNAL_HEAD_STEP	4096
#define MGS_JOURNAL_BEGIN	8192

/**
 * struct mgs_journal_head - a round of the journal
 * @jh_magic: MGS_JOURNAL_MAGIC
 * @jh_version: MGS_JOURNAL_VERSION
 * @jh_round: from 1, rises each time that the journal is emptied; the higher one
 *	counts. Entries of another round are left-overs
 * @jh_reserved: zero
 * @jh_crc: of the bytes before
 */
struct mgs_journal_head {
	__le32	jh_magic;
	__le32	jh_version;
	__le64	jh_round;
	__le32	jh_reserved;
	__le32	jh_crc;
};

/**
 * struct mgs_journal_entry - a change
 * @je_magic: MGS_ENTRY_MAGIC
 * @je_parts: parts that follow
 * @je_round: jh_round
 * @je_generation: of the configuration after it
 * @je_len: bytes of all, this head included; a multiple of 8
 * @je_crc: of the parts
 * @je_at: where it is in the file: bytes of a file that look like an entry are none
 * @je_head_crc: of the bytes before
 *
 * An entry is written once the one before it is on the disk. So one that is not
 * whole is the last of its round, torn by a power cut; where there is the head of
 * another one behind it, it is damaged.
 */
struct mgs_journal_entry {
	__le32	je_magic;
	__le32	je_parts;
	__le64	je_round;
	__le64	je_generation;
	__le32	je_len;
	__le32	je_crc;
	__le32	je_at;
	__le32	je_head_crc;
};

/* enum mgs_part_kind - jp_kind */
enum mgs_part_kind {
	MGS_PART_WRITE	= 1,	/* bytes at jp_offset */
	MGS_PART_SIZE	= 2,	/* the file is jp_offset bytes long */
	MGS_PART_REMOVE	= 3,	/* there is no such file */
};

/**
 * struct mgs_journal_part - what is done to a file
 * @jp_kind: enum mgs_part_kind
 * @jp_name_len: bytes of the name, without a NUL; relative to the folder
 * @jp_len: bytes to be written, behind the name
 * @jp_offset: where
 */
struct mgs_journal_part {
	__le32	jp_kind;
	__le32	jp_name_len;
	__le64	jp_len;
	__le64	jp_offset;
};

/**
 * struct mgs_state_head - begin of mgs_state; struct mgs_state_log follow
 * @sh_magic: MGS_STATE_MAGIC
 * @sh_count: logs that follow
 * @sh_generation: of the configuration: rises with every change
 * @sh_seed: a random number of the folder, the same from its first change on: whoever
 *	knows generations of another folder does not take them for those of this one. 0:
 *	it has none yet
 * @sh_crc: of the bytes before, and of all that follow
 */
struct mgs_state_head {
	__le32	sh_magic;
	__le32	sh_count;
	__le64	sh_generation;
	__le32	sh_seed;
	__le32	sh_crc;
};

/**
 * struct mgs_state_log - a log
 * @sl_name: name, zeros behind it
 * @sl_born: generation in which it was written anew: made, rewritten, or something
 *	in it taken back that a reader may have applied. Whoever knows it with
 *	another number reads all of it again
 * @sl_generation: generation in which it was changed last
 * @sl_size: bytes of it
 * @sl_crc: check sum of the check sums of each 8192 bytes of it. A log that has
 *	another size or sum was written by somebody else, from a backup or by hand, and
 *	counts as written anew
 * @sl_reserved: zero
 */
struct mgs_state_log {
	char	sl_name[64];
	__le64	sl_born;
	__le64	sl_generation;
	__le64	sl_size;
	__le32	sl_crc;
	__le32	sl_reserved;
};

/* ti_flags */
#define MGS_TARGET_REPLACE	0x1	/* another identity may take its place */
#define MGS_TARGET_STOPPED	0x2	/* it said that it stopped */

/**
 * struct mgs_target_identity - which directory a target is
 * @ti_magic: MGS_IDENTITY_MAGIC
 * @ti_flags: MGS_TARGET_*
 * @ti_id: text of its ldd_uuid, zeros behind it; empty where it has none
 * @ti_key: SHA-256 of its secret: who has this can make its proofs. Zeros: nobody
 *	registered with a key yet
 * @ti_nid_type: NID of the node where it registered last, as struct lustre_nid; it is
 *	in service there, unless MGS_TARGET_STOPPED is set or the node was evicted. Zeros:
 *	not known
 * @ti_nid_len: ...
 * @ti_nid_net: ...
 * @ti_nid_addr: ...
 * @ti_reserved: zero
 *
 * Files of earlier releases have MGS_IDENTITY_OLD bytes: all up to the NID.
 */
struct mgs_target_identity {
	__le32	ti_magic;
	__le32	ti_flags;
	char	ti_id[40];
	__u8	ti_key[32];
	__u8	ti_nid_type;
	__u8	ti_nid_len;
	__le16	ti_nid_net;
	__u8	ti_nid_addr[16];
	__le32	ti_reserved;
};

#define MGS_IDENTITY_OLD	80

LL_UAPI_ASSERT(sizeof(struct mgs_target_identity) == 104);
LL_UAPI_ASSERT(sizeof(struct mgs_journal_head) == 24);
LL_UAPI_ASSERT(sizeof(struct mgs_journal_entry) == 40);
LL_UAPI_ASSERT(sizeof(struct mgs_journal_part) == 24);
LL_UAPI_ASSERT(sizeof(struct mgs_state_head) == 24);
LL_UAPI_ASSERT(sizeof(struct mgs_state_log) == 96);

#endif /* _UAPI_LUSTRE_LITE_MGS_DISK_H */
