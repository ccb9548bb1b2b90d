# SPDX-License-Identifier: GPL-2.0-only
#
# lctl's commands of the network, over a network in memory.

add_library(fake_network STATIC fake_network.cpp)
target_link_libraries(fake_network PUBLIC lctl_fixture lustrelite_network PRIVATE ll_warnings)

ll_unit_test(lctl_network_test lctl_network_test.cpp LIBS fake_network)
