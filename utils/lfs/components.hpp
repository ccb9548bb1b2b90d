// SPDX-License-Identifier: GPL-2.0-only
/*
 * setstripe with --component-add and --component-del: components of files that have some.
 */
#pragma once

#include "lfs/lfs.hpp"

namespace lfs {

/** Whether setstripe has one of their options. */
bool changes_components(const Arguments& arguments);

void change_components(Context& context, const Arguments& arguments);

}  // namespace lfs
