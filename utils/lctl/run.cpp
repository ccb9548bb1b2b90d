// SPDX-License-Identifier: GPL-2.0-only
/*
 * All of lctl: from the words of its command line to the command, the shell without one, and the
 * end of the run.
 */
#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "lctl/arguments.hpp"
#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lctl/shell/completion.hpp"
#include "lctl/shell/prompt.hpp"
#include "lctl/shell/session.hpp"
#include "lib/fd.hpp"
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

/* Options before the command. */

namespace {

struct ShellOptions {
    const char* file = nullptr;  // commands to run; nullptr: standard input
    bool ignore_errors = false;  // continue after a command that failed
};

int global_usage_error(Context& context, std::string_view complaint)
{
    context.err.put("lctl: ");
    context.err.put(complaint);
    context.err.put(". See 'lctl --help'.\n");
    context.err.flush();
    return EINVAL;
}

/* Whether @word is option @name, be it with "=" and an argument. */
bool is_option(std::string_view word, std::string_view name)
{
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

/* "NAME=ARGUMENT" or "NAME ARGUMENT"; moves *index to the last word used. */
const char* argument_of(std::string_view name, int argc, char* const* argv, int* index)
{
    const char* word = argv[*index];

    if (word[name.size()] == '=')
        return word + name.size() + 1;
    return *index + 1 < argc ? argv[++*index] : nullptr;
}

/* Return: 0 or an errno. */
int choose_device(Context& context, const char* name)
{
    if (name == nullptr)
        return global_usage_error(context, "option '--device' needs a DEVICE");

    const auto device = ll::DeviceRef::parse(name);

    if (!device)
        return context.error("--device", device.error());
    context.device = *device;
    return 0;
}

/* A word that ends the run by itself; false: it is another. */
bool run_informative(Context& context, std::string_view word)
{
    if (word == "--help" || word == "-h")
        print_overview(context);
    else if (word == "--list-commands")
        print_command_names(context);
    else if (word == "--version" || word == "-V")
        print_tool_version(context);
    else
        return false;
    return true;
}

/* An option of lctl itself; moves *index to the last word used. Return: 0 or an
 * errno. */
int take_option(Context& context, int argc, char* const* argv, int* index, ShellOptions& options)
{
    const std::string_view word = argv[*index];

    if (is_option(word, "--device"))
        return choose_device(context, argument_of("--device", argc, argv, index));
    if (is_option(word, "--batch")) {
        options.file = argument_of("--batch", argc, argv, index);
        return options.file != nullptr
                   ? 0
                   : global_usage_error(context, "option '--batch' needs a FILE");
    }
    if (word == "--json" || word == "--json=pretty") {
        context.format = Format::Json;
        context.pretty = word.ends_with("pretty");
        return 0;
    }
    if (word == "--yaml" || word == "-y") {
        context.format = Format::Yaml;
        return 0;
    }
    if (word != "--ignore_errors" && word != "--ignore-errors")
        return global_usage_error(context, "unrecognized option '" + std::string(word) + "'");
    options.ignore_errors = true;
    return 0;
}

/*
 * Commands from a file, or from standard input: with a prompt, history and completion when that
 * is a terminal. Return: exit status: 0 or the errno of the first error; at a terminal, where
 * errors were seen by who made them, 0.
 */
int run_shell(Context& context, const ShellOptions& options)
{
    if (options.file != nullptr) {
        const ll::Fd file(::open(options.file, O_RDONLY | O_CLOEXEC));

        if (!file)
            return context.error("lctl", ll::make_error(errno, options.file));
        return shell::run_batch(context, file.get(), options.file, options.ignore_errors);
    }
    if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
        return shell::run_prompt(context);
    return shell::run_batch(context, STDIN_FILENO, "<stdin>", options.ignore_errors);
}

int run_words(Context& context, int argc, char* const* argv)
{
    ShellOptions options;

    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];

        if (!word.starts_with('-'))
            return run_command(context, argc - i, argv + i);
        if (run_informative(context, word))
            return 0;
        if (word == "--complete")
            return shell::print_completions(context, argc - i - 1, argv + i + 1);
        if (const int status = take_option(context, argc, argv, &i, options); status != 0)
            return status;
    }
    return run_shell(context, options);
}

}  // namespace

int run_lctl(Context& context, int argc, char* const* argv)
{
    int status = run_words(context, argc, argv);

    context.out.flush();
    if (context.out.error() != 0 && status == 0)
        status = context.error("lctl", "standard output: " + ll::errno_text(context.out.error()),
                               context.out.error());
    context.err.flush();
    return status;
}

}  // namespace lctl
