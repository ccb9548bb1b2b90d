// SPDX-License-Identifier: GPL-2.0-only
// The ioctls of object devices as thinly as can be, and lustre_cfg made by hand.
#ifndef VM_TOOLS_OBD_HPP
#define VM_TOOLS_OBD_HPP

#include <initializer_list>

#include <uapi/lustre_lite/obd_ioctl.h>

#include "device.hpp"

namespace vm {

// A lustre_cfg: the device is buffer 0, each argument a buffer more.
class Command {
public:
    explicit Command(uint32_t command, std::string_view device = {},
                     std::initializer_list<std::string_view> arguments = {})
        : command_(command)
    {
        text(device);
        for (const std::string_view argument : arguments)
            text(argument);
    }

    Command& number(uint32_t number)
    {
        number_ = number;
        return *this;
    }

    Command& nid(uint64_t nid)
    {
        nid_ = nid;
        return *this;
    }

    // A buffer with a NUL at its end, an empty text as no bytes at all.
    Command& text(std::string_view bytes)
    {
        buffers_.emplace_back(bytes);
        if (!bytes.empty())
            buffers_.back().push_back('\0');
        return *this;
    }

    Command& raw(std::string bytes)
    {
        buffers_.push_back(std::move(bytes));
        return *this;
    }

    std::string bytes() const
    {
        lustre_cfg head{};
        std::string out;

        head.lcfg_version = LUSTRE_CFG_VERSION;
        head.lcfg_command = command_;
        head.lcfg_num = number_;
        head.lcfg_nid = nid_;
        head.lcfg_bufcount = static_cast<uint32_t>(buffers_.size());
        out.assign(reinterpret_cast<const char*>(&head), sizeof(head));
        for (const std::string& buffer : buffers_) {
            const auto len = static_cast<uint32_t>(buffer.size());

            out.append(reinterpret_cast<const char*>(&len), sizeof(len));
        }
        pad(out);
        for (const std::string& buffer : buffers_) {
            out += buffer;
            pad(out);
        }
        return out;
    }

private:
    static void pad(std::string& out) { out.resize((out.size() + 7) & ~size_t(7), '\0'); }

    uint32_t command_;
    uint32_t number_ = 0;
    uint64_t nid_ = 0;
    std::vector<std::string> buffers_;
};

// Apply a command; @why gets the words of a refusal.
inline int config(const Device& device, const Command& command, std::string* why = nullptr)
{
    const std::string bytes = command.bytes();
    auto arg = argument<obd_ioc_config>();

    arg.oc_cfg = user(bytes.data());
    arg.oc_cfg_len = static_cast<uint32_t>(bytes.size());
    arg.oc_index = OBD_INDEX_NONE;
    const int rc = device.call(OBD_IOC_CONFIG, arg);
    if (why)
        why->assign(arg.oc_why, ::strnlen(arg.oc_why, sizeof(arg.oc_why)));
    return rc;
}

inline int attach(const Device& device, std::string_view type, std::string_view name,
                  std::string_view uuid)
{
    return config(device, Command(LCFG_ATTACH, name, {type, uuid}));
}

inline int setup(const Device& device, std::string_view name,
                 std::initializer_list<std::string_view> arguments = {})
{
    return config(device, Command(LCFG_SETUP, name, arguments));
}

inline int cleanup(const Device& device, std::string_view name, std::string_view flags = {})
{
    return config(device, Command(LCFG_CLEANUP, name, {flags}));
}

inline int detach(const Device& device, std::string_view name)
{
    return config(device, Command(LCFG_DETACH, name));
}

// A device by its name; its number, or a negative errno.
inline long long find(const Device& device, std::string_view name)
{
    auto arg = argument<obd_ioc_device>();

    arg.od_index = OBD_INDEX_NONE;
    std::memcpy(arg.od_name, name.data(), std::min(name.size(), sizeof(arg.od_name) - 1));
    const int rc = device.call(OBD_IOC_DEVICE, arg);
    return rc ? rc : static_cast<long long>(arg.od_index);
}

// Results of all calls that fed a log to the consumer.
struct Replayed {
    int rc = 0;
    uint32_t applied = 0;
    uint32_t skipped = 0;
    uint32_t failed = 0;
    uint32_t records = 0;
    uint32_t nomem = 0;  // of those that failed: on allocation failure
    bool sound = true;   // the report was well-formed
};

// The records of a report; false when they do not add up.
inline bool take_report(const std::vector<char>& buf, uint32_t used, Replayed& result)
{
    size_t at = 0;

    while (at < used) {
        obd_replay_rec rec;

        if (used - at < sizeof(rec))
            return false;
        std::memcpy(&rec, &buf[at], sizeof(rec));
        const size_t text = size_t(rec.orr_device_len) + rec.orr_why_len;
        if (rec.orr_len % 8 || rec.orr_len > used - at || rec.orr_len < sizeof(rec) + text ||
            rec.orr_done < OBD_REPLAY_APPLIED || rec.orr_done > OBD_REPLAY_MARKER ||
            rec.orr_status > 0)
            return false;
        result.records++;
        result.nomem += rec.orr_status == -ENOMEM;
        at += rec.orr_len;
    }
    return at == used;
}

inline Replayed replay(const Device& device, int fd, uint64_t instance, std::string_view uuid = {},
                       uint32_t flags = 0, uint32_t room = 65536)
{
    std::vector<char> buf(room);
    auto arg = argument<obd_ioc_replay>();
    Replayed result;

    arg.or_fd = fd;
    arg.or_flags = flags;
    arg.or_instance = instance;
    std::memcpy(arg.or_uuid, uuid.data(), std::min(uuid.size(), sizeof(arg.or_uuid) - 1));
    arg.or_buf = user(buf.data());
    arg.or_buf_len = room;
    do {
        const uint32_t last = arg.or_last;

        result.rc = device.call(OBD_IOC_REPLAY, arg);
        if (result.rc)
            break;
        result.applied += arg.or_applied;
        result.skipped += arg.or_skipped;
        result.failed += arg.or_failed;
        // A call that neither ends nor gets on would never end.
        result.sound = result.sound && arg.or_used <= room &&
                       take_report(buf, arg.or_used, result) && (arg.or_eof || arg.or_last > last);
    } while (!arg.or_eof && result.sound);
    return result;
}

// Takes an instance down; devices that went, or a negative errno.
inline int instance_cleanup(const Device& device, uint64_t instance, bool force = false)
{
    auto arg = argument<obd_ioc_instance>();

    arg.on_instance = instance;
    arg.on_force = force;
    const int rc = device.call(OBD_IOC_INSTANCE_CLEANUP, arg);
    return rc ? rc : static_cast<int>(arg.on_count);
}

}  // namespace vm

#endif
