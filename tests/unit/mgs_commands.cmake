# SPDX-License-Identifier: GPL-2.0-only
#
# lctl's commands of the management service, over a service in memory.

add_library(fake_mgs STATIC fake_mgs.cpp)
target_link_libraries(fake_mgs PUBLIC lctl_fixture lustrelite_logs PRIVATE ll_warnings)

ll_unit_test(lctl_mgs_test lctl_mgs_test.cpp LIBS fake_mgs)
ll_unit_test(lctl_permanent_test lctl_permanent_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_mgs_logs_test lctl_mgs_logs_test.cpp LIBS fake_mgs logs_fixture)
