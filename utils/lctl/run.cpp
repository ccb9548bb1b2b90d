// SPDX-License-Identifier: GPL-2.0
/*
 * From the words of a command line to the command.
 */
#include <algorithm>
#include <cerrno>

#include "lctl/arguments.hpp"
#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lib/expand.hpp"

namespace lctl {

const Command* find_command(std::string_view name)
{
    for (const Command* command : commands()) {
        if (name == command->name)
            return command;
        if (std::ranges::find(command->aliases, name) != command->aliases.end())
            return command;
    }
    return nullptr;
}

namespace {

/* The command that @name was meant to be: it begins so, or few letters differ; or "". */
std::string_view near_command(std::string_view name)
{
    constexpr std::size_t kMost = 2;
    std::string_view best;
    std::size_t least = kMost + 1;

    for (const Command* command : commands()) {
        const std::string_view other = command->name;
        const std::size_t edits =
            other.starts_with(name) ? 0 : ll::edit_distance(name, other, kMost);

        if (edits < least && edits < name.size()) {
            least = edits;
            best = other;
        }
    }
    return best;
}

int unknown_command(Context& context, std::string_view name)
{
    const std::string_view near = near_command(name);

    context.out.flush();
    context.err.put(context.error_prefix);
    context.err.put("lctl: '");
    context.err.put(name);
    context.err.put("' is not a valid command");
    if (!near.empty())
        context.err.put("; did you mean '" + std::string(near) + "'?");
    context.err.put(near.empty() ? ". " : " ");
    context.err.put("See 'lctl --list-commands'.\n");
    context.err.flush();
    return EINVAL;
}

int usage_error(Context& context, const Command& command, std::string_view complaint)
{
    context.error(command.name, complaint, EINVAL);
    context.err.put("usage: lctl ");
    context.err.put(usage_of(command));
    context.err.put("\nSee 'lctl help ");
    context.err.put(command.name);
    context.err.put("'.\n");
    context.err.flush();
    return EINVAL;
}

}  // namespace

std::string usage_of(const Command& command)
{
    std::string usage = command.name;

    if (!command.options.empty())
        usage += " [OPTION...]";
    if (command.operands != nullptr && *command.operands != '\0')
        usage.append(" ").append(command.operands);
    return usage;
}

int run_command(Context& context, int argc, char* const* argv)
{
    const Command* command = find_command(argv[0]);

    if (command == nullptr)
        return unknown_command(context, argv[0]);

    const auto arguments = parse_arguments(*command, argc, argv);

    if (!arguments)
        return usage_error(context, *command, arguments.error());
    if (arguments->has("help")) {
        print_help(context, *command);
        return 0;
    }
    return command->run(context, *arguments);
}

int run_command(Context& context, std::span<const std::string> words)
{
    std::vector<std::string> copies(words.begin(), words.end());
    std::vector<char*> argv;

    argv.reserve(copies.size() + 1);
    for (std::string& word : copies)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    return run_command(context, static_cast<int>(copies.size()), argv.data());
}

int usage_error(Context& context, const Arguments& arguments, std::string_view complaint)
{
    return usage_error(context, *find_command(arguments.command), complaint);
}

}  // namespace lctl
