// SPDX-License-Identifier: GPL-2.0-only
#include "mgs_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mgs/store/store_internal.h"

struct mgs_store *mgs_have(struct mem_backend *backend)
{
	struct mgs_store *store;
	struct mgs_fault fault;
	int rc = mgs_store_open(&mem_io, backend, 7, &store, &fault);

	if (rc || fault.what)
		fail_msg("open: %d, %s: %s at %llu", rc, fault.name, fault.what,
			 (unsigned long long)fault.offset);
	return store;
}

struct mgs_txn *mgs_begin(struct mgs_store *store)
{
	static const struct mgs_who who = {
		.who = "root", .from = "10.0.0.1@tcp", .when = 1795288853,
	};
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(store, &who, &txn), 0);
	return txn;
}

const struct mgs_view *mgs_now(struct mgs_store *store)
{
	return store->ms_view;
}

const struct mgs_view *mgs_seen(struct mgs_store *store, struct mgs_txn *txn)
{
	return txn ? mgs_txn_view(txn) : mgs_now(store);
}

u64 mgs_done(struct mgs_txn *txn)
{
	u64 generation;

	assert_int_equal(mgs_txn_commit(txn, &generation), 0);
	return generation;
}

size_t mgs_setting(u8 *cfg, const char *text)
{
	struct lcfg_view view;

	lcfg_init(&view, LCFG_SET_PARAM, "general");
	assert_int_equal(lcfg_add_string(&view, text), 0);
	assert_int_equal(lcfg_add_string(&view, "lctl"), 0);
	return (size_t)lustre_cfg_encode(&view, cfg, LUSTRE_CFG_SIZE_MAX);
}

void mgs_marker_make(struct cfg_marker *marker, u32 step, u32 flags)
{
	memset(marker, 0, sizeof(*marker));
	codec_put32(&marker->cm_step, step);
	codec_put32(&marker->cm_flags, flags);
	codec_put32(&marker->cm_vers, 0x020f0000);
	codec_put64(&marker->cm_createtime, 1795288853);
	memcpy(marker->cm_tgtname, "params", 6);
	memcpy(marker->cm_comment, "set_param", 9);
}

size_t mgs_marker(u8 *cfg, u32 step, u32 flags)
{
	struct cfg_marker marker;
	struct lcfg_view view;

	mgs_marker_make(&marker, step, flags);
	lcfg_init(&view, LCFG_MARKER, NULL);
	assert_int_equal(lcfg_add_buf(&view, &marker, sizeof(marker)), 0);
	return (size_t)lustre_cfg_encode(&view, cfg, LUSTRE_CFG_SIZE_MAX);
}

int mgs_append_setting(struct mgs_txn *txn, const char *log, const char *text)
{
	u8 cfg[LUSTRE_CFG_SIZE_MAX];

	return mgs_txn_append(txn, log, cfg, mgs_setting(cfg, text), NULL);
}

static void picture_add(struct mgs_picture *picture, const void *bytes,
			size_t len)
{
	picture->bytes = realloc(picture->bytes, picture->len + len + 1);
	assert_non_null(picture->bytes);
	if (len)
		memcpy(picture->bytes + picture->len, bytes, len);
	picture->len += len;
}

/**
 * struct taking - a picture that is being taken
 * @picture: picture
 * @store: of that
 */
struct taking {
	struct mgs_picture	*picture;
	struct mgs_store	*store;
};

static int take_log(void *data, const struct mgs_log_info *info)
{
	struct taking *taking = data;
	struct mgs_log_info again;
	u8 *bytes = malloc(info->li_size + 1);
	ssize_t len;

	assert_non_null(bytes);
	assert_int_equal(mgs_view_info(mgs_now(taking->store), info->li_name,
					&again), 0);
	assert_memory_equal(info, &again, sizeof(again));
	len = mgs_view_read(mgs_now(taking->store), info->li_name, 0, bytes,
			     info->li_size + 1);
	assert_int_equal(len, info->li_size);
	picture_add(taking->picture, info, sizeof(*info));
	picture_add(taking->picture, bytes, (size_t)len);
	free(bytes);
	return 0;
}

/* Besides the logs: the history of changes, and the table of NIDs. */
static void take_file(struct mgs_picture *picture, struct mem_backend *backend,
		      const char *name)
{
	struct mem_file *file = mem_find(backend, name);

	if (file)
		picture_add(picture, file->now.bytes, file->now.size);
}

void mgs_picture_take(struct mgs_picture *picture, struct mgs_store *store,
		      struct mem_backend *backend)
{
	struct taking taking = { picture, store };
	u64 generation = mgs_view_generation(mgs_now(store));

	memset(picture, 0, sizeof(*picture));
	picture_add(picture, &generation, sizeof(generation));
	assert_int_equal(mgs_view_each(mgs_now(store), take_log, &taking), 0);
	if (!backend || mgs_store_failed(store))
		return;
	take_file(picture, backend, MGS_STATE_FILE);
	take_file(picture, backend, MGS_CHANGES_FILE);
	take_file(picture, backend, MGS_NIDTBL_DIR "/fs");
}

void mgs_picture_free(struct mgs_picture *picture)
{
	free(picture->bytes);
	memset(picture, 0, sizeof(*picture));
}

bool mgs_picture_same(const struct mgs_picture *one,
		      const struct mgs_picture *other)
{
	return one->len == other->len &&
		!memcmp(one->bytes, other->bytes, one->len);
}

static int add_many(struct mgs_txn *txn, const char *log, unsigned int count,
		    size_t value)
{
	char *text = malloc(value + 64);
	unsigned int n;
	int at, rc = 0;

	for (n = 0; n < count && !rc; n++) {
		at = snprintf(text, 64, "%s.%u=", log, n);
		memset(text + at, 'a' + n % 26, value);
		text[at + value] = '\0';
		rc = mgs_append_setting(txn, log, text);
	}
	free(text);
	return rc;
}

static int add_section(struct mgs_txn *txn, const char *log, u32 step)
{
	u8 cfg[LUSTRE_CFG_SIZE_MAX];
	int rc;

	rc = mgs_txn_append(txn, log, cfg, mgs_marker(cfg, step, CM_START), NULL);
	if (!rc)
		rc = mgs_append_setting(txn, log, "osc.*.max_dirty_mb=64");
	if (!rc)
		rc = mgs_txn_append(txn, log, cfg,
				    mgs_marker(cfg, step, CM_END), NULL);
	return rc;
}

static int skip_section(struct mgs_txn *txn, const char *log, u32 first)
{
	struct cfg_marker marker;
	int rc;

	mgs_marker_make(&marker, 1, CM_START | CM_SKIP);
	rc = mgs_txn_mark(txn, log, first, 0, &marker);
	mgs_marker_make(&marker, 1, CM_END | CM_SKIP);
	if (!rc)
		rc = mgs_txn_mark(txn, log, first + 2, 0, &marker);
	return rc ? rc : add_section(txn, log, 2);
}

static int step_all_logs(struct mgs_txn *txn)
{
	static const char *const logs[] = {
		"fs-client", "fs-MDT0000", "fs-OST0000", "fs-OST0001",
	};
	size_t n;
	int rc = 0;

	for (n = 0; n < ARRAY_SIZE(logs) && !rc; n++)
		rc = add_many(txn, logs[n], 3 + (unsigned int)n, 50);
	return rc ? rc : mgs_txn_say(txn, "fs-MDT0000 registered");
}

static int step_cancel(struct mgs_txn *txn)
{
	int rc = mgs_txn_cancel(txn, "fs-client", 2);

	if (!rc)
		rc = mgs_txn_cancel(txn, "fs-OST0001", 1);
	return rc ? rc : mgs_txn_new_epoch(txn, "fs-client");
}

static int step_copy_remove(struct mgs_txn *txn)
{
	int rc = mgs_txn_copy(txn, "fs-client", "gs-client");

	if (!rc)
		rc = mgs_txn_copy(txn, "fs-OST0001", "gs-OST0001");
	if (!rc)
		rc = mgs_txn_remove(txn, "fs-OST0000");
	return rc ? rc : add_many(txn, "gs-client", 2, 10);
}

static int step_replace(struct mgs_txn *txn)
{
	int rc = mgs_txn_remove(txn, "fs-client");

	if (!rc)
		rc = add_many(txn, "fs-client", 1, 20);
	return rc ? rc : mgs_txn_copy(txn, "fs-client", "gs-client");
}

static int step_remove_many(struct mgs_txn *txn)
{
	int rc = mgs_txn_remove(txn, "gs-client");

	if (!rc)
		rc = mgs_txn_remove(txn, "gs-OST0001");
	return rc ? rc : mgs_txn_remove(txn, "fs-MDT0000");
}

int mgs_step(struct mgs_txn *txn, unsigned int n)
{
	switch (n) {
	case 0:
		return add_section(txn, "params", 1);
	case 1:
		return step_all_logs(txn);
	case 2:
		return skip_section(txn, "params", 1);
	case 3:
		return step_cancel(txn);
	case 4:
		return step_copy_remove(txn);
	case 5:
		return mgs_txn_put(txn, MGS_NIDTBL_DIR "/fs", "\1\0\0\0\0\0\0", 8);
	case 6: /* padding, a chunk */
		return add_many(txn, "fs-MDT0000", 5, 3000);
	case 7:
		return step_replace(txn);
	case 8:
		return mgs_txn_new_epoch(txn, "params");
	case 9:
		return step_remove_many(txn);
	case 10:
		return mgs_txn_put(txn, MGS_NIDTBL_DIR "/fs", "\2\0\0\0\0\0\0", 8);
	default:
		return add_many(txn, "fs-OST0000", 2, 100);
	}
}

void mgs_step_done(struct mgs_store *store, unsigned int n)
{
	struct mgs_txn *txn = mgs_begin(store);

	assert_int_equal(mgs_step(txn, n), 0);
	assert_int_equal(mgs_done(txn), n + 1);
}

void mgs_pictures_take(struct mgs_picture *pictures, struct mem_backend *backend, bool files)
{
	struct mgs_store *store = mgs_have(backend);
	unsigned int n;

	for (n = 0; n <= MGS_STEPS; n++) {
		if (n)
			mgs_step_done(store, n - 1);
		mgs_picture_take(&pictures[n], store, files ? backend : NULL);
	}
	mgs_store_close(store);
	mem_free(backend);
}

void mgs_pictures_free(struct mgs_picture *pictures)
{
	unsigned int n;

	for (n = 0; n <= MGS_STEPS; n++)
		mgs_picture_free(&pictures[n]);
}
