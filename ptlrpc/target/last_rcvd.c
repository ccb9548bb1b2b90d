// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file last_rcvd: encoding, decoding with every field checked, and which bytes are
 * written when.
 */
#include "last_rcvd.h"

#define SERVER(bytes, field) \
	((bytes) + offsetof(struct lr_server_data, field))
#define CLIENT(bytes, field) \
	((bytes) + offsetof(struct lsd_client_data, field))

#define INCOMPAT_KNOWN \
	((u32)(OBD_INCOMPAT_OST | OBD_INCOMPAT_MDT | OBD_INCOMPAT_COMMON_LR))

static bool is_zero(const u8 *bytes, size_t len)
{
	while (len && !*bytes) {
		bytes++;
		len--;
	}
	return !len;
}

/**
 * last_rcvd_server_encode() - encode the first part of a file
 * @bytes: out, LR_SERVER_SIZE
 * @server: values; its uuid is NUL-terminated
 *
 * Context: any
 */
void last_rcvd_server_encode(void *bytes, const struct last_rcvd_server *server)
{
	u8 *to = (u8 *)bytes;

	memset(to, 0, LR_SERVER_SIZE);
	memcpy(SERVER(to, lsd_uuid), server->uuid, LR_UUID_SIZE);
	codec_put64(SERVER(to, lsd_last_transno), server->last_transno);
	codec_put64(SERVER(to, lsd_mount_count), server->mount_count);
	codec_put32(SERVER(to, lsd_feature_compat), server->compat);
	codec_put32(SERVER(to, lsd_feature_incompat), server->incompat);
	codec_put32(SERVER(to, lsd_server_size), LR_SERVER_SIZE);
	codec_put32(SERVER(to, lsd_client_start), LR_CLIENT_START);
	codec_put16(SERVER(to, lsd_client_size), LR_CLIENT_SIZE);
	codec_put32(SERVER(to, lsd_start_epoch), server->start_epoch);
}

static const char *server_check(const u8 *from)
{
	if (codec_get32(SERVER(from, lsd_server_size), false) != LR_SERVER_SIZE ||
	    codec_get32(SERVER(from, lsd_client_start), false) != LR_CLIENT_START ||
	    codec_get16(SERVER(from, lsd_client_size)) != LR_CLIENT_SIZE)
		return "invalid sizes";
	if (codec_get32(SERVER(from, lsd_feature_rocompat), false) ||
	    codec_get32(SERVER(from, lsd_feature_incompat), false) & ~INCOMPAT_KNOWN)
		return "unknown features";
	if (!*SERVER(from, lsd_uuid) || SERVER(from, lsd_uuid)[LR_UUID_SIZE - 1])
		return "no uuid";
	return NULL;
}

/**
 * last_rcvd_server_decode() - decode the first part of a file
 * @bytes: bytes of a file
 * @len: their number
 * @server: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *last_rcvd_server_decode(const void *bytes, size_t len,
				    struct last_rcvd_server *server)
{
	const u8 *from = (const u8 *)bytes;
	const char *fault;

	if (len < LR_SERVER_SIZE)
		return "too short";
	fault = server_check(from);
	if (fault)
		return fault;
	memcpy(server->uuid, SERVER(from, lsd_uuid), LR_UUID_SIZE);
	server->last_transno = codec_get64(SERVER(from, lsd_last_transno), false);
	server->mount_count = codec_get64(SERVER(from, lsd_mount_count), false);
	server->compat = codec_get32(SERVER(from, lsd_feature_compat), false);
	server->incompat = codec_get32(SERVER(from, lsd_feature_incompat), false);
	server->start_epoch = codec_get32(SERVER(from, lsd_start_epoch), false);
	return NULL;
}

/**
 * last_rcvd_client_encode() - encode a slot
 * @bytes: out, LR_CLIENT_SIZE
 * @client: values; its uuid is NUL-terminated
 *
 * Context: any
 */
void last_rcvd_client_encode(void *bytes, const struct last_rcvd_client *client)
{
	u8 *to = (u8 *)bytes;

	memset(to, 0, LR_CLIENT_SIZE);
	memcpy(CLIENT(to, lcd_uuid), client->uuid, LR_UUID_SIZE);
	codec_put32(CLIENT(to, lcd_last_epoch), client->last_epoch);
}

/**
 * last_rcvd_client_decode() - decode a slot
 * @bytes: LR_CLIENT_SIZE bytes
 * @client: out; its uuid is "" if the slot is free
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *last_rcvd_client_decode(const void *bytes, struct last_rcvd_client *client)
{
	const u8 *from = (const u8 *)bytes;

	if (CLIENT(from, lcd_uuid)[LR_UUID_SIZE - 1])
		return "a client's uuid is not NUL-terminated";
	memcpy(client->uuid, CLIENT(from, lcd_uuid), LR_UUID_SIZE);
	client->last_epoch = codec_get32(CLIENT(from, lcd_last_epoch), false);
	return NULL;
}

/**
 * last_rcvd_open() - read the first part of a file
 * @lr: lrd_io and lrd_file are set; with an empty file lrd_server stays as it is
 * @fault: out: fault, or NULL
 *
 * The power may have been cut after the file was created and before its first sync: its
 * first part is zeros then, and there is no slot.
 *
 * Context: may sleep
 * Return: 1; 0 for an empty file; -EUCLEAN for a damaged one; errors of reading
 */
int last_rcvd_open(struct last_rcvd *lr, const char **fault)
{
	u8 bytes[LR_SERVER_SIZE + 1];
	ssize_t got = lr->lrd_io->read(lr->lrd_file, 0, bytes, sizeof(bytes));

	*fault = NULL;
	lr->lrd_slots = 0;
	if (got < 0)
		return (int)got;
	if (got <= LR_SERVER_SIZE && is_zero(bytes, (size_t)got))
		return 0;
	*fault = last_rcvd_server_decode(bytes, (size_t)got, &lr->lrd_server);
	return *fault ? -EUCLEAN : 1;
}

/* Slots read at a time. */
#define SLOTS_READ	8

static int slots_scan(const u8 *bytes, u32 count, u32 slot, last_rcvd_client_fn fn,
		      void *data)
{
	struct last_rcvd_client client;
	int rc = 0;

	for (; count && !rc; count--, slot++, bytes += LR_CLIENT_SIZE) {
		if (last_rcvd_client_decode(bytes, &client))
			return -EUCLEAN;
		if (client.uuid[0])
			rc = fn(slot, &client, data);
	}
	return rc;
}

/**
 * last_rcvd_clients() - the clients in a file
 * @lr: open file
 * @fn: called for each of them
 * @data: its argument
 *
 * Context: may sleep
 * Return: 0; -EUCLEAN for a damaged slot; errors of reading and of @fn
 */
int last_rcvd_clients(struct last_rcvd *lr, last_rcvd_client_fn fn, void *data)
{
	u8 bytes[SLOTS_READ * LR_CLIENT_SIZE];
	ssize_t got = sizeof(bytes);
	u32 slots;
	int rc = 0;

	while (!rc && got == sizeof(bytes) && lr->lrd_slots < LR_CLIENTS_MAX) {
		got = lr->lrd_io->read(lr->lrd_file,
				      LR_CLIENT_START + (u64)lr->lrd_slots * LR_CLIENT_SIZE,
				      bytes, sizeof(bytes));
		if (got < 0)
			return (int)got;
		/* The file may end within a slot whose connect was not answered. */
		slots = (u32)got / LR_CLIENT_SIZE;
		rc = slots_scan(bytes, slots, lr->lrd_slots, fn, data);
		lr->lrd_slots += slots;
	}
	return rc;
}

static int server_write(struct last_rcvd *lr)
{
	u8 bytes[LR_SERVER_SIZE];

	last_rcvd_server_encode(bytes, &lr->lrd_server);
	return lr->lrd_io->write(lr->lrd_file, 0, bytes, sizeof(bytes));
}

/**
 * last_rcvd_start() - the target starts: count that on disk
 * @lr: file; lrd_server has the target's uuid and features
 *
 * Context: may sleep
 * Return: 0 or a negative errno; -EOVERFLOW after 2^32 - 1 starts
 */
int last_rcvd_start(struct last_rcvd *lr)
{
	int rc;

	if (lr->lrd_server.start_epoch == 0xffffffffU)
		return -EOVERFLOW;
	lr->lrd_server.start_epoch++;
	lr->lrd_server.mount_count++;
	rc = server_write(lr);
	return rc ? rc : last_rcvd_sync(lr);
}

/**
 * last_rcvd_put() - write a slot; it is on disk after last_rcvd_sync()
 * @lr: started file
 * @slot: slot, below LR_CLIENTS_MAX
 * @client: client; NULL frees the slot
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int last_rcvd_put(struct last_rcvd *lr, u32 slot, const struct last_rcvd_client *client)
{
	u8 bytes[LR_CLIENT_SIZE] = { 0 };
	int rc;

	if (client)
		last_rcvd_client_encode(bytes, client);
	rc = lr->lrd_io->write(lr->lrd_file, LR_CLIENT_START + (u64)slot * LR_CLIENT_SIZE,
			      bytes, sizeof(bytes));
	if (!rc && slot >= lr->lrd_slots)
		lr->lrd_slots = slot + 1;
	return rc;
}

/**
 * last_rcvd_committed() - note a transaction that is on disk; not synced
 * @lr: started file
 * @transno: transaction
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int last_rcvd_committed(struct last_rcvd *lr, u64 transno)
{
	lr->lrd_server.last_transno = transno;
	return server_write(lr);
}

/**
 * last_rcvd_sync() - what was written survives a power cut after this
 * @lr: file
 *
 * Context: may sleep; needs no serialization
 * Return: 0 or a negative errno
 */
int last_rcvd_sync(const struct last_rcvd *lr)
{
	return lr->lrd_io->sync(lr->lrd_file);
}
