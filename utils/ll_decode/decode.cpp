// SPDX-License-Identifier: GPL-2.0-only
#include "ll_decode/decode.hpp"

#include <fmt/format.h>

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_linkea.h>

namespace ll_decode {

namespace {

using lctl::Json;

constexpr std::uint32_t kObjectDirectories = 32;

std::string text_of(const lu_fid& fid)
{
    char text[FID_TEXT_SIZE];

    return fid_text(&fid, text);
}

struct Flag {
    std::uint32_t bit;
    const char* name;
};

/* Names of the flags that are set, those without a name as one number. */
Json flags_of(std::uint32_t flags, std::span<const Flag> names)
{
    Json set = Json::array();

    for (const Flag& flag : names) {
        if ((flags & flag.bit) == 0)
            continue;
        set.push_back(flag.name);
        flags &= ~flag.bit;
    }
    if (flags != 0)
        set.push_back(fmt::format("{:#x}", flags));
    return set;
}

constexpr Flag kCompat[] = {
    {LMAC_HSM, "hsm"},
    {LMAC_NOT_IN_OI, "not_in_oi"},
    {LMAC_FID_ON_OST, "fid_on_ost"},
    {LMAC_STRIPE_INFO, "stripe_info"},
    {LMAC_COMP_INFO, "comp_info"},
    {LMAC_IDX_BACKUP, "idx_backup"},
};

constexpr Flag kIncompat[] = {
    {LMAI_RELEASED, "released"}, {LMAI_AGENT, "agent"},   {LMAI_REMOTE_PARENT, "remote_parent"},
    {LMAI_STRIPED, "striped"},   {LMAI_ORPHAN, "orphan"}, {LMAI_ENCRYPT, "encrypt"},
};

constexpr Flag kSom[] = {
    {SOM_FL_STRICT, "strict"},
    {SOM_FL_STALE, "stale"},
    {SOM_FL_LAZY, "lazy"},
};

constexpr Flag kComponent[] = {
    {LCME_FL_INIT, "init"},           {LCME_FL_STALE, "stale"},     {LCME_FL_PREF_RD, "prefrd"},
    {LCME_FL_PREF_WR, "prefwr"},      {LCME_FL_OFFLINE, "offline"}, {LCME_FL_NOSYNC, "nosync"},
    {LCME_FL_EXTENSION, "extension"}, {LCME_FL_PARITY, "parity"},
};

void add_component(Json& value, const ea_stripe& stripe)
{
    if (stripe.comp_id == 0)
        return;
    value["comp_id"] = stripe.comp_id;
    value["comp_start"] = stripe.comp_start;
    value["comp_end"] = stripe.comp_end;
}

Decoded decode_lma(std::string_view bytes, bool /*directory*/)
{
    lustre_lma lma;
    Decoded decoded;

    decoded.fault = lustre_lma_decode(bytes.data(), bytes.size(), &lma);
    if (decoded.fault != nullptr)
        return decoded;
    decoded.value = Json{{"fid", text_of(lma.self)},
                         {"inode", fid_flatten(&lma.self)},
                         {"compat", flags_of(lma.compat, kCompat)},
                         {"incompat", flags_of(lma.incompat, kIncompat)}};
    if ((lma.compat & LMAC_STRIPE_INFO) != 0) {
        decoded.value["parent"] = text_of(lma.stripe.parent);
        decoded.value["stripe"] = lma.stripe.index;
        decoded.value["stripe_size"] = lma.stripe.size;
        decoded.value["stripe_count"] = lma.stripe.count;
        add_component(decoded.value, lma.stripe);
    }
    return decoded;
}

Decoded decode_link(std::string_view bytes, bool /*directory*/)
{
    linkea link;
    linkea_entry entry;
    std::size_t at = 0;
    Decoded decoded;
    Json names = Json::array();

    decoded.fault = linkea_decode(bytes.data(), bytes.size(), &link);
    if (decoded.fault != nullptr)
        return decoded;
    while (linkea_next(&link, &at, &entry))
        names.push_back(Json{{"parent", text_of(entry.parent)},
                             {"name", std::string(entry.name, entry.name_len)}});
    decoded.value = Json{{"count", link.count}};
    if (link.overflow_time != 0)
        decoded.value["overflow_time"] = link.overflow_time;
    decoded.value["names"] = std::move(names);
    return decoded;
}

std::string pattern_text(std::uint32_t pattern)
{
    std::string text;

    const auto take = [&](std::uint32_t bit, const char* name) {
        if ((pattern & bit) == 0)
            return;
        text.append(text.empty() ? "" : ",").append(name);
        pattern &= ~bit;
    };
    take(LOV_PATTERN_MDT, "mdt");
    take(LOV_PATTERN_RAID0, "raid0");
    take(LOV_PATTERN_OVERSTRIPING, "overstriped");
    take(LOV_PATTERN_F_HOLE, "hole");
    take(LOV_PATTERN_F_RELEASED, "released");
    if (pattern != 0 || text.empty())
        text.append(text.empty() ? "" : ",").append(fmt::format("{:#x}", pattern));
    return text;
}

/* Where the object is in the directory of its OST. */
std::string object_path(const lu_fid& fid)
{
    if (!fid_is_idif(&fid))
        return fmt::format("O/{:x}/d{}/{:x}", fid.f_seq, fid.f_oid % kObjectDirectories, fid.f_oid);

    const std::uint64_t object = fid_idif_object(&fid);

    return fmt::format("O/0/d{}/{}", object % kObjectDirectories, object);
}

Json objects_of(const lov_ea& ea)
{
    Json objects = Json::array();

    for (std::uint32_t n = 0; n < ea.object_count; n++) {
        const lov_object object = lov_ea_object(&ea, n);

        Json value = {{"ost", object.ost}, {"fid", text_of(object.fid)}};

        /* A hole has no object. */
        if (!fid_is_zero(&object.fid))
            value["path"] = object_path(object.fid);
        objects.push_back(std::move(value));
    }
    return objects;
}

/* 0xffff is "all" and "any". */
int stripes(std::uint16_t number)
{
    return number == 0xffff ? -1 : number;
}

std::string osts_text(const lov_ea& ea)
{
    std::string text;

    for (std::uint32_t n = 0; n < ea.ost_count; n++)
        text.append(n == 0 ? "" : ",").append(std::to_string(lov_ea_ost(ea.osts, n)));
    return text;
}

Json plain_value(const lov_ea& ea)
{
    const lu_fid fid = {ea.oi_seq, static_cast<u32>(ea.oi_id), 0};
    const bool has_objects = ea.object_count != 0;
    Json value = {
        {"magic", fmt::format("{:#010x}", ea.magic)}, {"fid", text_of(fid)},
        {"stripe_count", stripes(ea.stripe_count)},   {"stripe_size", ea.stripe_size},
        {"pattern", pattern_text(ea.pattern)},        {"layout_gen", has_objects ? ea.gen : 0}};

    value["stripe_offset"] =
        has_objects ? static_cast<int>(lov_ea_object(&ea, 0).ost) : stripes(ea.gen);
    if (ea.pool[0] != '\0')
        value["pool"] = ea.pool;
    if (ea.osts != nullptr)
        value["osts"] = osts_text(ea);
    if (has_objects)
        value["objects"] = objects_of(ea);
    return value;
}

Json foreign_value(const lov_foreign& foreign)
{
    return Json{{"magic", fmt::format("{:#010x}", LOV_MAGIC_FOREIGN)},
                {"length", foreign.len},
                {"type", foreign.type},
                {"flags", foreign.flags}};
}

/* The layout of a component, which was checked with the whole. */
Json layout_value(const lov_comp_entry& entry)
{
    lov_foreign foreign;
    lov_ea ea;

    if (lov_foreign_decode(entry.layout, entry.layout_len, &foreign) == nullptr)
        return foreign_value(foreign);
    lov_ea_decode(entry.layout, entry.layout_len, &ea);
    return plain_value(ea);
}

Decoded decode_composite(std::string_view bytes)
{
    Json components = Json::array();
    Decoded decoded;
    lov_comp comp;

    decoded.fault = lov_comp_decode(bytes.data(), bytes.size(), &comp);
    if (decoded.fault != nullptr)
        return decoded;
    for (std::uint32_t n = 0; n < comp.entry_count; n++) {
        const lov_comp_entry entry = lov_comp_get(&comp, n);

        components.push_back(
            Json{{"id", entry.id},
                 {"mirror_id", entry.id >> 16},
                 {"flags", flags_of(entry.flags, kComponent)},
                 {"start", entry.start},
                 {"end", entry.end},
                 {"offset", entry.layout - reinterpret_cast<const std::uint8_t*>(bytes.data())},
                 {"size", entry.layout_len},
                 {"layout", layout_value(entry)}});
    }
    decoded.value = Json{{"magic", fmt::format("{:#010x}", LOV_MAGIC_COMP_V1)},
                         {"size", bytes.size()},
                         {"layout_gen", comp.gen},
                         {"mirror_count", comp.mirror_count},
                         {"flags", comp.flags},
                         {"components", std::move(components)}};
    return decoded;
}

Decoded decode_fid(std::string_view bytes, bool /*directory*/)
{
    lustre_filter_fid ff;
    Decoded decoded;

    decoded.fault = lustre_filter_fid_decode(bytes.data(), bytes.size(), &ff);
    if (decoded.fault != nullptr)
        return decoded;
    decoded.value = Json{{"parent", text_of(ff.stripe.parent)}, {"stripe", ff.stripe.index}};
    if (ff.size == FILTER_FID_SIZE_OLD) {
        decoded.value["object"] = ff.object;
        decoded.value["object_seq"] = ff.object_seq;
    }
    if (ff.size >= FILTER_FID_SIZE_LAYOUT) {
        decoded.value["stripe_size"] = ff.stripe.size;
        decoded.value["stripe_count"] = ff.stripe.count;
        add_component(decoded.value, ff.stripe);
    }
    if (ff.size == FILTER_FID_SIZE) {
        decoded.value["layout_version"] = ff.layout_version;
        decoded.value["range"] = ff.range;
    }
    return decoded;
}

Decoded decode_lmv(std::string_view bytes, bool /*directory*/)
{
    Json shards = Json::array();
    lustre_lmv lmv;
    Decoded decoded;

    decoded.fault = lustre_lmv_decode(bytes.data(), bytes.size(), &lmv);
    if (decoded.fault != nullptr)
        return decoded;
    decoded.value = Json{{"magic", fmt::format("{:#010x}", lmv.magic)},
                         {"stripe_count", lmv.stripe_count},
                         {"master", lmv.master},
                         {"hash_type", fmt::format("{:#x}", lmv.hash_type)},
                         {"layout_version", lmv.layout_version},
                         {"migrate_offset", lmv.migrate_offset},
                         {"migrate_hash", lmv.migrate_hash}};
    if (lmv.pool[0] != '\0')
        decoded.value["pool"] = lmv.pool;
    for (std::uint32_t n = 0; lmv.fids != nullptr && n < lmv.stripe_count; n++)
        shards.push_back(Json{{"fid", text_of(fid_le_get(lmv.fids + n * FID_SIZE))}});
    if (!shards.empty())
        decoded.value["shards"] = std::move(shards);
    return decoded;
}

Decoded decode_som(std::string_view bytes, bool /*directory*/)
{
    lustre_som som;
    Decoded decoded;

    decoded.fault = lustre_som_decode(bytes.data(), bytes.size(), &som);
    if (decoded.fault == nullptr)
        decoded.value =
            Json{{"valid", flags_of(som.valid, kSom)}, {"size", som.size}, {"blocks", som.blocks}};
    return decoded;
}

Decoded decode_hsm(std::string_view bytes, bool /*directory*/)
{
    lustre_hsm hsm;
    Decoded decoded;

    decoded.fault = lustre_hsm_decode(bytes.data(), bytes.size(), &hsm);
    if (decoded.fault == nullptr)
        decoded.value = Json{{"compat", fmt::format("{:#x}", hsm.compat)},
                             {"flags", fmt::format("{:#x}", hsm.flags)},
                             {"archive", hsm.archive},
                             {"version", hsm.version}};
    return decoded;
}

Decoded decode_version(std::string_view bytes, bool /*directory*/)
{
    Decoded decoded;

    if (bytes.size() == sizeof(u64))
        decoded.value = Json{{"transno", codec_get64(bytes.data(), false)}};
    else
        decoded.fault = "invalid length";
    return decoded;
}

constexpr Attribute kAttributes[] = {
    {XATTR_NAME_LMA, "lma", decode_lma}, {XATTR_NAME_LINK, "link", decode_link},
    {XATTR_NAME_FID, "fid", decode_fid}, {XATTR_NAME_SOM, "som", decode_som},
    {XATTR_NAME_HSM, "hsm", decode_hsm}, {XATTR_NAME_VERSION, "version", decode_version},
    {XATTR_NAME_LMV, "lmv", decode_lmv}, {XATTR_NAME_LOV, "lov", decode_layout},
};

}  // namespace

Decoded decode_layout(std::string_view bytes, bool directory)
{
    Decoded decoded;
    lov_foreign foreign;
    lov_ea ea;

    switch (lov_ea_magic(bytes.data(), bytes.size())) {
        case LOV_MAGIC_COMP_V1:
            return decode_composite(bytes);
        case LOV_MAGIC_FOREIGN:
            decoded.fault = lov_foreign_decode(bytes.data(), bytes.size(), &foreign);
            if (decoded.fault == nullptr)
                decoded.value = foreign_value(foreign);
            return decoded;
        default:
            decoded.fault = lov_ea_decode(bytes.data(), bytes.size(), &ea);
            if (decoded.fault == nullptr)
                decoded.value = plain_value(ea);
            if (decoded.fault == nullptr && directory)
                decoded.value["default"] = true;
            return decoded;
    }
}

std::span<const Attribute> attributes()
{
    return kAttributes;
}

}  // namespace ll_decode
