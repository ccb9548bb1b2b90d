// SPDX-License-Identifier: GPL-2.0-only
// A source and, after a newline, options of a mount. NIDs are canonical when they
// were read: to read them again changes nothing; options of the file system have names.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "disk/mount_options.hpp"
#include "disk/mount_source.hpp"
#include "disk/mounts.hpp"
#include "disk/target_params.hpp"

using namespace disk;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void try_nodes(std::string_view text)
{
    const auto nodes = NodeList::parse(text);

    if (!nodes) {
        require(!nodes.error().text.empty());
        return;
    }
    require(!nodes->empty());

    const auto again = NodeList::parse(nodes->text());
    require(again.has_value() && again->nodes() == nodes->nodes());
}

void try_source(std::string_view text)
{
    const auto source = parse_source(text);

    if (!source) {
        require(!source.error().text.empty());
        return;
    }
    require(source->text == text);
    if (source->is_target)
        return;
    require(!source->fsname.empty() && source->fsname.size() <= 8);

    // The same with its NIDs in canonical text is the same.
    const auto again = parse_source(source->nodes.text() + ":/" + source->fsname);
    require(again.has_value() && again->nodes.nodes() == source->nodes.nodes());
}

void try_options(std::string_view text)
{
    MountOptions options;

    if (!options.add(text))
        return;
    require((options.attr_set & options.attr_clear & ~0x70ULL) == 0);
    for (const FsOption& option : options.fs)
        require(!option.name.empty() && option.name.find('=') == std::string::npos);
}

void try_params(std::string_view text)
{
    const auto params = TargetParams::parse(text);

    if (!params)
        return;
    const auto again = TargetParams::parse(params->text());
    require(again.has_value() && again->all() == params->all());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(text.find('\n'), text.size());

    try_nodes(text.substr(0, line));
    try_source(text.substr(0, line));
    try_params(text.substr(0, line));
    try_options(text.substr(std::min(line + 1, text.size())));
    (void)parse_mountinfo(text);
    return 0;
}
