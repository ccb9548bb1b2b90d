// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/echo_lock.hpp"

#include <cstdint>
#include <optional>
#include <span>
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

/* The first of some options that is there, or NULL. */
const char* any_of(const Arguments& arguments, std::span<const char* const> names)
{
    for (const char* name : names) {
        if (arguments.has(name))
            return name;
    }
    return nullptr;
}

constexpr const char* kForLocks[] = {"extent", "bits", "try-bits", "exact", "grow"};
constexpr const char* kForUsers[] = {"owner", "pid", "whole", "no-wait", "probe"};
constexpr const char* kNotForUsers[] = {"bits", "try-bits", "exact", "grow", "keep"};

std::string misplaced_flock(const Arguments& arguments)
{
    if (const char* name = any_of(arguments, kNotForUsers))
        return fmt::format("--{} does not apply to --op flock", name);
    if (arguments.has("whole") && arguments.has("extent"))
        return "--whole and --extent exclude each other";
    return {};
}

std::string misplaced_lock(const Arguments& arguments)
{
    const bool extent = arguments.has("extent");

    if (extent && (arguments.has("bits") || arguments.has("try-bits")))
        return "--extent and --bits exclude each other";
    if (arguments.has("exact") && !extent)
        return "--exact applies to --extent";
    if (arguments.has("grow") && !extent)
        return "--grow applies to --extent";
    return {};
}

/* Options that do not go with the operation, or with each other. */
std::string misplaced(const Arguments& arguments, ll_echo_op op)
{
    if (op == LL_ECHO_FLOCK)
        return misplaced_flock(arguments);
    if (any_of(arguments, kForUsers) != nullptr)
        return "--owner, --pid, --whole, --no-wait and --probe apply to --op flock";
    if (op == LL_ECHO_LOCK)
        return misplaced_lock(arguments);
    if (any_of(arguments, kForLocks) != nullptr)
        return "--extent, --bits, --try-bits, --exact and --grow apply to --op lock";
    if (arguments.has("keep") && !echo_tells_size(op))
        return "--keep applies to --op lock, --op glimpse and --op getattr";
    return {};
}

std::string parse_grow(const Arguments& arguments, ll::EchoTest& test)
{
    const Given* given = arguments.find("grow");

    if (given == nullptr)
        return {};

    const auto size = ll::parse_size(*given->argument);

    if (!size || *size == 0)
        return fmt::format("--grow '{}' is not a size", *given->argument);
    test.grow = *size;
    return {};
}

std::string parse_to(const Arguments& arguments, ll::EchoTest& test)
{
    const Given* given = arguments.find("to");

    if (test.op != LL_ECHO_PUNCH)
        return given == nullptr ? "" : "--to applies to --op punch";
    if (given == nullptr)
        return "--op punch needs --to SIZE";

    const auto size = ll::parse_size(*given->argument);

    if (!size || *size > INT64_MAX)
        return fmt::format("--to '{}' is not a size", *given->argument);
    test.object_size = *size;
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

std::string parse_id(const Arguments& arguments, const char* option, std::uint64_t most,
                     std::uint64_t& number)
{
    const Given* given = arguments.find(option);

    if (given == nullptr)
        return {};

    const auto parsed = ll::parse_number(*given->argument);

    if (!parsed || *parsed > most)
        return fmt::format("--{} '{}' is not a number up to {}", option, *given->argument, most);
    number = *parsed;
    return {};
}

/* All bytes, unless some are named. */
std::string parse_flock(const Arguments& arguments, ll::EchoTest& test)
{
    const std::uint64_t kind = arguments.has("whole") ? LDLM_FLOCK_WHOLE : LDLM_FLOCK_POSIX;
    std::uint64_t owner = 1;
    std::uint64_t pid = 0;

    test.nowait = arguments.has("no-wait");
    test.probe = arguments.has("probe");
    if (std::string wrong = parse_id(arguments, "owner", UINT64_MAX, owner); !wrong.empty())
        return wrong;
    if (std::string wrong = parse_id(arguments, "pid", INT32_MAX, pid); !wrong.empty())
        return wrong;
    test.policy = {0, LDLM_EXTENT_EOF, 0, 0};
    if (arguments.has("extent"))
        if (std::string wrong = parse_extent(arguments, test); !wrong.empty())
            return wrong;
    test.policy[2] = owner;
    test.policy[3] = pid | kind << 32;
    return {};
}

std::string bytes_text(std::uint64_t first, std::uint64_t last)
{
    if (last == LDLM_EXTENT_EOF)
        return fmt::format("bytes {}-EOF", first);
    return fmt::format("bytes {}-{}", first, last);
}

}  // namespace

bool echo_tells_size(ll_echo_op op)
{
    return op == LL_ECHO_GLIMPSE || op == LL_ECHO_GETATTR;
}

std::string parse_echo_lock(const Arguments& arguments, ll::EchoTest& test)
{
    if (std::string wrong = misplaced(arguments, test.op); !wrong.empty())
        return wrong;
    if (std::string wrong = parse_to(arguments, test); !wrong.empty())
        return wrong;
    test.exact = arguments.has("exact");
    test.keep = arguments.has("keep");
    test.type = test.op == LL_ECHO_LOCK ? LDLM_PLAIN : 0;
    if (test.op == LL_ECHO_FLOCK)
        return parse_flock(arguments, test);
    if (!arguments.has("extent"))
        return parse_all_bits(arguments, test);
    test.type = LDLM_EXTENT;
    if (std::string wrong = parse_grow(arguments, test); !wrong.empty())
        return wrong;
    return parse_extent(arguments, test);
}

std::string echo_granted_text(const ll::EchoTest& test, const ll::EchoResult& result)
{
    const auto& granted = result.granted;

    if (test.type == LDLM_IBITS)
        return fmt::format("bits {}", fmt::join(names_of(granted[0]), ","));
    if (test.type != LDLM_EXTENT)
        return "all";
    return bytes_text(granted[0], granted[1]);
}

std::string echo_blocker_text(const ll::EchoResult& result)
{
    const auto& lock = result.granted;

    if (lock[3] == LCK_NL)
        return "none";
    return fmt::format("{} {} of pid {}", lock[3] == LCK_PR ? "PR" : "PW",
                       bytes_text(lock[0], lock[1]), lock[2]);
}

Json echo_blocker_json(const ll::EchoResult& result)
{
    const auto& lock = result.granted;

    if (lock[3] == LCK_NL)
        return Json::object();
    return {{"mode", lock[3] == LCK_PR ? "PR" : "PW"},
            {"first", lock[0]},
            {"last", lock[1]},
            {"pid", lock[2]}};
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
