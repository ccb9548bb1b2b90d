// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes from an untrusted directory: the first byte says which one, the others are
 * its value. What a decoder takes is written again to the same bytes, where it is written at all,
 * and names can be added to it and deleted.
 */
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_linkea.h>

#include "fuzz_input.h"

static void try_lma(const u8 *bytes, size_t len)
{
	struct lustre_lma lma;
	u8 made[LUSTRE_LMA_SIZE];

	if (lustre_lma_decode(bytes, len, &lma))
		return;
	FUZZ_CHECK(fid_is_sane(&lma.self) && !lma.stripe.parent.f_ver);
	lustre_lma_encode(made, &lma);
	FUZZ_CHECK(!memcmp(made + 4, bytes + 4, sizeof(made) - 4));
}

static void try_filter_fid(const u8 *bytes, size_t len)
{
	struct lustre_filter_fid ff;
	u8 made[FILTER_FID_SIZE];

	if (lustre_filter_fid_decode(bytes, len, &ff))
		return;
	FUZZ_CHECK(ff.size == len);
	lustre_filter_fid_encode(made, &ff);
	FUZZ_CHECK(!memcmp(made, bytes, len));
}

/* Each name is found; all of them, deleted and added in turn, give what there was. */
static void turn_names(u8 *room, struct linkea *link)
{
	char name[LINKEA_NAME_MAX];
	struct linkea_entry entry;
	u32 n, count = link->count;
	size_t at, len = link->len;
	int rc;

	for (n = 0; n < count; n++) {
		at = 0;
		FUZZ_CHECK(linkea_next(link, &at, &entry) && linkea_has(link, &entry));
		memcpy(name, entry.name, entry.name_len);
		entry.name = name;
		FUZZ_CHECK(!linkea_del(room, link, &entry));
		rc = linkea_add(room, len, link, &entry, 1);
		/* The same name twice is not written, but it may be read. */
		FUZZ_CHECK(!rc || rc == -EEXIST);
		FUZZ_CHECK(!linkea_decode(room, link->len, link));
	}
}

static void try_link(const u8 *bytes, size_t len)
{
	struct linkea_entry entry;
	struct linkea link;
	u8 room[MAX_LINKEA_SIZE];
	size_t at = 0;
	u32 n = 0;

	if (linkea_decode(bytes, len, &link))
		return;
	while (linkea_next(&link, &at, &entry)) {
		FUZZ_CHECK(entry.name_len && entry.name_len <= LINKEA_NAME_MAX);
		n++;
	}
	FUZZ_CHECK(n == link.count && at <= len);
	if (link.len > sizeof(room))
		return;
	memcpy(room, bytes, link.len);
	FUZZ_CHECK(!linkea_decode(room, link.len, &link));
	turn_names(room, &link);
}

static void try_plain(const u8 *bytes, size_t len)
{
	struct lov_object *objects;
	struct lov_ea ea;
	size_t n, size;
	u8 *made;

	if (lov_ea_decode(bytes, len, &ea))
		return;
	size = lov_ea_size(&ea);
	FUZZ_CHECK(size == len && (!ea.object_count || ea.object_count == ea.stripe_count));
	made = malloc(size);
	objects = calloc(ea.object_count + 1, sizeof(*objects));
	for (n = 0; n < ea.object_count; n++) {
		objects[n] = lov_ea_object(&ea, (u32)n);
		FUZZ_CHECK(fid_is_sane(&objects[n].fid) ||
			   (ea.pattern & LOV_PATTERN_F_HOLE && fid_is_zero(&objects[n].fid)));
	}
	lov_ea_encode(made, &ea, objects);
	/* Generations of OSTs mean nothing; the last byte of a pool is its end. */
	for (n = 0; n < ea.object_count; n++)
		memcpy(made + size - (n + 1) * 24 + 16, bytes + size - (n + 1) * 24 + 16, 4);
	/* So does all else of an OST that is asked for. */
	for (n = 0; n < ea.ost_count; n++)
		memcpy(made + size - (n + 1) * 24, bytes + size - (n + 1) * 24, 20);
	if (ea.magic != LOV_MAGIC_V1)
		made[47] = bytes[47];
	FUZZ_CHECK(!memcmp(made, bytes, size));
	free(objects);
	free(made);
}

static void try_lov(const u8 *bytes, size_t len)
{
	struct lov_comp_entry entry;
	struct lov_foreign foreign;
	struct lov_comp comp;
	u32 n;

	try_plain(bytes, len);
	if (!lov_foreign_decode(bytes, len, &foreign))
		FUZZ_CHECK(foreign.len <= len && foreign.value + foreign.len <= bytes + len);
	if (lov_comp_decode(bytes, len, &comp))
		return;
	for (n = 0; n < comp.entry_count; n++) {
		entry = lov_comp_get(&comp, n);
		FUZZ_CHECK(entry.start < entry.end);
		FUZZ_CHECK(entry.layout + entry.layout_len <= bytes + len);
		try_plain(entry.layout, entry.layout_len);
	}
}

static void try_others(const u8 *bytes, size_t len)
{
	u8 made[sizeof(struct lustre_som_attrs)];
	struct lustre_lmv lmv;
	struct lustre_som som;
	struct lustre_hsm hsm;
	struct lu_fid fid;
	u32 n;

	if (!lustre_som_decode(bytes, len, &som)) {
		lustre_som_encode(made, &som);
		FUZZ_CHECK(!memcmp(made, bytes, 2) && !memcmp(made + 8, bytes + 8, 16));
		FUZZ_CHECK(!lustre_hsm_decode(bytes, len, &hsm));
	}
	if (!lustre_lmv_decode(bytes, len, &lmv) && lmv.fids)
		for (n = 0; n < lmv.stripe_count; n++) {
			fid = fid_le_get(lmv.fids + n * FID_SIZE);
			FUZZ_CHECK(lu_fid_eq(&fid, &fid));
		}
}

static void try_fid(const u8 *bytes, size_t len)
{
	char text[FID_TEXT_SIZE];
	struct lu_fid fid, again;

	if (fid_parse((const char *)bytes, len, &fid))
		return;
	fid_text(&fid, text);
	FUZZ_CHECK(!fid_parse(text, strlen(text), &again) && lu_fid_eq(&fid, &again));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static void (*const tries[])(const u8 *bytes, size_t len) = {
		try_lma, try_filter_fid, try_link, try_lov, try_others, try_fid,
	};
	u8 *exact;

	if (!size)
		return 0;
	/* To the byte, so that a read after its end is seen. */
	exact = malloc(size - 1 ? size - 1 : 1);
	memcpy(exact, data + 1, size - 1);
	tries[data[0] % ARRAY_SIZE(tries)](exact, size - 1);
	free(exact);
	return 0;
}
