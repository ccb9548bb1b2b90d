/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proof of a target's identity to the management service. Each target has a
 * secret in its directory; the hash of the secret is the key that the service
 * stores. A proof is an HMAC of the target's registration, made with that key.
 */
#ifndef _LUSTRE_LITE_PROOF_H
#define _LUSTRE_LITE_PROOF_H

#include <linux/types.h>

#include <uapi/lustre_lite/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a secret, a key, a digest and a proof. */
#define LIBCFS_KEY_LEN	WIRE_KEY_LEN

void libcfs_key_of(const u8 *secret, u8 *key);
bool libcfs_key_given(const u8 *key);
bool libcfs_key_same(const u8 *a, const u8 *b);
void libcfs_target_digest(const struct lustre_target *wire, const void *nids,
			  size_t nid_bytes, const char *params, u8 *digest);
void libcfs_proof_make(const u8 *key, const u8 *digest, u8 *proof);
bool libcfs_proof_holds(const u8 *key, const u8 *digest, const u8 *proof);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_PROOF_H */
