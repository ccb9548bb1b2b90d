// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/output/fold.hpp"

#include <algorithm>

#include "lctl/output/output.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

namespace {

/* Within braces a comma ends an alternative. */
std::string alternative(std::string_view device)
{
    std::string shown;
    std::string text;

    ll::append_display(shown, "", device);
    for (const char c : shown) {
        if (c == ',' && (text.empty() || text.back() != '\\'))
            text.push_back('\\');
        text.push_back(c);
    }
    return text;
}

class FoldedOutput final : public Output {
public:
    FoldedOutput(const Style& style, Writer& writer)
        : style_(style), text_(make_text_output(style, writer)), writer_(writer)
    {
    }

    void entry(const ll::EntryView& entry) override
    {
        std::string content;

        if (style_.values && !entry.has_value)
            return;
        if (style_.values)
            append_value(content, entry);
        fold_.add(entry.path, std::move(content));
    }

    void description(const std::vector<std::string_view>& names,
                     const ll::Description& description) override
    {
        text_->description(names, description);
    }

    void setting(const Setting& setting) override { text_->setting(setting); }
    void failure(const Failure& failure) override { text_->failure(failure); }
    void happening(const Happening& happening) override { text_->happening(happening); }

    void end() override
    {
        for (const Fold::Group& group : fold_.groups())
            put(group);
    }

private:
    void put(const Fold::Group& group)
    {
        std::string& out = writer_.text();
        const bool many_lines = group.content.find('\n') != std::string::npos;

        if (style_.names)
            out.append(group.pattern());
        if (style_.names && style_.values)
            out.append(many_lines && !style_.null ? "=\n" : "=");
        out.append(group.content);
        out.push_back(style_.null ? '\0' : '\n');
        writer_.spill();
    }

    Style style_;
    std::unique_ptr<Output> text_;
    Writer& writer_;
    Fold fold_;
};

}  // namespace

std::string Fold::Group::pattern() const
{
    std::string text = ll::display_path(before);

    if (!text.empty())
        text.push_back('.');
    if (devices.size() == 1)
        return ll::display_path(before + "/" + devices.front() + "/" + last);
    for (const std::string& device : devices)
        text.append(&device == &devices.front() ? "{" : ",").append(alternative(device));
    if (!devices.empty())
        text.append("}.");
    ll::append_display(text, "", last);
    return text;
}

void Fold::add(std::string_view path, std::string content)
{
    const std::string_view parent = ll::raw_parent(path);
    const bool has_device = std::ranges::count(path, '/') >= 2;
    const std::string_view before = has_device ? ll::raw_parent(parent) : parent;
    const std::string_view last = ll::raw_name(path);
    std::string key;

    key.append(has_device ? "d" : "-").append(before).append("/").append(last);
    key.push_back('\0');
    key.append(content);

    const auto [place, fresh] = places_.try_emplace(std::move(key), groups_.size());

    if (fresh)
        groups_.push_back({std::string(before), std::string(last), std::move(content), {}});
    if (has_device)
        groups_[place->second].devices.emplace_back(ll::raw_name(parent));
}

std::unique_ptr<Output> make_folded_output(const Style& style, Writer& writer)
{
    return std::make_unique<FoldedOutput>(style, writer);
}

}  // namespace lctl
