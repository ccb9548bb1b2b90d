// SPDX-License-Identifier: GPL-2.0-only
#include "disk/target_params.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace disk {

namespace {

bool is_blank(char c)
{
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
}

bool names_nodes(std::string_view name)
{
    return name == kMgsNode || name == kFailoverNode;
}

}  // namespace

ll::Result<Param> parse_param(std::string_view text)
{
    const std::size_t equals = text.find('=');

    if (equals == std::string_view::npos || equals == 0)
        return ll::fail(EINVAL, fmt::format("'{}' is not NAME=VALUE", text));
    if (std::any_of(text.begin(), text.end(), is_blank))
        return ll::fail(EINVAL, fmt::format("'{}': a parameter of a target must not contain "
                                            "blanks, which separate parameters",
                                            text));
    return Param{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

ll::Result<TargetParams> TargetParams::parse(std::string_view text)
{
    TargetParams params;

    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());

        if (end != 0) {
            auto param = parse_param(text.substr(0, end));

            if (!param)
                return tl::unexpected(param.error());
            params.params_.push_back(std::move(*param));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return params;
}

bool TargetParams::has(std::string_view name) const
{
    return std::any_of(params_.begin(), params_.end(),
                       [&](const Param& param) { return param.name == name; });
}

std::vector<Param> TargetParams::own() const
{
    std::vector<Param> own;

    for (const Param& param : params_)
        if (!names_nodes(param.name))
            own.push_back(param);
    return own;
}

void TargetParams::set(Param param)
{
    for (Param& old : params_) {
        if (old.name == param.name) {
            old.value = std::move(param.value);
            return;
        }
    }
    params_.push_back(std::move(param));
}

std::size_t TargetParams::erase(std::string_view name)
{
    return std::erase_if(params_, [&](const Param& param) { return param.name == name; });
}

std::size_t TargetParams::erase_own()
{
    return std::erase_if(params_, [](const Param& param) { return !names_nodes(param.name); });
}

ll::Result<NodeList> TargetParams::nodes(std::string_view name) const
{
    NodeList all;

    for (const Param& param : params_) {
        if (param.name != name)
            continue;

        auto nodes = NodeList::parse(param.value);

        if (!nodes)
            return ll::fail(nodes.error().code, fmt::format("{}: {}", name, nodes.error().text));
        all.add(*nodes);
    }
    return all;
}

ll::Status TargetParams::add_nodes(std::string_view name, const NodeList& nodes)
{
    auto all = this->nodes(name);

    if (!all)
        return tl::unexpected(all.error());
    if (nodes.empty())
        return {};
    all->add(nodes);

    const auto first = std::find_if(params_.begin(), params_.end(),
                                    [&](const Param& param) { return param.name == name; });
    const auto place = first - params_.begin();

    erase(name);
    params_.insert(params_.begin() + place, Param{std::string(name), all->text()});
    return {};
}

std::string TargetParams::text() const
{
    std::string text;

    for (const Param& param : params_)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", param.name, param.value);
    return text;
}

}  // namespace disk
