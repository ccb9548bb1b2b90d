// SPDX-License-Identifier: GPL-2.0-only
#include "ll_decode/run.hpp"

#include <cerrno>
#include <string_view>

#include <sys/stat.h>
#include <sys/xattr.h>

#include <fmt/format.h>

#include "lctl/arguments.hpp"
#include "lctl/output/printer.hpp"
#include "ll_decode/decode.hpp"
#include "ll_decode/text.hpp"

#include <uapi/lustre_lite/lustre_ea.h>

namespace ll_decode {

ll::Result<bool> Files::is_directory(const std::string& path) const
{
    struct stat found = {};

    if (lstat(path.c_str(), &found) != 0)
        return tl::unexpected(ll::make_error(errno, path));
    return S_ISDIR(found.st_mode);
}

ll::Result<std::optional<std::string>> Files::attribute(const std::string& path,
                                                        const char* name) const
{
    /* The kernel's limit for an attribute. */
    std::string value(65536, '\0');
    const ssize_t len = lgetxattr(path.c_str(), name, value.data(), value.size());

    if (len < 0 && (errno == ENODATA || errno == EOPNOTSUPP))
        return std::optional<std::string>();
    if (len < 0)
        return tl::unexpected(ll::make_error(errno, fmt::format("{}: {}", path, name)));
    value.resize(static_cast<std::size_t>(len));
    return std::optional<std::string>(std::move(value));
}

namespace {

constexpr std::string_view kHelp =
    "usage: ll_decode [--json | --yaml] FILE...\n"
    "       ll_decode_linkea FILE...\n"
    "       ll_decode_filter_fid FILE...\n"
    "Print the extended attributes trusted.* that Lustre has on files of a target's directory.\n"
    "\n"
    "Options:\n"
    "  -y, --yaml           print YAML\n"
    "      --json[=pretty]  print JSON\n"
    "  -h, --help           print this help\n"
    "  -V, --version        print the version\n"
    "\n"
    "Symbolic links are not followed. Only root sees these attributes.\n"
    "Exit status: 0 on success, 1 if an attribute is damaged or a file has none, 2 on invalid\n"
    "usage.\n"
    "Manual: man ll_decode\n";

constexpr lctl::Option kOptions[] = {
    {.letter = 'V', .name = "version", .help = "print the version"},
};

constexpr lctl::Command kTool = {.name = "ll_decode",
                                 .operands = "FILE...",
                                 .options = kOptions,
                                 .prints = lctl::Prints::Array,
                                 .key = "files"};
/* Real Lustre's tools have no options; help and version do no harm. */
constexpr lctl::Command kRealTool = {.name = "ll_decode", .options = kOptions};

/* Prints the attributes of files, as one of the three tools. */
class Tool {
public:
    explicit Tool(Context context, std::string name) : context_(context), name_(std::move(name)) {}
    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;
    virtual ~Tool() = default;

    virtual void file(const std::string& path) = 0;
    virtual void end() {}

    int finish()
    {
        end();
        context_.out.flush();
        if (context_.out.error() != 0)
            error(context_.out.error(), "standard output: " + ll::errno_text(context_.out.error()));
        context_.err.flush();
        return status_;
    }

protected:
    virtual void error(int /*code*/, const std::string& text)
    {
        context_.out.flush();
        context_.err.put(fmt::format("error: {}: {}\n", name_, text));
        status_ = kFailed;
        errors_++;
    }

    /* A value that is there and valid; errors are printed. */
    std::optional<lctl::Json> value_of(const std::string& path, const Attribute& attribute)
    {
        const auto directory = context_.files.is_directory(path);

        if (!directory) {
            error(directory.error().code, directory.error().text);
            return {};
        }

        const auto bytes = context_.files.attribute(path, attribute.name);

        if (!bytes) {
            error(bytes.error().code, bytes.error().text);
            return {};
        }
        if (!*bytes)
            return {};

        Decoded decoded = attribute.decode(**bytes, *directory);

        if (decoded.fault != nullptr) {
            error(EBADMSG, fmt::format("{}: {}: {}", path, attribute.name, decoded.fault));
            return {};
        }
        return std::move(decoded.value);
    }

    /* Errors so far: a file without an attribute is one only if it has no other. */
    std::size_t errors() const { return errors_; }

    Context context_;

private:
    std::string name_;
    int status_ = 0;
    std::size_t errors_ = 0;
};

/* All attributes, as text or as a document. */
class AllTool : public Tool {
public:
    AllTool(Context context, const lctl::Arguments& arguments)
        : Tool(context, "ll_decode"),
          format_(arguments.format.value_or(lctl::Format::Text)),
          printer_(context.out, kTool, format_, arguments.pretty)
    {
    }

    void file(const std::string& path) override
    {
        const auto directory = context_.files.is_directory(path);

        if (!directory) {
            error(directory.error().code, directory.error().text);
            return;
        }

        lctl::Json found = {{"file", path}};
        const std::size_t before = errors();

        for (const Attribute& attribute : attributes())
            if (auto value = value_of(path, attribute))
                found[attribute.key] = std::move(*value);
        if (found.size() > 1)
            print(path, found);
        else if (errors() == before)
            error(ENODATA, path + ": no attributes of Lustre; are you root?");
    }

    void end() override
    {
        if (format_ != lctl::Format::Text)
            printer_.end();
    }

protected:
    void error(int code, const std::string& text) override
    {
        Tool::error(code, text);
        if (format_ != lctl::Format::Text)
            printer_.failure(code, text);
    }

private:
    void print(const std::string& path, const lctl::Json& found)
    {
        if (format_ != lctl::Format::Text) {
            printer_.item(found);
            context_.out.spill();
            return;
        }

        std::string& out = context_.out.text();

        out.append(path).append("\n");
        for (const Attribute& attribute : attributes()) {
            if (!found.contains(attribute.key))
                continue;
            if (std::string_view(attribute.key) == "lov")
                append_layout(out.append(attribute.name).append(":\n"), found[attribute.key]);
            else
                append_values(out, attribute.name, found[attribute.key]);
        }
        out.append("\n");
        context_.out.spill();
    }

    lctl::Format format_;
    lctl::Printer printer_;
};

const Attribute& attribute_named(std::string_view name)
{
    for (const Attribute& attribute : attributes())
        if (name == attribute.name)
            return attribute;
    return attributes().front();
}

class LinkTool : public Tool {
public:
    explicit LinkTool(Context context) : Tool(context, "ll_decode_linkea") {}

    void file(const std::string& path) override
    {
        const std::size_t before = errors();
        const auto value = value_of(path, attribute_named(XATTR_NAME_LINK));

        if (value)
            append_linkea(context_.out.text(), path, *value);
        else if (errors() == before)
            error(ENODATA, path + ": no " XATTR_NAME_LINK);
    }
};

class FidTool : public Tool {
public:
    explicit FidTool(Context context) : Tool(context, "ll_decode_filter_fid") {}

    void file(const std::string& path) override
    {
        const std::size_t before = errors();
        auto value = value_of(path, attribute_named(XATTR_NAME_FID));

        if (!value && errors() == before)
            value = value_of(path, attribute_named(XATTR_NAME_LMA));
        if (value && value->contains("parent"))
            append_filter_fid(context_.out.text(), path, *value);
        else if (errors() == before)
            error(ENODATA, path + ": no " XATTR_NAME_FID);
    }
};

int usage_error(Context context, std::string_view complaint)
{
    context.err.put(fmt::format("error: ll_decode: {}. See 'll_decode --help'.\n", complaint));
    context.err.flush();
    return kUsage;
}

/* Text that is all of the output. */
int print(Context context, std::string_view text)
{
    context.out.put(text);
    context.out.flush();
    return context.out.error() != 0 ? kFailed : 0;
}

int run_tool(Tool&& tool, const lctl::Arguments& arguments)
{
    for (const std::string_view path : arguments.operands)
        tool.file(std::string(path));
    return tool.finish();
}

}  // namespace

int run(Context context, int argc, char* const* argv)
{
    std::string_view name = argv[0];

    name = name.substr(name.rfind('/') + 1);

    const bool links = name == "ll_decode_linkea";
    const bool fids = name == "ll_decode_filter_fid";
    const auto arguments = lctl::parse_arguments(links || fids ? kRealTool : kTool, argc, argv);

    if (!arguments)
        return usage_error(context, arguments.error());
    if (arguments->has("help"))
        return print(context, kHelp);
    if (arguments->has("version"))
        return print(context, fmt::format("ll_decode: {}\n", lctl::kVersion));
    if (arguments->operands.empty())
        return usage_error(context, "needs a FILE");
    if (links)
        return run_tool(LinkTool(context), *arguments);
    if (fids)
        return run_tool(FidTool(context), *arguments);
    return run_tool(AllTool(context, *arguments), *arguments);
}

}  // namespace ll_decode
