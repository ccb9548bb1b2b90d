/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of object storage targets: a tmpfs, a target over a directory in it, and a
 * client that is connected inside this kernel. The case itself sees the objects by ot.osd, without
 * the target. Bytes to write are kr.pages, whose byte N is kr_byte(N).
 */
#ifndef _KUNIT_OFD_FIXTURE_H
#define _KUNIT_OFD_FIXTURE_H

#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_mount.h>

#include "ptlrpc_request_fixture.h"
#include "osd_fixture.h"

#define DF_NAME		"kunit-OST0001"
#define DF_UUID		DF_NAME "_UUID"
#define DF_PARAMS	"obdfilter/" DF_NAME "/"
#define DF_OST		1
#define DF_PARENT_SEQ	0x20000a811ULL

static struct {
	bool			mounted;
	struct ost_reply	rep;		/* of the last request */
	struct page		*room;		/* of reads, KR_BULK_LEN */
	u32			got;		/* bytes in it */
} df;

/* Once, so that a case sees memory of its own only. */
static inline int df_suite_init(struct kunit_suite *suite)
{
	struct obd_type *type = class_get_type("obdfilter");

	if (!type)
		return -ENODEV;
	class_put_type(type);
	return client_suite_init(suite);
}

static inline int df_setup(const char *type, const char *name, const char *uuid,
			   const char *first, const char *second, struct obd_device **obd)
{
	struct lcfg_view cfg;
	int rc;

	ot.why.text[0] = '\0';
	*obd = class_attach(type, name, uuid, 0, &ot.why);
	if (IS_ERR(*obd)) {
		rc = PTR_ERR(*obd);
		*obd = NULL;
		return rc;
	}
	lcfg_init(&cfg, LCFG_SETUP, (*obd)->obd_name);
	if (first)
		lcfg_add_string(&cfg, first);
	if (second)
		lcfg_add_string(&cfg, second);
	return class_setup(*obd, &cfg, &ot.why);
}

/* Start the target. */
static inline int df_start(void)
{
	return df_setup("obdfilter", DF_NAME, DF_UUID, NULL, NULL, &kr.srv);
}

static inline void df_stop(struct kunit *test)
{
	kr_end(test, &kr.srv);
}

/* @ocd: in: wanted; out: granted */
static inline int df_connect_with(struct obd_connect_data *ocd)
{
	struct obd_uuid uuid = kt_uuid("user_UUID");
	int rc;

	rc = df_setup("kunit_rcli", "dcli", "dcli_UUID", DF_UUID, KR_NID, &kr.cli);
	if (rc)
		return rc;
	kr.imp = class_import_get(kr.cli->obd_cli->cl_import);
	return kt_connect_target(&kr.exp, kr.cli, &uuid, ocd);
}

static inline int df_connect(void)
{
	struct obd_connect_data ocd = {};

	return df_connect_with(&ocd);
}

/* Without a target. @options: of the tmpfs, or NULL */
static inline int df_init_dir(struct kunit *test, char *options)
{
	struct path path;
	int rc;

	memset(&df, 0, sizeof(df));
	memset(&ot, 0, sizeof(ot));
	rc = kr_init(test);
	df.room = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(KR_BULK_LEN));
	rc = rc ?: df.room ? 0 : -ENOMEM;
	rc = rc ?: osd_thread_start() ?: ot_mount(options) ?: ot_open(OSD_KIND_OST);
	if (rc)
		return rc;
	path = ot_path();
	rc = obd_mount_register(DF_NAME, &path, obd_mount_new_instance());
	df.mounted = !rc;
	return rc;
}

static inline int df_init(struct kunit *test)
{
	return df_init_dir(test, NULL) ?: df_start() ?: df_connect();
}

/* End what kr_exit() would, before the directory goes. */
static inline void df_end_devices(struct kunit *test)
{
	if (kr.exp)
		obd_disconnect(kr.exp);
	kr.exp = NULL;
	if (kr.imp)
		class_import_put(kr.imp);
	kr.imp = NULL;
	kr_end(test, &kr.cli);
	df_stop(test);
	obd_zombie_barrier();
}

static inline void df_restart(struct kunit *test)
{
	df_end_devices(test);
	KUNIT_ASSERT_EQ_MSG(test, df_start(), 0, "%s", ot.why.text);
	KUNIT_ASSERT_EQ(test, df_connect(), 0);
}

static inline void df_exit(struct kunit *test)
{
	df_end_devices(test);
	if (df.mounted)
		obd_mount_unregister(DF_NAME);
	ot_close();
	ot_umount();
	if (df.room)
		__free_pages(df.room, get_order(KR_BULK_LEN));
	kr_exit(test);
}

/* --- requests ------------------------------------------------------------------------- */

/* Operations are large: no case has several of them on its stack by inlined calls. */

static inline u16 df_portal(u32 opc)
{
	return opc == OST_READ || opc == OST_WRITE || opc == OST_PUNCH || opc == OST_FALLOCATE ?
	       OST_IO_PORTAL : OST_REQUEST_PORTAL;
}

/* An operation on object @id, 0: none */
static inline struct ost_op df_op(u32 opc, u64 id)
{
	struct ost_op op = { .opc = opc };

	if (id)
		fid_idif_make(id, DF_OST, &op.object);
	return op;
}

/* @bulk: of OST_READ and OST_WRITE. Return: status; df.rep is the reply, or zeros */
static __maybe_unused noinline int df_call(const struct ost_op *op,
					   const struct ptlrpc_bulk *bulk)
{
	struct ptlrpc_request *req;
	u32 lens[OST_REQUEST_BUFS];
	int rc;

	memset(&df.rep, 0, sizeof(df.rep));
	df.got = 0;
	ost_op_lens(op, lens);
	req = ptlrpc_request_new(kr.imp, op->opc, df_portal(op->opc), lens, OST_REQUEST_BUFS);
	if (!req)
		return -ENOMEM;
	ost_op_encode(req->rq_req_msg, op);
	req->rq_bulk_out = op->opc == OST_WRITE ? bulk : NULL;
	req->rq_bulk_in = op->opc == OST_READ ? bulk : NULL;
	rc = ptlrpc_queue_wait(req);
	if (!rc && ost_reply_decode(&req->rq_rep, &df.rep))
		rc = -EBADMSG;
	df.got = req->rq_bulk_got;
	ptlrpc_request_put(req);
	return rc;
}

/* An operation with an offset only. */
static __maybe_unused noinline int df_try(u32 opc, u64 id, u64 offset)
{
	const struct ost_op op = { .opc = opc, .object = df_op(opc, id).object, .offset = offset };

	return df_call(&op, NULL);
}

static __maybe_unused noinline int df_fallocate(u64 id, u32 mode, u64 offset, u64 len)
{
	struct ost_op op = df_op(OST_FALLOCATE, id);

	op.flags = mode;
	op.offset = offset;
	op.len = len;
	return df_call(&op, NULL);
}

/* Return: the position, or a negative errno */
static __maybe_unused noinline s64 df_seek(u64 id, bool hole, u64 offset)
{
	struct ost_op op = df_op(OST_SEEK, id);

	op.flags = hole ? OST_SEEK_HOLE : 0;
	op.offset = offset;
	return df_call(&op, NULL) ?: (s64)df.rep.first;
}

/* The first @len bytes of kr.pages, as stripe 0 of a file. */
static __maybe_unused noinline int df_write_op(struct ost_op *op, u32 len)
{
	const struct ptlrpc_bulk bulk = { kr.pages, DIV_ROUND_UP(len, PAGE_SIZE), len };
	struct bio_vec *last = &kr.pages[bulk.bk_nr - 1];
	int rc;

	op->len = len;
	op->parent.size = FILTER_FID_SIZE;
	op->parent.stripe = (struct ea_stripe){
		.parent = { .f_seq = DF_PARENT_SEQ, .f_oid = 1 }, .size = SZ_1M, .count = 1,
	};
	last->bv_len = len - (bulk.bk_nr - 1) * PAGE_SIZE;
	rc = df_call(op, &bulk);
	last->bv_len = PAGE_SIZE;
	return rc;
}

static __maybe_unused noinline int df_write(u64 id, u64 offset, u32 len)
{
	struct ost_op op = df_op(OST_WRITE, id);

	op.offset = offset;
	return df_write_op(&op, len);
}

/* Up to @len bytes into df.room. */
static __maybe_unused noinline int df_read(u64 id, u64 offset, u32 len)
{
	struct bio_vec vec = { .bv_page = df.room, .bv_len = len };
	const struct ptlrpc_bulk bulk = { &vec, 1, len };
	struct ost_op op = df_op(OST_READ, id);

	memset(page_address(df.room), 0xee, KR_BULK_LEN);
	op.offset = offset;
	op.len = len;
	return df_call(&op, &bulk);
}

/* So many numbers have been given out. */
static inline void df_numbers(struct kunit *test, u64 count)
{
	struct ost_op op = df_op(OST_CREATE, 0);

	op.len = count;
	KUNIT_ASSERT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_ASSERT_EQ(test, df.rep.count, count);
}

static __maybe_unused noinline int df_destroy(const u64 *ids, u32 nr)
{
	struct lustre_fid fids[8] = {};
	struct ost_op op = df_op(OST_DESTROY, 0);
	struct lu_fid fid;
	u32 n;

	for (n = 0; n < nr; n++) {
		fid_idif_make(ids[n], DF_OST, &fid);
		fid_le_put(&fids[n], &fid);
	}
	op.objects = fids;
	op.nr_objects = nr;
	return df_call(&op, NULL);
}

/* Whether an object has a file. */
static inline bool df_exists(u64 id)
{
	struct osd_object obj;

	if (osd_ost_lookup(ot.osd, id, &obj))
		return false;
	osd_object_fini(&obj);
	return true;
}

/* Byte @n of the last read is @value. */
static inline bool df_byte_is(u32 n, u8 value)
{
	return ((const u8 *)page_address(df.room))[n] == value;
}

#endif /* _KUNIT_OFD_FIXTURE_H */
