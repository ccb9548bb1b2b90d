// SPDX-License-Identifier: GPL-2.0-only
/*
 * NID text: addresses against inet_pton(), and what was parsed prints to a text
 * that is parsed to the same.
 */
#include <arpa/inet.h>

#include <linux/kernel.h>
#include <lustre_lite/nid.h>

#include "fuzz_input.h"

/* The address of a text without '@', as the C library sees it. */
static int reference(const char *text, size_t len, u8 *addr)
{
	char copy[64];

	if (len >= sizeof(copy) || memchr(text, '\0', len))
		return 0;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (inet_pton(AF_INET, copy, addr) == 1)
		return 4;
	return inet_pton(AF_INET6, copy, addr) == 1 ? 16 : 0;
}

static void check_address(const char *text, size_t len)
{
	struct lnet_nid nid;
	u8 addr[16];
	int want = reference(text, len, addr);
	int rc;

	if (memchr(text, '@', len) || memchr(text, '[', len) || len >= 64)
		return;
	rc = libcfs_nid_parse(text, len, &nid, NULL);
	FUZZ_CHECK(!rc == !!want);
	if (rc)
		return;
	FUZZ_CHECK(nid.nid_len == want);
	FUZZ_CHECK(!memcmp(nid.nid_addr, addr, want));
}

static void check_text(const char *text, size_t len)
{
	char printed[LNET_NID_TEXT_MAX];
	struct lnet_nid nid, again;
	const char *why = NULL;
	int rc = libcfs_nid_parse(text, len, &nid, &why);
	int size;

	FUZZ_CHECK(!rc || rc == -EINVAL || rc == -EPROTONOSUPPORT);
	FUZZ_CHECK(!rc == !why);
	if (rc)
		return;
	rc = libcfs_nid_print(&nid, printed, sizeof(printed));
	FUZZ_CHECK(rc > 0 && rc == (int)strlen(printed));
	FUZZ_CHECK(!libcfs_nid_parse(printed, rc, &again, NULL));
	FUZZ_CHECK(libcfs_nid_same(&nid, &again));
	for (size = 0; size <= rc; size++)
		FUZZ_CHECK(libcfs_nid_print(&nid, printed, size) == -EOVERFLOW);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* Of its own size, so that a read beyond it is seen. */
	char *text = malloc(size ? size : 1);

	if (size)
		memcpy(text, data, size);
	check_text(text, size);
	check_address(text, size);
	free(text);
	return 0;
}
