// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/set_from_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lctl/commands/apply_params.hpp"
#include "lctl/commands/events_file.hpp"
#include "lctl/commands/mgs_change.hpp"
#include "lctl/commands/read_file.hpp"

namespace lctl {

namespace {

/* Options that have a meaning with files of each kind. */
constexpr std::array kOfNode = {"file", "dry-run", "no-name", "json", "thread", "atomic"};
constexpr std::array kOfService = {"file", "dry-run", "no-name", "json",
                                   "yaml", "wait",    "force",   "thread"};

/* Words that say what is wrong, or nothing. */
template <std::size_t Size>
std::string check_options(const Arguments& arguments, const std::array<const char*, Size>& allowed,
                          const char* what)
{
    for (const Given& given : arguments.options)
        if (std::ranges::none_of(allowed, [&](const char* name) { return given.is(name); }))
            return fmt::format("--{} does not apply to {}", given.option->name, what);
    return {};
}

/* All of a file is looked at before the first change is made. */
int apply_events(Context& context, const Arguments& arguments,
                 const std::vector<SettingsFile>& files)
{
    std::vector<ll::MgsChange> all;
    MgsChanges changes(context, arguments);

    for (const SettingsFile& file : files) {
        auto events = parse_events(file.text);

        if (!events)
            return context.error(
                arguments.command,
                fmt::format("{}:{}: {}", file.source, events.error().line, events.error().message),
                EINVAL);
        std::ranges::move(*events, std::back_inserter(all));
    }
    if (const int code = changes.begin(); code != 0)
        return code;
    for (ll::MgsChange& change : all) {
        const std::string what = change.args[0] + "=" + change.args[1];

        changes.make(std::move(change), what);
    }
    return changes.end();
}

int apply_to_node(Context& context, const Arguments& arguments,
                  const std::vector<SettingsFile>& files)
{
    return apply_settings(context, arguments, files,
                          {.dry_run = arguments.has("dry-run"),
                           .json = arguments.has("json"),
                           .quiet = arguments.has("no-name")});
}

}  // namespace

int set_from_files(Context& context, const Arguments& arguments)
{
    std::vector<SettingsFile> files;

    for (const std::string_view operand : arguments.operands) {
        auto text = read_file(std::string(operand));

        if (!text)
            return context.error(arguments.command, text.error());
        files.push_back({std::string(operand), std::move(*text)});
    }

    const auto events = std::ranges::count_if(
        files, [](const SettingsFile& file) { return is_events_file(file.text); });
    const bool of_service = events != 0;

    if (of_service && static_cast<std::size_t>(events) != files.size())
        return usage_error(context, arguments,
                           "files of save_params and of llog_print need separate commands");

    const std::string why =
        of_service ? check_options(arguments, kOfService, "files that llog_print printed")
                   : check_options(arguments, kOfNode, "files that save_params wrote");

    if (!why.empty())
        return usage_error(context, arguments, why);
    return of_service ? apply_events(context, arguments, files)
                      : apply_to_node(context, arguments, files);
}

}  // namespace lctl
