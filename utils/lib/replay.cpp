// SPDX-License-Identifier: LGPL-2.1-or-later
#include "replay.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include "call.hpp"

namespace ll {

namespace {

constexpr uint32_t kBufferSize = 64 * 1024;

constexpr std::string_view kModule = "obdclass";

tl::unexpected<Error> broken_report()
{
    return fail(EBADMSG, "malformed reply from obdclass (report)");
}

// One replay, call by call.
class Replay {
public:
    Replay(KernelPort& port, FunctionRef<void(const ReplayRecord&)> report, ReplayTotals& totals)
        : port_(port),
          report_(report),
          totals_(totals),
          buffer_(std::make_unique<char[]>(kBufferSize))
    {
    }

    Status run(const ReplayRequest& request)
    {
        if (auto good = prepare(request); !good)
            return good;
        do {
            if (auto done = step(); !done)
                return done;
        } while (arg_.or_eof == 0);
        return {};
    }

private:
    Status prepare(const ReplayRequest& request)
    {
        if (request.exclude.size() > OBD_EXCLUDE_MAX)
            return fail(E2BIG, "names to exclude have more than " +
                                   std::to_string(OBD_EXCLUDE_MAX) + " bytes");
        arg_.or_fd = request.fd;
        arg_.or_flags = request.dry_run ? OBD_REPLAY_DRY_RUN : 0;
        arg_.or_instance = request.instance;
        if (!request.exclude.empty()) {
            arg_.or_exclude = address(request.exclude.data());
            arg_.or_exclude_len = uint32_t(request.exclude.size());
        }
        if (!put_text(arg_.or_uuid, request.uuid))
            return fail(ENAMETOOLONG, "uuid '" + request.uuid + "' has more than " +
                                          std::to_string(sizeof(arg_.or_uuid) - 1) + " bytes");
        return {};
    }

    // One call; its part of the report also where it fails.
    Status step()
    {
        const uint32_t before = arg_.or_last;

        set_header(&obd_ioc_replay::or_hdr, arg_);
        arg_.or_buf = address(buffer_.get());
        arg_.or_buf_len = kBufferSize;
        arg_.or_used = 0;
        arg_.or_applied = arg_.or_skipped = arg_.or_failed = 0;
        arg_.or_eof = 0;
        arg_.or_why[0] = '\0';

        const int rc = port_.call(OBD_IOC_REPLAY, &arg_);
        if (auto good = records(); !good)
            return good;
        totals_.applied += arg_.or_applied;
        totals_.skipped += arg_.or_skipped;
        totals_.failed += arg_.or_failed;
        totals_.last = arg_.or_last;
        if (rc < 0)
            return call_error(rc, kModule, {}, words_of(arg_.or_why));
        // Neither the end nor a step: the loop would not end.
        if (arg_.or_eof == 0 && arg_.or_last <= before)
            return broken_report();
        return {};
    }

    Status records()
    {
        std::string_view left(buffer_.get(), arg_.or_used);

        if (arg_.or_used > kBufferSize)
            return broken_report();
        while (!left.empty()) {
            obd_replay_rec head{};

            if (left.size() < sizeof(head))
                return broken_report();
            std::memcpy(&head, left.data(), sizeof(head));
            const size_t texts = size_t(head.orr_device_len) + head.orr_why_len;
            if (head.orr_len > left.size() || head.orr_len % 8 != 0 ||
                head.orr_len < sizeof(head) + texts)
                return broken_report();
            record(head, left.substr(sizeof(head), texts));
            left.remove_prefix(head.orr_len);
        }
        return {};
    }

    void record(const obd_replay_rec& head, std::string_view texts)
    {
        ReplayRecord record;

        record.index = head.orr_index;
        record.command = head.orr_command;
        record.done = obd_replay_done(head.orr_done);
        record.code = status_errno(head.orr_status);
        record.device = texts.substr(0, head.orr_device_len);
        record.why = texts.substr(head.orr_device_len);
        if (record.done == OBD_REPLAY_IGNORED)
            totals_.ignored++;
        if (record.done == OBD_REPLAY_FAILED && totals_.first_failure == 0)
            totals_.first_failure = record.code != 0 ? record.code : EIO;
        report_(record);
    }

    KernelPort& port_;
    FunctionRef<void(const ReplayRecord&)> report_;
    ReplayTotals& totals_;
    std::unique_ptr<char[]> buffer_;
    obd_ioc_replay arg_{};
};

}  // namespace

Status replay_log(KernelPort& port, const ReplayRequest& request,
                  FunctionRef<void(const ReplayRecord&)> report, ReplayTotals& totals)
{
    totals = {};
    return Replay(port, report, totals).run(request);
}

Result<uint32_t> remove_instance(KernelPort& port, uint64_t instance, bool force)
{
    obd_ioc_instance arg{};

    set_header(&obd_ioc_instance::on_hdr, arg);
    arg.on_instance = instance;
    arg.on_force = force ? 1 : 0;
    if (const int rc = port.call(OBD_IOC_INSTANCE_CLEANUP, &arg); rc < 0)
        return call_error(rc, kModule, {}, words_of(arg.on_why));
    return arg.on_count;
}

}  // namespace ll
