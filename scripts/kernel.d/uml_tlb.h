/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put in front of arch/um/kernel/tlb.c (# make line in uml.config). A new process of
 * user-mode Linux walks its own mappings before anybody else knows them, thus without
 * a lock, of which lockdep complains. A read-side section of RCU is enough for both.
 */
#ifndef LUSTRE_LITE_UML_TLB_H
#define LUSTRE_LITE_UML_TLB_H

#include <linux/mm.h>
#include <linux/rcupdate.h>

#undef for_each_vma
#define for_each_vma(vmi, vma)                                                                     \
	for (bool once = (rcu_read_lock(), true); once; once = false, rcu_read_unlock())           \
		while (((vma) = vma_next(&(vmi))) != NULL)

#endif /* LUSTRE_LITE_UML_TLB_H */
