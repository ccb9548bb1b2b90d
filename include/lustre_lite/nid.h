/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NID: the address of a node on one of its networks, as text.
 *
 *	10.0.0.1@tcp	10.0.0.1@tcp3	2001:db8::1@tcp		0@lo
 *
 * The network defaults to tcp; an IPv6 address may be in brackets. Printing is
 * canonical (RFC 5952 for IPv6, no number for network 0, no brackets), so equal NIDs
 * have equal texts.
 */
#ifndef _LUSTRE_LITE_NID_H
#define _LUSTRE_LITE_NID_H

#include <linux/types.h>

/* enum lnet_type - kind of network; numbers of real Lustre */
enum lnet_type {
	LNET_TCP	= 2,
	LNET_LO	= 9,
};

/**
 * struct lnet_nid - a NID
 * @nid_type: enum lnet_type
 * @nid_len: bytes of the address: 4 (IPv4; lo, all zero) or 16 (IPv6)
 * @nid_net: number of the network, 0 of tcp, 3 of tcp3
 * @nid_addr: address in network order; bytes beyond @nid_len are zero
 *
 * No padding and unused bytes are zero, so memcmp() compares two NIDs.
 */
struct lnet_nid {
	u8	nid_type;
	u8	nid_len;
	u16	nid_net;
	u8	nid_addr[16];
};

/**
 * struct lnet_nid_range - NIDs of one network
 * @nrg_low: its type and network; the lowest value of each byte of the address. Without bytes
 *	(nid_len 0) all addresses are in the range
 * @nrg_high: the highest values
 */
struct lnet_nid_range {
	struct lnet_nid	nrg_low;
	struct lnet_nid	nrg_high;
};

/* Longest text, NUL included: a mapped IPv6 address and @tcp65535. */
#define LNET_NID_TEXT_MAX		64

#ifdef __cplusplus
extern "C" {
#endif

int libcfs_nid_parse(const char *text, size_t len, struct lnet_nid *nid,
		     const char **why);
size_t libcfs_nid_length(const char *text, size_t len);
int libcfs_nid_print(const struct lnet_nid *nid, char *buf, size_t size);
bool libcfs_nid_same(const struct lnet_nid *a, const struct lnet_nid *b);
int libcfs_nid_range_parse(const char *text, size_t len, struct lnet_nid_range *range,
			   const char **why);
bool libcfs_nid_range_has(const struct lnet_nid_range *range, const struct lnet_nid *nid);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_NID_H */
