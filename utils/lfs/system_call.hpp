// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of client mounts, opened for ioctls.
 */
#pragma once

#include <string>

#include "lib/error.hpp"
#include "lib/fd.hpp"

namespace lfs {

/** Mode of new files. */
inline constexpr unsigned kMode = 0666;

/** An errno in its own words. */
tl::unexpected<ll::Error> failed(int code);

/** Open for an ioctl; a file of another file system is refused. */
ll::Result<ll::Fd> open_ours(const std::string& path, int flags, unsigned mode = kMode);

ll::Status call(const ll::Fd& fd, unsigned long number, void* argument);

/** LL_IOC_LOV_SETSTRIPE, of what open_ours() has opened. */
ll::Status give_layout(const ll::Result<ll::Fd>& fd, const std::string& layout);

}  // namespace lfs
