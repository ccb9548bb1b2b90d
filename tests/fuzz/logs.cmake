# SPDX-License-Identifier: GPL-2.0-only
#
# Config logs as the tools print and check them. The saved inputs begin
# with the golden logs.

ll_fuzz_target(fuzz_log_text fuzz_log_text.cpp LIBS lustrelite_logs)
ll_fuzz_target(fuzz_mgs_replies fuzz_mgs_replies.cpp LIBS lustrelite_logs)
