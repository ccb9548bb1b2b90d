// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/echo_lock.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lib/number.hpp"

#include <uapi/lustre_lite/wire.h>

namespace lctl {

namespace {

struct Bit {
    std::string_view name;
    std::uint64_t bit;
};

constexpr Bit kBits[] = {
    {"lookup", MDS_INODELOCK_LOOKUP}, {"update", MDS_INODELOCK_UPDATE},
    {"open", MDS_INODELOCK_OPEN},     {"layout", MDS_INODELOCK_LAYOUT},
    {"perm", MDS_INODELOCK_PERM},     {"xattr", MDS_INODELOCK_XATTR},
    {"dom", MDS_INODELOCK_DOM},       {"size", MDS_INODELOCK_SIZE},
};

std::optional<std::uint64_t> bit_named(std::string_view name)
{
    for (const Bit& one : kBits) {
        if (one.name == name)
            return one.bit;
    }
    return std::nullopt;
}

std::vector<std::string_view> names_of(std::uint64_t bits)
{
    std::vector<std::string_view> names;

    for (const Bit& one : kBits) {
        if ((bits & one.bit) != 0)
            names.push_back(one.name);
    }
    return names;
}

/* Names with commas between them. */
std::string parse_bits(const Arguments& arguments, const char* option, std::uint64_t& bits)
{
    const Given* given = arguments.find(option);

    if (given == nullptr)
        return {};

    std::string_view rest = *given->argument;

    while (true) {
        const std::size_t comma = rest.find(',');
        const auto bit = bit_named(rest.substr(0, comma));

        if (!bit)
            return fmt::format("--{} '{}': '{}' is not one of {}", option, *given->argument,
                               rest.substr(0, comma), fmt::join(names_of(MDS_INODELOCK_ALL), ", "));
        bits |= *bit;
        if (comma == std::string_view::npos)
            return {};
        rest.remove_prefix(comma + 1);
    }
}

std::optional<std::uint64_t> parse_byte(std::string_view text)
{
    if (text == "EOF")
        return LDLM_EXTENT_EOF;

    const auto byte = ll::parse_size(text);

    if (!byte)
        return std::nullopt;
    return *byte;
}

std::string parse_extent(const Arguments& arguments, ll::EchoTest& test)
{
    const std::string_view text = *arguments.find("extent")->argument;
    const std::size_t dash = text.find('-');

    if (dash != std::string_view::npos) {
        const auto first = parse_byte(text.substr(0, dash));
        const auto last = parse_byte(text.substr(dash + 1));

        if (first && last && *first <= *last) {
            test.policy = {*first, *last, 0, 0};
            return {};
        }
    }
    return fmt::format("--extent '{}' is not FIRST-LAST, two bytes, or FIRST-EOF", text);
}

/* Options that do not go with the operation, or with each other. */
std::string misplaced(const Arguments& arguments, ll_echo_op op)
{
    static constexpr const char* for_locks[] = {"extent", "bits", "try-bits", "exact", "keep"};
    const bool extent = arguments.has("extent");

    if (op != LL_ECHO_LOCK && std::any_of(std::begin(for_locks), std::end(for_locks),
                                          [&](const char* name) { return arguments.has(name); }))
        return "--extent, --bits, --try-bits, --exact and --keep apply to --op lock";
    if (extent && (arguments.has("bits") || arguments.has("try-bits")))
        return "--extent and --bits exclude each other";
    if (arguments.has("exact") && !extent)
        return "--exact applies to --extent";
    return {};
}

std::string parse_all_bits(const Arguments& arguments, ll::EchoTest& test)
{
    std::string wrong = parse_bits(arguments, "bits", test.policy[0]);

    if (wrong.empty())
        wrong = parse_bits(arguments, "try-bits", test.policy[1]);
    if (test.policy[0] != 0 || test.policy[1] != 0)
        test.type = LDLM_IBITS;
    return wrong;
}

}  // namespace

std::string parse_echo_lock(const Arguments& arguments, ll::EchoTest& test)
{
    if (std::string wrong = misplaced(arguments, test.op); !wrong.empty())
        return wrong;
    test.exact = arguments.has("exact");
    test.keep = arguments.has("keep");
    test.type = test.op == LL_ECHO_LOCK ? LDLM_PLAIN : 0;
    if (!arguments.has("extent"))
        return parse_all_bits(arguments, test);
    test.type = LDLM_EXTENT;
    return parse_extent(arguments, test);
}

std::string echo_granted_text(const ll::EchoTest& test, const ll::EchoResult& result)
{
    const auto& granted = result.granted;

    if (test.type == LDLM_IBITS)
        return fmt::format("bits {}", fmt::join(names_of(granted[0]), ","));
    if (test.type != LDLM_EXTENT)
        return "all";
    if (granted[1] == LDLM_EXTENT_EOF)
        return fmt::format("bytes {}-EOF", granted[0]);
    return fmt::format("bytes {}-{}", granted[0], granted[1]);
}

Json echo_granted_json(const ll::EchoTest& test, const ll::EchoResult& result)
{
    if (test.type == LDLM_IBITS)
        return {{"bits", names_of(result.granted[0])}};
    if (test.type == LDLM_EXTENT)
        return {{"first", result.granted[0]}, {"last", result.granted[1]}};
    return Json::object();
}

}  // namespace lctl
