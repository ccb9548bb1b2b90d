# SPDX-License-Identifier: GPL-2.0-only
#
# lctl echo_test over devices in memory; the journal of the echo server; the list of clients
# of a target.

ll_unit_test(lctl_echo_test lctl_echo_test.cpp LIBS fake_obd)

ll_unit_test(echo_journal_test echo_journal_test.c ${PROJECT_SOURCE_DIR}/obdecho/journal_format.c
	LIBS llog_golden)
target_include_directories(echo_journal_test PRIVATE ${PROJECT_SOURCE_DIR}/obdecho)

ll_unit_test(last_rcvd_test last_rcvd_test.c LIBS llog_golden lustre_last_rcvd)
