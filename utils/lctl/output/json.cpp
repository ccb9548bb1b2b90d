// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON: an array with an object on each line, or an object on each line alone.
 */
#include <string>

#include "lctl/output/output.hpp"
#include "lctl/output/printer.hpp"
#include "lib/json_object.hpp"
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

/* Added where there is one; a limit of a number is a number. */
void add(Json& members, const char* name, const std::string& text, bool number = false)
{
    if (number)
        members[name] = exact_number(text);
    else if (!text.empty())
        members[name] = text;
}

class JsonOutput final : public Output {
public:
    JsonOutput(const Style& style, Printer& printer) : style_(style), printer_(printer) {}

    /* As it is read: there are tens of thousands. */
    void entry(const ll::EntryView& entry) override
    {
        std::string& out = printer_.begin();
        ll::JsonObject object(out);

        object.text("name", entry.display);
        object.text("type", ll::type_name(entry.type));
        object.text("mode", mode_text(entry.mode));
        if (entry.is_link())
            object.boolean("link", true);
        object.number("version", entry.version);
        if (style_.values && entry.has_value) {
            object.key("value");
            ll::append_json(out, entry.value, entry.type);
        }
        object.close();
        printer_.finish();
    }

    void description(const std::vector<std::string_view>& names,
                     const ll::Description& description) override
    {
        for (const std::string_view name : names)
            describe(name, description);
    }

    void setting(const Setting& setting) override
    {
        Json members = {
            {"name", setting.name}, {"value", setting.value}, {"version", setting.version}};

        if (setting.dry_run)
            members["dry_run"] = true;
        printer_.item(members);
    }

    void failure(const Failure& failure) override
    {
        printer_.item({{"name", failure.name},
                       {"error", Json{{"errno", failure.code}, {"message", failure.message}}}});
    }

    void happening(const Happening& happening) override
    {
        std::string& out = printer_.begin();
        ll::JsonObject object(out);

        object.text("event", happening.what);
        if (!happening.name.empty()) {
            object.text("name", happening.name);
            object.number("version", happening.version);
        } else {
            object.number("count", happening.lost);
        }
        if (happening.value != nullptr) {
            object.key("value");
            ll::append_json(out, happening.value->view(), happening.value->type);
        }
        object.close();
        printer_.finish();
    }

    void end() override {}

private:
    void describe(std::string_view name, const ll::Description& about)
    {
        Json members = {{"name", name},
                        {"type", about.type},
                        {"mode", mode_text(static_cast<unsigned int>(about.mode))}};

        add(members, "unit", about.unit);
        add(members, "min", about.min, is_number(about, about.min));
        add(members, "max", about.max, is_number(about, about.max));
        add(members, "default", about.def, is_number(about, about.def));
        add(members, "source", about.source);
        if (!about.values.empty())
            members["values"] = about.values;
        if (!about.flags.empty())
            members["flags"] = about.flags;
        add(members, "target", ll::display_path(about.target));
        add(members, "doc", about.doc);
        printer_.item(members);
    }

    Style style_;
    Printer& printer_;
};

}  // namespace

std::unique_ptr<Output> make_json_output(const Style& style, Printer& printer)
{
    return std::make_unique<JsonOutput>(style, printer);
}

}  // namespace lctl
