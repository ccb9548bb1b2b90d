// SPDX-License-Identifier: GPL-2.0-only
/* vm_kunit.c with an expectation that does not hold. */

#define VM_KUNIT_WRONG 1
#include "vm_kunit.c"
