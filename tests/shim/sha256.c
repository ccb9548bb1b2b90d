// SPDX-License-Identifier: GPL-2.0-only
/*
 * SHA-256 as FIPS 180-4 has it. The constants are computed: the first 32 bits of the
 * fractional parts of the square and cube roots of the first primes.
 */
#include <math.h>
#include <string.h>

#include <crypto/sha2.h>

#define BLOCK	64
#define ROUNDS	64

/* struct sha - a hash being computed */
struct sha {
	u32	h[8];
	u32	k[ROUNDS];
};

static u32 fraction(long double root)
{
	return (u32)((root - floorl(root)) * 4294967296.0L);
}

static int is_prime(unsigned int n)
{
	unsigned int d;

	for (d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return 1;
}

static void sha_init(struct sha *sha)
{
	unsigned int n = 2, count = 0;

	for (; count < ROUNDS; n++) {
		if (!is_prime(n))
			continue;
		if (count < 8)
			sha->h[count] = fraction(sqrtl(n));
		sha->k[count++] = fraction(cbrtl(n));
	}
}

static u32 ror(u32 x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void schedule(const u8 *block, u32 *w)
{
	unsigned int n;

	for (n = 0; n < 16; n++)
		w[n] = (u32)block[4 * n] << 24 | (u32)block[4 * n + 1] << 16 |
		       (u32)block[4 * n + 2] << 8 | block[4 * n + 3];
	for (; n < ROUNDS; n++)
		w[n] = w[n - 16] + w[n - 7] +
		       (ror(w[n - 15], 7) ^ ror(w[n - 15], 18) ^ w[n - 15] >> 3) +
		       (ror(w[n - 2], 17) ^ ror(w[n - 2], 19) ^ w[n - 2] >> 10);
}

static void sha_block(struct sha *sha, const u8 *block)
{
	u32 w[ROUNDS], s[8], one, two;
	unsigned int n;

	schedule(block, w);
	memcpy(s, sha->h, sizeof(s));
	for (n = 0; n < ROUNDS; n++) {
		one = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
		      ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha->k[n] + w[n];
		two = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
		      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += one;
		s[0] = one + two;
	}
	for (n = 0; n < 8; n++)
		sha->h[n] += s[n];
}

void sha256(const u8 *data, unsigned int len, u8 *out)
{
	u8 last[2 * BLOCK] = { 0 };
	unsigned long long bits = (unsigned long long)len * 8;
	unsigned int rest = len % BLOCK, blocks, n;
	struct sha sha;

	sha_init(&sha);
	for (n = 0; n + BLOCK <= len; n += BLOCK)
		sha_block(&sha, data + n);
	if (rest)
		memcpy(last, data + n, rest);
	last[rest] = 0x80;
	blocks = rest < BLOCK - 8 ? 1 : 2;
	for (n = 0; n < 8; n++)
		last[blocks * BLOCK - 1 - n] = (u8)(bits >> 8 * n);
	for (n = 0; n < blocks; n++)
		sha_block(&sha, last + n * BLOCK);
	for (n = 0; n < 32; n++)
		out[n] = (u8)(sha.h[n / 4] >> (24 - 8 * (n % 4)));
}
