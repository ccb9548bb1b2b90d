// SPDX-License-Identifier: GPL-2.0-only
/*
 * FIDs: the text, and the FIDs of objects of OSTs. Compiles unchanged in the kernel and in user
 * space.
 */
#include <lustre_lite/lustre_fid.h>

/**
 * fid_idif_make() - FID of an object of FID_SEQ_OST_MDT0
 * @object: its number
 * @ost: index of its OST
 * @fid: out
 *
 * Context: any
 * Return: 0, or -EBADF if the number or the index is too large
 */
int fid_idif_make(u64 object, u32 ost, struct lu_fid *fid)
{
	if (object >> FID_IDIF_OBJECT_BITS || ost >> FID_IDIF_OST_BITS)
		return -EBADF;
	fid->f_seq = FID_SEQ_IDIF + ((u64)ost << 16) + (object >> 32);
	fid->f_oid = (u32)object;
	fid->f_ver = 0;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(fid_idif_make, LUSTRE_LITE);

/**
 * struct obd_text - rest of a text
 * @at: next character
 * @end: end of the text
 */
struct obd_text {
	const char	*at;
	const char	*end;
};

static bool take(struct obd_text *text, char c)
{
	if (text->at == text->end || *text->at != c)
		return false;
	text->at++;
	return true;
}

/* Return: value of a hexadecimal digit, or 16. */
static u32 digit(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (u32)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (u32)(c - 'A' + 10);
	return 16;
}

/* A number of at most @bits: 0x and digits, or 0 alone, which is what libc prints of a zero. */
static bool number(struct obd_text *text, u32 bits, u64 *value)
{
	const char *first;

	*value = 0;
	if (!take(text, '0'))
		return false;
	if (!take(text, 'x'))
		return true;
	for (first = text->at; text->at != text->end && digit(*text->at) < 16; text->at++) {
		if (*value >> (bits - 4))
			return false;
		*value = *value << 4 | digit(*text->at);
	}
	return text->at != first;
}

/**
 * fid_parse() - FID of a text
 * @text: SEQ:OID:VER in hexadecimal with 0x, with or without brackets around it
 * @len: its length
 * @fid: out
 *
 * Context: any
 * Return: 0, or -EINVAL if the text is not a FID
 */
int fid_parse(const char *text, size_t len, struct lu_fid *fid)
{
	struct obd_text rest = { text, text + len };
	bool braced = take(&rest, '[');
	u64 seq, oid, ver;

	if (!number(&rest, 64, &seq) || !take(&rest, ':') ||
	    !number(&rest, 32, &oid) || !take(&rest, ':') ||
	    !number(&rest, 32, &ver))
		return -EINVAL;
	if (braced && !take(&rest, ']'))
		return -EINVAL;
	if (rest.at != rest.end)
		return -EINVAL;
	fid->f_seq = seq;
	fid->f_oid = (u32)oid;
	fid->f_ver = (u32)ver;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(fid_parse, LUSTRE_LITE);
