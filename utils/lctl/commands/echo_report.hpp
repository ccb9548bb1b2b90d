// SPDX-License-Identifier: GPL-2.0-only
/*
 * What echo_test found out, as text, JSON or YAML.
 */
#pragma once

#include <string>
#include <string_view>

#include "lctl/output/printer.hpp"
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

/** Append the text; @histogram: with a bar for each time. */
void append_echo_report(std::string& out, const EchoReport& report, bool histogram);

/** Members of the report in JSON and YAML. */
Json echo_members(const EchoReport& report);

/** A time as a person reads it: "850 ns", "12.5 us", "1.2 s". */
std::string echo_time_text(std::uint64_t ns);

}  // namespace lctl
