// SPDX-License-Identifier: GPL-2.0-only
// A management service that answers anything: the input decides what each call returns and
// fills in. The library must neither read outside of its buffers nor loop without a bound.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/log_file.hpp"
#include "lib/mgs.hpp"
#include "lib/mgs_settings.hpp"

using namespace ll;

namespace {

class Service final : public KernelPort {
public:
    explicit Service(std::string_view script) : script_(script) {}

    int call(unsigned long cmd, void* arg) noexcept override
    {
        if (script_.empty())
            return -EIO;
        switch (cmd) {
            case MGS_IOC_CHANGE:
                return anything(static_cast<mgs_ioc_change*>(arg)->mc_generation,
                                sizeof(mgs_ioc_change) - offsetof(mgs_ioc_change, mc_generation));
            case MGS_IOC_WAIT:
                return anything(static_cast<mgs_ioc_wait*>(arg)->mw_nodes,
                                sizeof(mgs_ioc_wait) - offsetof(mgs_ioc_wait, mw_nodes));
            case MGS_IOC_LOGS: {
                auto& logs = *static_cast<mgs_ioc_logs*>(arg);

                put(logs.logs_buf, size_t{logs.logs_max} * sizeof(mgs_log_info));
                return anything(logs.logs_count, sizeof(logs.logs_count));
            }
            case MGS_IOC_READ: {
                auto& read = *static_cast<mgs_ioc_read*>(arg);

                read.mr_used = uint32_t(put(read.mr_buf, read.mr_len));
                return anything(read.mr_size, sizeof(read.mr_size) + sizeof(read.mr_generation));
            }
            default:
                return -ENOTTY;
        }
    }

private:
    size_t put(uint64_t address, size_t room)
    {
        const size_t n = std::min({size_t{byte()} * 40, room, script_.size()});

        std::memcpy(reinterpret_cast<void*>(uintptr_t(address)), script_.data(), n);
        script_.remove_prefix(n);
        return n;
    }

    uint8_t byte()
    {
        if (script_.empty())
            return 0;
        const auto c = uint8_t(script_.front());
        script_.remove_prefix(1);
        return c;
    }

    // The buffer that a call fills in, and its result.
    template <class Field>
    int anything(Field& field, size_t size)
    {
        const uint8_t code = byte();
        const size_t n = std::min(size, script_.size());

        std::memcpy(reinterpret_cast<char*>(&field), script_.data(), n);
        script_.remove_prefix(n);
        return code < 160 ? 0 : -int(code - 159);
    }

    std::string_view script_;
};

size_t look_at_log(KernelPort& port)
{
    auto bytes = mgs_log_bytes(port, "lustre-client");
    size_t records = 0;

    if (!bytes)
        return 0;

    auto log = LogFile::open_damaged(std::move(*bytes));

    if (log)
        (void)log->walk([&](const LogItem&) { return ++records < 1000; });
    return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 2)
        return 0;

    const std::string_view script(reinterpret_cast<const char*>(data) + 1, size - 1);
    Service port(script);

    switch (data[0] % 5) {
        case 0:
            (void)mgs_change(port, {.op = MGS_SET_PARAM, .args = {"a.b", "1"}});
            break;
        case 1:
            (void)mgs_wait(port, 1, std::chrono::milliseconds(1));
            break;
        case 2:
            (void)mgs_logs(port);
            break;
        case 3:
            (void)look_at_log(port);
            break;
        default:
            (void)parse_permanent(ValueView(script), "MGS");
            break;
    }
    return 0;
}
