# SPDX-License-Identifier: GPL-2.0-only
#
# The wire's format, without the stand-in headers. What is kept of inputs begins
# with the vectors of tests/kunit/wire_vectors_msg.h.

foreach(part frame hello msg ocd policy)
	ll_fuzz_target(fuzz_wire_${part} fuzz_wire_${part}.c LIBS lustre_wire)
endforeach()
