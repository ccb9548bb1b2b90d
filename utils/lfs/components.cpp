// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/components.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include <lustre_lite/lov_ea.h>

#include "lfs/layout_options.hpp"
#include "lib/number.hpp"

namespace lfs {

namespace {

/* The components that --component-del is about: those of its id, or its flags. */
using Choice = lov_comp_entry;

ll::Status take(const lctl::Given& given, Choice& choice)
{
    const std::string_view text = given.argument.value_or("");

    if (given.is("component-id")) {
        const auto id = ll::parse_number(text, UINT32_MAX);

        if (!id || *id == 0)
            return ll::fail(EINVAL, fmt::format("invalid component id '{}'", text));
        choice.id = static_cast<std::uint32_t>(*id);
    } else if (given.is("component-flags")) {
        if (text != "init" && text != "^init")
            return ll::fail(EINVAL, fmt::format("invalid component flags '{}': components are "
                                                "chosen by init or ^init",
                                                text));
        choice.flags = LCME_FL_INIT | (text.starts_with('^') ? LCME_FL_NEG : 0);
    } else if (!given.is("component-del")) {
        return ll::fail(EINVAL, fmt::format("--component-del excludes --{}", given.option->name));
    }
    return {};
}

ll::Result<Choice> choice_of(const Arguments& arguments)
{
    Choice choice = {};

    for (const lctl::Given& given : arguments.options)
        if (const auto taken = take(given, choice); !taken)
            return tl::unexpected(taken.error());
    if ((choice.id != 0) == (choice.flags != 0))
        return ll::fail(EINVAL, "--component-del needs either --component-id or --component-flags");
    return choice;
}

ll::Status check_add(const Arguments& arguments)
{
    constexpr std::array kOthers = {"component-id", "component-flags", "delete"};

    for (const char* const other : kOthers)
        if (arguments.has(other))
            return ll::fail(EINVAL, fmt::format("--component-add excludes --{}", other));
    if (!arguments.has("component-end"))
        return ll::fail(EINVAL, "--component-add needs --component-end");
    return {};
}

ll::Status check_delete(const lov_comp& comp, const Choice& choice)
{
    std::uint32_t id = 0;

    switch (lov_comp_del(&comp, &choice, &id)) {
        case LOV_DEL_OK:
            break;
        case LOV_DEL_MISSING:
            return ll::fail(EINVAL, "it has no such component");
        case LOV_DEL_NOT_LAST:
            return ll::fail(EINVAL, fmt::format("component {} is not the last one", id));
        case LOV_DEL_OBJECTS:
            return ll::fail(EINVAL,
                            fmt::format("component {} has objects with data of the file", id));
        case LOV_DEL_ALL:
            return ll::fail(EINVAL, "no component would be left");
    }
    return {};
}

class Editor {
public:
    Editor(Files& files, const std::string& path) : files_(files), path_(path) {}

    ll::Status add(const Components& components)
    {
        if (auto known = read(); !known)
            return known;

        const std::uint64_t end = lov_comp_get(&comp_, comp_.entry_count - 1).end;

        if (end == kEndOfFile)
            return ll::fail(EINVAL, "its last component ends with the file");
        if (auto fits = check_components(components, end); !fits)
            return fits;
        if (auto fits = check_targets(files_, mount_, components); !fits)
            return fits;

        const auto done = files_.add_components(path_, encode_components(components, end));

        if (!done)
            return ll::fail(done.error().code,
                            refusal_of(done.error(), components, SpaceFor::Layout));
        return {};
    }

    ll::Status remove(const Choice& choice)
    {
        if (auto known = read(); !known)
            return known;
        if (auto fits = check_delete(comp_, choice); !fits)
            return fits;
        return files_.delete_components(path_, encode_choice(choice.id, choice.flags));
    }

    /** Since the last change of this editor was refused. */
    bool has_changed()
    {
        const std::string before = layout_;

        return read() && layout_ != before;
    }

private:
    ll::Status read()
    {
        const auto found = files_.status(path_, true);

        if (!found)
            return tl::unexpected(found.error());
        if (found->kind != Kind::File)
            return ll::fail(EINVAL, "not a file");

        const auto mount = files_.mount_of(path_, true);

        if (!mount)
            return tl::unexpected(mount.error());
        mount_ = *mount;

        auto layout = files_.layout(path_);

        if (!layout)
            return tl::unexpected(layout.error());
        layout_ = layout->value_or("");
        if (lov_ea_magic(layout_.data(), layout_.size()) != LOV_MAGIC_COMP_V1)
            return ll::fail(EINVAL, "its layout has no components; migrate -E gives it some");
        if (const char* const fault = lov_comp_decode(layout_.data(), layout_.size(), &comp_))
            return ll::fail(EUCLEAN, fmt::format("malformed layout: {}", fault));
        return {};
    }

    Files& files_;
    const std::string& path_;
    std::string mount_;
    std::string layout_;
    lov_comp comp_ = {};
};

/* @change: of the file of an Editor */
template <class Change>
void change_each(Context& context, const Arguments& arguments, Change change)
{
    for (const std::string_view operand : arguments.operands) {
        const std::string path(operand);
        Editor editor(context.files, path);
        ll::Status done = change(editor);

        // A refusal may be about what another user has made of the file meanwhile.
        while (!done && editor.has_changed())
            done = change(editor);
        if (!done)
            context.error(fmt::format("setstripe error for '{}': {}", path, done.error().text),
                          done.error().code);
    }
}

void add(Context& context, const Arguments& arguments)
{
    const auto fits = check_add(arguments);
    const auto components =
        fits ? components_of(arguments) : ll::Result<Components>(tl::unexpected(fits.error()));

    if (!components) {
        context.error(components.error().text, components.error().code);
        return;
    }
    change_each(context, arguments, [&](Editor& editor) { return editor.add(*components); });
}

void remove(Context& context, const Arguments& arguments)
{
    const auto choice = choice_of(arguments);

    if (!choice) {
        context.error(choice.error().text, choice.error().code);
        return;
    }
    change_each(context, arguments, [&](Editor& editor) { return editor.remove(*choice); });
}

}  // namespace

bool changes_components(const Arguments& arguments)
{
    constexpr std::array kTheirs = {"component-add", "component-del", "component-id",
                                    "component-flags"};

    return std::ranges::any_of(kTheirs, [&](const char* option) { return arguments.has(option); });
}

void change_components(Context& context, const Arguments& arguments)
{
    const bool adds = arguments.has("component-add");

    if (adds && arguments.has("component-del"))
        context.error("--component-add and --component-del exclude each other", EINVAL);
    else if (adds)
        add(context, arguments);
    else if (arguments.has("component-del"))
        remove(context, arguments);
    else
        context.error("--component-id and --component-flags are of --component-del", EINVAL);
}

}  // namespace lfs
