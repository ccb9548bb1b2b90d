// SPDX-License-Identifier: GPL-2.0-only
/*
 * getstripe: layouts of files and defaults of directories, in the text of real Lustre.
 */
#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "lfs/layout.hpp"
#include "lfs/lfs.hpp"
#include "ll_decode/text.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'c', .name = "stripe-count", .help = "print the number of stripes only"},
    {.letter = 'S', .name = "stripe-size", .help = "print the bytes of a stripe only"},
    {.letter = 'i', .name = "stripe-index", .help = "print the index of the first OST only"},
    {.letter = 'p', .name = "pool", .help = "print the pool only"},
    {.letter = 'L', .name = "layout", .help = "print the pattern only"},
    {.letter = 'g', .name = "generation", .help = "print the generation of the layout only"},
    {.letter = 'F', .name = "fid", .help = "print the FID in the layout only"},
    {.letter = 'd',
     .name = "directory",
     .help = "print the default of directories, not their files"},
    {.letter = 'r', .name = "recursive", .help = "print all files below directories"},
    {.letter = 'R', .name = "raw", .help = "print defaults of directories as they are stored"},
    {.letter = 'v', .name = "verbose", .help = "print magic numbers, FIDs, sizes and places, too"},
};

/* Options that choose a member of a layout. */
struct Choice {
    const char* option;
    const char* key;
};

constexpr Choice kChoices[] = {
    {"stripe-count", "stripe_count"},
    {"stripe-size", "stripe_size"},
    {"layout", "pattern"},
    {"generation", "layout_gen"},
    {"stripe-index", "stripe_offset"},
    {"pool", "pool"},
    {"fid", "fid"},
};

std::vector<const char*> chosen_keys(const Arguments& arguments)
{
    std::vector<const char*> keys;

    for (const Choice& choice : kChoices)
        if (arguments.has(choice.option))
            keys.push_back(choice.key);
    return keys;
}

/* The part of a layout that single values are of: the last component with objects. */
const Json& plain_part(const Json& layout)
{
    const Json* part = &layout;

    if (!layout.contains("components"))
        return layout;
    for (const Json& component : layout.at("components"))
        if (part == &layout || component.at("layout").contains("objects"))
            part = &component.at("layout");
    return *part;
}

/* A file, or the default of a directory; programs for other file systems have their own layouts. */
void append_yaml(std::string& out, const Json& layout)
{
    if (layout.contains("components"))
        return ll_decode::append_components(out, layout);

    Json fields = layout;

    /* A default has none. */
    if (layout.contains("default"))
        fields.erase("layout_gen");
    ll_decode::append_fields(out, fields, "");
    if (!layout.contains("objects"))
        return;
    out.append("lmm_objects:\n");
    for (const Json& object : layout.at("objects"))
        out.append(fmt::format("      - l_ost_idx: {}\n        l_fid:     {}\n",
                               object.at("ost").get<unsigned int>(),
                               object.at("fid").get<std::string>()));
}

/* Not a layout for other programs. */
bool is_ours(const Json& layout)
{
    return layout.contains("components") || layout.contains("stripe_count");
}

class Getter {
public:
    Getter(Context& context, const Arguments& arguments)
        : context_(context),
          keys_(chosen_keys(arguments)),
          yaml_(arguments.format == lctl::Format::Yaml),
          only_(arguments.has("directory")),
          recursive_(arguments.has("recursive")),
          raw_(arguments.has("raw")),
          verbose_(arguments.has("verbose"))
    {
    }

    void operand(const std::string& path)
    {
        const auto found = context_.files.status(path, true);

        if (!found) {
            context_.error(path, found.error());
            return;
        }
        if (found->kind != Kind::Directory) {
            print(path, found->kind);
            return;
        }
        if (print(path, Kind::Directory) && !only_)
            walk(path);
    }

private:
    void walk(const std::string& directory)
    {
        const auto entries = context_.files.entries(directory);

        if (!entries) {
            context_.error(directory, entries.error());
            return;
        }
        for (const Entry& entry : *entries) {
            const std::string path = join(directory, entry.name);

            if (entry.kind == Kind::File)
                print(path, Kind::File);
            else if (entry.kind == Kind::Directory && print(path, Kind::Directory) && recursive_)
                walk(path);
        }
    }

    /* Return: whether it is on Lustre, and its layout could be read. */
    bool print(const std::string& path, Kind kind)
    {
        const bool directory = kind == Kind::Directory;
        auto layout = directory && !raw_ ? read_default(context_.files, path)
                                         : read_layout(context_.files, path, directory);

        if (!layout) {
            if (layout.error().code == EOPNOTSUPP)
                context_.error(fmt::format("'{}' not on a Lustre fs?", path), ENOTTY);
            else
                context_.error(path, layout.error());
            return false;
        }
        if (context_.is_json())
            put_json(path, *layout);
        else if (*layout)
            put_text(path, **layout, directory);
        else
            context_.warn(fmt::format("'{}' has no stripe info", path));
        context_.out.spill();
        return true;
    }

    void put_json(const std::string& path, const std::optional<Json>& layout)
    {
        Json item = {{"file", path}};

        if (layout)
            item.update(*layout);
        context_.printer().item(item);
    }

    void put_text(const std::string& path, const Json& layout, bool directory)
    {
        std::string& out = context_.out.text();
        const bool plain = layout.contains("stripe_count") && !directory;
        const bool composite = layout.contains("components");

        if (!keys_.empty())
            return put_chosen(plain_part(layout));
        if (yaml_ && is_ours(layout))
            return append_yaml(out, layout);
        out.append(path).append("\n");
        if (verbose_ && plain)
            ll_decode::append_identity(out, layout, "");
        if (verbose_ && composite)
            ll_decode::append_components(out, layout);
        else
            ll_decode::append_layout(out, layout);
        out.append(composite ? "" : "\n");
    }

    /* A single value is printed alone, several with their names. */
    void put_chosen(const Json& layout)
    {
        std::string& out = context_.out.text();
        Json part = Json::object();

        for (const char* const key : keys_)
            if (layout.contains(key))
                part[key] = layout.at(key);
        if (keys_.size() > 1)
            return ll_decode::append_fields(out, part, "");
        out.append(part.empty() ? "" : ll_decode::member_text(part, keys_.front())).append("\n");
    }

    Context& context_;
    std::vector<const char*> keys_;
    bool yaml_;
    bool only_;
    bool recursive_;
    bool raw_;
    bool verbose_;
};

void run_getstripe(Context& context, const Arguments& arguments)
{
    Getter getter(context, arguments);

    for (const std::string_view path : arguments.operands)
        getter.operand(std::string(path));
}

}  // namespace

const Command getstripe_command = {
    .spec = {.name = "getstripe",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "print layouts of files, and defaults of directories",
             .help =
                 "Of a directory the files in it are printed, too. Defaults that a directory does "
                 "not set\n"
                 "are those of the file system.\n",
             .options = kOptions,
             .prints = lctl::Prints::Array},
    .run = run_getstripe,
};

}  // namespace lfs
