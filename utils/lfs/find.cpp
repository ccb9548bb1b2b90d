// SPDX-License-Identifier: GPL-2.0-only
/*
 * find: files by name, type, attributes and layout.
 */
#include <fmt/format.h>

#include "lfs/find_tests.hpp"
#include "lfs/layout.hpp"
#include "lfs/lfs.hpp"
#include "lib/number.hpp"

namespace lfs {

namespace {

class Finder {
public:
    Finder(Context& context, Tests tests, std::uint64_t depth, bool null)
        : context_(context), tests_(std::move(tests)), most_(depth), end_(null ? '\0' : '\n')
    {
    }

    /* @type: as of an entry */
    void look(const std::string& path, char type, std::uint64_t depth)
    {
        Candidate file(context_, path, type);
        const bool directory = file.type() == 'd';

        if (file.failed())
            return;
        if (tests_.hold(file)) {
            context_.out.text().append(path).push_back(end_);
            context_.out.spill();
        }
        if (directory && depth < most_)
            walk(path, depth);
    }

private:
    void walk(const std::string& directory, std::uint64_t depth)
    {
        const auto entries = context_.files.entries(directory);

        if (!entries) {
            context_.error(directory, entries.error());
            return;
        }
        for (const Entry& entry : *entries)
            look(join(directory, entry.name), entry.type, depth + 1);
    }

    Context& context_;
    Tests tests_;
    std::uint64_t most_;
    char end_;
};

ll::Result<std::uint64_t> depth_of(const Arguments& arguments)
{
    const lctl::Given* const given = arguments.find("maxdepth");

    if (given == nullptr)
        return UINT64_MAX;

    auto depth = ll::parse_number(*given->argument);

    if (!depth)
        return ll::fail(depth.error().code, fmt::format("-maxdepth: {}", depth.error().text));
    return depth;
}

void run_find(Context& context, const Arguments& arguments)
{
    auto tests = Tests::parse(context.files, arguments.options);
    const auto depth = depth_of(arguments);

    if (!tests || !depth) {
        const ll::Error& error = tests ? depth.error() : tests.error();

        context.error(error.text, error.code);
        return;
    }

    Finder finder(context, std::move(*tests), *depth, arguments.has("print0"));

    for (const std::string_view path : arguments.operands)
        finder.look(std::string(path), '?', 0);
}

}  // namespace

const Command find_command = {
    .spec = {.name = "find",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "find files by name, type, attributes and layout",
             .help = "Prints the paths that match all options, which may have one '-', as those of "
                     "find(1).\n"
                     "A '!' before an option: paths that do not match it.\n",
             .options = find_options(),
             .tests = true},
    .run = run_find,
};

}  // namespace lfs
