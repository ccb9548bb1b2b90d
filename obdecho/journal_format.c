// SPDX-License-Identifier: GPL-2.0-only
/*
 * Format of a journal's record: encoding, and decoding with every length
 * checked.
 */
#include "journal_format.h"

#define HEAD(bytes, field) \
	((bytes) + offsetof(struct ll_echo_jrn_head, field))
#define CLIENT(bytes, field) \
	((bytes) + offsetof(struct ll_echo_jrn_client, field))

#define FNV_BEGIN	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

/* FNV-1a of a record, with its own field, the last of the head, as zeros. */
static u64 record_check(const u8 *bytes, size_t len)
{
	const size_t own = offsetof(struct ll_echo_jrn_head, ej_check);
	u64 sum = FNV_BEGIN;
	size_t n;

	for (n = 0; n < len; n++) {
		sum ^= n >= own && n < JRN_HEAD_SIZE ? 0 : bytes[n];
		sum *= FNV_PRIME;
	}
	return sum;
}

/* Bytes of a client with @xids numbers in a record. */
size_t jrn_client_size(u32 xids)
{
	return sizeof(struct ll_echo_jrn_client) + (size_t)xids * sizeof(u64);
}

/**
 * jrn_begin() - start to encode a record
 * @to: out, position after its head
 * @bytes: buffer
 * @len: its bytes, at least JRN_HEAD_SIZE
 *
 * Context: any
 */
void jrn_begin(struct jrn_at *to, void *bytes, size_t len)
{
	to->bytes = (u8 *)bytes;
	to->len = len;
	to->at = JRN_HEAD_SIZE;
	memset(bytes, 0, JRN_HEAD_SIZE);
}

/**
 * jrn_put_client() - add a client; jrn_put_xid() follows xid_count times
 * @to: position
 * @client: client; its uuid is NUL-terminated
 *
 * Context: any
 * Return: false if the buffer is full
 */
bool jrn_put_client(struct jrn_at *to, const struct jrn_client *client)
{
	u8 *bytes = to->bytes + to->at;

	if (to->len - to->at < jrn_client_size(client->xid_count))
		return false;
	memset(bytes, 0, sizeof(struct ll_echo_jrn_client));
	memcpy(CLIENT(bytes, ec_uuid), client->uuid, JRN_UUID_SIZE);
	codec_put64(CLIENT(bytes, ec_executed), client->executed);
	codec_put64(CLIENT(bytes, ec_sum), client->sum);
	codec_put32(CLIENT(bytes, ec_xids), client->xid_count);
	to->at += sizeof(struct ll_echo_jrn_client);
	return true;
}

/**
 * jrn_put_xid() - add a number to the last client
 * @to: position
 * @xid: number
 *
 * Context: any
 * Return: false if the buffer is full
 */
bool jrn_put_xid(struct jrn_at *to, u64 xid)
{
	if (to->len - to->at < sizeof(u64))
		return false;
	codec_put64(to->bytes + to->at, xid);
	to->at += sizeof(u64);
	return true;
}

/**
 * jrn_seal() - complete a record
 * @to: position
 * @head: its head; len is filled in
 *
 * Context: any
 */
void jrn_seal(struct jrn_at *to, struct jrn_head *head)
{
	u8 *bytes = to->bytes;

	head->len = (u32)to->at;
	codec_put32(HEAD(bytes, ej_magic), LL_ECHO_JRN_MAGIC);
	codec_put32(HEAD(bytes, ej_version), LL_ECHO_JRN_VERSION);
	codec_put64(HEAD(bytes, ej_seq), head->seq);
	codec_put64(HEAD(bytes, ej_transno), head->transno);
	codec_put64(HEAD(bytes, ej_executed), head->executed);
	codec_put64(HEAD(bytes, ej_sum), head->sum);
	codec_put32(HEAD(bytes, ej_len), head->len);
	codec_put32(HEAD(bytes, ej_clients), head->clients);
	codec_put64(HEAD(bytes, ej_check), record_check(bytes, to->at));
}

/**
 * jrn_head_read() - decode the head of a record
 * @record: bytes of a file
 * @len: their number
 * @head: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *jrn_head_read(const void *record, size_t len, struct jrn_head *head)
{
	const u8 *bytes = (const u8 *)record;

	if (len < JRN_HEAD_SIZE)
		return "too short";
	if (codec_get32(HEAD(bytes, ej_magic), false) != LL_ECHO_JRN_MAGIC)
		return "bad magic";
	if (codec_get32(HEAD(bytes, ej_version), false) != LL_ECHO_JRN_VERSION)
		return "unknown version";
	head->seq = codec_get64(HEAD(bytes, ej_seq), false);
	head->transno = codec_get64(HEAD(bytes, ej_transno), false);
	head->executed = codec_get64(HEAD(bytes, ej_executed), false);
	head->sum = codec_get64(HEAD(bytes, ej_sum), false);
	head->len = codec_get32(HEAD(bytes, ej_len), false);
	head->clients = codec_get32(HEAD(bytes, ej_clients), false);
	if (head->len < JRN_HEAD_SIZE || head->len > LL_ECHO_JRN_SLOT ||
	    head->clients > head->len / sizeof(struct ll_echo_jrn_client))
		return "invalid lengths";
	return NULL;
}

/* Each client fits, and the last one ends the record. */
static const char *record_walk(struct jrn_at at, u32 clients)
{
	struct jrn_client client;
	const char *fault;

	while (clients--) {
		fault = jrn_get_client(&at, &client);
		if (fault)
			return fault;
	}
	return at.at == at.len ? NULL : "data after its end";
}

/**
 * jrn_open() - decode a record
 * @from: out, position of its first client
 * @record: its bytes
 * @len: bytes available
 * @head: out
 *
 * Context: any
 * Return: NULL, and jrn_get_client() will not fail for any of its clients; or
 *  the fault
 */
const char *jrn_open(struct jrn_at *from, void *record, size_t len,
		     struct jrn_head *head)
{
	u8 *bytes = (u8 *)record;
	const char *fault = jrn_head_read(bytes, len, head);

	if (fault)
		return fault;
	if (len < head->len)
		return "truncated";
	if (record_check(bytes, head->len) !=
	    codec_get64(HEAD(bytes, ej_check), false))
		return "bad checksum";
	from->bytes = bytes;
	from->len = head->len;
	from->at = JRN_HEAD_SIZE;
	return record_walk(*from, head->clients);
}

/**
 * jrn_get_client() - the next client of a record
 * @from: position
 * @client: out; its numbers stay in the record
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *jrn_get_client(struct jrn_at *from, struct jrn_client *client)
{
	const u8 *bytes = from->bytes + from->at;
	size_t left = from->len - from->at;

	if (left < sizeof(struct ll_echo_jrn_client))
		return "truncated client";
	client->xid_count = codec_get32(CLIENT(bytes, ec_xids), false);
	if (left < jrn_client_size(client->xid_count))
		return "truncated requests of a client";
	memcpy(client->uuid, CLIENT(bytes, ec_uuid), JRN_UUID_SIZE);
	if (!client->uuid[0] || client->uuid[JRN_UUID_SIZE - 1])
		return "a client without a name";
	client->executed = codec_get64(CLIENT(bytes, ec_executed), false);
	client->sum = codec_get64(CLIENT(bytes, ec_sum), false);
	client->xids = bytes + sizeof(struct ll_echo_jrn_client);
	from->at += jrn_client_size(client->xid_count);
	return NULL;
}
