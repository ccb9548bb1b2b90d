// SPDX-License-Identifier: GPL-2.0
/*
 * A command that lists what the network has, as text, JSON or YAML.
 */
#pragma once

#include <string>
#include <vector>

#include "lctl/commands/record_list.hpp"
#include "lctl/context.hpp"
#include "lib/network.hpp"

namespace lctl {

/** One such list: how to get it and what it is like. */
template <class Item>
struct Listing {
    ll::Result<std::vector<Item>> (*get)(ll::KernelPort& port);
    void (*text)(std::string& out, const Item& item);
    Record (*record)(const Item& item);
    const char* key;
};

/** The status of the command. */
template <class Item>
int run_listing(Context& context, const Arguments& arguments, const Listing<Item>& listing)
{
    ListFormat format = ListFormat::Text;
    const std::string wrong = parse_list_format(arguments, format);

    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    if (!wrong.empty())
        return usage_error(context, arguments, wrong);

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto items = listing.get((*params)->port());

    if (!items)
        return context.error(arguments.command, items.error());

    std::vector<Record> records;

    for (const Item& item : *items) {
        if (format == ListFormat::Text)
            listing.text(context.out.text(), item);
        else
            records.push_back(listing.record(item));
    }
    if (format == ListFormat::Json)
        print_json(context.out, records);
    else if (format == ListFormat::Yaml)
        print_yaml(context.out, listing.key, records);
    return 0;
}

}  // namespace lctl
