// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of the debug log's masks: which names there are, and adding and
 * taking away some.
 */
#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

/* A mask: its parameter, and what people call it and all of it. */
struct Mask {
    const char* parameter;
    const char* word;  // of debug_list
    const char* title;
    const char* all;
};

constexpr Mask masks[] = {
    {"subsystem_debug", "subs", "Subsystems", "all_subs"},
    {"debug", "types", "Types", "all_types"},
};

struct NamedMask {
    const Mask* mask;
    std::vector<std::string> names;
};

/* The names come from the module that is loaded. */
ll::Result<std::vector<NamedMask>> named_masks(ll::Params& params)
{
    std::vector<NamedMask> found;

    for (const Mask& mask : masks) {
        auto about = params.describe(mask.parameter);

        if (!about)
            return tl::unexpected(about.error());
        // A bit without a name has an empty one.
        std::erase(about->values, "");
        found.push_back({&mask, std::move(about->values)});
    }
    return found;
}

void print_json(const std::vector<NamedMask>& wanted, Writer& out)
{
    const char* separator = "{";

    for (const NamedMask& mask : wanted) {
        out.text().append(separator);
        ll::append_json_string(out.text(), mask.mask->word);
        out.text().append(":[");
        for (std::size_t i = 0; i < mask.names.size(); i++) {
            out.text().append(i == 0 ? "" : ",");
            ll::append_json_string(out.text(), mask.names[i]);
        }
        out.text().append("]");
        separator = ",";
    }
    out.put("}\n");
}

void print_text(const std::vector<NamedMask>& wanted, Writer& out)
{
    for (const NamedMask& mask : wanted)
        out.put(fmt::format("{}: {}, {}\n", mask.mask->title, mask.mask->all,
                            fmt::join(mask.names, ", ")));
}

int run_debug_list(Context& context, const Arguments& arguments)
{
    const auto is_word = [](std::string_view operand) {
        return std::ranges::any_of(masks, [&](const Mask& mask) { return operand == mask.word; });
    };

    if (arguments.operands.size() > 1 || !std::ranges::all_of(arguments.operands, is_word))
        return usage_error(context, arguments, "takes subs or types, or nothing for both");

    const auto params = context.params();
    if (!params)
        return context.error(arguments.command, params.error());
    auto wanted = named_masks(**params);
    if (!wanted)
        return context.error(arguments.command, wanted.error());
    if (!arguments.operands.empty())
        std::erase_if(*wanted, [&](const NamedMask& mask) {
            return arguments.operands.front() != mask.mask->word;
        });
    if (arguments.has("json"))
        print_json(*wanted, context.out);
    else
        print_text(*wanted, context.out);
    return 0;
}

/* Append "+name" to the text of the mask that knows it; false if none does. */
bool add_name(std::span<const NamedMask> known, std::string_view name, char sign,
              std::span<std::string> texts)
{
    for (std::size_t i = 0; i < known.size(); i++) {
        const bool is_all = name == known[i].mask->all;

        if (!is_all && std::ranges::find(known[i].names, name) == known[i].names.end())
            continue;
        texts[i].append(texts[i].empty() ? "" : " ").append(1, sign).append(is_all ? "all" : name);
        return true;
    }
    return false;
}

int write_masks(Context& context, const Arguments& arguments, ll::Params& params,
                std::vector<ll::Write> writes)
{
    const auto reply = params.write_many(writes, {.atomic = true});

    if (!reply)
        return context.error(arguments.command, reply.error());
    // All fail when one does; the one to blame has its own errno.
    int status = 0;
    for (std::size_t i = 0; i < reply->replies.size(); i++) {
        const ll::WriteReply& answer = reply->replies[i];

        if (answer.status == 0 || answer.status == ECANCELED)
            continue;
        status = context.error(
            arguments.command,
            fmt::format("setting {}={}: {}", writes[i].path, writes[i].value,
                        answer.reason.empty() ? ll::errno_text(answer.status) : answer.reason),
            answer.status);
    }
    return status;
}

int change_masks(Context& context, const Arguments& arguments, char sign)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs the name of a subsystem or level");

    const auto params = context.params();
    if (!params)
        return context.error(arguments.command, params.error());
    const auto known = named_masks(**params);
    if (!known)
        return context.error(arguments.command, known.error());

    std::vector<std::string> texts(known->size());
    for (const std::string_view name : arguments.operands) {
        if (!add_name(*known, name, sign, texts))
            return context.error(
                arguments.command,
                fmt::format("'{}' is not a subsystem or level; see 'lctl debug_list'", name),
                EINVAL);
    }

    std::vector<ll::Write> writes;
    for (std::size_t i = 0; i < texts.size(); i++) {
        if (!texts[i].empty())
            writes.push_back({.path = (*known)[i].mask->parameter, .value = texts[i]});
    }
    return write_masks(context, arguments, **params, std::move(writes));
}

int run_show(Context& context, const Arguments& arguments)
{
    return change_masks(context, arguments, '+');
}

int run_filter(Context& context, const Arguments& arguments)
{
    return change_masks(context, arguments, '-');
}

constexpr Option debug_list_options[] = {
    {.name = "json", .help = "print an object with a list for each"},
};

}  // namespace

const Command debug_list_command = {
    .name = "debug_list",
    .group = "debug log",
    .operands = "[subs|types]",
    .summary = "list the subsystems and levels of the debug log",
    .options = debug_list_options,
    .choices = "subs|types",
    .run = run_debug_list,
};

const Command show_command = {
    .name = "show",
    .group = "debug log",
    .operands = "NAME...",
    .summary = "log subsystems or levels",
    .help = "Adds to the parameters debug and subsystem_debug. debug_list prints the names.\n",
    .complete = Complete::DebugName,
    .run = run_show,
};

const Command filter_command = {
    .name = "filter",
    .group = "debug log",
    .operands = "NAME...",
    .summary = "stop logging subsystems or levels",
    .help = "Removes from the parameters debug and subsystem_debug. debug_list prints the names.\n",
    .complete = Complete::DebugName,
    .run = run_filter,
};

}  // namespace lctl
