// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/arguments.hpp"

#include <algorithm>
#include <cstring>

#include <getopt.h>

#include "lib/suggest.hpp"

namespace lctl {

const Given* Arguments::find(std::string_view name) const
{
    const Given* last = nullptr;

    for (const Given& given : options)
        if (given.is(name))
            last = &given;
    return last;
}

namespace {

constexpr Option kHelpOption = {.letter = 'h', .name = "help", .help = "print this summary"};
constexpr Option kYesOption = {.name = "yes", .help = "do not ask for confirmation"};
constexpr Option kYamlOption = {.letter = 'y', .name = "yaml", .help = "print YAML"};
constexpr Option kJsonOption = {
    .name = "json",
    .argument = "FORM",
    .optional = true,
    .help = "print JSON; indented with --json=pretty",
    .complete = Complete::Nothing,
};

/* getopt_long() returns this plus the option's place in the table. */
constexpr int kFirstId = 256;

int argument_kind(const Option& option)
{
    if (option.argument == nullptr)
        return no_argument;
    return option.optional ? optional_argument : required_argument;
}

/* What getopt_long() wants, made from the table. */
class GetoptTables {
public:
    explicit GetoptTables(const Command& command)
    {
        for (const Option* const option : options_of(command))
            add(*option);
        longs_.push_back({});
    }

    const char* letters() const { return letters_.c_str(); }
    const option* longs() const { return longs_.data(); }

    const Option* find(int id) const
    {
        if (id >= kFirstId)
            return options_[static_cast<std::size_t>(id - kFirstId)];
        for (const Option* option : options_)
            if (option->letter == id)
                return option;
        return nullptr;
    }

private:
    bool knows_letter(char letter) const
    {
        return std::strchr(letters_.c_str(), letter) != nullptr;
    }

    void add_long(const Option& option)
    {
        const int id = kFirstId + static_cast<int>(options_.size());

        longs_.push_back({option.name, argument_kind(option), nullptr, id});
        options_.push_back(&option);
    }

    void add(const Option& option)
    {
        add_long(option);
        // A letter that a command has of its own is not that of --help or --yaml.
        if (option.letter == 0 || knows_letter(option.letter))
            return;
        letters_.push_back(option.letter);
        letters_.append(static_cast<std::size_t>(argument_kind(option)), ':');
    }

    // First: operands come in order, and a missing argument is told from an unknown option.
    std::string letters_ = "-:";
    std::vector<option> longs_;
    std::vector<const Option*> options_;
};

/* The option that getopt_long() stumbled over, as it was typed. */
std::string offending(char* const* argv)
{
    const char* word = argv[optind - 1];

    if (optopt != 0 && optopt < kFirstId)
        return std::string("-") + static_cast<char>(optopt);
    return std::string(word, std::strcspn(word, "="));
}

/* "; did you mean '--NAME'?", with as many dashes as @typed has; or "". */
std::string suggest_option(const Command& command, const std::string& typed)
{
    const std::size_t dashes = typed.starts_with("--") ? 2 : 1;
    std::vector<std::string_view> names;

    if (dashes == 1 && !command.tests)
        return {};
    for (const Option* const option : options_of(command))
        names.emplace_back(option->name);

    const std::string_view near = ll::nearest_name(std::string_view(typed).substr(dashes), names);

    return near.empty() ? "" : ll::did_you_mean(std::string(dashes, '-').append(near));
}

std::string complaint(const Command& command, int result, char* const* argv)
{
    const std::string name = offending(argv);

    if (result == ':')
        return "option '" + name + "' needs an argument";
    if (optopt >= kFirstId)
        return "option '" + name + "' takes no argument";
    return "unrecognized option '" + name + "'" + suggest_option(command, name);
}

/* "-naem" is a letter with its argument for getopt_long_only(). Return: an error text, or "" */
std::string misspelt_test(const Command& command, const char* word)
{
    if (!command.tests || optarg != word + 2 || word[1] == '-')
        return {};

    const std::string near = suggest_option(command, word);

    return near.empty() ? "" : std::string("unrecognized option '") + word + "'" + near;
}

constexpr int kOperand = 1;  // of getopt_long(): a word that is not an option
constexpr const char* kLoneNot = "'!' should stand before an option";

/* A word of the command line. @negated: a "!" stands before it. Return: an error text, or "" */
std::string take_operand(const Command& command, Arguments& arguments, std::string_view word,
                         bool& negated)
{
    if (command.tests && word == "!") {
        negated = !negated;
        return {};
    }
    arguments.operands.emplace_back(word);
    return negated ? kLoneNot : "";
}

/* An option that the command table handles; false: it is the command's. */
bool take_common(Arguments& arguments, const Given& given, std::string& wrong)
{
    if (given.option == &kYesOption) {
        arguments.yes = true;
    } else if (given.option == &kYamlOption || given.option == &kJsonOption) {
        const Format format = given.option == &kYamlOption ? Format::Yaml : Format::Json;

        if (arguments.format && *arguments.format != format)
            wrong = "--json and --yaml exclude each other";
        arguments.format = format;
        arguments.pretty = given.argument.has_value();
        if (given.argument && *given.argument != "pretty")
            wrong = "--json '" + std::string(*given.argument) + "' must be pretty";
    } else {
        return false;
    }
    return true;
}

/* @word: with the end of the option, or its argument. Return: an error text, or "" */
std::string take_option(const Command& command, Arguments& arguments, const Option* option,
                        const char* word, bool& negated)
{
    Given given = {.option = option, .argument = {}, .negated = negated};
    std::string wrong = misspelt_test(command, word);

    if (optarg != nullptr)
        given.argument = optarg;
    if (wrong.empty() && !take_common(arguments, given, wrong))
        arguments.options.push_back(given);
    negated = false;
    return wrong;
}

}  // namespace

std::vector<const Option*> options_of(const Command& command)
{
    std::vector<const Option*> all;

    for (const Option& option : command.options)
        all.push_back(&option);
    if (command.asks.text != nullptr)
        all.push_back(&kYesOption);
    if (command.prints != Prints::Nothing && command.prints != Prints::Text) {
        all.push_back(&kYamlOption);
        all.push_back(&kJsonOption);
    }
    all.push_back(&kHelpOption);
    return all;
}

tl::expected<Arguments, std::string> parse_arguments(const Command& command, int argc,
                                                     char* const* argv)
{
    const GetoptTables tables(command);
    const auto next = command.tests ? getopt_long_only : getopt_long;
    Arguments arguments;
    bool negated = false;
    int id;

    arguments.command = command.name;
    opterr = 0;
    optind = 0;  // glibc: start again, also inside a cluster of letters
    while ((id = next(argc, argv, tables.letters(), tables.longs(), nullptr)) != -1) {
        std::string wrong;

        if (id == '?' || id == ':')
            wrong = complaint(command, id, argv);
        else if (id == kOperand)
            wrong = take_operand(command, arguments, optarg, negated);
        else
            wrong = take_option(command, arguments, tables.find(id), argv[optind - 1], negated);
        if (!wrong.empty())
            return tl::unexpected(wrong);
    }
    for (int i = optind; i < argc; i++)
        arguments.operands.emplace_back(argv[i]);
    if (negated)
        return tl::unexpected(std::string(kLoneNot));
    return arguments;
}

namespace {

/* The word of "TYPE NAME [UUID...]" that stands at @place. */
std::string_view operand_name(std::string_view operands, std::size_t place)
{
    for (; place > 0; place--)
        operands.remove_prefix(std::min(operands.find(' ') + 1, operands.size()));

    std::string_view name = operands.substr(0, operands.find(' '));

    if (name.ends_with("..."))
        name.remove_suffix(3);
    return name;
}

}  // namespace

std::string count_complaint(const Command& command, const Arguments& arguments)
{
    const std::size_t count = arguments.operands.size();
    const Counts takes = command.takes;

    if (count < takes.min)
        return "missing operand " + std::string(operand_name(command.operands, count));
    if (count <= takes.max || takes.max == kMany)
        return {};
    if (takes.max == 0)
        return "takes no operands";
    return "unexpected operand '" + std::string(arguments.operands[takes.max]) + "'";
}

std::string usage_of(const Command& command)
{
    std::string usage = command.name;

    if (options_of(command).size() > 1)
        usage += " [OPTION...]";
    if (command.operands != nullptr && *command.operands != '\0')
        usage.append(" ").append(command.operands);
    return usage;
}

std::string_view cut(std::string_view& text, char mark)
{
    const std::size_t at = text.find(mark);
    const std::string_view first = text.substr(0, at);

    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    return first;
}

}  // namespace lctl
