// SPDX-License-Identifier: GPL-2.0
/*
 * What echo_test found out, as text, JSON or YAML.
 */
#pragma once

#include <string>
#include <string_view>

#include "lctl/output/output.hpp"
#include "lib/echo.hpp"

namespace lctl {

/** A test, and what came of it. */
struct EchoReport {
    std::string device;
    std::string_view op;
    unsigned int threads = 1;
    ll::EchoTest test;
    ll::EchoResult result;
};

/** Appended to @out; @histogram: text with a bar for each time. */
void append_echo_report(std::string& out, const EchoReport& report, Format format, bool histogram);

/** A time as a person reads it: "850 ns", "12.5 us", "1.2 s". */
std::string echo_time_text(std::uint64_t ns);

}  // namespace lctl
