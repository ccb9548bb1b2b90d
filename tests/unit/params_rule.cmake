# SPDX-License-Identifier: GPL-2.0-only
#
# Rules of the parameters tree in user space.

ll_unit_test(params_rule_test params_rule_test.c LIBS params_fixture)
ll_unit_test(params_rule_tsan_test params_rule_tsan_test.c LIBS params_fixture)
