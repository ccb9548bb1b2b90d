// SPDX-License-Identifier: GPL-2.0-only
/*
 * mgs_state in memory, as in its file. A log has a fixed place in it; when one is
 * deleted, the last one takes its place. So a change writes the head and the entries
 * of the logs that it modified.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

#define STATE_AT(field)	offsetof(struct mgs_state_head, field)
#define STATE_LOG_AT(field)	offsetof(struct mgs_state_log, field)
#define STATE_HEAD	sizeof(struct mgs_state_head)
#define STATE_LOG	sizeof(struct mgs_state_log)
#define STATE_NAME	MGS_LOGNAME_MAX

LL_UAPI_ASSERT(sizeof(((struct mgs_state_log *)NULL)->sl_name) == STATE_NAME);

static u8 *image_at(const struct mgs_image *image, u32 n)
{
	return image->im_bytes + STATE_HEAD + n * STATE_LOG;
}

/* Return: size of the file; 0: there is none */
static size_t image_len(const struct mgs_image *image)
{
	return image->im_bytes ? STATE_HEAD + image->im_count * STATE_LOG : 0;
}

void mgs_image_free(struct mgs_image *image)
{
	libcfs_free(image->im_bytes, image->im_capacity);
	memset(image, 0, sizeof(*image));
}

static u32 image_crc(const struct mgs_image *image)
{
	u32 crc = crc32c(~0U, image->im_bytes, STATE_AT(sh_crc));

	return ~crc32c(crc, image_at(image, 0), image->im_count * STATE_LOG);
}

static const char *image_check(const struct mgs_image *image, u32 n,
			       u64 generation)
{
	const char *name = (const char *)image_at(image, n);
	u64 epoch = codec_get64(name + STATE_LOG_AT(sl_epoch), false);
	u64 last = codec_get64(name + STATE_LOG_AT(sl_generation), false);

	if (name[STATE_NAME - 1] || mgs_log_name_check(name))
		return "it has a name that no log can have";
	if (!epoch || epoch > last || last > generation)
		return "it has a log of a generation that was not yet";
	return NULL;
}

/* Return: NULL, or the damage of the head */
static const char *image_head_load(struct mgs_image *image, size_t len,
				   u64 *generation)
{
	const u8 *bytes = image->im_bytes;

	if (len < STATE_HEAD)
		return "it is too short";
	if (codec_get32(bytes + STATE_AT(sh_magic), false) != MGS_STATE_MAGIC)
		return "it does not begin as a state";
	image->im_count = codec_get32(bytes + STATE_AT(sh_count), false);
	*generation = codec_get64(bytes + STATE_AT(sh_generation), false);
	if (!*generation || *generation >= MGS_GENERATION_MAX)
		return "it is of a generation that cannot be";
	if ((len - STATE_HEAD) % STATE_LOG ||
	    (len - STATE_HEAD) / STATE_LOG != image->im_count)
		return "it is not as long as it says";
	if (codec_get32(bytes + STATE_AT(sh_crc), false) != image_crc(image))
		return "its check sum is wrong";
	return NULL;
}

/*
 * Check a state that was read. @generation: out. @seed: out, unchanged if it has none.
 * Return: NULL, or its damage
 */
const char *mgs_image_load(struct mgs_image *image, size_t len, u64 *generation,
			   u32 *seed)
{
	const char *what = image_head_load(image, len, generation);
	u32 n, kept;

	if (what)
		return what;
	for (n = 0; n < image->im_count; n++) {
		what = image_check(image, n, *generation);
		if (what)
			return what;
	}
	kept = codec_get32((const u8 *)image->im_bytes + STATE_AT(sh_seed),
			   false);
	if (kept)
		*seed = kept;
	return NULL;
}

/* A copy to be edited, with space for @more logs. Return: 0; -EFBIG; -ENOMEM */
int mgs_image_copy(struct mgs_image *to, const struct mgs_image *from, u32 more)
{
	to->im_count = from->im_count;
	to->im_capacity = STATE_HEAD + ((size_t)from->im_count + more) * STATE_LOG;
	if (to->im_capacity > MGS_STATE_MAX)
		return -EFBIG;
	to->im_bytes = libcfs_zalloc(to->im_capacity, GFP_KERNEL);
	if (!to->im_bytes)
		return -ENOMEM;
	if (from->im_bytes)
		memcpy(to->im_bytes, from->im_bytes, image_len(from));
	return 0;
}

/* @log: out: name, generations, size and checksum of log @n */
void mgs_image_get(const struct mgs_image *image, u32 n, struct mgs_log *log)
{
	const u8 *at = image_at(image, n);

	memset(log, 0, sizeof(*log));
	memcpy(log->lg_info.li_name, at, STATE_NAME);
	log->lg_info.li_epoch = codec_get64(at + STATE_LOG_AT(sl_epoch), false);
	log->lg_info.li_generation = codec_get64(at + STATE_LOG_AT(sl_generation),
						 false);
	log->lg_info.li_size = codec_get64(at + STATE_LOG_AT(sl_size), false);
	log->lg_crc = codec_get32(at + STATE_LOG_AT(sl_crc), false);
}

static u32 image_place(const struct mgs_image *image, const char *log)
{
	u32 n;

	for (n = 0; n < image->im_count; n++)
		if (!strcmp((const char *)image_at(image, n), log))
			break;
	return n;
}

/* Insert or replace a log; there is space if it is new. */
void mgs_image_put(struct mgs_image *image, const struct mgs_log *log)
{
	const struct mgs_log_info *info = &log->lg_info;
	u32 n = image_place(image, info->li_name);
	u8 *at = image_at(image, n);

	memset(at, 0, STATE_LOG);
	memcpy(at, info->li_name, strlen(info->li_name));
	codec_put64(at + STATE_LOG_AT(sl_epoch), info->li_epoch);
	codec_put64(at + STATE_LOG_AT(sl_generation), info->li_generation);
	codec_put64(at + STATE_LOG_AT(sl_size), info->li_size);
	codec_put32(at + STATE_LOG_AT(sl_crc), log->lg_crc);
	if (n == image->im_count)
		image->im_count++;
}

/* Remove a log, if it is there. @log: its name */
void mgs_image_drop(struct mgs_image *image, const char *log)
{
	u32 n = image_place(image, log);

	if (n == image->im_count)
		return;
	image->im_count--;
	if (n != image->im_count)
		memcpy(image_at(image, n), image_at(image, image->im_count),
		       STATE_LOG);
	memset(image_at(image, image->im_count), 0, STATE_LOG);
}

/* Fill in the head, once all logs are up to date. */
void mgs_image_seal(struct mgs_image *image, u64 generation, u32 seed)
{
	u8 *bytes = image->im_bytes;

	memset(bytes, 0, STATE_HEAD);
	codec_put32(bytes + STATE_AT(sh_magic), MGS_STATE_MAGIC);
	codec_put32(bytes + STATE_AT(sh_count), image->im_count);
	codec_put64(bytes + STATE_AT(sh_generation), generation);
	codec_put32(bytes + STATE_AT(sh_seed), seed);
	codec_put32(bytes + STATE_AT(sh_crc), image_crc(image));
}

/* Write what differs to the file of a change. Return: 0, -ENOMEM */
int mgs_image_stage(const struct mgs_image *now, const struct mgs_image *then,
		    struct mgs_file *file)
{
	size_t len = image_len(then);
	int rc;
	u32 n;

	rc = mgs_file_write(file, 0, then->im_bytes, STATE_HEAD);
	for (n = 0; n < then->im_count && !rc; n++)
		if (n >= now->im_count ||
		    memcmp(image_at(now, n), image_at(then, n), STATE_LOG))
			rc = mgs_file_write(file, STATE_HEAD + n * STATE_LOG,
					    image_at(then, n), STATE_LOG);
	if (!rc && file->mf_bytes->by_size > len)
		rc = mgs_file_truncate(file, len);
	return rc;
}
