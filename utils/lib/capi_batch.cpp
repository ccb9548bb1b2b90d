// SPDX-License-Identifier: LGPL-2.1-or-later
// The C interface's batches.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "call.hpp"
#include "capi.hpp"

using namespace ll;

namespace {

// A name that is none has its status at once; the others are sent.
template <class Send>
void each_path(params_batch* batch, size_t count, Send send)
{
    for (size_t i = 0; i < count; i++) {
        batch[i].pb_status = 0;
        auto raw = exact_path(batch[i].pb_path);
        if (raw)
            send(i, std::move(*raw));
        else
            batch[i].pb_status = -raw.error().code;
    }
}

int count_failed(const params_batch* batch, size_t count)
{
    int failed = 0;

    for (size_t i = 0; i < count; i++)
        failed += batch[i].pb_status != 0;
    return failed;
}

Result<int> read_all(Params& params, params_batch* batch, size_t count)
{
    std::vector<size_t> sent;
    PathList paths;

    each_path(batch, count, [&](size_t i, const std::string& raw) {
        sent.push_back(i);
        paths.add(raw);
    });
    auto see = [&](const EntryView& view) {
        params_batch& one = batch[sent[view.index]];
        one.pb_status = -view.status;
        one.pb_version = view.version;
        one.pb_type = view.type;
        one.pb_mode = view.mode;
        if (view.has_value)
            one.pb_status = unpack_values(view.value, false, &one.pb_values);
        return Visit::Continue;
    };
    auto done = paths.empty() ? Status{} : params.read_many(paths, see);
    if (!done)
        return tl::unexpected(done.error());
    return count_failed(batch, count);
}

Result<Write> plan(const params_batch& one, std::string raw)
{
    Result<Write> write;

    if (one.pb_values) {
        write = make_write(std::move(raw), one.pb_values, true);
    } else if (one.pb_text) {
        write->path = std::move(raw);
        write->value = one.pb_text;
    } else {
        return ll::fail(EINVAL, "no value was given");
    }
    if (write && one.pb_check_version)
        write->if_version = one.pb_version;
    return write;
}

char* copy_reason(const std::string& reason)
{
    return reason.empty() ? nullptr : ::strdup(reason.c_str());
}

Result<int> write_all(Params& params, params_batch* batch, size_t count, unsigned int opt_flag)
{
    const WriteMode mode = {(opt_flag & PARAMS_OPT_ATOMIC) != 0,
                            (opt_flag & PARAMS_OPT_DRY_RUN) != 0};
    std::vector<size_t> sent;
    std::vector<Write> writes;

    for (size_t i = 0; i < count; i++)
        batch[i].pb_reason = nullptr;
    each_path(batch, count, [&](size_t i, std::string raw) {
        auto write = plan(batch[i], std::move(raw));
        if (!write) {
            batch[i].pb_status = -write.error().code;
            return;
        }
        sent.push_back(i);
        writes.push_back(std::move(*write));
    });
    if (mode.atomic && sent.size() < count) {
        for (const size_t i : sent)
            batch[i].pb_status = -ECANCELED;
        return count_failed(batch, count);
    }
    if (writes.empty())
        return count_failed(batch, count);
    auto reply = params.write_many(writes, mode);
    if (!reply)
        return tl::unexpected(reply.error());
    for (size_t k = 0; k < sent.size(); k++) {
        params_batch& one = batch[sent[k]];
        one.pb_status = -reply->replies[k].status;
        one.pb_version = reply->replies[k].version;
        one.pb_reason = copy_reason(reply->replies[k].reason);
    }
    return count_failed(batch, count);
}

}  // namespace

extern "C" {

int params_read_batch(struct params_handle* handle, struct params_batch* batch, size_t count,
                      unsigned int opt_flag)
{
    return with_handle(handle, [&](Params& params) -> Result<int> {
        if (opt_flag)
            return ll::fail(EINVAL, "params_read_batch: unknown flag");
        for (size_t i = 0; i < count; i++)
            batch[i].pb_values = nullptr;
        return read_all(params, batch, count);
    });
}

void params_read_batch_free(struct params_batch* batch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        params_value_free(batch[i].pb_values);
        batch[i].pb_values = nullptr;
    }
}

int params_write_batch(struct params_handle* handle, struct params_batch* batch, size_t count,
                       unsigned int opt_flag)
{
    return with_handle(handle, [&](Params& params) -> Result<int> {
        if (opt_flag & ~unsigned(PARAMS_OPT_ATOMIC | PARAMS_OPT_DRY_RUN))
            return ll::fail(EINVAL, "params_write_batch: unknown flag");
        return write_all(params, batch, count, opt_flag);
    });
}

void params_write_batch_free(struct params_batch* batch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        std::free(batch[i].pb_reason);
        batch[i].pb_reason = nullptr;
    }
}

}  // extern "C"
