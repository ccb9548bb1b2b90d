// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands before the command, and the end of the run.
 */
#include "lctl/lctl.hpp"

#include <cerrno>
#include <cstring>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/shell.hpp"
#include "lctl/version.hpp"

namespace lctl {

namespace {

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
            return print_completions(context, argc - i - 1, argv + i + 1);
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
