// SPDX-License-Identifier: GPL-2.0-only
/*
 * YAML: values as a map from name to value, everything else as a sequence of
 * maps. What failed is a comment.
 */
#include <string>

#include "lctl/output/output.hpp"
#include "lctl/output/printer.hpp"
#include "lib/pathspec.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

/* Members of one item of a sequence. */
class Item {
public:
    explicit Item(std::string& out) : out_(out) {}

    void key(std::string_view name)
    {
        out_.append(first_ ? "- " : "  ").append(name).append(":");
        first_ = false;
    }

    void text(std::string_view name, std::string_view value)
    {
        key(name);
        out_.push_back(' ');
        ll::append_yaml_string(out_, value);
        out_.push_back('\n');
    }

    void optional(std::string_view name, std::string_view value)
    {
        if (!value.empty())
            text(name, value);
    }

    void plain(std::string_view name, std::string_view value)
    {
        key(name);
        out_.append(" ").append(value).push_back('\n');
    }

    void strings(std::string_view name, const std::vector<std::string>& values)
    {
        if (values.empty())
            return;
        key(name);
        out_.push_back('\n');
        for (const std::string& value : values) {
            out_.append("  - ");
            ll::append_yaml_string(out_, value);
            out_.push_back('\n');
        }
    }

private:
    std::string& out_;
    bool first_ = true;
};

class YamlOutput final : public Output {
public:
    YamlOutput(const Style& style, Writer& writer) : style_(style), writer_(writer) {}

    void entry(const ll::EntryView& entry) override
    {
        if (!style_.values)
            name(entry);
        else if (entry.has_value)
            value(entry);
    }

    void description(const std::vector<std::string_view>& names,
                     const ll::Description& description) override
    {
        for (const std::string_view name : names)
            describe(name, description);
    }

    void setting(const Setting& setting) override
    {
        std::string& out = writer_.text();

        any_ = true;
        ll::append_yaml_string(out, setting.name);
        out.append(": ");
        ll::append_yaml_string(out, setting.value);
        out.push_back('\n');
        writer_.spill();
    }

    void failure(const Failure& failure) override
    {
        std::string text(failure.name);

        append_yaml_comment(writer_.text(), text.append(": ").append(failure.message));
        writer_.spill();
    }

    void happening(const Happening& happening) override
    {
        Item item(writer_.text());

        any_ = true;
        item.text("event", happening.what);
        if (!happening.name.empty()) {
            item.text("name", happening.name);
            item.plain("version", std::to_string(happening.version));
        } else {
            item.plain("count", std::to_string(happening.lost));
        }
        if (happening.value != nullptr) {
            item.key("value");
            ll::append_yaml(writer_.text(), happening.value->view(), happening.value->type, 2);
        }
        writer_.flush();
    }

    void end() override
    {
        if (!any_ && !style_.lines)
            writer_.put(style_.values ? "{}\n" : "[]\n");
    }

private:
    void value(const ll::EntryView& entry)
    {
        std::string& out = writer_.text();

        any_ = true;
        ll::append_yaml_string(out, entry.display);
        out.push_back(':');
        ll::append_yaml(out, entry.value, entry.type, 0);
        writer_.spill();
    }

    void name(const ll::EntryView& entry)
    {
        Item item(writer_.text());

        any_ = true;
        item.text("name", entry.display);
        item.text("type", ll::type_name(entry.type));
        item.text("mode", mode_text(entry.mode));
        if (entry.is_link())
            item.plain("link", "true");
        item.plain("version", std::to_string(entry.version));
        writer_.spill();
    }

    void describe(std::string_view name, const ll::Description& description)
    {
        Item item(writer_.text());

        any_ = true;
        item.text("name", name);
        item.text("type", description.type);
        item.text("mode", mode_text(static_cast<unsigned int>(description.mode)));
        item.optional("unit", description.unit);
        item.optional("min", description.min);
        item.optional("max", description.max);
        item.optional("default", description.def);
        item.optional("source", description.source);
        item.strings("values", description.values);
        item.strings("flags", description.flags);
        item.optional("target", ll::display_path(description.target));
        item.optional("doc", description.doc);
        writer_.spill();
    }

    Style style_;
    Writer& writer_;
    bool any_ = false;
};

}  // namespace

std::unique_ptr<Output> make_yaml_output(const Style& style, Writer& writer)
{
    return std::make_unique<YamlOutput>(style, writer);
}

}  // namespace lctl
