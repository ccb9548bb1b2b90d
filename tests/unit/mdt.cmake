# SPDX-License-Identifier: GPL-2.0-only
#
# The metadata target's order of targets: the module's file, without the stand-in headers.

ll_unit_test(lod_qos_test lod_qos_test.c ${PROJECT_SOURCE_DIR}/mdt/lod_qos.c LIBS lustre_wire)
target_include_directories(lod_qos_test PRIVATE ${PROJECT_SOURCE_DIR}/mdt)

ll_unit_test(lod_turn_test lod_turn_test.c ${PROJECT_SOURCE_DIR}/mdt/lod_qos.c LIBS lustre_wire)
target_include_directories(lod_turn_test PRIVATE ${PROJECT_SOURCE_DIR}/mdt)
