// SPDX-License-Identifier: GPL-2.0-only
/*
 * mount.lustre-lite: what mount(8) runs for this type of file system.
 */
#pragma once

#include <string>
#include <string_view>

#include "disk/mount_options.hpp"
#include "disk/mount_source.hpp"
#include "disk/mount_system.hpp"
#include "disk/tool.hpp"

namespace disk {

/* Exit statuses are those of mount(8). */
constexpr int kMountUsage = 1;  // arguments, or no permission
constexpr int kMountFailed = 32;

/** What to do about an errno of a mount of @source; "" where there is nothing to say. */
std::string mount_advice(int code, const MountSource& source);

/** Can a mount that failed with this errno be tried again? */
bool can_pass(int code);

/** The whole program. Return: its exit status. */
int run_mount(MountSystem& system, lctl::Writer& out, lctl::Writer& err, int argc,
              char* const* argv);

}  // namespace disk
