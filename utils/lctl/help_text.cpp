// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/help_text.hpp"

#include <algorithm>
#include <string>

namespace lctl {

namespace {

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 80;

/* "-c, --color=WHEN"; "[=N]" where the argument may be left out. */
std::string option_forms(const Option& option)
{
    std::string forms = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";

    forms.append("--").append(option.name);
    if (option.argument == nullptr)
        return forms;
    forms.append(option.optional ? "[=" : "=").append(option.argument);
    if (option.optional)
        forms.push_back(']');
    return forms;
}

/* What fits into one line of @room columns: up to a newline, or to the last blank. */
std::size_t line_length(std::string_view text, std::size_t room)
{
    const std::size_t end = std::min(text.find('\n'), text.size());

    if (end <= room)
        return end;

    const std::size_t blank = text.rfind(' ', room);

    return blank == std::string_view::npos || blank == 0 ? std::min(text.find(' '), end) : blank;
}

}  // namespace

void put_help_row(Writer& out, std::string_view left, std::string_view right)
{
    std::string row = "  ";

    row.append(left);
    if (row.size() + 2 > kHelpColumn)
        row.push_back('\n');
    else
        row.append(kHelpColumn - row.size(), ' ');
    for (bool first = row.back() != '\n'; !right.empty(); first = false) {
        const std::size_t end = line_length(right, kHelpWidth - kHelpColumn);

        if (!first)
            row.append(kHelpColumn, ' ');
        row.append(right.substr(0, end)).push_back('\n');
        right.remove_prefix(std::min(end + 1, right.size()));
    }
    out.put(row);
}

void put_help_option(Writer& out, const Option& option)
{
    std::string help = option.help;

    if (option.choices != nullptr) {
        help.append(": ");
        for (const char* c = option.choices; *c != '\0'; c++)
            help.append(*c == '|' ? ", " : std::string(1, *c));
    }
    put_help_row(out, option_forms(option), help);
}

void put_command_help(Writer& out, std::string_view tool, const Command& command)
{
    out.put(std::string("usage: ").append(tool).append(" ") + usage_of(command) + "\n" +
            command.summary + ".\n");
    for (const char* alias : command.aliases)
        out.put(std::string("Also: ").append(tool).append(" ") + alias + "\n");
    if (command.help != nullptr)
        out.put(std::string("\n") + command.help);
    out.put("\nOptions:\n");
    for (const Option* const option : options_of(command)) {
        Option shown = *option;

        /* A letter that the command has of its own is not that of --help or --yaml. */
        if (std::ranges::any_of(command.options, [&](const Option& own) {
                return own.letter == shown.letter && own.name != shown.name;
            }))
            shown.letter = 0;
        put_help_option(out, shown);
    }
}

}  // namespace lctl
