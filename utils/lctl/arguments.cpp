// SPDX-License-Identifier: GPL-2.0
#include "lctl/arguments.hpp"

#include <cstring>

#include <getopt.h>

namespace lctl {

constexpr Option kHelpOption = {
    .letter = 'h',
    .name = "help",
    .help = "print this summary",
};

const Given* Arguments::find(std::string_view name) const
{
    const Given* last = nullptr;

    for (const Given& given : options)
        if (given.is(name))
            last = &given;
    return last;
}

namespace {

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
        for (const Option& option : command.options)
            add(option);
        if (!knows_letter('h'))
            add(kHelpOption);
        else
            add_long(kHelpOption);
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
        if (option.letter == 0)
            return;
        letters_.push_back(option.letter);
        letters_.append(static_cast<std::size_t>(argument_kind(option)), ':');
    }

    std::string letters_ = ":";  // first: a missing argument is told from an unknown option
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

std::string complaint(int result, char* const* argv)
{
    const std::string name = offending(argv);

    if (result == ':')
        return "option '" + name + "' needs an argument";
    if (optopt >= kFirstId)
        return "option '" + name + "' takes no argument";
    return "unrecognized option '" + name + "'";
}

}  // namespace

tl::expected<Arguments, std::string> parse_arguments(const Command& command, int argc,
                                                     char* const* argv)
{
    const GetoptTables tables(command);
    Arguments arguments;
    int id;

    arguments.command = command.name;
    opterr = 0;
    optind = 0;  // glibc: begin anew, also inside a cluster of letters
    while ((id = getopt_long(argc, argv, tables.letters(), tables.longs(), nullptr)) != -1) {
        if (id == '?' || id == ':')
            return tl::unexpected(complaint(id, argv));

        Given given = {.option = tables.find(id), .argument = {}};

        if (optarg != nullptr)
            given.argument = optarg;
        arguments.options.push_back(given);
    }
    for (int i = optind; i < argc; i++)
        arguments.operands.emplace_back(argv[i]);
    return arguments;
}

}  // namespace lctl
