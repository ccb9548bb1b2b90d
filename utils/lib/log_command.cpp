// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_command.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace ll {

namespace {

using Kind = ArgumentKind;

constexpr ArgumentRule kDeviceOnly[] = {
    {"device", nullptr, 0},
};
constexpr ArgumentRule kAttachArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"type", nullptr, 1, Kind::Required},
    {"UUID", nullptr, 2, Kind::Required},
};
constexpr ArgumentRule kSetupArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"UUID", nullptr, 1, Kind::Required},
    {"node", nullptr, 2},
    {"options", nullptr, 3},
    {"failout", nullptr, 4},
};
constexpr ArgumentRule kCleanupArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"flags", nullptr, 1},
};
constexpr ArgumentRule kAddUuidArguments[] = {
    {"nid", nullptr, 2, Kind::Nid},
    {"node", nullptr, 1, Kind::Required},
};
constexpr ArgumentRule kDelUuidArguments[] = {
    {"node", nullptr, 1},
};
constexpr ArgumentRule kConnArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"node", nullptr, 1, Kind::Required},
};
constexpr ArgumentRule kProfileArguments[] = {
    {"name", nullptr, 1, Kind::Required},
    {"lov", nullptr, 2},
    {"lmv", nullptr, 3},
};
constexpr ArgumentRule kOscArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"ost", nullptr, 1, Kind::Required},
    {"index", "target_index", 2, Kind::Number},
    {"gen", nullptr, 3, Kind::Number},
    {"UUID", nullptr, 4},
};
constexpr ArgumentRule kMdcArguments[] = {
    {"device", nullptr, 0, Kind::Required},
    {"mdt", nullptr, 1, Kind::Required},
    {"index", "target_index", 2, Kind::Number},
    {"gen", nullptr, 3, Kind::Number},
    {"UUID", nullptr, 4},
};
constexpr ArgumentRule kTimeoutArguments[] = {
    {"parameter", nullptr, 1, Kind::Timeout},
};
constexpr ArgumentRule kParamArguments[] = {
    {"device", nullptr, 0},
    {"parameter", nullptr, 1, Kind::Required},
};
constexpr ArgumentRule kSetParamArguments[] = {
    {"device", nullptr, 0},
    {"parameter", nullptr, 1, Kind::Name},
    {"value", nullptr, 1, Kind::Value},
};
constexpr ArgumentRule kPoolArguments[] = {
    {"device", nullptr, 0},
    {"fsname", nullptr, 1, Kind::Required},
    {"pool", nullptr, 2, Kind::Required},
    {"ost", nullptr, 3},
};

constexpr auto kBuffers = ReaderForm::Buffers;

constexpr CommandRule kRules[] = {
    {LCFG_ATTACH, "attach", "attach    ", kBuffers, kAttachArguments},
    {LCFG_DETACH, "detach", "detach    ", kBuffers, kDeviceOnly},
    {LCFG_SETUP, "setup", "setup     ", kBuffers, kSetupArguments},
    {LCFG_CLEANUP, "cleanup", "cleanup   ", kBuffers, kCleanupArguments},
    {LCFG_ADD_UUID, "add_uuid", "add_uuid  ", kBuffers, kAddUuidArguments},
    {LCFG_DEL_UUID, "del_uuid", "del_uuid  ", kBuffers, kDelUuidArguments},
    {LCFG_MOUNTOPT, "new_profile", "mount_option ", kBuffers, kProfileArguments},
    {LCFG_DEL_MOUNTOPT, "del_profile", "del_mount_option ", kBuffers, kProfileArguments},
    {LCFG_SET_TIMEOUT, "set_timeout", "set_timeout", ReaderForm::Number, kTimeoutArguments},
    {LCFG_SET_UPCALL, "set_upcall", "set_upcall ", kBuffers, kParamArguments},
    {LCFG_ADD_CONN, "add_conn", "add_conn  ", kBuffers, kConnArguments},
    {LCFG_DEL_CONN, "del_conn", "del_conn  ", kBuffers, kConnArguments},
    {LCFG_LOV_ADD_OBD, "add_osc", "lov_modify_tgts add ", kBuffers, kOscArguments},
    {LCFG_LOV_DEL_OBD, "del_osc", "lov_modify_tgts del ", kBuffers, kOscArguments},
    {LCFG_LOV_ADD_INA, "add_inactive_osc", nullptr, kBuffers, kOscArguments},
    {LCFG_PARAM, "conf_param", "param ", kBuffers, kParamArguments},
    {LCFG_MARKER, "marker", "marker ", ReaderForm::Marker, {}},
    {LCFG_LOG_START, "log_start", nullptr, kBuffers, kDeviceOnly},
    {LCFG_LOG_END, "log_end", nullptr, kBuffers, kDeviceOnly},
    {LCFG_ADD_MDC, "add_mdc", "modify_mdc_tgts add ", kBuffers, kMdcArguments},
    {LCFG_DEL_MDC, "del_mdc", "modify_mdc_tgts del ", kBuffers, kMdcArguments},
    {LCFG_SPTLRPC_CONF, "security", "sptlrpc_conf ", kBuffers, kParamArguments},
    {LCFG_POOL_NEW, "new_pool", "pool new ", kBuffers, kPoolArguments},
    {LCFG_POOL_ADD, "add_pool", "pool add ", kBuffers, kPoolArguments},
    {LCFG_POOL_REM, "remove_pool", "pool remove ", kBuffers, kPoolArguments},
    {LCFG_POOL_DEL, "del_pool", "pool destroy ", kBuffers, kPoolArguments},
    {LCFG_SET_LDLM_TIMEOUT, "set_ldlm_timeout", "set_ldlm_timeout", ReaderForm::Number,
     kTimeoutArguments},
    {LCFG_PRE_CLEANUP, "pre_cleanup", nullptr, kBuffers, kDeviceOnly},
    {LCFG_SET_PARAM, "set_param", "set_param ", kBuffers, kSetParamArguments},
};

// How the address of a NID is written.
enum class AddressForm : uint8_t { Dotted, Decimal, Hex };

// Kinds of networks by their numbers, those that no longer exist too.
struct NetName {
    uint32_t type;
    const char* name;
    AddressForm form = AddressForm::Dotted;
};

constexpr NetName kNetworks[] = {
    {1, "elan", AddressForm::Decimal},
    {2, "tcp"},
    {3, "gm", AddressForm::Hex},
    {4, "ptl", AddressForm::Decimal},
    {5, "o2ib"},
    {6, "cib"},
    {7, "openib"},
    {8, "iib"},
    {9, "lo", AddressForm::Decimal},
    {10, "ra"},
    {11, "vib"},
    {12, "mx"},
    {13, "gni", AddressForm::Decimal},
    {14, "gip"},
    {15, "ptlf", AddressForm::Decimal},
    {16, "kfi", AddressForm::Decimal},
};

constexpr uint64_t kAnyNid = ~uint64_t(0);

std::string address_text(uint32_t address, AddressForm form)
{
    if (form == AddressForm::Decimal)
        return std::to_string(address);
    if (form == AddressForm::Hex)
        return fmt::format("{:#x}", address);
    return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 0xff, (address >> 8) & 0xff,
                       address & 0xff);
}

bool is_decimal(std::string_view text)
{
    constexpr size_t most_digits = 19;  // fewer than a number of 64 bits can have

    return !text.empty() && text.size() <= most_digits && (text.size() == 1 || text[0] != '0') &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string nid_of(const lcfg_view& view, uint8_t buffer)
{
    if (view.nid == 0)
        return std::string(buffer_text(view, buffer));
    return fmt::format("{}({:#x})", nid_text(view.nid), view.nid);
}

std::string timeout_of(const lcfg_view& view, uint8_t buffer)
{
    const auto text = buffer_text(view, buffer);
    const char* name = view.command == LCFG_SET_TIMEOUT ? "sys.timeout" : "sys.ldlm_timeout";

    return text.empty() ? fmt::format("{}={}", name, view.num) : std::string(text);
}

std::string argument_text(const lcfg_view& view, const ArgumentRule& rule)
{
    const auto text = buffer_text(view, rule.buffer);
    const size_t equals = std::min(text.find('='), text.size());

    switch (rule.kind) {
        case Kind::Nid:
            return nid_of(view, rule.buffer);
        case Kind::Timeout:
            return timeout_of(view, rule.buffer);
        case Kind::Name:
            return std::string(text.substr(0, equals));
        case Kind::Value:
            return std::string(text.substr(std::min(equals + 1, text.size())));
        default:
            return std::string(text);
    }
}

// May it be left out where it is empty?
bool is_optional(ArgumentKind kind)
{
    return kind == Kind::Text || kind == Kind::Number;
}

std::vector<EventField> marker_fields(const lcfg_view& view)
{
    lcfg_marker marker{};

    if (lcfg_marker_decode(&view, &marker) != 0)
        return {{"damaged", nullptr, "true", false}};
    return {
        {"flags", nullptr, fmt::format("{:#04x}", marker.flags), false},
        {"version", nullptr, version_text(marker.vers), false},
        {"createtime", nullptr, std::to_string(marker.createtime), true},
        {"canceltime", nullptr, std::to_string(marker.canceltime), true},
        {"target", nullptr, marker.tgtname, false},
        {"comment", nullptr, marker.comment, false},
    };
}

// All that is there, for a command of which nothing is known.
std::vector<EventField> unknown_fields(const lcfg_view& view)
{
    static constexpr const char* keys[LUSTRE_CFG_MAX_BUFCOUNT] = {
        "device", "buffer1", "buffer2", "buffer3", "buffer4", "buffer5", "buffer6", "buffer7",
    };
    std::vector<EventField> fields;

    fields.push_back({"command", nullptr, fmt::format("{:#x}", view.command), false});
    for (uint32_t n = 0; n < view.bufcount; n++)
        fields.push_back({keys[n], nullptr, std::string(buffer_text(view, n)), false});
    return fields;
}

}  // namespace

const CommandRule* find_command_rule(uint32_t command)
{
    const auto* rule = std::ranges::find(kRules, command, &CommandRule::command);

    return rule == std::end(kRules) ? nullptr : rule;
}

const char* event_name(uint32_t command)
{
    const CommandRule* rule = find_command_rule(command);

    return rule != nullptr ? rule->event : "unknown";
}

std::vector<EventField> event_fields(const lcfg_view& view)
{
    const CommandRule* rule = find_command_rule(view.command);
    std::vector<EventField> fields;

    if (rule == nullptr)
        return unknown_fields(view);
    if (rule->form == ReaderForm::Marker)
        return marker_fields(view);
    for (const ArgumentRule& argument : rule->arguments) {
        std::string value = argument_text(view, argument);

        if (value.empty() && is_optional(argument.kind))
            continue;
        const bool number = argument.kind == Kind::Number && is_decimal(value);
        fields.push_back({argument.key, argument.json, std::move(value), number});
    }
    return fields;
}

std::string_view buffer_text(const lcfg_view& view, uint32_t n)
{
    if (n >= view.bufcount || n >= LUSTRE_CFG_MAX_BUFCOUNT || view.buf[n].data == nullptr)
        return {};
    const std::string_view bytes(view.buf[n].data, view.buf[n].len);
    return bytes.substr(0, bytes.find('\0'));
}

std::string nid_text(uint64_t nid)
{
    const auto address = uint32_t(nid);
    const auto type = uint32_t(nid >> 48);
    const auto number = uint32_t(nid >> 32) & 0xffff;
    const auto* network = std::ranges::find(kNetworks, type, &NetName::type);

    if (nid == kAnyNid)
        return "<?>";
    if (network == std::end(kNetworks))
        return fmt::format("{:x}@<{}:{}>", address, type, number);

    std::string text = address_text(address, network->form) + '@' + network->name;
    return number != 0 ? text + std::to_string(number) : text;
}

std::string version_text(uint32_t version)
{
    return fmt::format("{}.{}.{}.{}", version >> 24, (version >> 16) & 0xff, (version >> 8) & 0xff,
                       version & 0xff);
}

}  // namespace ll
