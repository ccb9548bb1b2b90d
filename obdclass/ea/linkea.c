// SPDX-License-Identifier: GPL-2.0-only
/* trusted.link. Compiles unchanged in the kernel and in user space. */
#include <lustre_lite/lustre_linkea.h>

#define LEH(bytes, field)	((bytes) + offsetof(struct link_ea_header, field))
#define HEAD_SIZE		sizeof(struct link_ea_header)
#define ENTRY_SIZE		sizeof(struct link_ea_entry)

static size_t entry_len(const u8 *at)
{
	return (size_t)at[0] << 8 | at[1];
}

static struct lu_fid fid_be_get(const u8 *from)
{
	struct lu_fid fid;

	fid.f_seq = codec_get64(from, true);
	fid.f_oid = codec_get32(from + 8, true);
	fid.f_ver = codec_get32(from + 12, true);
	return fid;
}

static void put_be32(u8 *to, u32 value)
{
	to[0] = (u8)(value >> 24);
	to[1] = (u8)(value >> 16);
	to[2] = (u8)(value >> 8);
	to[3] = (u8)value;
}

static void fid_be_put(u8 *to, const struct lu_fid *fid)
{
	put_be32(to, (u32)(fid->f_seq >> 32));
	put_be32(to + 4, (u32)fid->f_seq);
	put_be32(to + 8, fid->f_oid);
	put_be32(to + 12, fid->f_ver);
}

/* The first of @left bytes is that of an entry. Return: NULL, or the fault. */
static const char *entry_check(const u8 *at, size_t left)
{
	size_t len;

	if (left < ENTRY_SIZE)
		return "too short for an entry";
	len = entry_len(at);
	if (len <= ENTRY_SIZE || len > left || len - ENTRY_SIZE > LINKEA_NAME_MAX)
		return "invalid length of an entry";
	if (memchr(at + ENTRY_SIZE, 0, len - ENTRY_SIZE) ||
	    memchr(at + ENTRY_SIZE, '/', len - ENTRY_SIZE))
		return "invalid name";
	return NULL;
}

static const char *entries_check(const struct linkea *link)
{
	size_t at = HEAD_SIZE;
	const char *fault;
	u32 n = 0;

	while (at < link->len) {
		fault = entry_check(link->bytes + at, link->len - at);
		if (fault)
			return fault;
		at += entry_len(link->bytes + at);
		n++;
	}
	return n == link->count ? NULL : "invalid number of entries";
}

/**
 * linkea_decode() - decode trusted.link
 * @bytes: its value
 * @len: bytes of it
 * @link: out; refers to @bytes
 *
 * Bytes after the last entry are ignored.
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *linkea_decode(const void *bytes, size_t len, struct linkea *link)
{
	const u8 *from = (const u8 *)bytes;
	u64 used;

	memset(link, 0, sizeof(*link));
	if (len < HEAD_SIZE)
		return "too short";
	link->swapped = codec_get32(LEH(from, leh_magic), true) == LINK_EA_MAGIC;
	if (!link->swapped && codec_get32(LEH(from, leh_magic), false) != LINK_EA_MAGIC)
		return "unknown magic";
	used = codec_get64(LEH(from, leh_len), link->swapped);
	if (used < HEAD_SIZE || used > len)
		return "invalid length";
	link->bytes = from;
	link->len = (size_t)used;
	link->count = codec_get32(LEH(from, leh_reccount), link->swapped);
	link->overflow_time = codec_get32(LEH(from, leh_overflow_time), link->swapped);
	return entries_check(link);
}
EXPORT_SYMBOL_NS_GPL(linkea_decode, LUSTRE_LITE);

/**
 * linkea_next() - the next name
 * @link: decoded
 * @at: where to go on; 0 for the first name
 * @entry: out
 *
 * Context: any
 * Return: false at the end
 */
bool linkea_next(const struct linkea *link, size_t *at, struct linkea_entry *entry)
{
	const u8 *from;

	if (!*at)
		*at = HEAD_SIZE;
	if (*at >= link->len)
		return false;
	from = link->bytes + *at;
	entry->parent = fid_be_get(from + offsetof(struct link_ea_entry, lee_parent_fid));
	entry->name = (const char *)from + ENTRY_SIZE;
	entry->name_len = entry_len(from) - ENTRY_SIZE;
	*at += entry_len(from);
	return true;
}
EXPORT_SYMBOL_NS_GPL(linkea_next, LUSTRE_LITE);

/* Return: where the entry starts, or 0. */
static size_t entry_find(const struct linkea *link, const struct linkea_entry *entry)
{
	struct linkea_entry seen;
	size_t at = 0, start = HEAD_SIZE;

	while (linkea_next(link, &at, &seen)) {
		if (lu_fid_eq(&seen.parent, &entry->parent) &&
		    seen.name_len == entry->name_len &&
		    !memcmp(seen.name, entry->name, entry->name_len))
			return start;
		start = at;
	}
	return 0;
}

/**
 * linkea_has() - find a name
 * @link: decoded
 * @entry: the name and its directory
 *
 * Context: any
 * Return: true if it is there
 */
bool linkea_has(const struct linkea *link, const struct linkea_entry *entry)
{
	return entry_find(link, entry) != 0;
}
EXPORT_FOR_KUNIT(linkea_has);

/* Of either byte order before, the header is little-endian from here on. */
static void head_put(u8 *to, struct linkea *link)
{
	link->bytes = to;
	link->swapped = false;
	memset(to, 0, HEAD_SIZE);
	codec_put32(LEH(to, leh_magic), LINK_EA_MAGIC);
	codec_put32(LEH(to, leh_reccount), link->count);
	codec_put64(LEH(to, leh_len), link->len);
	codec_put32(LEH(to, leh_overflow_time), link->overflow_time);
}

/**
 * linkea_init() - a value without names
 * @bytes: out, at least sizeof(struct link_ea_header)
 * @link: out; refers to @bytes
 *
 * A file without names has no trusted.link: the caller adds one before it stores the value.
 *
 * Context: any
 */
void linkea_init(void *bytes, struct linkea *link)
{
	memset(link, 0, sizeof(*link));
	link->len = HEAD_SIZE;
	head_put((u8 *)bytes, link);
}
EXPORT_SYMBOL_NS_GPL(linkea_init, LUSTRE_LITE);

/**
 * linkea_add() - add a name
 * @bytes: the value that @link refers to
 * @size: bytes that a value can have there; no value has more than MAX_LINKEA_SIZE
 * @link: decoded; changed with the value
 * @entry: the name and its directory; it is not in @bytes
 * @now: seconds since 1970, not 0
 *
 * Context: any
 * Return: 0; -EEXIST if it is there; -EOVERFLOW if it does not fit, and then the time is in the
 * header, and the value is stored all the same; -EINVAL if it is not a name
 */
int linkea_add(void *bytes, size_t size, struct linkea *link, const struct linkea_entry *entry,
	       u32 now)
{
	size_t len = ENTRY_SIZE + entry->name_len;
	u8 *to = (u8 *)bytes + link->len;

	if (!entry->name_len || entry->name_len > LINKEA_NAME_MAX)
		return -EINVAL;
	if (entry_find(link, entry))
		return -EEXIST;
	if (size > MAX_LINKEA_SIZE)
		size = MAX_LINKEA_SIZE;
	if (link->len > size || len > size - link->len) {
		if (!link->overflow_time)
			link->overflow_time = now;
		head_put((u8 *)bytes, link);
		return -EOVERFLOW;
	}
	to[0] = (u8)(len >> 8);
	to[1] = (u8)len;
	fid_be_put(to + offsetof(struct link_ea_entry, lee_parent_fid), &entry->parent);
	memcpy(to + ENTRY_SIZE, entry->name, entry->name_len);
	link->len += len;
	link->count++;
	head_put((u8 *)bytes, link);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(linkea_add, LUSTRE_LITE);

/**
 * linkea_del() - delete a name
 * @bytes: the value that @link refers to
 * @link: decoded; changed with the value
 * @entry: the name and its directory; it is not in @bytes
 *
 * Context: any
 * Return: 0, or -ENOENT if it is not there
 */
int linkea_del(void *bytes, struct linkea *link, const struct linkea_entry *entry)
{
	size_t at = entry_find(link, entry), len;
	u8 *to = (u8 *)bytes + at;

	if (!at)
		return -ENOENT;
	len = entry_len(to);
	memmove(to, to + len, link->len - at - len);
	link->len -= len;
	link->count--;
	head_put((u8 *)bytes, link);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(linkea_del, LUSTRE_LITE);
