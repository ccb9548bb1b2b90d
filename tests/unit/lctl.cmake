# SPDX-License-Identifier: GPL-2.0-only
#
# lctl's commands about parameters, over a tree in memory.

add_library(lctl_fixture STATIC lctl_fixture.cpp)
target_link_libraries(lctl_fixture PUBLIC lctl_core fake_tree PRIVATE ll_warnings)

ll_unit_test(lctl_get_param_test lctl_get_param_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_set_param_test lctl_set_param_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_list_param_test lctl_list_param_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_watch_param_test lctl_watch_param_test.cpp LIBS lctl_fixture lctl_libnl)
ll_unit_test(lctl_pool_list_test lctl_pool_list_test.cpp LIBS lctl_fixture)
ll_unit_test(lctl_document_test lctl_document_test.cpp LIBS lctl_fixture)

# The same over the modules' own tree, compiled for user space.
add_library(lctl_live STATIC lctl_live.c)
target_link_libraries(lctl_live PRIVATE params_fixture ll_build)
ll_unit_test(lctl_live_test lctl_live_test.cpp LIBS lctl_fixture lctl_live yaml-cpp)
