# SPDX-License-Identifier: GPL-2.0-only
#
# Parts of libcfs in user space. Those named *_tsan_test are worth most under
# ThreadSanitizer, and pass without.

ll_unit_test(libcfs_nid_test libcfs_nid_test.c LIBS ll_shim)
ll_unit_test(libcfs_nid_range_test libcfs_nid_range_test.c LIBS ll_shim)
ll_unit_test(libcfs_proof_test libcfs_proof_test.c LIBS ll_shim)
ll_unit_test(libcfs_ring_test libcfs_ring_test.c
	${PROJECT_SOURCE_DIR}/libcfs/debug_ring.c LIBS ll_shim)
ll_unit_test(libcfs_active_tsan_test libcfs_active_tsan_test.c LIBS ll_shim)
