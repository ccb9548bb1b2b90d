// SPDX-License-Identifier: GPL-2.0-only
#include "test_system.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "cmocka.hpp"
#include "lctl/command.hpp"
#include "real_tree.h"

namespace {

template <typename T>
void append(std::string& bytes, const T& value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string packed(std::uint64_t sequence, std::uint64_t time_ns, std::string_view text)
{
    const std::string_view file = "test.c";
    const std::string_view function = "test";
    libcfs_debug_rec head{};
    std::string bytes;

    head.dr_cpu = static_cast<std::uint32_t>(sequence % 2);
    head.dr_subsys = 0x40;
    head.dr_mask = 0x4;
    head.dr_seq = sequence;
    head.dr_time_ns = time_ns;
    head.dr_pid = 77;
    head.dr_line = 5;
    head.dr_file_len = static_cast<std::uint16_t>(file.size() + 1);
    head.dr_func_len = static_cast<std::uint16_t>(function.size() + 1);
    head.dr_text_len = static_cast<std::uint32_t>(text.size() + 1);
    append(bytes, head);
    for (const std::string_view part : {file, function, text})
        bytes.append(part).push_back('\0');
    bytes.resize(PARAMS_ALIGN(bytes.size()));
    head.dr_len = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &head, sizeof(head));
    return bytes;
}

template <typename T>
T* pointer(std::uint64_t address)
{
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

void TestDebugLog::add(std::uint64_t time_ns, std::string_view text)
{
    ++sequence_;
    records.push_back({sequence_, packed(sequence_, time_ns, text)});
}

int TestDebugLog::call(unsigned long cmd, libcfs_ioc_debug& arg)
{
    if (fail_with != 0)
        return -fail_with;
    switch (cmd) {
        case LIBCFS_IOC_DEBUG_READ:
            return read(arg);
        case LIBCFS_IOC_DEBUG_CLEAR:
            std::erase_if(records, [&](const Record& record) {
                return arg.dbg_cursor == 0 || record.sequence < arg.dbg_cursor;
            });
            return 0;
        default:
            marks.emplace_back(pointer<const char>(arg.dbg_buf), arg.dbg_buf_len);
            return 0;
    }
}

int TestDebugLog::read(libcfs_ioc_debug& arg)
{
    const std::uint32_t room = std::min(arg.dbg_buf_len, most_room);

    arg.dbg_used = 0;
    arg.dbg_eof = 1;
    arg.dbg_lost = std::exchange(lost, 0);
    for (const Record& record : records) {
        if (record.sequence < arg.dbg_cursor)
            continue;
        if (record.bytes.size() > room - arg.dbg_used) {
            arg.dbg_eof = 0;
            break;
        }
        std::memcpy(pointer<char>(arg.dbg_buf) + arg.dbg_used, record.bytes.data(),
                    record.bytes.size());
        arg.dbg_used += static_cast<std::uint32_t>(record.bytes.size());
        arg.dbg_cursor = record.sequence + 1;
    }
    if (!added_during_read.empty())
        add(0, added_during_read);
    return 0;
}

int TestPort::call(unsigned long cmd, void* arg) noexcept
{
    calls_of[cmd]++;
    switch (cmd) {
        case LIBCFS_IOC_DEBUG_READ:
        case LIBCFS_IOC_DEBUG_CLEAR:
        case LIBCFS_IOC_DEBUG_MARK:
            return log_.call(cmd, *static_cast<libcfs_ioc_debug*>(arg));
        default:
            return real_tree_call(cmd, arg);
    }
}

ll::Result<std::unique_ptr<ll::KernelPort>> TestSystem::open_kernel()
{
    if (!loaded)
        return ll::fail(ENOENT, "cannot open /dev/libcfs: load the module");

    auto opened = std::make_unique<TestPort>(log);
    port = opened.get();
    return opened;
}

ll::Result<std::unique_ptr<lctl::EventSource>> TestSystem::open_events()
{
    return ll::fail(EOPNOTSUPP, "there are no events here");
}

ll::Status TestSystem::list_devices(ll::DeviceVisitor visit)
{
    visit({.index = 0, .type = "obdecho", .name = "es", .uuid = "es_UUID", .connection = {}});
    visit({.index = 1, .type = "osc", .name = "osc0", .uuid = "osc0_UUID", .connection = {}});
    return {};
}

ll::Result<std::unique_ptr<lctl::DeviceEventSource>> TestSystem::open_device_events()
{
    return ll::fail(EOPNOTSUPP, "there are no events here");
}

std::string TestWriter::take()
{
    flush();
    return std::exchange(written_, {});
}

int TestWriter::write_all(std::string_view text)
{
    if (fail_with != 0)
        return fail_with;
    written_.append(text);
    return 0;
}

int TestLctl::run(std::vector<std::string> words)
{
    return lctl::run_command(context, words);
}

std::string TestLctl::output_of(std::vector<std::string> words)
{
    const std::string line = words.front();

    if (const int status = run(std::move(words)); status != 0)
        fail_msg("%s failed with %d: %s", line.c_str(), status, err.take().c_str());
    return out.take();
}

std::string TestLctl::value_of(const std::string& name)
{
    std::string value = output_of({"get_param", "-n", name});

    if (value.ends_with('\n'))
        value.pop_back();
    return value;
}

int start_tree(void** /*state*/)
{
    return real_tree_start();
}

int stop_tree(void** /*state*/)
{
    real_tree_stop();
    return 0;
}
