// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the words of a command line to the command.
 */
#include <algorithm>
#include <cerrno>

#include "lctl/arguments.hpp"
#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/suggest.hpp"

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

int unknown_command(Context& context, std::string_view name)
{
    const std::string near = suggest_command(name);

    context.out.flush();
    context.err.put(context.error_prefix);
    context.err.put("lctl: '");
    context.err.put(name);
    context.err.put("' is not a valid command");
    context.err.put(near.empty() ? ". " : near + " ");
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

/* The format of a command line that could not be parsed: its error is part of the document. */
Format format_of(std::span<char* const> words, Format otherwise)
{
    for (const std::string_view word : words) {
        if (word == "--json" || word == "--json=pretty")
            return Format::Json;
        if (word == "--yaml")
            return Format::Yaml;
        if (word == "--")
            break;
    }
    return otherwise;
}

/* "...'{}'..." with the object of the change in place of {}. */
std::string question_text(const Question& question, const Arguments& arguments)
{
    const Given* const target = arguments.find("target");
    std::string text = question.text;
    std::string_view name;

    if (target != nullptr)
        name = *target->argument;
    else if (!arguments.operands.empty())
        name = arguments.operands.front();
    return text.replace(text.find("{}"), 2, name);
}

/* Return: 0; an errno on refusal */
int ask(Context& context, const Command& command, const Arguments& arguments)
{
    const Question& question = command.asks;

    if (question.text == nullptr || arguments.yes || arguments.has("quiet") ||
        arguments.has("dry-run") || arguments.has("dryrun"))
        return 0;

    const auto answer = context.confirm(question_text(question, arguments));

    if (!answer)
        return question.always ? usage_error(context, command,
                                             "requires confirmation; use --yes without a terminal")
                               : 0;
    return *answer ? 0
                   : context.error(command.name, "not confirmed; nothing was changed", ECANCELED);
}

int run_parsed(Context& context, const Command& command, const Arguments& arguments)
{
    if (const std::string wrong = count_complaint(command, arguments); !wrong.empty())
        return usage_error(context, command, wrong);
    if (command.prints == Prints::Text && context.format != Format::Text)
        return usage_error(context, command, "prints text only, not JSON or YAML");
    if (command.needs == Needs::Kernel)
        if (const auto params = context.params(); !params)
            return context.error(command.name, params.error());
    if (const int refused = ask(context, command, arguments); refused != 0)
        return refused;
    return command.run(context, arguments);
}

}  // namespace

/* Gives the context the printer of a command while it runs. */
class Running {
public:
    Running(Context& context, const Command& command,
            const tl::expected<Arguments, std::string>& arguments, Format otherwise)
        : context_(context)
    {
        const bool given = arguments && arguments->format;

        context.printer_ =
            std::make_unique<Printer>(context.out, command, given ? *arguments->format : otherwise,
                                      given ? arguments->pretty : context.pretty);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { context_.printer_.reset(); }

    int run(const Command& command, const tl::expected<Arguments, std::string>& arguments)
    {
        const int status = arguments ? run_parsed(context_, command, *arguments)
                                     : usage_error(context_, command, arguments.error());

        context_.printer().end();
        return status;
    }

private:
    Context& context_;
};

std::string suggest_command(std::string_view name)
{
    std::vector<std::string_view> names;

    for (const Command* const command : commands())
        names.emplace_back(command->name);
    return ll::did_you_mean(ll::nearest_name(name, names));
}

int run_command(Context& context, int argc, char* const* argv)
{
    const Command* command = find_command(argv[0]);

    if (command == nullptr)
        return unknown_command(context, argv[0]);

    const auto arguments = parse_arguments(*command, argc, argv);

    if (arguments && arguments->has("help")) {
        print_help(context, *command);
        return 0;
    }

    const Format otherwise =
        arguments ? context.format
                  : format_of({argv, static_cast<std::size_t>(argc)}, context.format);

    return Running(context, *command, arguments, otherwise).run(*command, arguments);
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
