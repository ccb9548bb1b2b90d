// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.som and trusted.hsm: what an MDT knows of a file's data. Compiles unchanged in the
 * kernel and in user space.
 */
#include <lustre_lite/lustre_ea.h>

#define SOM(bytes, field)	((bytes) + offsetof(struct lustre_som_attrs, field))
#define HSM(bytes, field)	((bytes) + offsetof(struct hsm_attrs, field))

/**
 * lustre_som_decode() - decode trusted.som
 * @bytes: its value
 * @len: bytes of it
 * @som: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_som_decode(const void *bytes, size_t len, struct lustre_som *som)
{
	const u8 *from = (const u8 *)bytes;

	memset(som, 0, sizeof(*som));
	if (len != sizeof(struct lustre_som_attrs))
		return "invalid length";
	som->valid = codec_get16(SOM(from, lsa_valid));
	som->incarnation = codec_get16(SOM(from, lsa_reserved[1])) |
			   (u32)codec_get16(SOM(from, lsa_reserved[2])) << 16;
	som->size = codec_get64(SOM(from, lsa_size), false);
	som->blocks = codec_get64(SOM(from, lsa_blocks), false);
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(lustre_som_decode, LUSTRE_LITE);

/**
 * lustre_som_encode() - encode trusted.som
 * @bytes: out, of sizeof(struct lustre_som_attrs)
 * @som: its values
 *
 * Context: any
 */
void lustre_som_encode(void *bytes, const struct lustre_som *som)
{
	u8 *to = (u8 *)bytes;

	memset(to, 0, sizeof(struct lustre_som_attrs));
	codec_put16(SOM(to, lsa_valid), som->valid);
	codec_put16(SOM(to, lsa_reserved[1]), (u16)som->incarnation);
	codec_put16(SOM(to, lsa_reserved[2]), (u16)(som->incarnation >> 16));
	codec_put64(SOM(to, lsa_size), som->size);
	codec_put64(SOM(to, lsa_blocks), som->blocks);
}
EXPORT_SYMBOL_NS_GPL(lustre_som_encode, LUSTRE_LITE);

/**
 * lustre_hsm_decode() - decode trusted.hsm
 * @bytes: its value
 * @len: bytes of it
 * @hsm: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_hsm_decode(const void *bytes, size_t len, struct lustre_hsm *hsm)
{
	const u8 *from = (const u8 *)bytes;

	memset(hsm, 0, sizeof(*hsm));
	if (len != sizeof(struct hsm_attrs))
		return "invalid length";
	hsm->compat = codec_get32(HSM(from, hsm_compat), false);
	hsm->flags = codec_get32(HSM(from, hsm_flags), false);
	hsm->archive = codec_get64(HSM(from, hsm_arch_id), false);
	hsm->version = codec_get64(HSM(from, hsm_arch_ver), false);
	return NULL;
}
EXPORT_FOR_KUNIT(lustre_hsm_decode);
