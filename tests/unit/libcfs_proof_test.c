// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys and proofs: HMAC-SHA256 against RFC 4231, and the bytes that each of them covers.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <crypto/sha2.h>
#include <lustre_lite/proof.h>

static void hex(const u8 *bytes, char *text)
{
	size_t n;

	for (n = 0; n < LIBCFS_KEY_LEN; n++)
		sprintf(text + 2 * n, "%02x", bytes[n]);
}

static void hash_is(const char *text, const char *want)
{
	u8 hash[LIBCFS_KEY_LEN];
	char seen[2 * LIBCFS_KEY_LEN + 1];

	sha256((const u8 *)text, strlen(text), hash);
	hex(hash, seen);
	assert_string_equal(seen, want);
}

/* Vectors of FIPS 180-4: one block, two blocks, nothing. */
static void test_sha256(void **state)
{
	hash_is("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	hash_is("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* Computed by Python: hmac.new(bytes(range(32)), bytes(range(32, 64)), "sha256"). */
static void test_proof(void **state)
{
	u8 key[LIBCFS_KEY_LEN], digest[LIBCFS_KEY_LEN], proof[LIBCFS_KEY_LEN];
	char seen[2 * LIBCFS_KEY_LEN + 1];
	size_t n;

	for (n = 0; n < LIBCFS_KEY_LEN; n++) {
		key[n] = n;
		digest[n] = LIBCFS_KEY_LEN + n;
	}
	libcfs_proof_make(key, digest, proof);
	hex(proof, seen);
	assert_string_equal(seen, "62215de7bddcea7e2c4047ff6bb94f8d18262fc8b3f3648134bb7d44158ff84d");
	assert_true(libcfs_proof_holds(key, digest, proof));
	for (n = 0; n < LIBCFS_KEY_LEN; n++) {
		proof[n] ^= 1;
		assert_false(libcfs_proof_holds(key, digest, proof));
		proof[n] ^= 1;
		key[n] ^= 0x80;
		assert_false(libcfs_proof_holds(key, digest, proof));
		key[n] ^= 0x80;
	}
}

/* The proof covers the whole registration: no NID can be exchanged. */
static void test_digest(void **state)
{
	u8 digest[LIBCFS_KEY_LEN], other[LIBCFS_KEY_LEN];
	struct lustre_target wire = { .wt_index = 1, .wt_svname = "a-OST0001" };
	struct lustre_nid nids[2] = { { .wn_type = 2 }, { .wn_type = 2 } };
	u8 *bytes = (u8 *)&wire;
	size_t n;

	libcfs_target_digest(&wire, nids, sizeof(nids), "a=1", digest);
	for (n = 0; n < sizeof(wire); n++) {
		bool counts = n < offsetof(struct lustre_target, wt_key);

		bytes[n] ^= 4;
		libcfs_target_digest(&wire, nids, sizeof(nids), "a=1", other);
		assert_int_equal(memcmp(digest, other, sizeof(digest)) != 0,
				 counts);
		bytes[n] ^= 4;
	}
	nids[1].wn_addr[3]++;
	libcfs_target_digest(&wire, nids, sizeof(nids), "a=1", other);
	assert_memory_not_equal(digest, other, sizeof(digest));
	nids[1].wn_addr[3]--;
	libcfs_target_digest(&wire, nids, sizeof(nids[0]), "a=1", other);
	assert_memory_not_equal(digest, other, sizeof(digest));
	libcfs_target_digest(&wire, nids, sizeof(nids), "a=2", other);
	assert_memory_not_equal(digest, other, sizeof(digest));
}

/* The registration of wire_vectors_msg.h; its proof was computed with Python. */
static void test_registration(void **state)
{
	struct lustre_target wire = {
		.wt_flags = 0x32,
		.wt_index = 0xffff,
		.wt_instance = 0x1020304,
		.wt_nid_count = 1,
		.wt_fsname = "lustre",
		.wt_id = "3f2a9c64-51d7-4e08-9b1c-6a0d2e7f8351",
	};
	struct lustre_nid nid = {
		.wn_type = 2, .wn_len = 4, .wn_addr = { 10, 0, 0, 1 },
	};
	u8 digest[LIBCFS_KEY_LEN], proof[LIBCFS_KEY_LEN];
	char seen[2 * LIBCFS_KEY_LEN + 1];
	size_t n;

	for (n = 0; n < LIBCFS_KEY_LEN; n++)
		wire.wt_key[n] = 0x40 + n;
	libcfs_target_digest(&wire, &nid, sizeof(nid), "", digest);
	libcfs_proof_make(wire.wt_key, digest, proof);
	hex(proof, seen);
	assert_string_equal(seen, "a7eefbf75b6232a7b011c70ed01696f8dac129ffbd0d25fd5baed7db1506165c");
}

static void test_key(void **state)
{
	u8 secret[LIBCFS_KEY_LEN] = { 0 }, key[LIBCFS_KEY_LEN];
	char seen[2 * LIBCFS_KEY_LEN + 1];

	assert_false(libcfs_key_given(secret));
	secret[31] = 1;
	assert_true(libcfs_key_given(secret));
	secret[31] = 0;
	libcfs_key_of(secret, key);
	hex(key, seen);
	assert_string_equal(seen, "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925");
	assert_false(libcfs_key_same(secret, key));
	assert_true(libcfs_key_same(key, key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_proof),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_registration),
		cmocka_unit_test(test_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
