// SPDX-License-Identifier: GPL-2.0-only
/* What the commands of the network share: lists, and times as arguments. */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/network.hpp"

namespace lctl {

/** A list of the network: how to get it, and what an item is printed as. */
template <class Item>
struct Listing {
    ll::Result<std::vector<Item>> (*get)(ll::KernelPort& port);
    void (*text)(std::string& out, const Item& item);
    Json (*members)(const Item& item);
};

/** The status of the command. */
template <class Item>
int run_listing(Context& context, const Arguments& arguments, const Listing<Item>& listing)
{
    const auto items = listing.get(context.port());

    if (!items)
        return context.error(arguments.command, items.error());
    for (const Item& item : *items) {
        if (context.is_text())
            listing.text(context.out.text(), item);
        else
            context.printer().item(listing.members(item));
    }
    return 0;
}

/**
 * Seconds, with an optional fraction, or a number followed by "s" or "ms": 2 0.25 2s 250ms.
 * At least a millisecond, at most @max.
 *
 * Return: an error text; empty if there is none
 */
std::string parse_time_ms(const Given& given, std::uint32_t max, std::uint32_t& ms);

}  // namespace lctl
