/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file last_rcvd: a target's start number, and its clients in slots. The codec and the
 * decisions; it compiles unchanged in the kernel and in user space. The fields are described
 * in uapi/lustre_lite/last_rcvd.h.
 *
 * A slot is written in place and synced: one sector, however many clients there are. A new
 * file with all clients, renamed over the old one, would cost the square of their number
 * when all of them connect.
 *
 * No lock: the caller serializes calls, except last_rcvd_sync().
 */
#ifndef _PTLRPC_LAST_RCVD_H
#define _PTLRPC_LAST_RCVD_H

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/last_rcvd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LR_UUID_SIZE	40
/* Most slots. */
#define LR_CLIENTS_MAX	65536U

/**
 * struct last_rcvd_server - struct lr_server_data, in host byte order
 * @uuid: target
 * @last_transno: a transaction that is on disk
 * @mount_count: starts
 * @compat: OBD_COMPAT_*
 * @incompat: OBD_INCOMPAT_*
 * @start_epoch: number of the start
 */
struct last_rcvd_server {
	char	uuid[LR_UUID_SIZE];
	u64	last_transno;
	u64	mount_count;
	u32	compat;
	u32	incompat;
	u32	start_epoch;
};

/**
 * struct last_rcvd_client - struct lsd_client_data, in host byte order
 * @uuid: client; "" in a free slot
 * @last_epoch: start in which it connected first
 */
struct last_rcvd_client {
	char	uuid[LR_UUID_SIZE];
	u32	last_epoch;
};

/**
 * struct last_rcvd_io - a file
 * @read: bytes read, fewer at the end of the file, or a negative errno
 * @write: writes all or returns a negative errno
 * @sync: after 0, all previous writes survive a power cut
 */
struct last_rcvd_io {
	ssize_t (*read)(void *file, u64 offset, void *bytes, size_t len);
	int (*write)(void *file, u64 offset, const void *bytes, size_t len);
	int (*sync)(void *file);
};

/**
 * struct last_rcvd - an open file
 * @lrd_io: operations of the file
 * @lrd_file: their argument
 * @lrd_server: its first part, as of now
 * @lrd_slots: slots in the file
 */
struct last_rcvd {
	const struct last_rcvd_io	*lrd_io;
	void				*lrd_file;
	struct last_rcvd_server		lrd_server;
	u32				lrd_slots;
};

/* A client found in the file. Return: 0, or a negative errno that ends the search. */
typedef int (*last_rcvd_client_fn)(u32 slot, const struct last_rcvd_client *client,
				   void *data);

/* The formats. Return: NULL, or the fault. */
const char *last_rcvd_server_decode(const void *bytes, size_t len,
				    struct last_rcvd_server *server);
const char *last_rcvd_client_decode(const void *bytes, struct last_rcvd_client *client);
void last_rcvd_server_encode(void *bytes, const struct last_rcvd_server *server);
void last_rcvd_client_encode(void *bytes, const struct last_rcvd_client *client);

/* The file. Return: 0 or a negative errno. */
int last_rcvd_open(struct last_rcvd *lr, const char **fault);
int last_rcvd_clients(struct last_rcvd *lr, last_rcvd_client_fn fn, void *data);
int last_rcvd_start(struct last_rcvd *lr);
int last_rcvd_put(struct last_rcvd *lr, u32 slot, const struct last_rcvd_client *client);
int last_rcvd_committed(struct last_rcvd *lr, u64 transno);
int last_rcvd_sync(const struct last_rcvd *lr);

#ifdef __cplusplus
}
#endif

#endif /* _PTLRPC_LAST_RCVD_H */
