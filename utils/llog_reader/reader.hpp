// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "lctl/writer.hpp"

namespace llog_reader {

constexpr int kDamaged = 1;  // a log is damaged, or cannot be read
constexpr int kUsage = 2;

/** The whole program. Return: its exit status. */
int run(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv);

}  // namespace llog_reader
