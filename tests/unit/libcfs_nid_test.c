// SPDX-License-Identifier: GPL-2.0-only
/* NID text, measured against the C library's address functions. */
#include "shim_cmocka.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>
#include <lustre_lite/nid.h>

#define ROUNDS	200000

static int parse(const char *text, struct lnet_nid *nid)
{
	return libcfs_nid_parse(text, strlen(text), nid, NULL);
}

static void a_network_has_a_type_and_a_number(void **state)
{
	struct lnet_nid nid;

	assert_int_equal(parse("10.1.2.3@tcp42", &nid), 0);
	assert_int_equal(nid.nid_type, LNET_TCP);
	assert_int_equal(nid.nid_net, 42);
	assert_int_equal(nid.nid_len, 4);
	assert_memory_equal(nid.nid_addr, "\x0a\x01\x02\x03\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(parse("0@lo", &nid), 0);
	assert_int_equal(nid.nid_type, LNET_LO);
	assert_int_equal(parse("fe80::1", &nid), 0);
	assert_int_equal(nid.nid_type, LNET_TCP);
	assert_int_equal(nid.nid_net, 0);
	assert_int_equal(nid.nid_len, 16);
}

static void a_refusal_says_what_would_be_right(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *why;
	} bad[] = {
		{ "10.0.0.1@", -EINVAL, "no network after @; valid are tcp, tcp1 and lo" },
		{ "10.0.0.1@3tcp", -EINVAL, "no network after @; valid are tcp, tcp1 and lo" },
		{ "10.0.0.1@tcp99999", -EINVAL, "the number of the network is out of range 0 to 65535" },
		{ "10.0.0.1@tcp-1", -EINVAL, "the number of the network is out of range 0 to 65535" },
		{ "10.0.0.1@o2ib4", -EPROTONOSUPPORT, "only the networks tcp and lo are supported" },
		{ "10.0.0.1@TCP", -EPROTONOSUPPORT, "only the networks tcp and lo are supported" },
		{ "1@lo", -EINVAL, "the only address of lo is 0@lo" },
		{ "node@tcp", -EINVAL, "not an IPv4 address such as 10.0.0.1" },
		{ "fe80::g@tcp", -EINVAL, "not an IPv6 address such as 2001:db8::1" },
		{ "fe80::1%eth0@tcp", -EINVAL, "not an IPv6 address such as 2001:db8::1" },
		{ "[fe80::1@tcp", -EINVAL, "[ without ]" },
	};
	struct lnet_nid nid;
	const char *why;

	for (size_t n = 0; n < ARRAY_SIZE(bad); n++) {
		why = "";
		assert_int_equal(libcfs_nid_parse(bad[n].text, strlen(bad[n].text),
						  &nid, &why), bad[n].rc);
		assert_string_equal(why, bad[n].why);
	}
}

static void good_text_prints_canonically(void **state)
{
	static const struct {
		const char *text;
		const char *prints;
	} good[] = {
		{ "10.0.0.1@tcp",	"10.0.0.1@tcp" },
		{ "10.0.0.1@tcp0",	"10.0.0.1@tcp" },
		{ "10.0.0.1",	"10.0.0.1@tcp" },
		{ "192.168.255.0@tcp3",	"192.168.255.0@tcp3" },
		{ "1.2.3.4@tcp65535",	"1.2.3.4@tcp65535" },
		{ "0@lo",	"0@lo" },
		{ "2001:db8::1@tcp",	"2001:db8::1@tcp" },
		{ "2001:DB8:0:0:0:0:0:1@tcp2",	"2001:db8::1@tcp2" },
		{ "[fe80::1]@tcp",	"fe80::1@tcp" },
		{ "::@tcp",	"::@tcp" },
		{ "::ffff:1.2.3.4@tcp",	"::ffff:1.2.3.4@tcp" },
		{ "1:0:2:0:0:3:0:0",	"1:0:2::3:0:0@tcp" },
	};
	char buf[LNET_NID_TEXT_MAX];
	struct lnet_nid nid, again;

	for (size_t n = 0; n < ARRAY_SIZE(good); n++) {
		assert_int_equal(parse(good[n].text, &nid), 0);
		assert_int_equal(libcfs_nid_print(&nid, buf, sizeof(buf)),
				 strlen(good[n].prints));
		assert_string_equal(buf, good[n].prints);
		assert_int_equal(parse(buf, &again), 0);
		assert_true(libcfs_nid_same(&nid, &again));
	}
}

static void bad_text_is_refused_with_words(void **state)
{
	static const struct {
		const char *text;
		int rc;
	} bad[] = {
		{ "", -EINVAL },
		{ "@tcp", -EINVAL },
		{ "10.0.0.1@", -EINVAL },
		{ "10.0.0@tcp", -EINVAL },
		{ "10.0.0.256@tcp", -EINVAL },
		{ "10.0.0.01@tcp", -EINVAL },
		{ "10.0.0.1 @tcp", -EINVAL },
		{ "10.0.0.1@tcp65536", -EINVAL },
		{ "10.0.0.1@tcp03", -EINVAL },
		{ "10.0.0.1@tcp@tcp", -EINVAL },
		{ "[10.0.0.1]@tcp", -EINVAL },
		{ "[::1@tcp", -EINVAL },
		{ "1:2:3:4:5:6:7@tcp", -EINVAL },
		{ "1::2::3@tcp", -EINVAL },
		{ "12345::@tcp", -EINVAL },
		{ "1@lo", -EINVAL },
		{ "0@lo1", -EINVAL },
		{ "node1@tcp", -EINVAL },
		{ "10.0.0.1@o2ib", -EPROTONOSUPPORT },
		{ "10.0.0.1@o2ib3", -EPROTONOSUPPORT },
	};
	struct lnet_nid nid;
	const char *why;

	for (size_t n = 0; n < ARRAY_SIZE(bad); n++) {
		why = NULL;
		assert_int_equal(libcfs_nid_parse(bad[n].text, strlen(bad[n].text),
						  &nid, &why), bad[n].rc);
		assert_non_null(why);
	}
}

static void print_needs_room(void **state)
{
	char buf[LNET_NID_TEXT_MAX];
	struct lnet_nid nid;

	assert_int_equal(parse("10.0.0.1@tcp", &nid), 0);
	assert_int_equal(libcfs_nid_print(&nid, buf, 12), -EOVERFLOW);
	assert_int_equal(libcfs_nid_print(&nid, buf, 13), 12);
	nid.nid_len = 5;
	assert_int_equal(libcfs_nid_print(&nid, buf, sizeof(buf)), -EINVAL);
}

/* A text is not read beyond its length, nor taken when a NUL is within. */
static void a_text_has_a_length(void **state)
{
	struct lnet_nid nid;
	char *text = malloc(8);

	memcpy(text, "10.0.0.1", 8);
	assert_int_equal(libcfs_nid_parse(text, 8, &nid, NULL), 0);
	assert_int_equal(nid.nid_addr[3], 1);
	assert_int_equal(libcfs_nid_parse(text, 7, &nid, NULL), -EINVAL);
	assert_int_equal(libcfs_nid_parse(text, 0, &nid, NULL), -EINVAL);
	free(text);
	assert_int_equal(libcfs_nid_parse("10.0.0.1\0", 9, &nid, NULL), -EINVAL);
	assert_int_equal(libcfs_nid_parse("10.0.0.1@tcp\0", 13, &nid, NULL), -EINVAL);
}

/* Words of an address, many of them zero so that there are runs. */
static void a_list_is_taken_nid_by_nid(void **state)
{
	static const struct {
		const char	*list;
		size_t		len;
	} lists[] = {
		{ "10.0.0.1@tcp", 12 },
		{ "10.0.0.1@tcp,10.0.0.2@tcp", 12 },
		{ "10.0.0.1@tcp:10.0.0.2@tcp", 12 },
		{ "10.0.0.1:10.0.0.2", 8 },
		{ "2001:db8::1@tcp:10.0.0.2", 15 },
		{ "2001:db8::1,10.0.0.2", 11 },
		{ "2001:db8::1", 11 },
		{ "::ffff:10.0.0.1:10.0.0.2", 15 },
		{ "[2001:db8::1]:10.0.0.2", 13 },
		{ "[2001:db8::1]@tcp1:10.0.0.2", 18 },
		{ ",10.0.0.1", 0 },
		{ "", 0 },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(lists); n++)
		assert_int_equal(libcfs_nid_length(lists[n].list,
						   strlen(lists[n].list)),
				 lists[n].len);
}

static void random_address(unsigned char *addr)
{
	for (int n = 0; n < 16; n += 2) {
		addr[n] = random() % 3 ? 0 : random();
		addr[n + 1] = random() % 2 ? 0 : random();
	}
	if (random() % 8 == 0)
		memcpy(addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
}

static void ipv6_prints_as_the_c_library_does(void **state)
{
	static const unsigned char zeros[12];
	char want[INET6_ADDRSTRLEN + 4], got[LNET_NID_TEXT_MAX];
	struct lnet_nid nid = { .nid_type = LNET_TCP, .nid_len = 16 };
	struct lnet_nid again;

	srandom(1);
	for (int n = 0; n < ROUNDS; n++) {
		random_address(nid.nid_addr);
		assert_true(libcfs_nid_print(&nid, got, sizeof(got)) > 0);
		assert_int_equal(parse(got, &again), 0);
		assert_true(libcfs_nid_same(&nid, &again));
		/* It prints ::0.0.0.1, which RFC 4291 deprecates. */
		if (!memcmp(nid.nid_addr, zeros, sizeof(zeros)))
			continue;
		inet_ntop(AF_INET6, nid.nid_addr, want, sizeof(want));
		strcat(want, "@tcp");
		assert_string_equal(got, want);
	}
}

/* Break a good text in a few places. */
static void mutate(char *text, size_t size)
{
	static const char bytes[] = "0123456789abcdefABCDEF:::::...g% ";
	size_t len = strlen(text);

	for (int n = random() % 4; n > 0 && len; n--) {
		size_t at = random() % len;

		switch (random() % 3) {
		case 0:
			text[at] = bytes[random() % (sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(text + at, text + at + 1, len - at);
			len--;
			break;
		case 2:
			if (len + 2 > size)
				break;
			memmove(text + at + 1, text + at, len - at + 1);
			text[at] = bytes[random() % (sizeof(bytes) - 1)];
			len++;
		}
	}
}

static void check_against(int family, const char *text)
{
	unsigned char addr[16] = {};
	struct lnet_nid nid;
	int good = inet_pton(family, text, addr);

	if (good != (parse(text, &nid) == 0))
		fail_msg("'%s' is %sa good address", text, good ? "" : "not ");
	if (good)
		assert_memory_equal(nid.nid_addr, addr, 16);
}

static void text_is_taken_as_the_c_library_does(void **state)
{
	unsigned char addr[16];
	char text[64];
	int family;

	srandom(2);
	for (int n = 0; n < ROUNDS; n++) {
		random_address(addr);
		family = random() % 2 ? AF_INET : AF_INET6;
		inet_ntop(family, addr, text, sizeof(text));
		mutate(text, sizeof(text));
		if (text[0] == '\0' || text[0] == '[')
			continue;
		check_against(strchr(text, ':') ? AF_INET6 : AF_INET, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_has_a_type_and_a_number),
		cmocka_unit_test(good_text_prints_canonically),
		cmocka_unit_test(bad_text_is_refused_with_words),
		cmocka_unit_test(print_needs_room),
		cmocka_unit_test(a_refusal_says_what_would_be_right),
		cmocka_unit_test(a_text_has_a_length),
		cmocka_unit_test(a_list_is_taken_nid_by_nid),
		cmocka_unit_test(ipv6_prints_as_the_c_library_does),
		cmocka_unit_test(text_is_taken_as_the_c_library_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
