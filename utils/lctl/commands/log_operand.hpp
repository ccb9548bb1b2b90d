// SPDX-License-Identifier: GPL-2.0-only
/* Logs as operands: a file, a directory with logs, or a log of the service. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lib/error.hpp"
#include "lib/log_check.hpp"
#include "lib/log_file.hpp"
#include "lib/mgs.hpp"

namespace lctl {

struct LogName {
    std::string name;         // of the log
    std::string path;         // for messages; of a log of the service its name
    bool of_service = false;  // of the management service of this node
};

/**
 * The log that an operand names, or the logs in the directory that it names, by name; other
 * files in it are skipped. A name without '/' that is not a file is a log of the management
 * service, which is not read yet.
 */
ll::Result<std::vector<LogName>> find_logs(std::string_view operand);

/** Logs of the management service of this node, by name. */
ll::Result<std::vector<ll::MgsLog>> service_logs(Context& context);

/** The bytes of a log, to be read. */
ll::Result<std::unique_ptr<ll::LogBytes>> open_log(Context& context, const LogName& log);
/** The log itself; @damaged: also where its header is. */
ll::Result<ll::LogFile> open_log_file(Context& context, const LogName& log, bool damaged = false);

/** Is it a directory? */
bool is_log_directory(std::string_view operand);

/**
 * --start and --end, first and last index of records. An error names the
 * invalid one.
 */
ll::Result<ll::LogRange> log_range(const Arguments& arguments);

/** A number in decimal or, after 0x, hexadecimal, and nothing else. */
ll::Result<std::uint32_t> log_index(std::string_view text);

/**
 * Call `each` with every log of an operand. Errors of one log are printed and do
 * not keep the others from being looked at.
 *
 * Return: 0 or the errno of the first error; `each` returns the same.
 */
template <typename Each>
int for_each_log(Context& context, const Arguments& arguments, std::string_view operand, Each each)
{
    const auto logs = find_logs(operand);
    int status = 0;

    if (!logs)
        return context.error(arguments.command, logs.error());
    for (const LogName& log : *logs)
        if (const int code = each(log); status == 0)
            status = code;
    return status;
}

}  // namespace lctl
