// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/mgs_change.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "lib/number.hpp"

namespace lctl {

namespace {

constexpr std::uint64_t kWaitDefault = 60;
constexpr std::uint64_t kWaitMax = 3600;

ll::Result<std::chrono::milliseconds> wait_limit(const Given& given)
{
    std::uint64_t seconds = kWaitDefault;

    if (given.argument) {
        const auto number = ll::parse_number(*given.argument, kWaitMax);

        if (!number)
            return ll::fail(EINVAL, "--wait: " + number.error().text);
        seconds = *number;
    }
    return std::chrono::seconds(seconds);
}

void say(Context& context, const std::string& what, const ll::MgsChange& change,
         const ll::MgsChanged& changed)
{
    if (!what.empty() && change.dry_run)
        context.out.put(fmt::format("{}: would change {} records of {} logs\n", what,
                                    changed.records, changed.logs));
    else if (!what.empty() && changed.generation == 0)
        context.out.put(fmt::format("{}: nothing had to be changed\n", what));
    else if (!what.empty())
        context.out.put(fmt::format("{}\n", what));
    if (!changed.remark.empty())
        context.err.put(changed.remark + "\n");
}

int wait_for_nodes(Context& context, const Arguments& arguments, ll::KernelPort& port,
                   std::uint64_t generation, std::chrono::milliseconds limit)
{
    const auto nodes = ll::mgs_wait(port, generation, limit);

    if (!nodes)
        return context.error(arguments.command, nodes.error());
    if (nodes->behind != 0)
        return context.error(
            arguments.command,
            fmt::format("stored, and {} of {} nodes do not have it yet{}{}", nodes->behind,
                        nodes->all, nodes->why.empty() ? "" : ": ", nodes->why),
            ETIMEDOUT);
    if (nodes->failed != 0)
        return context.error(arguments.command,
                             fmt::format("stored, and {} of {} nodes could not apply it: {}",
                                         nodes->failed, nodes->all, nodes->why),
                             EREMOTEIO);
    return 0;
}

}  // namespace

int make_change(Context& context, const Arguments& arguments, ll::MgsChange change,
                const std::string& what)
{
    const Given* const wait = arguments.find("wait");
    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto limit =
        wait != nullptr ? wait_limit(*wait) : ll::Result<std::chrono::milliseconds>{};

    if (!limit)
        return context.error(arguments.command, limit.error());
    change.dry_run = arguments.has("dry-run");
    change.force = arguments.has("force");

    ll::KernelPort& port = (*params)->port();
    const auto changed = ll::mgs_change(port, change);

    if (!changed)
        return context.error(arguments.command, changed.error());
    say(context, what, change, *changed);
    if (wait == nullptr || changed->generation == 0)
        return 0;
    return wait_for_nodes(context, arguments, port, changed->generation, *limit);
}

}  // namespace lctl
