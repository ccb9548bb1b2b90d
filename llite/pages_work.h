/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Works that read and write pages: up to those of a request each.
 *
 *	pw = ll_pages_work_new(inode, ly, write, nr)
 *	for each page, as long as ll_pages_work_takes(pw, folio): ll_pages_work_add(pw, folio, len)
 *	ll_pages_work_start(pw), or ll_pages_work_run(pw)
 *
 * Pages that are read are locked until their work is done, pages that are written are in writeback.
 */
#ifndef _LLITE_PAGES_WORK_H
#define _LLITE_PAGES_WORK_H

#include <linux/types.h>

struct folio;
struct inode;
struct ll_layout;
struct ll_pages_work;

struct ll_pages_work *ll_pages_work_new(struct inode *inode, struct ll_layout *ly, bool write,
					unsigned int nr);
bool ll_pages_work_takes(const struct ll_pages_work *pw, struct folio *folio);
bool ll_pages_work_is_full(const struct ll_pages_work *pw);
void ll_pages_work_add(struct ll_pages_work *pw, struct folio *folio, size_t len);
void ll_pages_work_start(struct ll_pages_work *pw);
void ll_pages_work_run(struct ll_pages_work *pw);

#endif /* _LLITE_PAGES_WORK_H */
