// SPDX-License-Identifier: GPL-2.0-only
//
//	obd-away
//
// Cleans up and detaches every device there is, the youngest first, as often as it
// takes, and forgets the names of servers. Prints how many went. Status 1 when one
// stays.

#include <cstdio>

#include "obd.hpp"

namespace {

constexpr uint32_t INDEX_MAX = 10000;
constexpr int ROUNDS = 10;

int config_at(const vm::Device& device, uint32_t index, const vm::Command& command)
{
    const std::string bytes = command.bytes();
    auto arg = vm::argument<obd_ioc_config>();

    arg.oc_cfg = vm::user(bytes.data());
    arg.oc_cfg_len = static_cast<uint32_t>(bytes.size());
    arg.oc_index = index;
    return device.call(OBD_IOC_CONFIG, arg);
}

bool is_there(const vm::Device& device, uint32_t index)
{
    auto arg = vm::argument<obd_ioc_device>();

    arg.od_index = index;
    return device.call(OBD_IOC_DEVICE, arg) == 0;
}

// One try at every device; how many were there, and how many of them went.
void sweep(const vm::Device& device, unsigned int& found, unsigned int& gone)
{
    found = 0;
    for (uint32_t index = INDEX_MAX; index-- > 0;) {
        if (!is_there(device, index))
            continue;
        found++;
        config_at(device, index, vm::Command(LCFG_CLEANUP, {}, {"F"}));
        gone += config_at(device, index, vm::Command(LCFG_DETACH)) == 0;
    }
}

}  // namespace

int main()
{
    unsigned int found = 1, gone = 0;
    const vm::Device device;

    if (!device) {
        std::perror("obd-away: " LIBCFS_DEV_PATH);
        return 1;
    }
    for (int round = 0; found && round < ROUNDS; round++)
        sweep(device, found, gone);
    vm::config(device, vm::Command(LCFG_DEL_UUID));
    std::printf("%u devices went, %u stay\n", gone, found);
    return found != 0;
}
