# SPDX-License-Identifier: GPL-2.0-only
#
# The wire's format, without the stand-in headers. The saved inputs begin
# with the vectors of tests/kunit/wire_vectors_msg.h.

foreach(part frame hello md msg ocd ost policy)
	ll_fuzz_target(fuzz_wire_${part} fuzz_wire_${part}.c LIBS lustre_wire)
endforeach()

# A target's list of clients. The saved inputs begin with files that a target wrote.
ll_fuzz_target(fuzz_last_rcvd fuzz_last_rcvd.c LIBS lustre_last_rcvd)
target_include_directories(fuzz_last_rcvd PRIVATE ${PROJECT_SOURCE_DIR})
