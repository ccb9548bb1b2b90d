/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * File identifiers on the wire and on disk, as real Lustre has them, and the sequences that have
 * a meaning of their own.
 */
#ifndef _UAPI_LUSTRE_LITE_LUSTRE_FID_H
#define _UAPI_LUSTRE_LITE_LUSTRE_FID_H

#include <linux/types.h>

#include "check.h"

/* Objects that MDT0000 has on the OSTs: (object, 0). In a FID they are an IDIF. */
#define FID_SEQ_OST_MDT0	0ULL
/* An inode and its generation: files from before there were FIDs. */
#define FID_SEQ_IGIF		12ULL
#define FID_SEQ_IGIF_MAX	0xffffffffULL
/* An object of FID_SEQ_OST_MDT0 and the index of its OST. */
#define FID_SEQ_IDIF		0x100000000ULL
#define FID_SEQ_IDIF_MAX	0x1ffffffffULL
#define FID_SEQ_START		0x200000000ULL
/* .lustre in the root, and its directory fid. */
#define FID_SEQ_DOT_LUSTRE	0x200000002ULL
/* The root is FID_OID_ROOT of this sequence. */
#define FID_SEQ_ROOT		0x200000007ULL
/* The first sequence that a client or a server can be given. */
#define FID_SEQ_NORMAL		0x200000400ULL
/* In a directory's default layout: the FID is not one of an object. */
#define FID_SEQ_LOV_DEFAULT	0xffffffffffffffffULL

#define FID_OID_ROOT		1
#define FID_OID_DOT_LUSTRE	1
#define FID_OID_DOT_LUSTRE_FID	2

/* Bits of an object's number in FID_SEQ_OST_MDT0, and of an OST's index. */
#define FID_IDIF_OBJECT_BITS	48
#define FID_IDIF_OST_BITS	16

/**
 * struct lustre_fid - a file identifier, little-endian
 * @wf_seq: sequence
 * @wf_oid: number in the sequence
 * @wf_ver: version, zero in the FID of an object
 */
struct lustre_fid {
	__le64	wf_seq;
	__le32	wf_oid;
	__le32	wf_ver;
};

LL_UAPI_ASSERT(sizeof(struct lustre_fid) == 16);

#endif /* _UAPI_LUSTRE_LITE_LUSTRE_FID_H */
