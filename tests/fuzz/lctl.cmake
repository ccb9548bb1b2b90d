# SPDX-License-Identifier: GPL-2.0
#
# What lctl reads from the kernel by netlink.

ll_fuzz_target(fuzz_device_dump fuzz_device_dump.cpp LIBS lctl_core)
