// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network in memory: lists are given, calls are kept as text, refusals are scripted.
 */
#pragma once

#include <string>
#include <vector>

#include "lib/port.hpp"

#include <uapi/lustre_lite/rpc_ioctl.h>

namespace lctl_test {

class FakeNetwork final : public ll::KernelPort {
public:
    int call(unsigned long cmd, void* arg) noexcept override;

    /** Calls since the last look, one a line. */
    std::string take();

    std::vector<ll_rpc_nid> nids;  // of this node, and of one that answers a ping
    std::vector<ll_rpc_peer> peers;
    std::vector<ll_rpc_conn> conns;
    std::vector<ll_rpc_rule> rules;
    int refuse = 0;      // errno of what comes
    std::string why;     // its words
    bool loaded = true;  // false: no module answers
    bool grows = false;  // each look at a list finds one record more

private:
    int ping(ll_rpc_ioc_ping& arg);
    int rule_add(ll_rpc_ioc_rule& arg);
    int rule_del(ll_rpc_ioc_rule& arg);
    int net(ll_rpc_ioc_net& arg);

    std::string sent_;
    std::uint32_t next_rule_ = 0;
};

template <std::size_t Size>
void put_text(char (&field)[Size], const std::string& text)
{
    text.copy(field, Size - 1);
}

}  // namespace lctl_test
