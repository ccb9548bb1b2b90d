// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proof of an identity: a target and the management service share a key, and
 * the target shows that it has the key without sending it. The proof is an HMAC
 * with SHA-256 over its whole registration. Compiles unchanged in user space.
 */
#include <crypto/algapi.h>
#include <crypto/sha2.h>
#include <linux/export.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/proof.h>

/* Bytes of a block of SHA-256, which a key of HMAC is padded to. */
#define BLOCK_LEN	64
#define INNER_PAD	0x36
#define OUTER_PAD	0x5c

/**
 * libcfs_key_of() - derive the key from a secret
 * @secret: LIBCFS_KEY_LEN random bytes
 * @key: out, LIBCFS_KEY_LEN bytes
 *
 * Context: any
 */
void libcfs_key_of(const u8 *secret, u8 *key)
{
	sha256(secret, LIBCFS_KEY_LEN, key);
}
EXPORT_SYMBOL_NS_GPL(libcfs_key_of, LUSTRE_LITE);

/* Whether a key of LIBCFS_KEY_LEN bytes is set: all zero means none. */
bool libcfs_key_given(const u8 *key)
{
	return memchr_inv(key, 0, LIBCFS_KEY_LEN);
}
EXPORT_SYMBOL_NS_GPL(libcfs_key_given, LUSTRE_LITE);

/* Compare two keys of LIBCFS_KEY_LEN bytes in constant time. */
bool libcfs_key_same(const u8 *a, const u8 *b)
{
	return !crypto_memneq(a, b, LIBCFS_KEY_LEN);
}
EXPORT_SYMBOL_NS_GPL(libcfs_key_same, LUSTRE_LITE);

/**
 * libcfs_target_digest() - digest of a registration, input of its proof
 * @wire: target; key and proof are taken as zeros
 * @nids: its NIDs
 * @nid_bytes: their bytes
 * @params: its parameters, a text
 * @digest: out, LIBCFS_KEY_LEN bytes
 *
 * Context: any
 */
void libcfs_target_digest(const struct lustre_target *wire, const void *nids,
			  size_t nid_bytes, const char *params, u8 *digest)
{
	struct lustre_target said = *wire;
	u8 parts[3 * LIBCFS_KEY_LEN];

	memset(said.wt_key, 0, sizeof(said.wt_key));
	memset(said.wt_proof, 0, sizeof(said.wt_proof));
	sha256((const u8 *)&said, sizeof(said), parts);
	sha256(nids, nid_bytes, parts + LIBCFS_KEY_LEN);
	sha256((const u8 *)params, strlen(params), parts + 2 * LIBCFS_KEY_LEN);
	sha256(parts, sizeof(parts), digest);
}
EXPORT_SYMBOL_NS_GPL(libcfs_target_digest, LUSTRE_LITE);

/* Half of HMAC: the hash of the padded key and of the bytes after it. */
static void hash_with(const u8 *key, u8 pad, const u8 *bytes, u8 *hash)
{
	u8 block[BLOCK_LEN + LIBCFS_KEY_LEN];
	size_t n;

	for (n = 0; n < BLOCK_LEN; n++)
		block[n] = (n < LIBCFS_KEY_LEN ? key[n] : 0) ^ pad;
	memcpy(block + BLOCK_LEN, bytes, LIBCFS_KEY_LEN);
	sha256(block, sizeof(block), hash);
	memzero_explicit(block, sizeof(block));
}

/**
 * libcfs_proof_make() - make a proof
 * @key: LIBCFS_KEY_LEN bytes
 * @digest: from libcfs_target_digest()
 * @proof: out, LIBCFS_KEY_LEN bytes: HMAC-SHA256
 *
 * Context: any
 */
void libcfs_proof_make(const u8 *key, const u8 *digest, u8 *proof)
{
	u8 inner[LIBCFS_KEY_LEN];

	hash_with(key, INNER_PAD, digest, inner);
	hash_with(key, OUTER_PAD, inner, proof);
}
EXPORT_SYMBOL_NS_GPL(libcfs_proof_make, LUSTRE_LITE);

/**
 * libcfs_proof_holds() - verify a proof
 * @key: LIBCFS_KEY_LEN bytes
 * @digest: from libcfs_target_digest()
 * @proof: LIBCFS_KEY_LEN bytes
 *
 * Context: any
 * Return: true if it was made with @key; takes constant time
 */
bool libcfs_proof_holds(const u8 *key, const u8 *digest, const u8 *proof)
{
	u8 right[LIBCFS_KEY_LEN];

	libcfs_proof_make(key, digest, right);
	return libcfs_key_same(right, proof);
}
EXPORT_SYMBOL_NS_GPL(libcfs_proof_holds, LUSTRE_LITE);
