// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/mgs_change.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "lib/number.hpp"

namespace lctl {

namespace {

using Clock = std::chrono::steady_clock;

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

}  // namespace

int MgsChanges::begin()
{
    if (const Given* const wait = arguments_.find("wait")) {
        const auto limit = wait_limit(*wait);

        if (!limit)
            return usage_error(context_, arguments_, limit.error().text);
        limit_ = *limit;
    }
    dry_run_ = arguments_.has("dry-run") || arguments_.has("dryrun");
    quiet_ = arguments_.has("no-name");
    context_.printer().use_key("changes");
    return 0;
}

void MgsChanges::fail(int code, std::string_view why)
{
    context_.complain(arguments_.command, why);
    if (status_ == 0)
        status_ = code;
}

void MgsChanges::refuse(int code, const std::string& what, const std::string& why)
{
    fail(code, why);
    made_.push_back({.what = what, .changed = {}, .error = ll::Error{code, why}, .nodes = {}});
}

void MgsChanges::say(const Made& made)
{
    if (!made.changed.remark.empty()) {
        context_.out.flush();
        context_.err.put(fmt::format("{}: {}\n", arguments_.command, made.changed.remark));
    }
    if (quiet_ || !context_.is_text())
        return;
    if (dry_run_)
        context_.out.put(fmt::format("{}: would change {} records in {} logs\n", made.what,
                                     made.changed.records, made.changed.logs));
    else if (made.changed.generation == 0)
        context_.out.put(made.what + ": nothing to change\n");
    else
        context_.out.put(made.what + "\n");
}

void MgsChanges::make(ll::MgsChange change, const std::string& what)
{
    change.dry_run = dry_run_;
    change.force = arguments_.has("force");

    auto changed = ll::mgs_change(context_.port(), change);

    if (!changed)
        return refuse(changed.error().code, what, changed.error().text);
    made_.push_back({.what = what, .changed = std::move(*changed), .error = {}, .nodes = {}});
    say(made_.back());
}

void MgsChanges::report_nodes(const ll::MgsNodes& nodes)
{
    if (nodes.behind != 0)
        fail(ETIMEDOUT,
             fmt::format("stored, but {} of {} nodes have not applied it yet{}{}", nodes.behind,
                         nodes.all, nodes.why.empty() ? "" : ": ", nodes.why));
    else if (nodes.failed != 0)
        fail(EREMOTEIO,
             fmt::format("stored, but {} of {} nodes could not apply all of it{}{}", nodes.failed,
                         nodes.all, nodes.why.empty() ? "" : ": ", nodes.why));
}

void MgsChanges::wait_for(Made& made, Clock::time_point until)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    auto nodes = ll::mgs_wait(context_.port(), made.changed.generation,
                              std::max(left, std::chrono::milliseconds::zero()));

    if (!nodes)
        return fail(nodes.error().code, nodes.error().text);
    report_nodes(*nodes);
    made.nodes = std::move(*nodes);
}

Json MgsChanges::members_of(const Made& made) const
{
    Json members = {{"change", made.what}};

    if (made.error) {
        members["error"] = {{"errno", made.error->code}, {"message", made.error->text}};
        return members;
    }
    members["generation"] = made.changed.generation;
    members["records"] = made.changed.records;
    members["logs"] = made.changed.logs;
    if (dry_run_)
        members["dry_run"] = true;
    if (!made.changed.remark.empty())
        members["remark"] = made.changed.remark;
    if (made.nodes) {
        members["nodes"] = made.nodes->all;
        members["behind"] = made.nodes->behind;
        members["failed"] = made.nodes->failed;
    }
    if (made.nodes && !made.nodes->why.empty())
        members["why"] = made.nodes->why;
    return members;
}

int MgsChanges::end()
{
    const auto until = Clock::now() + limit_.value_or(std::chrono::milliseconds::zero());

    for (Made& made : made_)
        if (limit_ && made.changed.generation != 0)
            wait_for(made, until);
    if (!context_.is_text())
        for (const Made& made : made_)
            context_.printer().item(members_of(made));
    return status_;
}

}  // namespace lctl
