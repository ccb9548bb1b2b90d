// SPDX-License-Identifier: GPL-2.0
/* Files of settings, as save_params writes them, applied to this node. */
#pragma once

#include <string>
#include <vector>

#include "lctl/command.hpp"
#include "lctl/context.hpp"

namespace lctl {

/** A file that was read. */
struct SettingsFile {
    std::string source;  // for messages
    std::string text;
};

/** What is printed of the changes. */
struct ApplyStyle {
    bool dry_run = false;
    bool json = false;
    bool quiet = false;  // of text
};

/**
 * Apply files one after the other, each of them whole or not at all. A file that
 * cannot be applied does not keep the later ones away.
 *
 * Return: 0 or the errno of the first error
 */
int apply_settings(Context& context, const Arguments& arguments,
                   const std::vector<SettingsFile>& files, const ApplyStyle& style);

}  // namespace lctl
