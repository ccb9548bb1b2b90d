# SPDX-License-Identifier: GPL-2.0-only
#
# What a target's mountdata may be, and what a person may ask to be mounted.

ll_fuzz_target(fuzz_mountdata fuzz_mountdata.cpp LIBS lustrelite_disk)
ll_fuzz_target(fuzz_mount_text fuzz_mount_text.cpp LIBS lustrelite_disk)
