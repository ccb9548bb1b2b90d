// SPDX-License-Identifier: GPL-2.0-only
// A module that answers anything: the input decides what each call returns and what it puts
// into the buffers it was given. The library must neither read outside of them nor loop
// without a bound.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/expand.hpp"
#include "lib/params.hpp"
#include "lib/suggest.hpp"
#include "lib/value_text.hpp"

using namespace ll;

namespace {

class Replies final : public KernelPort {
public:
    explicit Replies(std::string_view script) : script_(script) {}

    int call(unsigned long cmd, void* arg) noexcept override
    {
        if (script_.empty())
            return -EIO;
        switch (cmd) {
            case PARAMS_IOC_LIST: {
                auto& list = *static_cast<params_ioc_list*>(arg);
                fill(list.pl_buf, list.pl_buf_len, list.pl_used);
                list.pl_eof = byte() & 1;
                return code(list.pl_buf_len);
            }
            case PARAMS_IOC_READ: {
                auto& read = *static_cast<params_ioc_read*>(arg);
                fill(read.pr_buf, read.pr_buf_len, read.pr_used);
                read.pr_eof = byte() & 1;
                read.pr_snapshot = byte();
                return code(read.pr_buf_len);
            }
            case PARAMS_IOC_READ_BATCH: {
                auto& batch = *static_cast<params_ioc_read_batch*>(arg);
                fill(batch.rb_buf, batch.rb_buf_len, batch.rb_used);
                batch.rb_eof = byte() & 1;
                return code(batch.rb_buf_len);
            }
            case PARAMS_IOC_WRITE_BATCH: {
                auto& batch = *static_cast<params_ioc_write_batch*>(arg);
                fill(batch.bw_out, batch.bw_out_len, batch.bw_used);
                return code(batch.bw_out_len);
            }
            case PARAMS_IOC_DESCRIBE: {
                auto& describe = *static_cast<params_ioc_describe*>(arg);
                fill(describe.dsc_buf, describe.dsc_buf_len, describe.dsc_used);
                return code(describe.dsc_buf_len);
            }
            default:
                return -ENOTTY;
        }
    }

private:
    uint8_t byte()
    {
        if (script_.empty())
            return 0;
        const auto c = uint8_t(script_.front());
        script_.remove_prefix(1);
        return c;
    }

    // The next bytes of the script; mostly `used` is their number.
    void fill(uint64_t address, uint32_t room, uint32_t& used)
    {
        const size_t want = size_t{byte()} * 8;
        const size_t n = std::min({want, script_.size(), size_t{room}});

        std::memcpy(reinterpret_cast<void*>(uintptr_t(address)), script_.data(), n);
        script_.remove_prefix(n);
        const uint8_t lie = byte();
        used = lie == 255 ? 0xffffffff : lie == 254 ? room + 8 : uint32_t(n);
    }

    int code(uint32_t& length)
    {
        const uint8_t c = byte();

        if (c == 255) {
            length += byte() * 1000U;
            return -EOVERFLOW;
        }
        return c < 240 ? 0 : -int(c - 239);
    }

    std::string_view script_;
};

// Looks at all that a visitor is given.
size_t look_at(const EntryView& entry)
{
    std::string out(entry.path);

    out.append(entry.display).append(entry.name);
    if (entry.has_value) {
        (void)append_text(out, entry.value, entry.type);
        (void)append_json(out, entry.value, entry.type);
    }
    return out.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const char* const specs[] = {"*", "a.*.b", "**.x", "a.b", "*.a.*.b"};

    if (size < 2)
        return 0;
    Replies port({reinterpret_cast<const char*>(data) + 2, size - 2});
    Params params(port);
    const auto spec = *PathSpec::parse(specs[data[1] % 5]);
    size_t seen = 0;
    auto see = [&](const EntryView& entry) {
        seen += look_at(entry);
        return Visit::Continue;
    };
    PathList paths;
    paths.add("a/b");
    paths.add("c");
    switch (data[0] % 10) {
        case 0:
            (void)params.list("a", 0, see);
            break;
        case 1:
            (void)params.read_subtree("a", see);
            break;
        case 2:
            (void)params.read_many(paths, see);
            break;
        case 3:
            (void)params.read("a");
            break;
        case 4:
            (void)params.stat("a/b");
            break;
        case 5:
            (void)params.describe("a");
            break;
        case 6:
            (void)visit_matching(params, spec, {.recursive = (data[1] & 128) != 0}, see);
            break;
        case 7:
            (void)visit_matching(params, spec, {.values = false}, see);
            break;
        case 8:
            if (auto writes = plan_writes(params, spec, "value"))
                (void)write_planned(params, std::move(*writes), {.atomic = (data[1] & 128) != 0});
            break;
        default:
            (void)near_names(params, spec);
            break;
    }
    return 0;
}
