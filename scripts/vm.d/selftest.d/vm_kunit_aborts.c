// SPDX-License-Identifier: GPL-2.0-only
/* vm_kunit.c with an assertion that does not hold. */

#define VM_KUNIT_WRONG 2
#include "vm_kunit.c"
