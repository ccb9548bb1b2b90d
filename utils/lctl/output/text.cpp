// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text as real Lustre prints it.
 */
#include <algorithm>
#include <charconv>
#include <cstring>

#include "lctl/output/output.hpp"
#include "lib/pathspec.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

constexpr std::string_view kPlain = "\033[0m";

/* As ls colours what it lists. */
std::string_view color_of(const ll::EntryView& entry)
{
    if (entry.is_dir())
        return "\033[1;34m";
    if (entry.is_link())
        return "\033[36m";
    return entry.writable() ? "\033[32m" : std::string_view();
}

char mark_of(const ll::EntryView& entry)
{
    if (entry.is_dir())
        return '/';
    if (entry.is_link())
        return '@';
    return entry.writable() ? '=' : '\0';
}

void append_number(std::string& out, std::uint64_t number)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;

    out.append(digits, end);
}

/* A value on one line: what would break the line is written as in C, and what is
 * long is cut. */
void append_one_line(std::string& out, std::string_view text)
{
    constexpr std::size_t kMost = 256;

    for (const char c : text.substr(0, kMost)) {
        if (c == '\n')
            out.append("\\n");
        else if (c == '\\')
            out.append("\\\\");
        else
            out.push_back(c);
    }
    if (text.size() > kMost)
        out.append("...");
}

/* A number has no newline, which need not be looked for. */
bool may_have_lines(std::uint8_t type)
{
    switch (type) {
        case PARAMS_T_U32:
        case PARAMS_T_U64:
        case PARAMS_T_S32:
        case PARAMS_T_S64:
        case PARAMS_T_BOOL:
            return false;
        default:
            return true;
    }
}

std::string range_text(const ll::Description& description)
{
    if (description.min.empty() && description.max.empty())
        return {};
    return description.min + ".." + description.max;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;

    for (const std::string& word : words)
        text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

std::string access_text(std::uint64_t mode)
{
    std::string text;

    if ((mode & 0444) != 0)
        text.push_back('r');
    if ((mode & 0222) != 0)
        text.push_back('w');
    return text;
}

class TextOutput final : public Output {
public:
    TextOutput(const Style& style, Writer& writer)
        : style_(style),
          plain_names_(!style.paths && !style.color && !style.classify),
          writer_(writer)
    {
    }

    void entry(const ll::EntryView& entry) override
    {
        std::string& out = writer_.text();

        if (!style_.values)
            name(out, entry);
        else if (!entry.has_value)
            return;
        else if (style_.header)
            lines(out, entry);
        else
            value(out, entry);
        out.push_back(style_.null ? '\0' : '\n');
        writer_.spill();
    }

    void description(const std::vector<std::string_view>& names,
                     const ll::Description& description) override
    {
        if (style_.brief)
            brief(names.front(), description);
        else
            block(names, description);
        writer_.spill();
    }

    void setting(const Setting& setting) override
    {
        if (!style_.names)
            return;

        std::string& out = writer_.text();

        out.append(setting.dry_run ? "would set " : "");
        out.append(setting.name).append("=").append(setting.value);
        out.push_back(style_.null ? '\0' : '\n');
        writer_.spill();
    }

    void failure(const Failure& /*failure*/) override {}

    void happening(const Happening& happening) override
    {
        std::string& out = writer_.text();

        out.append(happening.what);
        if (happening.lost != 0) {
            out.push_back(' ');
            append_number(out, happening.lost);
        }
        if (!happening.name.empty()) {
            out.append(" ").append(happening.name).append(" ");
            append_number(out, happening.version);
        }
        if (happening.value != nullptr) {
            std::string text;

            ll::append_text(text, happening.value->view(), happening.value->type);
            out.push_back(' ');
            append_one_line(out, text);
        }
        out.push_back(style_.null ? '\0' : '\n');
        writer_.flush();
    }

    void end() override {}

private:
    void name(std::string& out, const ll::EntryView& entry) const
    {
        if (plain_names_)
            out.append(entry.display);
        else
            decorated_name(out, entry);
    }

    void decorated_name(std::string& out, const ll::EntryView& entry) const
    {
        const std::string_view color = style_.color ? color_of(entry) : std::string_view();

        out.append(color).append(style_.paths ? entry.path : entry.display);
        if (!color.empty())
            out.append(kPlain);
        if (!style_.classify)
            return;
        if (const char mark = mark_of(entry); mark != '\0')
            out.push_back(mark);
    }

    /* A value with a newline in it begins on a line of its own. */
    void value(std::string& out, const ll::EntryView& entry) const
    {
        if (!style_.names) {
            append_value(out, entry);
            return;
        }
        name(out, entry);
        if (out.back() != '=' || !style_.classify)
            out.push_back('=');

        const std::size_t start = out.size();

        append_value(out, entry);
        if (may_have_lines(entry.type) && !style_.null &&
            out.find('\n', start) != std::string::npos)
            out.insert(start, 1, '\n');
    }

    /* "name=" before every line of a value. */
    void lines(std::string& out, const ll::EntryView& entry) const
    {
        std::string text;

        append_value(text, entry);
        for (std::size_t at = 0;;) {
            const std::size_t end = std::min(text.find('\n', at), text.size());

            name(out, entry);
            out.append("=").append(text, at, end - at);
            if (end == text.size())
                return;
            out.push_back('\n');
            at = end + 1;
        }
    }

    void brief(std::string_view name, const ll::Description& description)
    {
        std::string& out = writer_.text();

        out.append(name).append(" ").append(description.type).append(" ");
        out.append(access_text(description.mode));
        word(out, "", description.unit);
        word(out, "", range_text(description));
        word(out, "default ", description.def);
        word(out, "source ", description.source);
        word(out, "one of ", description.type == "mask" ? "" : joined(description.values));
        word(out, "of ", description.type == "mask" ? joined(description.values) : "");
        word(out, "-> ", ll::display_path(description.target));
        word(out, "", joined(description.flags));
        word(out, "- ", description.doc);
        out.push_back(style_.null ? '\0' : '\n');
    }

    static void word(std::string& out, std::string_view label, const std::string& text)
    {
        if (!text.empty())
            out.append(" ").append(label).append(text);
    }

    void block(const std::vector<std::string_view>& names, const ll::Description& description)
    {
        std::string& out = writer_.text();

        for (const std::string_view name : names)
            out.append(name).push_back('\n');
        row(out, "type", description.type);
        row(out, "access", access_text(description.mode));
        row(out, "unit", description.unit);
        row(out, "range", range_text(description));
        row(out, "default", description.def);
        row(out, "values", joined(description.values));
        row(out, "link to", ll::display_path(description.target));
        row(out, "flags", joined(description.flags));
        row(out, "about", description.doc);
        if (style_.null)
            out.push_back('\0');
    }

    static void row(std::string& out, std::string_view label, const std::string& text)
    {
        if (text.empty())
            return;
        out.append("    ").append(label).append(10 - label.size(), ' ');
        out.append(text).push_back('\n');
    }

    Style style_;
    bool plain_names_;  // as they are typed, without anything around them
    Writer& writer_;
};

}  // namespace

void append_value(std::string& out, const ll::EntryView& entry)
{
    const std::size_t start = out.size();

    ll::append_text(out, entry.value, entry.type);
    if (out.size() > start && out.back() == '\n')
        out.pop_back();
}

std::unique_ptr<Output> make_text_output(const Style& style, Writer& writer)
{
    return std::make_unique<TextOutput>(style, writer);
}

}  // namespace lctl
