// SPDX-License-Identifier: GPL-2.0-only
/* Copies from and to user space, which fault where a test registered nothing. */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <shim/locks.h>
#include <shim/task.h>
#include <shim/user.h>

#define RANGES_MAX	32

struct range {
	const char	*at;
	size_t		len;
	bool		writable;
};

static _Thread_local struct range ranges[RANGES_MAX];
static _Thread_local unsigned int ranges_count;

void shim_user_add(const void *at, size_t len, bool writable)
{
	if (ranges_count == RANGES_MAX)
		abort();
	ranges[ranges_count++] = (struct range){ at, len, writable };
}

void shim_user_reset(void)
{
	ranges_count = 0;
}

/* How many bytes from @at on can be used. */
static size_t reach(const char *at, size_t len, bool write)
{
	size_t good = 0;
	size_t left;
	unsigned int n;

	for (n = 0; n < ranges_count; n++) {
		const struct range *r = &ranges[n];

		if (at < r->at || (size_t)(at - r->at) >= r->len ||
		    (write && !r->writable))
			continue;
		left = r->len - (at - r->at);
		good = max(good, left);
	}
	return min(good, len);
}

static void check_context(void)
{
	shim_might_sleep("copy from or to user space");
	shim_assert_no_rwsem("copy from or to user space");
}

/* As the kernel does: what cannot be read is zeros, and is counted. */
unsigned long copy_from_user(void *to, const void *from, unsigned long len)
{
	size_t good = reach(from, len, false);

	check_context();
	if (good)
		memcpy(to, from, good);
	if (len - good)
		memset((char *)to + good, 0, len - good);
	return len - good;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long len)
{
	size_t good = reach(to, len, true);

	check_context();
	if (good)
		memcpy(to, from, good);
	return len - good;
}

int copy_struct_from_user(void *to, size_t known, const void *from, size_t size)
{
	size_t both = min(known, size);
	char byte;
	size_t n;

	for (n = known; n < size; n++) {
		if (copy_from_user(&byte, (const char *)from + n, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	memset((char *)to + both, 0, known - both);
	return copy_from_user(to, from, both) ? -EFAULT : 0;
}

static void *dup_user(const void *from, size_t len, size_t more)
{
	char *copy = kmalloc(len + more, GFP_USER);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(copy, from, len)) {
		kfree(copy);
		return ERR_PTR(-EFAULT);
	}
	memset(copy + len, 0, more);
	return copy;
}

void *memdup_user(const void *from, size_t len)
{
	return dup_user(from, len, 0);
}

void *memdup_user_nul(const void *from, size_t len)
{
	return dup_user(from, len, 1);
}

void *vmemdup_user(const void *from, size_t len)
{
	return dup_user(from, len, 0);
}
