/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_STAT_H
#define _SHIM_LINUX_STAT_H

#include <sys/stat.h>

#endif /* _SHIM_LINUX_STAT_H */
