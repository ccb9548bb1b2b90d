// SPDX-License-Identifier: GPL-2.0-only
#include "fake_mgs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cmocka.hpp"

namespace lctl_test {

namespace {

constexpr const char* kNames[] = {
    "?",          "set_param", "del_param",  "conf_param", "del_conf_param", "replace_nids",
    "clear_conf", "fork_lcfg", "erase_lcfg", "del_ost",    "pool_new",       "pool_add",
    "pool_rem",   "pool_del",  "cancel",     "writeconf",  "replace_target",
};

template <class T>
void check_head(const libcfs_ioc_hdr& head)
{
    assert_int_equal(head.ioh_size, sizeof(T));
    assert_int_equal(head.ioh_abi, LIBCFS_ABI_VERSION);
}

template <std::size_t N>
void put_text(char (&field)[N], const std::string& text)
{
    std::memset(field, 0, N);
    text.copy(field, N - 1);
}

template <class T>
T* pointer(std::uint64_t address)
{
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

/* Texts, each with its NUL. */
std::vector<std::string> texts_of(const mgs_ioc_change& arg)
{
    std::string_view all(pointer<const char>(arg.mc_args), arg.mc_args_len);
    std::vector<std::string> texts;

    assert_true(!all.empty() && all.back() == '\0');
    while (!all.empty()) {
        texts.emplace_back(all.substr(0, all.find('\0')));
        all.remove_prefix(texts.back().size() + 1);
    }
    return texts;
}

}  // namespace

int FakeMgs::call(unsigned long cmd, void* arg) noexcept
{
    const bool is_ours =
        cmd == MGS_IOC_CHANGE || cmd == MGS_IOC_WAIT || cmd == MGS_IOC_LOGS || cmd == MGS_IOC_READ;

    if (!is_ours)
        return tree.call(cmd, arg);
    if (!loaded || !runs)
        return loaded ? -ENODEV : -ENOTTY;
    switch (cmd) {
        case MGS_IOC_CHANGE:
            return change(*static_cast<mgs_ioc_change*>(arg));
        case MGS_IOC_WAIT:
            return wait(*static_cast<mgs_ioc_wait*>(arg));
        case MGS_IOC_LOGS:
            return list(*static_cast<mgs_ioc_logs*>(arg));
        default:
            return read(*static_cast<mgs_ioc_read*>(arg));
    }
}

std::string FakeMgs::take()
{
    return std::exchange(sent_, {});
}

int FakeMgs::change(mgs_ioc_change& arg)
{
    const std::vector<std::string> texts = texts_of(arg);

    check_head<mgs_ioc_change>(arg.mc_hdr);
    assert_in_range(arg.mc_op, MGS_SET_PARAM, MGS_REPLACE_TARGET);
    sent_ += kNames[arg.mc_op];
    for (const std::string& text : texts)
        sent_ += " '" + text + "'";
    if (arg.mc_index != 0)
        sent_ += " #" + std::to_string(arg.mc_index);
    if ((arg.mc_flags & MGS_CHANGE_DRY_RUN) != 0)
        sent_ += " dry";
    if ((arg.mc_flags & MGS_CHANGE_FORCE) != 0)
        sent_ += " force";
    sent_ += '\n';

    for (const auto& [text, refusal] : refusals) {
        if (!text.empty() && text != texts.front())
            continue;
        put_text(arg.mc_why, refusal.second);
        return -refusal.first;
    }
    arg.mc_generation =
        (arg.mc_flags & MGS_CHANGE_DRY_RUN) != 0 || generation == 0 ? 0 : generation++;
    arg.mc_records = 2;
    arg.mc_logs = 1;
    put_text(arg.mc_why, remark);
    return 0;
}

int FakeMgs::wait(mgs_ioc_wait& arg)
{
    check_head<mgs_ioc_wait>(arg.mw_hdr);
    assert_int_equal(arg.mw_reserved, 0);
    // A time given in seconds, some of which may have passed.
    sent_ += "wait " + std::to_string(arg.mw_generation) + " " +
             std::to_string((arg.mw_timeout_ms + 999) / 1000) + "\n";
    arg.mw_nodes = nodes;
    arg.mw_behind = behind;
    arg.mw_failed = failed;
    put_text(arg.mw_why, wait_why);
    return wait_rc;
}

int FakeMgs::list(mgs_ioc_logs& arg) const
{
    auto* room = pointer<mgs_log_info>(arg.logs_buf);
    std::uint32_t n = 0;

    check_head<mgs_ioc_logs>(arg.logs_hdr);
    for (const auto& [name, log] : logs) {
        if (n++ >= arg.logs_max)
            continue;

        mgs_log_info info{};

        put_text(info.li_name, name);
        info.li_epoch = 1;
        info.li_generation = log.generation;
        info.li_size = log.bytes.size();
        info.li_records = 7;
        info.li_last_index = 9;
        room[n - 1] = info;
    }
    arg.logs_count = n;
    return 0;
}

int FakeMgs::read(mgs_ioc_read& arg)
{
    check_head<mgs_ioc_read>(arg.mr_hdr);
    if (at_read)
        at_read();

    const auto found = logs.find(arg.mr_name);

    arg.mr_used = 0;
    if (found == logs.end())
        return -ENOENT;

    const Log& log = found->second;
    const std::uint64_t wanted = std::exchange(arg.mr_generation, log.generation);

    arg.mr_size = log.bytes.size();
    if (wanted != 0 && wanted != log.generation)
        return -ESTALE;
    if (arg.mr_offset >= log.bytes.size())
        return 0;
    arg.mr_used = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::min(arg.mr_len, most_read), log.bytes.size() - arg.mr_offset));
    std::memcpy(pointer<std::byte>(arg.mr_buf), log.bytes.data() + arg.mr_offset, arg.mr_used);
    return 0;
}

}  // namespace lctl_test
