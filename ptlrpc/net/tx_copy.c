// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of outgoing messages that belong to the network: of one that goes out twice, and of
 * one whose owner does not wait until all of it is sent.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/mm.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "net.h"

/**
 * struct lnet_copy_tx - a copy of a message
 * @cot_tx: outgoing message
 * @cot_size: bytes of this structure
 * @cot_bulk: parts of its bulk data, each with a reference on its page
 *
 * The copy of the message follows @cot_bulk.
 */
struct lnet_copy_tx {
	struct lnet_tx	cot_tx;
	size_t		cot_size;
	struct bio_vec	cot_bulk[];
};

static void copy_done(struct lnet_tx *tx, int rc)
{
	struct lnet_copy_tx *copy = container_of(tx, struct lnet_copy_tx, cot_tx);
	unsigned int n;

	for (n = 0; n < tx->tx_bulk_nr; n++)
		put_page(copy->cot_bulk[n].bv_page);
	libcfs_free(copy, copy->cot_size);
}

/**
 * tx_copy() - copy a message; pages of bulk data are referenced
 * @tx: message, which exists until this returns
 *
 * Context: may sleep
 * Return: message in LNET_TX_IDLE, freed by its tx_done(); NULL: no memory
 */
struct lnet_tx *tx_copy(const struct lnet_tx *tx)
{
	size_t bulk_size = tx->tx_bulk_nr * sizeof(struct bio_vec);
	size_t size = sizeof(struct lnet_copy_tx) + bulk_size + tx->tx_msg_len;
	struct lnet_copy_tx *copy = libcfs_zalloc(size, GFP_NOFS | __GFP_NOWARN);
	unsigned int n;
	void *msg;

	if (!copy)
		return NULL;
	copy->cot_size = size;
	msg = (void *)copy->cot_bulk + bulk_size;
	memcpy(msg, tx->tx_msg, tx->tx_msg_len);
	for (n = 0; n < tx->tx_bulk_nr; n++) {
		copy->cot_bulk[n] = tx->tx_bulk[n];
		get_page(copy->cot_bulk[n].bv_page);
	}
	copy->cot_tx.tx_msg = msg;
	copy->cot_tx.tx_msg_len = tx->tx_msg_len;
	copy->cot_tx.tx_bulk = tx->tx_bulk_nr ? copy->cot_bulk : NULL;
	copy->cot_tx.tx_bulk_nr = tx->tx_bulk_nr;
	copy->cot_tx.tx_bulk_len = tx->tx_bulk_len;
	copy->cot_tx.tx_bulk_plain = tx->tx_bulk_plain;
	copy->cot_tx.tx_done = copy_done;
	return &copy->cot_tx;
}
