/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File identifiers (FIDs): what kind a FID is, its text, the inode number that users see, and the
 * FID of an object of an OST. Nothing here allocates, locks or logs; it is for the kernel and for
 * user space.
 *
 *	fid		text				meaning
 *	normal		[0x200000400:0x1:0x0]		sequence that was handed out, number in it
 *	IGIF		[0x1f5:0x3b9aca01:0x0]		inode number and generation
 *	IDIF		[0x100010000:0x4a2:0x0]		object 0x4a2 of OST0001
 */
#ifndef _LUSTRE_LITE_LUSTRE_FID_H
#define _LUSTRE_LITE_LUSTRE_FID_H

#ifndef __KERNEL__
#include <stdio.h>
#endif

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/lustre_fid.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct lu_fid - a file identifier
 * @f_seq: sequence
 * @f_oid: number in the sequence
 * @f_ver: version, zero in the FID of an object
 */
struct lu_fid {
	u64	f_seq;
	u32	f_oid;
	u32	f_ver;
};

/* Bytes of the longest text without brackets, its NUL included. */
#define FID_TEXT_SIZE	41

/* Bytes of a FID on disk and on the wire. */
#define FID_SIZE	sizeof(struct lustre_fid)

static inline bool lu_fid_eq(const struct lu_fid *a, const struct lu_fid *b)
{
	return a->f_seq == b->f_seq && a->f_oid == b->f_oid && a->f_ver == b->f_ver;
}

static inline bool fid_is_zero(const struct lu_fid *fid)
{
	return !fid->f_seq && !fid->f_oid;
}

static inline bool fid_is_igif(const struct lu_fid *fid)
{
	return fid->f_seq >= FID_SEQ_IGIF && fid->f_seq <= FID_SEQ_IGIF_MAX;
}

static inline bool fid_is_idif(const struct lu_fid *fid)
{
	return fid->f_seq >= FID_SEQ_IDIF && fid->f_seq <= FID_SEQ_IDIF_MAX;
}

/* Of a sequence that was handed out to a client or a server. */
static inline bool fid_is_norm(const struct lu_fid *fid)
{
	return fid->f_seq >= FID_SEQ_NORMAL && fid->f_seq != FID_SEQ_LOV_DEFAULT;
}

/* Of an object in the tree that users see. */
static inline bool fid_is_in_tree(const struct lu_fid *fid)
{
	return !fid->f_ver && (fid_is_norm(fid) || fid_is_igif(fid) ||
			       (fid->f_seq == FID_SEQ_ROOT && fid->f_oid == FID_OID_ROOT));
}

/* Can it be the FID of an object? */
static inline bool fid_is_sane(const struct lu_fid *fid)
{
	if (fid->f_seq == FID_SEQ_OST_MDT0)
		return false;
	return fid->f_seq < FID_SEQ_START || !fid->f_ver;
}

/**
 * fid_le_get() - a FID in the byte order of trusted.lma, trusted.lov and the wire
 * @bytes: FID_SIZE bytes at any address
 *
 * Context: any
 * Return: the FID
 */
static inline struct lu_fid fid_le_get(const void *bytes)
{
	const u8 *from = (const u8 *)bytes;
	struct lu_fid fid;

	fid.f_seq = codec_get64(from, false);
	fid.f_oid = codec_get32(from + 8, false);
	fid.f_ver = codec_get32(from + 12, false);
	return fid;
}

/**
 * fid_le_put() - write what fid_le_get() reads
 * @bytes: FID_SIZE bytes at any address
 * @fid: the FID
 *
 * Context: any
 */
static inline void fid_le_put(void *bytes, const struct lu_fid *fid)
{
	u8 *to = (u8 *)bytes;

	codec_put64(to, fid->f_seq);
	codec_put32(to + 8, fid->f_oid);
	codec_put32(to + 12, fid->f_ver);
}

/**
 * fid_flatten() - the inode number that users see
 * @fid: a FID
 *
 * An IGIF gives its inode number. The numbers are real Lustre's, so that an application that
 * remembers them finds them unchanged.
 *
 * Context: any
 * Return: the number
 */
static inline u64 fid_flatten(const struct lu_fid *fid)
{
	if (fid_is_igif(fid))
		return fid->f_seq;
	return (fid->f_seq << 24) + ((fid->f_seq >> 24) & 0xffffff0000ULL) + fid->f_oid;
}

/**
 * fid_idif_object() - number of the object
 * @fid: an IDIF
 *
 * Context: any
 * Return: its number in FID_SEQ_OST_MDT0
 */
static inline u64 fid_idif_object(const struct lu_fid *fid)
{
	return (fid->f_seq & 0xffff) << 32 | fid->f_oid;
}

/**
 * fid_idif_ost() - index of the OST
 * @fid: an IDIF
 *
 * Context: any
 * Return: the index
 */
static inline u32 fid_idif_ost(const struct lu_fid *fid)
{
	return (u32)(fid->f_seq >> 16 & 0xffff);
}

/**
 * fid_text() - text of a FID
 * @fid: a FID
 * @text: out
 *
 * Names of files have it as it is, messages in brackets.
 *
 * Context: any
 * Return: @text
 */
static inline const char *fid_text(const struct lu_fid *fid, char text[FID_TEXT_SIZE])
{
	snprintf(text, FID_TEXT_SIZE, "0x%llx:0x%x:0x%x", (unsigned long long)fid->f_seq,
		 fid->f_oid, fid->f_ver);
	return text;
}

int fid_idif_make(u64 object, u32 ost, struct lu_fid *fid);
int fid_parse(const char *text, size_t len, struct lu_fid *fid);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_FID_H */
