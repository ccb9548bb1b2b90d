# SPDX-License-Identifier: GPL-2.0-only
#
# lctl's commands of object devices, over devices in memory.

add_library(fake_obd STATIC fake_obd.cpp)
target_link_libraries(fake_obd PUBLIC lctl_fixture lustrelite_devices PRIVATE ll_warnings)

ll_unit_test(lctl_device_test lctl_device_test.cpp LIBS fake_obd)
ll_unit_test(lctl_device_list_test lctl_device_list_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_device_dump_test lctl_device_dump_test.cpp LIBS lctl_fixture lctl_libnl)
ll_unit_test(lctl_monitor_test lctl_monitor_test.cpp LIBS lctl_fixture lctl_libnl)
