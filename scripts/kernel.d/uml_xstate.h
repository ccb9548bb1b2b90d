/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put in front of arch/x86/um/os-Linux/registers.c (# make line in uml.config). User-mode Linux has
 * 2696 bytes for the registers of a process, as processors with AVX-512 need. Newer ones have more
 * (AMX: 11008), and the host takes all of them or none. Programs of the tests do not use these, so
 * what is beyond gets its initial state.
 */
#ifndef LUSTRE_LITE_UML_XSTATE_H
#define LUSTRE_LITE_UML_XSTATE_H

#include <linux/elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/*
 * The word of an XSAVE area with a bit for each part that has a state; parts in the first 2696
 * bytes.
 */
#define XSTATE_PARTS		64
#define XSTATE_PARTS_KNOWN	0x3ffULL

static inline long xstate_set(int pid, const struct iovec *given)
{
	static uint64_t area[4096];
	static struct iovec all = { area, 0 };
	struct iovec asked = { area, sizeof(area) };

	if (!all.iov_len) {
		if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &asked) < 0)
			return -1;
		all.iov_len = asked.iov_len;
	}
	if (all.iov_len <= given->iov_len)
		return ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, given);
	memcpy(area, given->iov_base, given->iov_len);
	area[XSTATE_PARTS] &= XSTATE_PARTS_KNOWN;
	return ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &all);
}

#define ptrace(request, pid, address, data)				\
	((request) == PTRACE_SETREGSET ? xstate_set(pid, (const void *)(data)) : \
					 ptrace(request, pid, address, data))

#endif /* LUSTRE_LITE_UML_XSTATE_H */
