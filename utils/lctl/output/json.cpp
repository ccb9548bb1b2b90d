// SPDX-License-Identifier: GPL-2.0
/*
 * JSON: an array with an object on each line, or an object on each line alone.
 */
#include <string>

#include "lctl/output/output.hpp"
#include "lib/pathspec.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

/* A number in the words of the kernel is a number in JSON too. */
bool is_number(const ll::Description& description, std::string_view text)
{
    const std::string_view type = description.type;

    if (type != "u32" && type != "u64" && type != "s32" && type != "s64")
        return false;
    if (text.starts_with('-'))
        text.remove_prefix(1);
    if (text.empty() || (text.size() > 1 && text.front() == '0'))
        return false;
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/* One object, open from construction to close(). */
class Object {
public:
    explicit Object(std::string& out) : out_(out) { out_.push_back('{'); }

    void key(std::string_view name)
    {
        out_.append(first_ ? "\"" : ", \"").append(name).append("\": ");
        first_ = false;
    }

    void text(std::string_view name, std::string_view value)
    {
        key(name);
        ll::append_json_string(out_, value);
    }

    void number(std::string_view name, std::uint64_t value)
    {
        key(name);
        out_.append(std::to_string(value));
    }

    void literal(std::string_view name, std::string_view value)
    {
        key(name);
        out_.append(value);
    }

    void strings(std::string_view name, const std::vector<std::string>& values)
    {
        key(name);
        out_.push_back('[');
        for (const std::string& value : values) {
            if (&value != &values.front())
                out_.append(", ");
            ll::append_json_string(out_, value);
        }
        out_.push_back(']');
    }

    void error(const Failure& failure)
    {
        key("error");

        Object error(out_);

        error.number("errno", static_cast<std::uint64_t>(failure.code));
        error.text("message", failure.message);
        error.close();
    }

    void close() { out_.push_back('}'); }

private:
    std::string& out_;
    bool first_ = true;
};

class JsonOutput final : public Output {
public:
    JsonOutput(const Style& style, Writer& writer) : style_(style), writer_(writer) {}

    void entry(const ll::EntryView& entry) override
    {
        Object object = begin();

        object.text("name", entry.display);
        object.text("type", ll::type_name(entry.type));
        object.text("mode", mode_text(entry.mode));
        if (entry.is_link())
            object.literal("link", "true");
        object.number("version", entry.version);
        if (style_.values && entry.has_value) {
            object.key("value");
            ll::append_json(writer_.text(), entry.value, entry.type);
        }
        finish(object);
    }

    void description(const std::vector<std::string_view>& names,
                     const ll::Description& description) override
    {
        for (const std::string_view name : names)
            describe(name, description);
    }

    void setting(const Setting& setting) override
    {
        Object object = begin();

        object.text("name", setting.name);
        object.text("value", setting.value);
        object.number("version", setting.version);
        if (setting.dry_run)
            object.literal("dry_run", "true");
        finish(object);
    }

    void failure(const Failure& failure) override
    {
        Object object = begin();

        object.text("name", failure.name);
        object.error(failure);
        finish(object);
    }

    void happening(const Happening& happening) override
    {
        Object object = begin();

        object.text("event", happening.what);
        if (!happening.name.empty()) {
            object.text("name", happening.name);
            object.number("version", happening.version);
        } else {
            object.number("count", happening.lost);
        }
        if (happening.value != nullptr) {
            object.key("value");
            ll::append_json(writer_.text(), happening.value->view(), happening.value->type);
        }
        finish(object);
        writer_.flush();
    }

    void end() override
    {
        if (!style_.lines)
            writer_.put(first_ ? "[]\n" : "\n]\n");
    }

private:
    Object begin()
    {
        if (!style_.lines)
            writer_.text().append(first_ ? "[\n" : ",\n");
        first_ = false;
        return Object(writer_.text());
    }

    void finish(Object& object)
    {
        object.close();
        if (style_.lines)
            writer_.text().push_back('\n');
        writer_.spill();
    }

    void describe(std::string_view name, const ll::Description& description)
    {
        Object object = begin();

        object.text("name", name);
        object.text("type", description.type);
        object.text("mode", mode_text(static_cast<unsigned int>(description.mode)));
        optional(object, "unit", description.unit);
        limit(object, "min", description, description.min);
        limit(object, "max", description, description.max);
        limit(object, "default", description, description.def);
        optional(object, "source", description.source);
        if (!description.values.empty())
            object.strings("values", description.values);
        if (!description.flags.empty())
            object.strings("flags", description.flags);
        optional(object, "target", ll::display_path(description.target));
        optional(object, "doc", description.doc);
        finish(object);
    }

    static void optional(Object& object, std::string_view key, const std::string& text)
    {
        if (!text.empty())
            object.text(key, text);
    }

    static void limit(Object& object, std::string_view key, const ll::Description& description,
                      const std::string& text)
    {
        if (is_number(description, text))
            object.literal(key, text);
        else
            optional(object, key, text);
    }

    Style style_;
    Writer& writer_;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<Output> make_json_output(const Style& style, Writer& writer)
{
    return std::make_unique<JsonOutput>(style, writer);
}

}  // namespace lctl
