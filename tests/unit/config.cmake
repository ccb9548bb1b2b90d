# SPDX-License-Identifier: GPL-2.0-only
#
# Config logs: their rules over the golden logs, and the setter that they use.

ll_unit_test(params_set_test params_set_test.c LIBS params_fixture)

ll_unit_test(config_rules_test config_rules_test.c LIBS lustre_codec)
target_compile_definitions(config_rules_test PRIVATE GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")

ll_unit_test(mgc_rule_key_test mgc_rule_key_test.c ${PROJECT_SOURCE_DIR}/mgc/mgc_rule_key.c LIBS ll_shim)
ll_unit_test(config_owner_test config_owner_test.c LIBS ll_shim)
