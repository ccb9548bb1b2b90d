// SPDX-License-Identifier: GPL-2.0-only
/* Texts, and the kernel log. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <shim/log.h>

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	if (!size || len < 0)
		return 0;
	return min_t(size_t, len, size - 1);
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}

int hex_to_bin(unsigned char c)
{
	if (isdigit(c))
		return c - '0';
	c = tolower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (len < size) {
		memcpy(to, from, len + 1);
		return len;
	}
	memcpy(to, from, size - 1);
	to[size - 1] = '\0';
	return -E2BIG;
}

void memzero_explicit(void *bytes, size_t len)
{
	memset(bytes, 0, len);
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

void *memchr_inv(const void *from, int c, size_t len)
{
	const u8 *at = from;

	for (; len; len--, at++)
		if (*at != (u8)c)
			return (void *)(unsigned long)at;
	return NULL;
}

void *kmemdup(const void *from, size_t len, gfp_t gfp)
{
	void *copy = kmalloc(len, gfp);

	return copy ? memcpy(copy, from, len) : NULL;
}

char *kmemdup_nul(const char *from, size_t len, gfp_t gfp)
{
	char *copy = kmalloc(len + 1, gfp);

	if (!copy)
		return NULL;
	memcpy(copy, from, len);
	copy[len] = '\0';
	return copy;
}

char *kstrndup(const char *text, size_t len, gfp_t gfp)
{
	return text ? kmemdup_nul(text, strnlen(text, len), gfp) : NULL;
}

char *kstrdup(const char *text, gfp_t gfp)
{
	return text ? kmemdup_nul(text, strlen(text), gfp) : NULL;
}

char *kvasprintf(gfp_t gfp, const char *fmt, va_list args)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = kmalloc(len + 1, gfp);
	if (text)
		vsnprintf(text, len + 1, fmt, args);
	return text;
}

char *kasprintf(gfp_t gfp, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(gfp, fmt, args);
	va_end(args);
	return text;
}

#define LOG_LINES	64
#define LOG_LINE	256

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_lines[LOG_LINES][LOG_LINE];
static unsigned int log_count;

void shim_printk(const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_lock);
	if (log_count < LOG_LINES) {
		va_start(args, fmt);
		vsnprintf(log_lines[log_count++], LOG_LINE, fmt, args);
		va_end(args);
	}
	pthread_mutex_unlock(&log_lock);
}

void shim_log_clear(void)
{
	pthread_mutex_lock(&log_lock);
	log_count = 0;
	pthread_mutex_unlock(&log_lock);
}

unsigned int shim_log_count(const char *part)
{
	unsigned int count = 0;
	unsigned int n;

	pthread_mutex_lock(&log_lock);
	for (n = 0; n < log_count; n++)
		count += !!strstr(log_lines[n], part);
	pthread_mutex_unlock(&log_lock);
	return count;
}

static _Thread_local bool warnings_expected;
static _Thread_local unsigned int warnings;

void shim_warn_expect(void)
{
	warnings_expected = true;
	warnings = 0;
}

unsigned int shim_warn_expected(void)
{
	warnings_expected = false;
	return warnings;
}

void shim_warn(const char *file, int line, const char *what)
{
	if (warnings_expected) {
		warnings++;
		return;
	}
	fprintf(stderr, "WARNING: %s:%d: %s\n", file, line, what);
	abort();
}
