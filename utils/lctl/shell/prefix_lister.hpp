// SPDX-License-Identifier: GPL-2.0
/*
 * The children of a directory whose names begin with some text.
 *
 * Names of a directory are sorted, and a listing may begin behind a name that
 * does not exist: so the cost goes with what is found, not with the size of the
 * directory. Where very many names begin alike, only the ways in which they go
 * on are looked up, one call each.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"
#include "lib/function_ref.hpp"
#include "lib/port.hpp"

namespace lctl::shell {

/** A name, or the beginning that several names share. */
struct Child {
    std::string name;
    bool whole = true;       // false: names go on after it
    bool directory = false;  // or a link to one
    bool readable = false;
    bool writable = false;
};

class PrefixLister {
public:
    /** Beyond @limit names that begin alike only beginnings are returned. */
    PrefixLister(ll::KernelPort& port, std::size_t limit) : port_(port), limit_(limit) {}

    /** @directory is raw: components joined by '/'. */
    ll::Result<std::vector<Child>> find(std::string_view directory, std::string_view prefix);

private:
    using Visitor = ll::FunctionRef<bool(const Child&)>;

    ll::Status walk(std::string_view directory, std::string after, std::size_t buffer_size,
                    Visitor visit);
    ll::Result<std::vector<Child>> beginnings(std::string_view directory, std::string prefix);
    ll::Result<std::vector<Child>> ways_on(std::string_view directory, std::string_view prefix);

    ll::KernelPort& port_;
    std::size_t limit_;
};

}  // namespace lctl::shell
