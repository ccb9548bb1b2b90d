// SPDX-License-Identifier: LGPL-2.1-or-later
// The C interface's values: lists of records, made, freed and looked at.
#include "capi.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "value_text.hpp"

namespace ll {

// The entry, its name and its value are one block, so that they go together.
params_value_entry* new_value_entry(const Record& rec)
{
    const size_t value_at = PARAMS_ALIGN(sizeof(params_value_entry));
    const size_t name_at = value_at + PARAMS_ALIGN(rec.bytes.size() + 1);
    auto* block = static_cast<char*>(std::calloc(1, name_at + rec.name.size() + 1));

    if (!block)
        return nullptr;
    auto* entry = new (block) params_value_entry{};
    entry->pve_type = rec.type;
    entry->pve_name_len = uint32_t(rec.name.size());
    entry->pve_name = block + name_at;
    entry->pve_value_len = uint32_t(rec.bytes.size());
    entry->pve_value = block + value_at;
    std::memcpy(entry->pve_name, rec.name.data(), rec.name.size());
    std::memcpy(entry->pve_value, rec.bytes.data(), rec.bytes.size());
    return entry;
}

int unpack_values(ValueView value, bool partial, params_value_entry** values)
{
    params_value_entry *first = nullptr, **next = &first;
    WholeReader reader(value, partial);
    Record rec;

    while (reader.next(rec)) {
        *next = new_value_entry(rec);
        if (!*next) {
            params_value_free(first);
            return -ENOMEM;
        }
        next = &(*next)->pve_next;
    }
    if (!reader.ok()) {
        params_value_free(first);
        return -EBADMSG;
    }
    *values = first;
    return 0;
}

bool pack_values(const params_value_entry* values, ValuePacker& packer)
{
    for (; values; values = values->pve_next) {
        const std::string_view name(values->pve_name ? values->pve_name : "", values->pve_name_len);
        const std::string_view bytes(values->pve_value ? values->pve_value : "",
                                     values->pve_value_len);
        if (name.size() > PARAMS_NAME_MAX)
            return false;
        if (values->pve_type == PARAMS_V_STRING)
            packer.text(name, bytes);
        else if (values->pve_type == PARAMS_V_BLOB)
            packer.blob(name, bytes);
        else if (bytes.size() > PARAMS_TEXT_CHUNK)
            return false;
        else
            packer.record(uint8_t(values->pve_type), 0, name, bytes);
    }
    return true;
}

}  // namespace ll

extern "C" {

void params_value_free(struct params_value_entry* values)
{
    while (values) {
        params_value_entry* next = values->pve_next;
        std::free(values);
        values = next;
    }
}

int params_unpack(const void* value, size_t len, struct params_value_entry** values)
{
    *values = nullptr;
    try {
        return ll::unpack_values(ll::ValueView({static_cast<const char*>(value), len}), false,
                                 values);
    } catch (const std::bad_alloc&) {
        return -ENOMEM;
    }
}

int params_value_u64(const struct params_value_entry* value, uint64_t* number)
{
    switch (value->pve_type) {
        case PARAMS_V_U64:
        case PARAMS_V_BOOL:
        case PARAMS_V_BYTES:
        case PARAMS_V_HEX:
            break;
        default:
            return -EINVAL;
    }
    if (value->pve_value_len < sizeof(*number))
        return -EINVAL;
    std::memcpy(number, value->pve_value, sizeof(*number));
    return 0;
}

int params_value_s64(const struct params_value_entry* value, int64_t* number)
{
    uint64_t bits;

    if (value->pve_type == PARAMS_V_S64) {
        if (value->pve_value_len < sizeof(*number))
            return -EINVAL;
        std::memcpy(number, value->pve_value, sizeof(*number));
        return 0;
    }
    if (params_value_u64(value, &bits) || bits > uint64_t{INT64_MAX})
        return -EINVAL;
    *number = int64_t(bits);
    return 0;
}

char* params_value_text(const struct params_value_entry* values, int type)
{
    try {
        ll::ValuePacker packer;
        std::string text;
        if (!ll::pack_values(values, packer) ||
            !ll::append_text(text, packer.view(), uint8_t(type)))
            return nullptr;
        return ::strndup(text.data(), text.size());
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // extern "C"
