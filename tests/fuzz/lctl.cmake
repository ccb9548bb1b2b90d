# SPDX-License-Identifier: GPL-2.0-only
#
# What lctl reads from the kernel by netlink: these files of it are enough.

set(lctl_dir ${PROJECT_SOURCE_DIR}/utils/lctl)
ll_fuzz_target(fuzz_device_dump fuzz_device_dump.cpp ${lctl_dir}/lazy_library.cpp
	${lctl_dir}/netlink.cpp ${lctl_dir}/netlink_devices.cpp ${lctl_dir}/netlink_events.cpp)
target_include_directories(fuzz_device_dump PRIVATE ${PROJECT_SOURCE_DIR}/utils ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(fuzz_device_dump PRIVATE lctl_libnl)
