// SPDX-License-Identifier: GPL-2.0
#include "pattern.hpp"

#include <cerrno>

#include <uapi/lustre_lite/params_ioctl.h>

namespace ll {
namespace {

constexpr size_t max_alternatives = 1024;  // that braces may multiply to
constexpr size_t max_tokens = 64 * 1024;   // of all alternatives together

// Where the top-level commas between text[first] and text[last] cut it.
std::vector<std::string_view> split_braces(std::string_view inside)
{
    std::vector<std::string_view> parts;
    size_t begin = 0, i = 0;

    while (i < inside.size()) {
        size_t end = std::string_view::npos;
        if (inside[i] == '\\')
            end = i + 2;
        else if (inside[i] == '[')
            end = Pattern::set_end(inside, i);
        else if (inside[i] == '{')
            end = Pattern::brace_end(inside, i);
        else if (inside[i] == ',') {
            parts.push_back(inside.substr(begin, i - begin));
            begin = i + 1;
        }
        i = end == std::string_view::npos ? i + 1 : end;
    }
    parts.push_back(inside.substr(begin));
    return parts;
}

// First '{' from `from` on that opens alternatives; "{}" is itself.
size_t find_brace(std::string_view text, size_t from)
{
    for (size_t i = from; i < text.size();) {
        size_t end = std::string_view::npos;
        if (text[i] == '\\')
            end = i + 2;
        else if (text[i] == '[')
            end = Pattern::set_end(text, i);
        else if (text[i] == '{') {
            end = Pattern::brace_end(text, i);
            if (end != std::string_view::npos && end > i + 2)
                return i;
        }
        i = end == std::string_view::npos ? i + 1 : end;
    }
    return std::string_view::npos;
}

// One member off the front of a set, which is not empty.
uint8_t take_member(std::string_view& inside)
{
    if (inside[0] == '\\' && inside.size() > 1)
        inside.remove_prefix(1);
    const auto byte = uint8_t(inside[0]);
    inside.remove_prefix(1);
    return byte;
}

}  // namespace

size_t Pattern::set_end(std::string_view text, size_t at)
{
    size_t i = at + 1;

    if (i < text.size() && (text[i] == '!' || text[i] == '^'))
        i++;
    if (i < text.size() && text[i] == ']')
        i++;
    for (; i < text.size(); i++) {
        if (text[i] == ']')
            return i + 1;
        if (text[i] == '/')
            break;
        if (text[i] == '\\')
            i++;
    }
    return std::string_view::npos;
}

size_t Pattern::brace_end(std::string_view text, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i < text.size(); i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '[') {
            const size_t end = set_end(text, i);
            if (end != std::string_view::npos)
                i = end - 1;
        } else if (text[i] == '{') {
            depth++;
        } else if (text[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

bool Pattern::has_glob(std::string_view text)
{
    for (size_t i = 0; i < text.size(); i++) {
        switch (text[i]) {
            case '\\':
                i++;
                break;
            case '*':
            case '?':
                return true;
            case '[':
                if (set_end(text, i) != std::string_view::npos)
                    return true;
                break;
            case '{':
                if (find_brace(text, i) == i)
                    return true;
                break;
            default:
                break;
        }
    }
    return false;
}

// What stands between '[' and ']'. A '-' makes a range between two members, and
// stands for itself first, last and behind a range.
void Pattern::add_set(std::string_view inside)
{
    const bool negated = inside.starts_with('!') || inside.starts_with('^');
    std::bitset<256> set;

    inside.remove_prefix(negated);
    while (!inside.empty()) {
        const uint8_t low = take_member(inside);
        uint8_t high = low;
        if (inside.size() > 1 && inside[0] == '-') {
            inside.remove_prefix(1);
            high = take_member(inside);
        }
        for (unsigned int byte = low; byte <= high; byte++)
            set.set(byte);
    }
    sets_.push_back(negated ? ~set : set);
}

// The token at text[i]. Returns where the next one is.
size_t Pattern::add_token(Tokens& tokens, std::string_view text, size_t i)
{
    const size_t end = text[i] == '[' ? set_end(text, i) : std::string_view::npos;

    if (text[i] == '*') {
        if (tokens.empty() || tokens.back().kind != Token::Star)
            tokens.push_back({Token::Star, 0, 0});
    } else if (text[i] == '?') {
        tokens.push_back({Token::Any, 0, 0});
    } else if (end != std::string_view::npos) {
        tokens.push_back({Token::Set, 0, uint16_t(sets_.size())});
        add_set(text.substr(i + 1, end - i - 2));
        return end;
    } else {
        i += text[i] == '\\' && i + 1 < text.size();
        tokens.push_back({Token::Byte, uint8_t(text[i]), 0});
    }
    return i + 1;
}

Status Pattern::add_alternative(std::string_view text)
{
    Tokens tokens;

    for (size_t i = 0; i < text.size();)
        i = add_token(tokens, text, i);
    tokens_ += tokens.size();
    alternatives_.push_back(std::move(tokens));
    if (alternatives_.size() > max_alternatives || tokens_ > max_tokens)
        return fail(E2BIG,
                    "braces make more than " + std::to_string(max_alternatives) + " alternatives");
    return {};
}

// Every choice of the braces in `text`, of which those before `from` are done.
Status Pattern::add_alternatives(const std::string& text, size_t from)
{
    const size_t at = find_brace(text, from);

    if (at == std::string::npos)
        return add_alternative(text);
    const size_t end = brace_end(text, at);
    const std::string_view all = text;
    for (auto part : split_braces(all.substr(at + 1, end - at - 2))) {
        std::string one(all.substr(0, at));
        one.append(part).append(all.substr(end));
        if (auto done = add_alternatives(one, at); !done)
            return done;
    }
    return {};
}

Result<Pattern> Pattern::parse(std::string_view text)
{
    Pattern pattern;

    if (text.size() > PARAMS_PATH_MAX)
        return fail(ENAMETOOLONG,
                    "a pattern is longer than " + std::to_string(PARAMS_PATH_MAX) + " bytes");
    if (auto done = pattern.add_alternatives(std::string(text), 0); !done)
        return tl::unexpected(done.error());
    const auto& first = pattern.alternatives_.front();
    pattern.matches_all_ =
        pattern.alternatives_.size() == 1 && first.size() == 1 && first[0].kind == Token::Star;
    return pattern;
}

bool Pattern::token_matches(const Token& token, uint8_t byte) const
{
    switch (token.kind) {
        case Token::Byte:
            return token.byte == byte;
        case Token::Any:
            return true;
        case Token::Set:
            return sets_[token.set].test(byte);
        case Token::Star:
            break;
    }
    return false;
}

// On a mismatch only the last star takes one byte more: what an earlier one
// could take, the later one can too.
bool Pattern::run(const Tokens& tokens, std::string_view name) const
{
    size_t t = 0, n = 0, star = tokens.size(), star_n = 0;

    while (n < name.size()) {
        if (t < tokens.size() && tokens[t].kind == Token::Star) {
            star = t++;
            star_n = n;
        } else if (t < tokens.size() && token_matches(tokens[t], uint8_t(name[n]))) {
            t++;
            n++;
        } else if (star < tokens.size()) {
            t = star + 1;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (t < tokens.size() && tokens[t].kind == Token::Star)
        t++;
    return t == tokens.size();
}

bool Pattern::matches(std::string_view name) const
{
    if (matches_all_)
        return true;
    for (const auto& tokens : alternatives_)
        if (run(tokens, name))
            return true;
    return false;
}

}  // namespace ll
