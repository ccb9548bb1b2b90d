// SPDX-License-Identifier: GPL-2.0-only
// Text that a person types: names, globs, numbers. The first byte says which.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lib/expand.hpp"
#include "lib/number.hpp"
#include "lib/pathspec.hpp"
#include "lib/pattern.hpp"
#include "lib/suggest.hpp"
#include "lib/value_text.hpp"

#include <lustre_lite/pattern.h>

using namespace ll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

// Components of a stored pattern, as the kernel cuts it.
std::vector<std::string_view> kernel_parts(std::string_view text)
{
    std::vector<std::string_view> parts;
    std::string_view before;

    for (;;) {
        const size_t size =
            params_pattern_part(text.data(), text.size(), before.data(), before.size());

        before = text.substr(0, size);
        parts.push_back(before);
        if (size == text.size())
            return parts;
        text.remove_prefix(size + 1);
    }
}

// The kernel reads a stored pattern as the tools read it.
void stored(std::string_view text)
{
    const auto patterns = stored_patterns(text);

    if (!patterns)
        return;
    for (const std::string& pattern : *patterns) {
        const auto spec = PathSpec::parse(pattern);
        require(spec.has_value());

        const auto parts = kernel_parts(pattern);
        require(spec->components().size() == (pattern.empty() ? 0 : parts.size()));
        for (size_t i = 0; i < spec->components().size(); i++) {
            const Component& part = spec->components()[i];

            if (part.kind == Component::Kind::Literal)
                require(params_pattern_match(parts[i].data(), parts[i].size(), part.text.data(),
                                             part.text.size()));
            else
                require(part.glob.matches(text) == params_pattern_match(parts[i].data(),
                                                                        parts[i].size(),
                                                                        text.data(), text.size()));
        }
    }
}

// A name that is printed parses back to itself.
void require_round_trip(const std::string& raw)
{
    const auto again = PathSpec::parse(display_path(raw));

    require(again.has_value() && again->is_literal() && again->raw() == raw);
}

void name(std::string_view text)
{
    const auto spec = PathSpec::parse(text);

    if (!spec) {
        require(!spec.error().text.empty() && spec.error().code > 0);
        return;
    }
    (void)spec->slashed();
    stored(text);
    for (const auto& part : spec->components()) {
        require(!part.text.empty());
        if (part.kind == Component::Kind::Glob)
            (void)part.glob.matches(text);
    }
    if (spec->is_literal() && !spec->raw().empty())
        require_round_trip(spec->raw());
}

// Any component at all can be printed and typed.
void component(std::string_view text)
{
    if (text.empty() || text.size() > 255 || text.find('/') != std::string_view::npos ||
        text.find('\0') != std::string_view::npos)
        return;
    require_round_trip(std::string(text));
    require_round_trip("exports/" + std::string(text));
    require_round_trip("a/" + std::string(text) + "/exports/b");
}

// A pattern with every byte escaped matches the name and nothing else.
void pattern(std::string_view text)
{
    const size_t cut = text.find('\0');
    const auto glob = Pattern::parse(text.substr(0, cut));
    const auto subject = cut == std::string_view::npos ? text : text.substr(cut + 1);
    std::string escaped;

    if (glob)
        (void)glob->matches(subject);
    for (const char c : subject.substr(0, 255)) {
        escaped += '\\';
        escaped += c;
    }
    const auto literal = Pattern::parse(escaped);
    require(literal.has_value() && literal->matches(subject.substr(0, 255)));
    require(!literal->matches(std::string(subject.substr(0, 255)) + "x"));
    require(!Pattern::has_glob(escaped));
}

void number(std::string_view text)
{
    const auto plain = parse_number(text);
    const auto size = parse_size(text);

    if (plain && !text.starts_with("0x") && !text.starts_with("0X"))
        require(size && *size == *plain);
    if (plain)
        require(parse_number(std::to_string(*plain)) == *plain);
}

void distance(std::string_view text)
{
    const auto a = text.substr(0, text.size() / 2), b = text.substr(text.size() / 2);
    const size_t there = edit_distance(a, b, 5), back = edit_distance(b, a, 5);

    require(there == back && there <= 6 && (there == 0) == (a == b));
}

void yaml_string(std::string_view text)
{
    std::string out;

    append_yaml_string(out, text);
    require(!out.empty() && out.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 1)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 6) {
        case 0:
            name(text);
            break;
        case 1:
            component(text);
            break;
        case 2:
            pattern(text);
            break;
        case 3:
            number(text);
            break;
        case 4:
            distance(text);
            break;
        default:
            yaml_string(text);
            break;
    }
    return 0;
}
