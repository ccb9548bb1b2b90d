// SPDX-License-Identifier: GPL-2.0
/*
 * The hook of KUnit cases, see test_point.h.
 */
#include <linux/export.h>

#include <lustre_lite/compat.h>

#include "test_point.h"

void (*ptlrpc_test_hook)(enum ptlrpc_test_point at, void *object);
EXPORT_FOR_KUNIT(ptlrpc_test_hook);
