/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Files of a management service in its backend directory. Its config logs are in CONFIGS/,
 * in the format of real Lustre; these files are its own:
 *
 *	mgs_journal		changes that may not be in their files yet
 *	mgs_state		generations of the logs
 *	mgs_changes		history of changes, as text: one line each, with author,
 *				origin and time
 *	NIDTBL_VERSIONS/FS	version of the table of NIDs, 8 bytes
 *	mgs_nids/TARGET		entry of the target in the table of NIDs: struct
 *				lustre_nidtbl and its NIDs
 *	mgs_targets/TARGET	identity of the registered target: struct
 *				mgs_target_identity
 *
 * A change is committed once its journal entry is on the disk. Afterwards it is written to
 * its files, and when these are on the disk, the journal is emptied. An entry contains bytes
 * and their offsets, so applying it twice is harmless.
 *
 *	struct mgs_journal_head		two, at 0 and MGS_JOURNAL_HEAD_STEP: one for even
 *					rounds, one for odd rounds
 *	struct mgs_journal_entry	a change: head, then its parts; the first entry is
 *					at MGS_JOURNAL_BEGIN, each entry follows the
 *					previous one
 *	struct mgs_journal_part		a modification of a file: head, name, bytes; name
 *					and bytes are padded with zeros to 8
 *
 * The journal is emptied by writing the head of the next round over the head of the previous
 * round, so a power cut leaves one head intact. The bytes after the last entry of a round are
 * left-overs or zeros.
 *
 * All integers are little-endian, all checksums CRC32C as in wire.h.
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

/* Each head has a block of its own: a torn write damages one of them at most. */
#define MGS_JOURNAL_HEAD_STEP	4096
#define MGS_JOURNAL_BEGIN	8192

/**
 * struct mgs_journal_head - a round of the journal
 * @jh_magic: MGS_JOURNAL_MAGIC
 * @jh_version: MGS_JOURNAL_VERSION
 * @jh_round: starts at 1, rises when the journal is emptied. The head with the higher round
 *	is valid. Entries of another round are left-overs
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
 * @je_len: bytes of the entry, this head included; a multiple of 8
 * @je_crc: of the parts
 * @je_at: its offset in the journal, so that the bytes of a file are not taken for an entry
 * @je_head_crc: of the bytes before
 *
 * An entry is written once the previous one is on the disk. So an incomplete entry is the
 * last of its round, torn by a power cut. If another entry of the round follows, it is
 * damaged.
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
	MGS_PART_REMOVE	= 3,	/* the file is removed */
};

/**
 * struct mgs_journal_part - a modification of a file
 * @jp_kind: enum mgs_part_kind
 * @jp_name_len: bytes of the name, without a NUL; relative to the
 *	directory
 * @jp_len: bytes to be written, which follow the name
 * @jp_offset: offset in the file
 */
struct mgs_journal_part {
	__le32	jp_kind;
	__le32	jp_name_len;
	__le64	jp_len;
	__le64	jp_offset;
};

/**
 * struct mgs_state_head - head of mgs_state; struct mgs_state_log follow
 * @sh_magic: MGS_STATE_MAGIC
 * @sh_count: logs that follow
 * @sh_generation: of the configuration: rises with every change
 * @sh_seed: random number of the directory, fixed by its first change, so that generations
 *	of another directory are not taken for those of this one. 0: not set yet
 * @sh_crc: of the preceding bytes and of the logs that follow
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
 * @sl_name: name, padded with zeros
 * @sl_epoch: generation in which it was created or rewritten, or in which a record that a
 *	reader may have applied was cancelled. A reader with another epoch reads the whole
 *	log again
 * @sl_generation: generation of its last change
 * @sl_size: its bytes
 * @sl_crc: checksum of the checksums of each 8192 bytes. A log of another size or checksum was
 *	restored from a backup or written by hand, and starts a new epoch
 * @sl_reserved: zero
 */
struct mgs_state_log {
	char	sl_name[64];
	__le64	sl_epoch;
	__le64	sl_generation;
	__le64	sl_size;
	__le32	sl_crc;
	__le32	sl_reserved;
};

/* ti_flags */
#define MGS_TARGET_REPLACE	0x1	/* another identity may take its place */
#define MGS_TARGET_STOPPED	0x2	/* it reported its stop */

/**
 * struct mgs_target_identity - identity of the directory of a target
 * @ti_magic: MGS_IDENTITY_MAGIC
 * @ti_flags: MGS_TARGET_*
 * @ti_id: text of its ldd_uuid, padded with zeros; empty if it has none
 * @ti_key: SHA-256 of its secret, the key of its proofs. Zeros: it has not registered with a
 *	key yet
 * @ti_nid_type: NID of the node where it registered last, as struct lustre_nid; it is
 *	in service there, unless MGS_TARGET_STOPPED is set or the node was evicted. Zeros:
 *	unknown
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
