// SPDX-License-Identifier: LGPL-2.1-or-later
// The network of ptlrpc in the namespace of the caller: nodes, connections, rules.
#ifndef LL_NETWORK_HPP
#define LL_NETWORK_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "port.hpp"

#include <uapi/lustre_lite/rpc_ioctl.h>

namespace ll {

struct PingAnswer {
    std::vector<std::string> nids;  // of the node that answered
    uint32_t usec = 0;              // how long it took, the connect not counted
};

Result<PingAnswer> ping_node(KernelPort& port, std::string_view nid, uint32_t timeout_ms);

// The NIDs of this node.
Result<std::vector<std::string>> list_nids(KernelPort& port);

struct Peer {
    std::string nid;
    uint32_t references = 0;
    uint32_t connections = 0;
    uint64_t sent = 0;
    uint64_t received = 0;
    uint64_t memory = 0;
    uint64_t incarnation = 0;
    int64_t heard_sec = -1;  // -1: never
};

Result<std::vector<Peer>> list_peers(KernelPort& port);

struct Connection {
    std::string nid;  // empty while it is not known
    std::string local;
    std::string remote;
    std::string state;
    bool passive = false;
    bool crc = false;
    bool paused = false;
    bool bulk = false;
    bool bulk_crc = false;
    uint32_t age_sec = 0;
    uint64_t sent_bytes = 0;
    uint64_t received_bytes = 0;
    uint32_t queued = 0;
};

Result<std::vector<Connection>> list_connections(KernelPort& port);

struct NetRule {
    uint32_t id = 0;
    ll_rpc_rule_action action = LL_RPC_RULE_DROP;
    std::string destination;
    uint32_t opcode = 0;  // 0: all
    uint32_t rate = 1;
    uint32_t delay_ms = 0;
    uint64_t max = 0;
    uint64_t seen = 0;
    uint64_t done = 0;
};

Result<std::vector<NetRule>> list_rules(KernelPort& port);

// Returns the number of the rule.
Result<uint32_t> add_rule(KernelPort& port, const NetRule& rule);

// 0: all rules.
Status delete_rule(KernelPort& port, uint32_t id);

// `nid` is for LL_RPC_NET_RESET; empty: all nodes.
Status control_network(KernelPort& port, ll_rpc_net_op op, std::string_view nid = {});

}  // namespace ll

#endif
