// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/find_tests.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <fnmatch.h>
#include <grp.h>
#include <pwd.h>

#include <fmt/format.h>

#include "lfs/layout.hpp"
#include "lfs/request.hpp"
#include "lib/number.hpp"

namespace lfs {

namespace {

using Check = std::function<bool(Candidate&)>;

/* A number in units, of which a part counts as a whole one; with '+' more and with '-' less. */
struct Bound {
    char sign = 0;
    std::uint64_t value = 0;
    std::uint64_t unit = 1;

    bool holds(std::uint64_t number) const
    {
        const bool less = value >= unit && number <= value - unit;

        if (sign == '+')
            return number > value;
        return sign == '-' ? less : number <= value && !less;
    }
};

/* The sign off the front of @text, or 0. */
char take_sign(std::string_view& text)
{
    const char sign = text.starts_with('+') || text.starts_with('-') ? text.front() : '\0';

    if (sign != 0)
        text.remove_prefix(1);
    return sign;
}

/* 1 for a number without a letter. */
ll::Result<std::uint64_t> unit_of(std::string_view text)
{
    const std::size_t letters = std::min(text.find_first_not_of("0123456789."), text.size());

    return ll::parse_size(fmt::format("1{}", text.substr(letters)));
}

ll::Result<Bound> parse_bound(std::string_view text)
{
    const char sign = take_sign(text);
    const auto value = ll::parse_size(text);
    const auto unit = value ? unit_of(text) : value;

    if (!unit)
        return tl::unexpected(unit.error());
    return Bound{sign, *value, *unit};
}

struct TimeUnit {
    char letter;
    std::uint64_t seconds;
};

constexpr TimeUnit kTimeUnits[] = {
    {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}, {'y', 365 * 86400},
};

/* "8h", or "8" for days, off the front of @text. Return: seconds, and those of the unit */
std::optional<Bound> take_span(std::string_view& text)
{
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = ll::parse_number(text.substr(0, digits), UINT32_MAX);
    const char letter = digits < text.size() ? text[digits] : 'd';
    const auto* const unit = std::ranges::find(kTimeUnits, letter, &TimeUnit::letter);

    if (!number || unit == std::end(kTimeUnits))
        return std::nullopt;
    text.remove_prefix(std::min(digits + 1, text.size()));
    return Bound{.value = *number * unit->seconds, .unit = unit->seconds};
}

/* An age, of which a part of a unit does not count; "1h30m" counts in the smallest one. */
ll::Result<Bound> parse_age(std::string_view text)
{
    std::string_view rest = text;
    Bound age{.sign = take_sign(rest), .value = 0, .unit = UINT64_MAX};

    do {
        const auto span = take_span(rest);

        if (!span)
            return ll::fail(EINVAL, fmt::format("'{}' should be a number of days, or of units s, "
                                                "m, h, d, w and y as in 8h or 1h30m, after a + "
                                                "for more or a - for less",
                                                text));
        age.value += span->value;
        age.unit = std::min(age.unit, span->unit);
    } while (!rest.empty());
    age.value += age.unit - 1;
    return age;
}

/* Of the future: 0. */
std::uint64_t age_of(std::int64_t time, std::int64_t now)
{
    constexpr std::int64_t kSecond = 1000000000;

    return static_cast<std::uint64_t>(std::max<std::int64_t>(now - time / kSecond, 0));
}

template <std::int64_t Status::*Time>
ll::Result<Check> age_is(Files& /*files*/, std::string_view text)
{
    const auto bound = parse_age(text);
    const std::int64_t now = std::time(nullptr);

    if (!bound)
        return tl::unexpected(bound.error());
    return [=](Candidate& file) { return bound->holds(age_of(file.status().*Time, now)); };
}

ll::Result<Check> newer_than(Files& files, std::string_view text)
{
    const std::string path(text);
    const auto other = files.status(path, true);

    if (!other)
        return ll::fail(other.error().code, fmt::format("{}: {}", path, other.error().text));
    return [time = other->mtime](Candidate& file) { return file.status().mtime > time; };
}

std::optional<std::uint32_t> user_id(const std::string& name)
{
    const passwd* const found = getpwnam(name.c_str());

    return found == nullptr ? std::nullopt : std::optional(found->pw_uid);
}

std::optional<std::uint32_t> group_id(const std::string& name)
{
    const group* const found = getgrnam(name.c_str());

    return found == nullptr ? std::nullopt : std::optional(found->gr_gid);
}

/* A number that is also a name is taken as the name, as find(1) does. */
template <std::uint32_t Status::*Id, std::optional<std::uint32_t> (*look_up)(const std::string&)>
ll::Result<Check> owner_is(Files& /*files*/, std::string_view text)
{
    const auto named = look_up(std::string(text));
    const auto number = ll::parse_number(text, UINT32_MAX);

    if (!named && !number)
        return ll::fail(EINVAL, fmt::format("'{}' is neither a number nor a name that this node "
                                            "knows",
                                            text));

    const std::uint32_t id = named ? *named : static_cast<std::uint32_t>(*number);

    return [=](Candidate& file) { return file.status().*Id == id; };
}

ll::Result<Check> name_is(Files& /*files*/, std::string_view text)
{
    return [glob = std::string(text)](Candidate& file) {
        return fnmatch(glob.c_str(), file.name().c_str(), 0) == 0;
    };
}

ll::Result<Check> type_is(Files& /*files*/, std::string_view text)
{
    if (text.size() != 1 || std::string_view("bcdflps").find(text) == std::string_view::npos)
        return ll::fail(EINVAL, fmt::format("'{}' should be b, c, d, f, l, p or s", text));
    return [type = text.front()](Candidate& file) { return file.type() == type; };
}

ll::Result<Check> size_is(Files& /*files*/, std::string_view text)
{
    const auto bound = parse_bound(text);

    if (!bound)
        return tl::unexpected(bound.error());
    return [=](Candidate& file) { return bound->holds(file.status().size); };
}

/* Holds for a plain layout, or for one of the components. */
template <class Plain>
Check layout_check(Plain plain)
{
    return [=](Candidate& file) {
        const Json* const layout = file.layout();

        if (layout == nullptr)
            return false;
        if (!layout->contains("components"))
            return plain(*layout);
        return std::ranges::any_of(layout->at("components"), [&](const Json& component) {
            return plain(component.at("layout"));
        });
    };
}

/* -1, which stands for a default, is not a number. */
ll::Result<Check> number_is(const char* key, std::string_view text)
{
    const auto bound = parse_bound(text);

    if (!bound)
        return tl::unexpected(bound.error());
    return layout_check([key, bound = *bound](const Json& layout) {
        const auto number = layout.value(key, std::int64_t{-1});

        return number >= 0 && bound.holds(static_cast<std::uint64_t>(number));
    });
}

ll::Result<Check> stripe_count_is(Files& /*files*/, std::string_view text)
{
    return number_is("stripe_count", text);
}

ll::Result<Check> stripe_size_is(Files& /*files*/, std::string_view text)
{
    return number_is("stripe_size", text);
}

bool is_one_of(const std::vector<std::uint16_t>& osts, std::int64_t index)
{
    return std::ranges::find(osts, index) != osts.end();
}

ll::Result<Check> stripe_index_is(Files& /*files*/, std::string_view text)
{
    const auto osts = parse_ost_list(text);

    if (!osts)
        return tl::unexpected(osts.error());
    return layout_check([osts = *osts](const Json& layout) {
        return is_one_of(osts, layout.value("stripe_offset", std::int64_t{-1}));
    });
}

ll::Result<Check> has_object_on(Files& /*files*/, std::string_view text)
{
    const auto osts = parse_ost_list(text);

    if (!osts)
        return tl::unexpected(osts.error());
    return layout_check([osts = *osts](const Json& layout) {
        return layout.contains("objects") &&
               std::ranges::any_of(layout.at("objects"), [&](const Json& object) {
                   return is_one_of(osts, object.at("ost").get<std::int64_t>());
               });
    });
}

ll::Result<Check> pool_is(Files& /*files*/, std::string_view text)
{
    const auto pool = parse_pool(text);

    if (!pool)
        return tl::unexpected(pool.error());
    return layout_check(
        [pool = *pool](const Json& layout) { return layout.value("pool", "") == pool; });
}

/* The cost of an answer: nothing, a request for attributes, or one for the layout. */
enum class Cost { Entry, Attributes, Layout };

struct Test {
    Cost cost;
    ll::Result<Check> (*parse)(Files& files, std::string_view argument);
    Option option;
};

constexpr const char* kAge = "[+-]N[smhdwy]";

constexpr Test kTests[] = {
    {Cost::Entry,
     name_is,
     {.letter = 'n',
      .name = "name",
      .argument = "GLOB",
      .help = "the last component of the path matches"}},
    {Cost::Entry,
     type_is,
     {.letter = 't',
      .name = "type",
      .argument = "TYPE",
      .help = "type of the file",
      .choices = "b|c|d|f|l|p|s"}},
    {Cost::Attributes,
     size_is,
     {.letter = 's',
      .name = "size",
      .argument = "[+-]SIZE",
      .help = "bytes, or units k, M, G ...: as in so many when rounded up; + more, - less"}},
    {Cost::Attributes,
     age_is<&Status::atime>,
     {.letter = 'A',
      .name = "atime",
      .argument = kAge,
      .help = "was read so many days, or units, ago, rounded down; + more, - less"}},
    {Cost::Attributes,
     age_is<&Status::mtime>,
     {.letter = 'M', .name = "mtime", .argument = kAge, .help = "was written then"}},
    {Cost::Attributes,
     age_is<&Status::ctime>,
     {.letter = 'C', .name = "ctime", .argument = kAge, .help = "was changed then"}},
    {Cost::Attributes,
     newer_than,
     {.name = "newer", .argument = "FILE", .help = "was written after that file"}},
    {Cost::Attributes,
     owner_is<&Status::uid, user_id>,
     {.letter = 'u', .name = "uid", .argument = "USER", .help = "owner, a name or a number"}},
    {Cost::Attributes,
     owner_is<&Status::uid, user_id>,
     {.letter = 'U', .name = "user", .argument = "USER", .help = "the same"}},
    {Cost::Attributes,
     owner_is<&Status::gid, group_id>,
     {.letter = 'g', .name = "gid", .argument = "GROUP", .help = "group, a name or a number"}},
    {Cost::Attributes,
     owner_is<&Status::gid, group_id>,
     {.letter = 'G', .name = "group", .argument = "GROUP", .help = "the same"}},
    {Cost::Layout,
     has_object_on,
     {.letter = 'O',
      .name = "ost",
      .argument = "LIST",
      .help = "has an object on one of these OSTs"}},
    {Cost::Layout,
     stripe_count_is,
     {.letter = 'c',
      .name = "stripe-count",
      .argument = "[+-]COUNT",
      .help = "number of stripes; + more, - less"}},
    {Cost::Layout,
     stripe_size_is,
     {.letter = 'S',
      .name = "stripe-size",
      .argument = "[+-]SIZE",
      .help = "bytes of a stripe, as of -size"}},
    {Cost::Layout,
     stripe_index_is,
     {.letter = 'i',
      .name = "stripe-index",
      .argument = "LIST",
      .help = "the first stripe is on one of these OSTs"}},
    {Cost::Layout,
     pool_is,
     {.name = "pool", .argument = "POOL", .help = "has objects of this pool; none: of no pool"}},
};

constexpr Option kOthers[] = {
    {.letter = 'D',
     .name = "maxdepth",
     .argument = "N",
     .help = "go down so many directories (0: none)"},
    {.letter = 'P', .name = "print", .help = "print the paths, as without it"},
    {.letter = '0', .name = "print0", .help = "end each path with a NUL"},
};

constexpr auto kOptions = [] {
    std::array<Option, std::size(kTests) + std::size(kOthers)> all;

    std::ranges::copy(kOthers, std::ranges::transform(kTests, all.begin(), &Test::option).out);
    return all;
}();

const Test* test_of(const Option* option)
{
    const auto place = static_cast<std::size_t>(option - kOptions.data());

    return place < std::size(kTests) ? &kTests[place] : nullptr;
}

}  // namespace

char Candidate::type()
{
    return type_ == '?' ? status().type : type_;
}

const Status& Candidate::status()
{
    if (!status_) {
        const auto found = context_.files.status(path_, false);

        if (!found) {
            context_.error(path_, found.error());
            failed_ = true;
        }
        status_ = found.value_or(Status{});
    }
    return *status_;
}

const Json* Candidate::layout()
{
    const bool directory = type() == 'd';

    if (!directory && type() != 'f')
        return nullptr;
    if (!layout_) {
        auto found = read_layout(context_.files, path_, directory);

        if (!found) {
            context_.error(path_, found.error());
            failed_ = true;
        }
        layout_ = found ? std::move(*found) : std::nullopt;
    }
    return *layout_ ? &**layout_ : nullptr;
}

ll::Result<Tests> Tests::parse(Files& files, std::span<const lctl::Given> options)
{
    Tests tests;

    for (const lctl::Given& given : options) {
        const Test* const test = test_of(given.option);

        if (test == nullptr && given.negated)
            return ll::fail(EINVAL, fmt::format("-{} is not a test: '!' does not go before it",
                                                given.option->name));
        if (test == nullptr)
            continue;

        auto check = test->parse(files, given.argument.value_or(""));

        if (!check)
            return ll::fail(check.error().code,
                            fmt::format("-{}: {}", given.option->name, check.error().text));
        tests.items_.push_back({static_cast<int>(test->cost), given.negated, std::move(*check)});
    }
    std::ranges::stable_sort(tests.items_, {}, &Item::cost);
    return tests;
}

bool Tests::hold(Candidate& file) const
{
    return std::ranges::all_of(items_, [&](const Item& item) {
        return item.check(file) != item.negated && !file.failed();
    });
}

std::span<const Option> find_options()
{
    return kOptions;
}

}  // namespace lfs
