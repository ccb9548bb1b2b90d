// SPDX-License-Identifier: GPL-2.0-only
// Arguments for the network's calls that make sense now and then.
#ifndef VM_TOOLS_FUZZ_RPC_HPP
#define VM_TOOLS_FUZZ_RPC_HPP

#include "fuzz_obd.hpp"

#include "uapi/lustre_lite/rpc_ioctl.h"

namespace vm {

constexpr std::array FUZZ_NIDS = {"127.0.0.1@tcp", "::1@tcp", "10.0.0.1@tcp3", "*", "*@tcp",
                                  "0@lo",          ""};

inline std::string fuzz_nid(Dice& dice)
{
    return dice.one_in(5) ? dice.noise(dice.below(80)) : dice.pick(FUZZ_NIDS);
}

inline void fuzz_rule(Dice& dice, ll_rpc_ioc_rule& call)
{
    ll_rpc_rule& rule = call.rr_rule;

    // A new rule has none yet.
    rule.ru_id = static_cast<uint32_t>(dice.one_in(2) ? 0 : dice.below(20));
    rule.ru_action = static_cast<uint32_t>(dice.below(6));
    fuzz_put(rule.ru_dst, fuzz_nid(dice));
    rule.ru_opc = dice.one_in(2) ? 0 : 400;
    rule.ru_rate = static_cast<uint32_t>(dice.below(5));
    rule.ru_delay_ms = static_cast<uint32_t>(dice.one_in(2) ? 0 : dice.below(100));
    rule.ru_max = dice.below(3);
}

inline void fuzz_net(Dice& dice, ll_rpc_ioc_net& call)
{
    call.rt_op = static_cast<uint32_t>(dice.below(5));
    fuzz_put(call.rt_nid, fuzz_nid(dice));
}

}  // namespace vm

#endif  // VM_TOOLS_FUZZ_RPC_HPP
