// SPDX-License-Identifier: GPL-2.0-only
// Arguments for the management service's calls that make sense now and then.
#ifndef VM_TOOLS_FUZZ_MGS_HPP
#define VM_TOOLS_FUZZ_MGS_HPP

#include "fuzz_obd.hpp"

#include "uapi/lustre_lite/mgs_ioctl.h"

namespace vm {

constexpr std::array FUZZ_MGS_TEXTS = {
    "sample.special.plain",
    "osc.lustre-*.max_rpcs_in_flight",
    "lustre",
    "lustre-OST0000",
    "lustre.sys.timeout",
    "lustre-OST0000.osc.max_dirty_mb",
    "params",
    "10.0.0.1@tcp",
    "8",
    "*.*.*",
    "pool1",
    "lustre-client",
    "../mgs_state",
    "",
};

inline std::string fuzz_mgs_text(Dice& dice)
{
    return dice.one_in(8) ? dice.noise(dice.below(100)) : dice.pick(FUZZ_MGS_TEXTS);
}

// Texts of a change: mostly as many as its operation takes.
inline std::string fuzz_mgs_args(Dice& dice)
{
    std::string args;

    for (uint64_t n = dice.one_in(20) ? dice.below(6) : 1 + dice.below(3); n; n--)
        args.append(fuzz_mgs_text(dice)).push_back('\0');
    if (!args.empty() && dice.one_in(20))
        args.pop_back();
    return args;
}

inline void fuzz_mgs_change(Dice& dice, mgs_ioc_change& call)
{
    call.mc_op = static_cast<uint32_t>(dice.one_in(2) ? 1 + dice.below(2) : dice.below(17));
    call.mc_flags = static_cast<uint32_t>(dice.one_in(20) ? dice.below(8) : dice.below(4));
    call.mc_index = static_cast<uint32_t>(dice.below(20));
}

// A change that a service can make, and its texts.
inline std::string fuzz_mgs_right(Dice& dice, mgs_ioc_change& call)
{
    call.mc_op = MGS_SET_PARAM;
    call.mc_flags = MGS_CHANGE_FORCE;
    return std::string("osc.lustre-*.max_rpcs_in_flight") + '\0' +
           std::to_string(1 + dice.below(9)) + '\0';
}

inline void fuzz_mgs_wait(Dice& dice, mgs_ioc_wait& call)
{
    call.mw_generation = dice.below(10);
    call.mw_timeout_ms = static_cast<uint32_t>(dice.below(50));
}

inline void fuzz_mgs_read(Dice& dice, mgs_ioc_read& call)
{
    fuzz_put(call.mr_name, dice.one_in(3) ? "params" : fuzz_mgs_text(dice));
    call.mr_offset = dice.one_in(3) ? dice.below(20000) : 0;
    call.mr_generation = dice.one_in(5) ? dice.below(10) : 0;
}

}  // namespace vm

#endif
