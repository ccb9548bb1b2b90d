// SPDX-License-Identifier: GPL-2.0-only
#include "disk/tool.hpp"

#include <cerrno>

#include <fmt/format.h>

namespace disk {

int Tool::error(std::string_view text, int status)
{
    out_.flush();
    err_.put(fmt::format("error: {}: {}\n", name_, text));
    err_.flush();
    return status;
}

int Tool::usage_error(std::string_view text)
{
    return error(fmt::format("{}. See '{} --help'.", text, name_), kUsage);
}

void Tool::note(std::string_view text)
{
    out_.flush();
    err_.put(fmt::format("note: {}: {}\n", name_, text));
    err_.flush();
}

int Tool::end(int status)
{
    out_.flush();
    if (out_.error() != 0)
        return error("standard output: " + ll::errno_text(out_.error()));
    return status;
}

int Tool::print(std::string_view text)
{
    out_.put(text);
    return end();
}

int Tool::print_version()
{
    return print(fmt::format("{}: {}\n", name_, lctl::kVersion));
}

std::optional<int> Tool::begin(const tl::expected<lctl::Arguments, std::string>& arguments,
                               std::string_view help)
{
    if (!arguments)
        return usage_error(arguments.error());
    if (arguments->has("help"))
        return print(help);
    if (arguments->has("version"))
        return print_version();
    return std::nullopt;
}

bool TargetOptions::changes() const
{
    return !mgs_nodes.empty() || !service_nodes.empty() || !fail_nodes.empty() || !params.empty() ||
           comment || mount_opts;
}

namespace {

/* What can be given several times gathers. */
class OptionReader {
public:
    ll::Result<TargetOptions> read(const lctl::Arguments& arguments)
    {
        for (const lctl::Given& given : arguments.options)
            if (auto taken = take(given); !taken)
                return ll::fail(taken.error().code,
                                fmt::format("--{}: {}", given.option->name, taken.error().text));
        return std::move(options_);
    }

private:
    ll::Status take(const lctl::Given& given)
    {
        const std::string_view name = given.option->name;
        const std::string value(given.argument.value_or(""));

        if (name == "mgsnode")
            return add_nodes(options_.mgs_nodes, value);
        if (name == "servicenode")
            return add_nodes(options_.service_nodes, value);
        if (name == "failnode")
            return add_nodes(options_.fail_nodes, value);
        if (name == "param")
            return add_param(value);
        if (name == "comment")
            options_.comment = value;
        else if (name == "mountfsoptions")
            options_.mount_opts = value;
        else
            take_switch(name);
        return {};
    }

    void take_switch(std::string_view name)
    {
        options_.dry_run |= name == "dryrun" || name == "dry-run";
        options_.quiet |= name == "quiet";
        options_.verbose |= name == "verbose";
    }

    static ll::Status add_nodes(NodeList& list, std::string_view text)
    {
        const auto nodes = NodeList::parse(text);

        if (!nodes)
            return tl::unexpected(nodes.error());
        list.add(*nodes);
        return {};
    }

    /* Those that name nodes are what their options are. */
    ll::Status add_param(std::string_view text)
    {
        auto param = parse_param(text);

        if (!param)
            return tl::unexpected(param.error());
        if (param->name == kMgsNode)
            return add_nodes(options_.mgs_nodes, param->value);
        if (param->name == kFailoverNode)
            return add_nodes(options_.fail_nodes, param->value);
        options_.params.push_back(std::move(*param));
        return {};
    }

    TargetOptions options_;
};

}  // namespace

ll::Result<TargetOptions> parse_target_options(const lctl::Arguments& arguments)
{
    auto options = OptionReader().read(arguments);

    if (options && !options->service_nodes.empty() && !options->fail_nodes.empty())
        return ll::fail(EINVAL,
                        "--servicenode and --failnode exclude each other: service nodes "
                        "are all nodes of a target, fail nodes those besides its "
                        "first one");
    return options;
}

ll::Status add_params(const TargetOptions& options, TargetParams& params)
{
    auto added = params.add_nodes(kMgsNode, options.mgs_nodes);

    if (added)
        added = params.add_nodes(kFailoverNode, options.service_nodes);
    if (added)
        added = params.add_nodes(kFailoverNode, options.fail_nodes);
    if (!added)
        return added;
    for (const Param& param : options.params)
        params.set(param);
    return {};
}

}  // namespace disk
