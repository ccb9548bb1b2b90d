// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mgs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "call.hpp"

namespace ll {

namespace {

constexpr size_t kReadBytes = size_t{256} * 1024;
// A log that changes while it is read is read again, so often.
constexpr int kReadTries = 16;
// Space for so many logs, at first.
constexpr size_t kLogs = 64;
// More than a service has; what says otherwise is not believed.
constexpr size_t kLogsMax = 65536;
constexpr size_t kLogBytesMax = size_t{256} * 1024 * 1024;

template <size_t N>
std::string field(const char (&text)[N])
{
    return std::string(words_of(text));
}

// Without a service here it does not matter whether its module is loaded.
tl::unexpected<Error> refused(int rc, std::string words)
{
    if (rc == -ENOTTY || rc == -ENODEV)
        return fail(ENODEV, words.empty() ? "no management service runs on this node; run the "
                                            "command on the MGS node"
                                          : std::move(words));
    if (words.empty())
        return call_error(rc, "mgs", "the management service");
    return fail(-rc, std::move(words));
}

bool fill_name(char (&to)[MGS_LOGNAME_MAX], const std::string& name)
{
    if (name.empty() || name.size() >= sizeof(to))
        return false;
    name.copy(to, name.size());
    return true;
}

// One read of all of it. ESTALE when it changed on the way.
Result<std::vector<std::byte>> read_once(KernelPort& port, const std::string& name)
{
    std::vector<std::byte> bytes;
    mgs_ioc_read arg{};

    do {
        const size_t have = bytes.size();

        bytes.resize(have + kReadBytes);
        set_header(&mgs_ioc_read::mr_hdr, arg);
        if (!fill_name(arg.mr_name, name))
            return fail(EINVAL, "'" + name + "' is not the name of a log");
        arg.mr_offset = have;
        arg.mr_buf = address(bytes.data() + have);
        arg.mr_len = kReadBytes;

        const int rc = port.call(MGS_IOC_READ, &arg);

        if (rc < 0)
            return refused(rc, rc == -ENOENT ? "the management service has no log '" + name + "'"
                                             : std::string());
        bytes.resize(have + std::min<size_t>(arg.mr_used, kReadBytes));
        if (bytes.size() > kLogBytesMax)
            return fail(
                EFBIG, "log " + name + " has more than " + std::to_string(kLogBytesMax) + " bytes");
    } while (arg.mr_used != 0 && bytes.size() < arg.mr_size);
    if (bytes.size() < arg.mr_size)
        return fail(EIO, "the management service returned " + std::to_string(bytes.size()) +
                             " of the " + std::to_string(arg.mr_size) + " bytes of log " + name);
    return bytes;
}

}  // namespace

Result<MgsChanged> mgs_change(KernelPort& port, const MgsChange& change)
{
    mgs_ioc_change arg{};
    std::string args;

    for (const std::string& text : change.args)
        args.append(text).push_back('\0');
    if (args.size() > MGS_CHANGE_ARGS_MAX)
        return fail(E2BIG, "the change has more than " + std::to_string(MGS_CHANGE_ARGS_MAX) +
                               " bytes of text");
    set_header(&mgs_ioc_change::mc_hdr, arg);
    arg.mc_op = change.op;
    arg.mc_flags =
        (change.dry_run ? MGS_CHANGE_DRY_RUN : 0) | (change.force ? MGS_CHANGE_FORCE : 0);
    arg.mc_args = address(args.data());
    arg.mc_args_len = uint32_t(args.size());
    arg.mc_index = change.index;

    const int rc = port.call(MGS_IOC_CHANGE, &arg);

    if (rc < 0)
        return refused(rc, field(arg.mc_why));
    return MgsChanged{arg.mc_generation, arg.mc_records, arg.mc_logs, field(arg.mc_why)};
}

Result<MgsNodes> mgs_wait(KernelPort& port, uint64_t generation, std::chrono::milliseconds limit)
{
    mgs_ioc_wait arg{};

    set_header(&mgs_ioc_wait::mw_hdr, arg);
    arg.mw_generation = generation;
    arg.mw_timeout_ms = uint32_t(limit.count());

    const int rc = port.call(MGS_IOC_WAIT, &arg);

    if (rc < 0 && rc != -ETIMEDOUT)
        return refused(rc, field(arg.mw_why));
    return MgsNodes{arg.mw_nodes, arg.mw_behind, arg.mw_failed, field(arg.mw_why)};
}

Result<std::vector<MgsLog>> mgs_logs(KernelPort& port)
{
    std::vector<mgs_log_info> room(kLogs);
    std::vector<MgsLog> logs;
    mgs_ioc_logs arg{};

    for (int tries = 0;; tries++) {
        set_header(&mgs_ioc_logs::logs_hdr, arg);
        arg.logs_buf = address(room.data());
        arg.logs_max = uint32_t(room.size());

        const int rc = port.call(MGS_IOC_LOGS, &arg);

        if (rc < 0)
            return refused(rc, {});
        if (arg.logs_count <= room.size())
            break;
        if (arg.logs_count > kLogsMax)
            return fail(EOVERFLOW, "the management service has " + std::to_string(arg.logs_count) +
                                       " logs: " + std::to_string(kLogsMax) +
                                       " is the maximum for a list");
        if (tries == kReadTries)
            return fail(EAGAIN, "the list of logs keeps changing; try again");
        // Further ones may appear until the next call.
        room.resize(size_t{arg.logs_count} + kLogs);
    }
    room.resize(arg.logs_count);
    logs.reserve(room.size());
    for (const mgs_log_info& info : room)
        logs.push_back({field(info.li_name), info.li_epoch, info.li_generation, info.li_size,
                        info.li_records, info.li_last_index});
    return logs;
}

Result<std::unique_ptr<LogBytes>> mgs_log_bytes(KernelPort& port, const std::string& name)
{
    for (int tries = 0; tries < kReadTries; tries++) {
        auto bytes = read_once(port, name);

        if (bytes)
            return std::make_unique<MemoryLogBytes>(name, std::move(*bytes));
        if (bytes.error().code != ESTALE)
            return tl::unexpected(bytes.error());
    }
    return fail(EAGAIN, "log " + name + " keeps changing; try again");
}

}  // namespace ll
