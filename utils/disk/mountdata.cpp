// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mountdata.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <endian.h>
#include <fmt/format.h>
#include <sys/random.h>

namespace disk {

namespace {

struct FlagWord {
    std::uint32_t flag;
    std::string_view word;
};

/* In the order, and with the words, of real Lustre's tools. */
constexpr std::array<FlagWord, 9> kFlagWords = {{
    {LDD_F_SV_TYPE_MDT, "MDT"},
    {LDD_F_SV_TYPE_OST, "OST"},
    {LDD_F_SV_TYPE_MGS, "MGS"},
    {LDD_F_NEED_INDEX, "needs_index"},
    {LDD_F_VIRGIN, "first_time"},
    {LDD_F_UPDATE, "update"},
    {LDD_F_WRITECONF, "writeconf"},
    {LDD_F_PARAM, "param"},
    {LDD_F_NO_PRIMNODE, "no_primnode"},
}};

/* The highest mount type of real Lustre. */
constexpr std::uint32_t kForeignTypes = 8;

constexpr std::uint32_t known_flags()
{
    std::uint32_t known = 0;

    for (const FlagWord& each : kFlagWords)
        known |= each.flag;
    return known;
}

std::string flag_words(std::uint32_t flags)
{
    std::string words;

    for (const FlagWord& each : kFlagWords)
        if ((flags & each.flag) != 0)
            words += fmt::format("{} ", each.word);
    return words;
}

template <std::size_t N>
ll::Status put_text(char (&field)[N], std::string_view text, std::string_view what)
{
    if (text.size() >= N)
        return ll::fail(EINVAL,
                        fmt::format("{}: {} bytes, the maximum is {}", what, text.size(), N - 1));
    if (std::any_of(text.begin(), text.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
        return ll::fail(EINVAL, fmt::format("{}: control characters are not allowed", what));
    std::memset(field, 0, N);
    std::memcpy(field, text.data(), text.size());
    return {};
}

template <std::size_t N>
bool ends(const char (&field)[N])
{
    return std::memchr(field, '\0', N) != nullptr;
}

/* A field of text without its end, or nullptr. */
const char* endless_field(const lustre_disk_data& raw)
{
    if (!ends(raw.ldd_fsname))
        return "ldd_fsname";
    if (!ends(raw.ldd_svname))
        return "ldd_svname";
    if (!ends(raw.ldd_uuid))
        return "ldd_uuid";
    if (!ends(raw.ldd_userdata))
        return "ldd_userdata";
    if (!ends(raw.ldd_mount_opts))
        return "ldd_mount_opts";
    return ends(raw.ldd_params) ? nullptr : "ldd_params";
}

ll::Status check_damage(std::string_view name, const lustre_disk_data& raw)
{
    const std::uint32_t magic = le32toh(raw.ldd_magic);

    if (magic != LDD_MAGIC)
        return ll::fail(EBADMSG, fmt::format("{}: not mountdata: its magic is {:#010x}, expected "
                                             "{:#010x}",
                                             name, magic, LDD_MAGIC));
    if (const char* field = endless_field(raw); field != nullptr)
        return ll::fail(EBADMSG, fmt::format("{}: damaged: {} is not NUL-terminated", name, field));
    return {};
}

ll::Status check_features(std::string_view name, const lustre_disk_data& raw)
{
    const std::uint32_t features =
        le32toh(raw.ldd_feature_incompat) | le32toh(raw.ldd_feature_rocompat);

    if (features != 0)
        return ll::fail(ENOTSUP,
                        fmt::format("{}: requires unknown features {:#x}", name, features));
    return {};
}

/* Is it of this release's kind? */
ll::Status check_kind(std::string_view name, const lustre_disk_data& raw)
{
    const std::uint32_t type = le32toh(raw.ldd_mount_type);
    const std::uint32_t unknown = le32toh(raw.ldd_flags) & ~known_flags();

    if (type != LDD_MT_DIRECTORY)
        return ll::fail(ENOTSUP, fmt::format("{}: mount type {:#x}, expected {:#x}: written by "
                                             "real Lustre, or damaged; tunefs.lustre-lite --import "
                                             "makes a target of what real Lustre wrote",
                                             name, type, LDD_MT_DIRECTORY));
    if (unknown != 0)
        return ll::fail(ENOTSUP, fmt::format("{}: unknown flags {:#x} (known: {:#x}): written by "
                                             "a later release, or damaged",
                                             name, unknown, known_flags()));
    return check_features(name, raw);
}

/* Is it of real Lustre's kind? */
ll::Status check_foreign_kind(std::string_view name, const lustre_disk_data& raw)
{
    const std::uint32_t type = le32toh(raw.ldd_mount_type);

    if (type == LDD_MT_DIRECTORY)
        return ll::fail(ENOTSUP, fmt::format("{}: it is a target of lustre-lite already", name));
    if (type > kForeignTypes)
        return ll::fail(ENOTSUP,
                        fmt::format("{}: mount type {:#x}, and real Lustre's are 0 to {}: damaged",
                                    name, type, kForeignTypes));
    return check_features(name, raw);
}

/* The bytes of mountdata of any kind. */
ll::Result<lustre_disk_data> raw_data(std::string_view name, std::span<const std::byte> bytes)
{
    lustre_disk_data raw{};

    if (bytes.size() != sizeof(raw))
        return ll::fail(EBADMSG, fmt::format("{}: not mountdata: {} bytes, expected {}", name,
                                             bytes.size(), sizeof(raw)));
    std::memcpy(&raw, bytes.data(), sizeof(raw));
    if (auto whole = check_damage(name, raw); !whole)
        return tl::unexpected(whole.error());
    return raw;
}

std::string name_of(std::uint32_t flags, std::string_view fsname, std::uint32_t index)
{
    if ((flags & LDD_F_SV_TYPE_MDT) != 0)
        return fmt::format("{}-MDT{:04x}", fsname, index);
    if ((flags & LDD_F_SV_TYPE_OST) != 0)
        return fmt::format("{}-OST{:04x}", fsname, index);
    return "MGS";
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_name_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

ll::Status check_types(std::uint32_t flags)
{
    constexpr std::uint32_t both = LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST;

    if ((flags & LDD_F_SV_TYPES) == 0)
        return ll::fail(EINVAL,
                        "the kind of target is missing: management service (--mgs), metadata "
                        "target (--mdt) or object storage target (--ost)");
    if ((flags & both) == both)
        return ll::fail(EINVAL,
                        "a directory cannot be both a metadata target (--mdt) and an object "
                        "storage target (--ost)");
    return {};
}

}  // namespace

ll::Status check_fsname(std::string_view fsname)
{
    if (fsname.empty())
        return ll::fail(EINVAL,
                        "a metadata or object storage target needs the name of its file system "
                        "(--fsname=NAME)");
    if (fsname.size() > LUSTRE_MAXFSNAME)
        return ll::fail(EINVAL, fmt::format("'{}' is not a valid file system name: {} bytes, "
                                            "the maximum is {}",
                                            fsname, fsname.size(), LUSTRE_MAXFSNAME));
    if (!is_letter(fsname.front()) || !std::all_of(fsname.begin(), fsname.end(), is_name_byte))
        return ll::fail(EINVAL, fmt::format("'{}' is not a valid file system name: use a letter, "
                                            "then letters, digits, '_' and '-'",
                                            fsname));
    return {};
}

ll::Result<std::string> random_uuid()
{
    std::array<std::uint8_t, 16> bytes{};
    std::string text;

    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return tl::unexpected(ll::make_error(errno, "getrandom"));
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);
    for (std::size_t n = 0; n < bytes.size(); n++)
        text += fmt::format("{}{:02x}", n == 4 || n == 6 || n == 8 || n == 10 ? "-" : "", bytes[n]);
    return text;
}

MountData::MountData()
{
    raw_.ldd_magic = htole32(LDD_MAGIC);
    raw_.ldd_svindex = htole32(LDD_INDEX_NONE);
    raw_.ldd_mount_type = htole32(LDD_MT_DIRECTORY);
}

ll::Result<MountData> MountData::decode(std::string_view name, std::span<const std::byte> bytes)
{
    MountData data;

    auto raw = raw_data(name, bytes);
    if (!raw)
        return tl::unexpected(raw.error());
    if (auto ours = check_kind(name, *raw); !ours)
        return tl::unexpected(ours.error());
    data.raw_ = *raw;
    return data;
}

ll::Result<MountData> MountData::import(std::string_view name, std::span<const std::byte> bytes)
{
    MountData data;

    auto raw = raw_data(name, bytes);
    if (!raw)
        return tl::unexpected(raw.error());
    if (auto theirs = check_foreign_kind(name, *raw); !theirs)
        return tl::unexpected(theirs.error());
    data.raw_ = *raw;
    data.raw_.ldd_mount_type = htole32(LDD_MT_DIRECTORY);
    data.set_flags(data.flags() & known_flags());
    if (!data.is_of_filesystem())
        return data;
    // Before its first start real Lustre's target is "lustre:MDT0000" or "lustre=MDT0000".
    if (auto named = data.set_identity(std::string(data.fsname()), data.index()); !named)
        return tl::unexpected(named.error());
    return data;
}

std::span<const std::byte> MountData::bytes() const
{
    return std::as_bytes(std::span(&raw_, 1));
}

std::uint32_t MountData::version() const
{
    return le32toh(raw_.ldd_config_ver);
}
std::uint32_t MountData::flags() const
{
    return le32toh(raw_.ldd_flags);
}
std::uint32_t MountData::index() const
{
    return le32toh(raw_.ldd_svindex);
}

void MountData::set_version(std::uint32_t version)
{
    raw_.ldd_config_ver = htole32(version);
}
void MountData::set_flags(std::uint32_t flags)
{
    raw_.ldd_flags = htole32(flags);
}

ll::Status MountData::set_identity(std::string_view fsname, std::uint32_t index)
{
    auto named = put_text(raw_.ldd_fsname, fsname, "--fsname");

    if (!named)
        return named;
    raw_.ldd_svindex = htole32(index);
    return put_text(raw_.ldd_svname, name_of(flags(), fsname, index), "the target's name");
}

ll::Status MountData::set_uuid(std::string_view uuid)
{
    return put_text(raw_.ldd_uuid, uuid, "the uuid");
}

ll::Status MountData::set_comment(std::string_view text)
{
    return put_text(raw_.ldd_userdata, text, "--comment");
}

ll::Status MountData::set_mount_opts(std::string_view text)
{
    return put_text(raw_.ldd_mount_opts, text, "--mountfsoptions");
}

ll::Status MountData::set_params(const TargetParams& params)
{
    return put_text(raw_.ldd_params, params.text(), "all parameters together");
}

ll::Status MountData::check() const
{
    auto types = check_types(flags());

    if (!types)
        return types;

    const auto params = this->params();

    if (!params)
        return tl::unexpected(params.error());
    for (const std::string_view name : {kMgsNode, kFailoverNode})
        if (const auto nodes = params->nodes(name); !nodes)
            return tl::unexpected(nodes.error());
    if (is_of_filesystem() && !is(LDD_F_SV_TYPE_MGS) && !params->has(kMgsNode))
        return ll::fail(EINVAL,
                        "the management service is missing: use --mgsnode=NID for one on another "
                        "node, or --mgs to create one here");
    return check_identity();
}

ll::Status MountData::check_identity() const
{
    if (is_of_filesystem()) {
        if (auto named = check_fsname(fsname()); !named)
            return named;
        if (index() > LDD_INDEX_NONE || (index() == LDD_INDEX_NONE && !is(LDD_F_NEED_INDEX)))
            return ll::fail(EINVAL, fmt::format("index {:#x} and flags {:#x} contradict each "
                                                "other",
                                                index(), flags()));
    }
    if (const std::string name = name_of(flags(), fsname(), index()); name != svname())
        return ll::fail(EINVAL,
                        fmt::format("name mismatch: found {}, expected {}", svname(), name));
    return {};
}

std::string MountData::text() const
{
    const bool numbered = is_of_filesystem() && !is(LDD_F_NEED_INDEX);
    std::string text = fmt::format(
        "Target:     {}\n"
        "Index:      {}\n",
        svname(), numbered ? std::to_string(index()) : "unassigned");

    if (!uuid().empty())
        text += fmt::format("UUID:       {}\n", uuid());
    text += fmt::format(
        "Lustre FS:  {}\n"
        "Mount type: directory\n"
        "Flags:      {:#x}\n"
        "              ({})\n"
        "Persistent mount opts: {}\n"
        "Parameters: {}\n",
        fsname(), flags(), flag_words(flags()), mount_opts(), params_text());
    if (!comment().empty())
        text += fmt::format("Comment:    {}\n", comment());
    return text;
}

}  // namespace disk
