// SPDX-License-Identifier: GPL-2.0-only
#include "fake_obd.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cmocka.hpp"
#include "lib/echo.hpp"

#include <lustre_lite/lustre_cfg.h>

namespace lctl_test {

namespace {

template <std::size_t Size>
void put(char (&field)[Size], const std::string& text)
{
    assert_true(text.size() < Size);
    std::memcpy(field, text.c_str(), text.size() + 1);
}

template <class T>
void check_head(const libcfs_ioc_hdr& head)
{
    assert_int_equal(head.ioh_size, sizeof(T));
    assert_int_equal(head.ioh_abi, LIBCFS_ABI_VERSION);
}

}  // namespace

int FakeObd::call(unsigned long cmd, void* arg) noexcept
{
    if (!loaded)
        return -ENOTTY;
    switch (cmd) {
        case OBD_IOC_CONFIG:
            return config(*static_cast<obd_ioc_config*>(arg));
        case OBD_IOC_DEVICE:
            return device(*static_cast<obd_ioc_device*>(arg));
        case OBD_IOC_IMPORT:
            return import(*static_cast<obd_ioc_import*>(arg));
        case LL_RPC_IOC_ECHO_TEST:
            return echo(*static_cast<ll_rpc_ioc_echo*>(arg));
        default:
            return -ENOTTY;
    }
}

std::string FakeObd::take()
{
    return std::exchange(sent_, {});
}

std::string FakeObd::name_of(std::uint32_t index) const
{
    for (const Device& device : devices)
        if (device.index == index)
            return device.name;
    return {};
}

/* "command DEVICE ARGUMENT..., num=N": a number in front of the device is that by
 * which it was named. */
int FakeObd::config(obd_ioc_config& arg)
{
    lcfg_view view;
    const char* fault = nullptr;

    check_head<obd_ioc_config>(arg.oc_hdr);
    assert_int_equal(arg.oc_flags, 0);
    assert_int_equal(arg.oc_reserved, 0);
    assert_int_equal(
        lustre_cfg_decode(reinterpret_cast<const void*>(arg.oc_cfg), arg.oc_cfg_len, &view, &fault),
        0);
    sent_ += lcfg_command_name(view.command);
    if (arg.oc_index != OBD_INDEX_NONE)
        sent_ += " " + std::to_string(arg.oc_index);
    for (std::uint32_t n = 0; n < view.bufcount; n++)
        sent_ += std::string(" '") + lcfg_string(&view, n) + "'";
    if (view.num != 0)
        sent_ += " num=" + std::to_string(view.num);
    sent_ += "\n";
    put(arg.oc_why, why);
    return -refuse;
}

int FakeObd::device(obd_ioc_device& arg)
{
    check_head<obd_ioc_device>(arg.od_hdr);
    assert_int_equal(arg.od_reserved, 0);
    for (const Device& one : devices) {
        if (arg.od_index != OBD_INDEX_NONE ? one.index != arg.od_index : one.name != arg.od_name)
            continue;
        arg.od_index = one.index;
        arg.od_status = OBD_STATUS_UP;
        arg.od_refcount = 3;
        put(arg.od_name, one.name);
        put(arg.od_uuid, one.uuid);
        put(arg.od_type, one.type);
        return 0;
    }
    return -ENODEV;
}

int FakeObd::import(obd_ioc_import& arg)
{
    static constexpr const char* operations[] = {"?", "activate", "deactivate", "recover"};

    check_head<obd_ioc_import>(arg.oi_hdr);
    assert_true(arg.oi_op < std::size(operations));
    sent_ += operations[arg.oi_op] + (" " + name_of(arg.oi_index)) + " '" + arg.oi_uuid + "'\n";
    put(arg.oi_why, why);
    return -refuse;
}

/* Results of a call besides its time. */
void FakeObd::echo_learn(ll_rpc_ioc_echo& arg) const
{
    if ((arg.et_flags & LL_ECHO_TEST) != 0)
        std::copy(echo_blocker.begin(), echo_blocker.end(), std::begin(arg.et_granted));
    if (arg.et_op == LL_ECHO_GLIMPSE || arg.et_op == LL_ECHO_GETATTR)
        arg.et_object_size = 12345;
}

/* As the kernel counts, with calls that all take the same time. */
int FakeObd::echo(ll_rpc_ioc_echo& arg)
{
    const std::lock_guard<std::mutex> guard(echo_lock_);
    std::uint64_t calls = echo_per_batch;
    unsigned int bucket = 0;

    check_head<ll_rpc_ioc_echo>(arg.et_hdr);
    echoes.push_back(arg);
    put(arg.et_why, why);
    if (refuse != 0)
        return -refuse;
    if (arg.et_calls != 0)
        calls = std::min<std::uint64_t>(calls, arg.et_calls);
    while (bucket + 1 < LL_ECHO_BUCKETS && ll::echo_bucket_ns(bucket + 1) <= echo_ns)
        bucket++;
    std::copy(std::begin(arg.et_policy), std::end(arg.et_policy), std::begin(arg.et_granted));
    echo_learn(arg);
    while (calls-- != 0) {
        if (echo_fail_every != 0 && ++echo_calls_ % echo_fail_every == 0) {
            arg.et_first_error = -EIO;
            arg.et_failed++;
            continue;
        }
        arg.et_done++;
        arg.et_bytes += arg.et_size;
        arg.et_sum_ns += echo_ns;
        arg.et_min_ns = echo_ns;
        arg.et_max_ns = echo_ns;
        arg.et_histogram[bucket]++;
    }
    arg.et_ns = (arg.et_done + arg.et_failed) * echo_ns;
    return 0;
}

}  // namespace lctl_test
