// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of all commands. Parsing, help, completion and the check of the man pages use
 * it.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lctl {

class Context;

/** Kind of candidates that completion offers for an argument or operand. */
enum class Complete : std::uint8_t {
    Nothing,
    Param,          // a parameter or directory
    WritableParam,  // the same, and after '=' the values of an enum
    File,
    Command,     // name of a command
    DebugName,   // subsystem or level of the debug log
    Device,      // name of an object device
    DeviceType,  // type of object devices, for the first operand
    Log,         // a file, or a log of the management service
    FileSystem,  // name of one that the management service knows
    Target,      // the same, or name of a target
};

/** How a command prints. */
enum class Format : std::uint8_t { Text, Json, Yaml };

/** The interface that a command needs; it is opened before the command runs. */
enum class Needs : std::uint8_t {
    Nothing,  // or only with some operands or options: the command opens it itself
    Kernel,   // /dev/libcfs: parameters, devices, the network
};

/** Shape of the output of a command in JSON and YAML (json.md). */
enum class Prints : std::uint8_t {
    Nothing,  // {}: the command prints no result
    Text,     // text only: --json and --yaml are refused
    Object,
    Array,  // an object on each line
    Lines,  // the same, without an array around it
};

/** Number of operands; kMany: no limit. */
struct Counts {
    std::uint8_t min = 0;
    std::uint8_t max = 0;
};
inline constexpr std::uint8_t kMany = 255;

/** Asked at a terminal, unless --yes or --dry-run was given. */
struct Question {
    const char* text = nullptr;  // {} stands for the operand, or the argument of --target
    bool always = false;         // refuse if there is no terminal
};

/* In the order in which an initializer reads best. */
struct Option {       // NOLINT(clang-analyzer-optin.performance.Padding)
    char letter = 0;  // 0: has only a long form
    const char* name = nullptr;
    const char* argument = nullptr;  // as help names it; nullptr: takes none
    bool optional = false;           // the argument is optional
    const char* help = nullptr;
    Complete complete = Complete::Nothing;  // of the argument
    const char* choices = nullptr;          // "a|b|c": all values that the argument has
};

/** An option that was given. */
struct Given {
    const Option* option = nullptr;
    std::optional<std::string_view> argument;
    bool negated = false;  // after a "!"

    bool is(std::string_view name) const { return name == option->name; }
};

/** A command line taken apart; views into the words that it was parsed from. */
struct Arguments {
    std::string_view command;    // the name, also where an alias was typed
    std::vector<Given> options;  // in the order given, without --json, --yaml and --yes
    std::vector<std::string_view> operands;
    std::optional<Format> format;
    bool pretty = false;
    bool yes = false;

    /** The last one of that long name, or nullptr. */
    const Given* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
};

struct Command {
    const char* name = nullptr;
    std::span<const char* const> aliases = {};
    const char* group = nullptr;           // heading in the list of commands
    const char* operands = nullptr;        // "PATTERN...", "" for none
    Counts takes = {};                     // of operands
    const char* summary = nullptr;         // one line, without a full stop
    const char* help = nullptr;            // further lines, or nullptr
    std::span<const Option> options = {};  // without those that follow from the table
    bool tests = false;  // as find(1): options may have one '-', and "!" negates the one after it
    Needs needs = Needs::Nothing;
    Prints prints = Prints::Nothing;
    const char* key = nullptr;  // YAML: key of the array; nullptr: none
    Question asks = {};
    Complete complete = Complete::Nothing;             // of each operand
    const char* choices = nullptr;                     // "a|b|c": candidates for completion
    int (*run)(Context&, const Arguments&) = nullptr;  // Return: 0 or an errno
};

/** All commands, grouped, in the order in which help prints them. */
std::span<const Command* const> commands();

/** Options that may precede the command. */
std::span<const Option> global_options();

/** Options of a command: its own, --json and --yaml, --yes, --help. */
std::vector<const Option*> options_of(const Command& command);

/** Look up by name or alias; nullptr if there is no such command. */
const Command* find_command(std::string_view name);

/** "; did you mean 'get_param'?"; empty if no command resembles @name. */
std::string suggest_command(std::string_view name);

/**
 * Run a command line; words[0] is the name of the command. Handles the entries of the
 * table: --help, the number of operands, the format, the connection to the kernel, the
 * question before data is destroyed. Output stays in the writers of the context, errors are
 * printed.
 *
 * Return: exit status: 0 or the errno of the first error.
 */
int run_command(Context& context, std::span<const std::string> words);
int run_command(Context& context, int argc, char* const* argv);

/**
 * All of lctl: argv as main() gets it.
 *
 * Return: exit status: 0 or the errno of the first error; output is flushed.
 */
int run_lctl(Context& context, int argc, char* const* argv);

/** "NAME [OPTION...] OPERANDS" */
std::string usage_of(const Command& command);

/**
 * Print the error in the arguments of a command, and its usage.
 *
 * Return: EINVAL
 */
int usage_error(Context& context, const Arguments& arguments, std::string_view complaint);

/** `lctl CMD --help`, `lctl help CMD`. */
void print_help(Context& context, const Command& command);
/** `lctl help`: all commands by group. */
void print_overview(Context& context);
/** `lctl --list-commands`: one name per line. */
void print_command_names(Context& context);

/** Release of the tools. */
inline constexpr const char* kVersion = LL_VERSION;

/** `lctl --version`: the tool alone, no module is asked. */
void print_tool_version(Context& context);

}  // namespace lctl
