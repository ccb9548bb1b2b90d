// SPDX-License-Identifier: LGPL-2.1-or-later
#include "network.hpp"

#include <algorithm>
#include <cstring>

#include "call.hpp"

namespace ll {

namespace {

// Room of the first try, and how much more than the kernel said for the next.
constexpr size_t kRecords = 64;
constexpr size_t kSpareRecords = 16;
// A list that grows faster than it can be read is read a bounded number of times.
constexpr int kListTries = 8;
constexpr uint32_t kPingNids = 64;

constexpr std::string_view kModule = "ptlrpc";

template <size_t Size>
std::string text_of(const char (&field)[Size])
{
    return std::string(words_of(field));
}

tl::unexpected<Error> no_nid(std::string_view text)
{
    return fail(EINVAL, "'" + std::string(text) + "' is too long for a NID; the maximum is " +
                            std::to_string(LL_RPC_NID_MAX - 1) + " bytes");
}

template <class Record>
Result<std::vector<Record>> list(KernelPort& port, unsigned long cmd)
{
    std::vector<Record> records(kRecords);

    for (int tries = 0; tries < kListTries; tries++) {
        ll_rpc_ioc_list arg{};

        set_header(&ll_rpc_ioc_list::rl_hdr, arg);
        arg.rl_buf = address(records.data());
        arg.rl_buf_len = uint32_t(records.size() * sizeof(Record));
        arg.rl_rec_len = sizeof(Record);

        const int rc = port.call(cmd, &arg);

        if (rc < 0)
            return call_error(rc, kModule);
        if (arg.rl_count > records.size())
            return fail(EBADMSG, "malformed reply from ptlrpc (too many records)");
        if (arg.rl_total <= arg.rl_count) {
            records.resize(arg.rl_count);
            return records;
        }
        records.resize(arg.rl_total + kSpareRecords);
    }
    return fail(EAGAIN, "the list grows faster than it can be read");
}

// Each record as `To`, by `make`.
template <class To, class From, class Make>
Result<std::vector<To>> list_as(KernelPort& port, unsigned long cmd, Make make)
{
    const auto records = list<From>(port, cmd);
    std::vector<To> to;

    if (!records)
        return tl::unexpected(records.error());
    to.reserve(records->size());
    std::transform(records->begin(), records->end(), std::back_inserter(to), make);
    return to;
}

Peer peer_of(const ll_rpc_peer& from)
{
    return {
        .nid = text_of(from.re_nid),
        .references = from.re_refs,
        .connections = from.re_conns,
        .sent = from.re_tx_msgs,
        .received = from.re_rx_msgs,
        .memory = from.re_memory,
        .incarnation = from.re_incarnation,
        .heard_sec = from.re_last_sec,
    };
}

Connection connection_of(const ll_rpc_conn& from)
{
    return {
        .nid = text_of(from.rc_nid),
        .local = text_of(from.rc_local),
        .remote = text_of(from.rc_remote),
        .state = text_of(from.rc_state),
        .passive = (from.rc_flags & LL_RPC_CONN_PASSIVE) != 0,
        .crc = (from.rc_flags & LL_RPC_CONN_CRC) != 0,
        .paused = (from.rc_flags & LL_RPC_CONN_PAUSED) != 0,
        .bulk = (from.rc_flags & LL_RPC_CONN_BULK) != 0,
        .bulk_crc = (from.rc_flags & LL_RPC_CONN_BULK_CRC) != 0,
        .age_sec = from.rc_age_sec,
        .sent_bytes = from.rc_tx_bytes,
        .received_bytes = from.rc_rx_bytes,
        .queued = from.rc_tx_queued,
    };
}

NetRule rule_of(const ll_rpc_rule& from)
{
    return {
        .id = from.ru_id,
        .action = ll_rpc_rule_action(from.ru_action),
        .destination = text_of(from.ru_dst),
        .opcode = from.ru_opc,
        .rate = from.ru_rate,
        .delay_ms = from.ru_delay_ms,
        .max = from.ru_max,
        .seen = from.ru_seen,
        .done = from.ru_done,
    };
}

}  // namespace

Result<PingAnswer> ping_node(KernelPort& port, std::string_view nid, uint32_t timeout_ms)
{
    char nids[kPingNids][LL_RPC_NID_MAX] = {};
    ll_rpc_ioc_ping arg{};
    PingAnswer answer;

    set_header(&ll_rpc_ioc_ping::rp_hdr, arg);
    if (!put_text(arg.rp_nid, nid))
        return no_nid(nid);
    arg.rp_timeout_ms = timeout_ms;
    arg.rp_max = kPingNids;
    arg.rp_nids = address(nids);

    const int rc = port.call(LL_RPC_IOC_PING, &arg);

    if (rc < 0)
        return call_error(rc, kModule, {}, words_of(arg.rp_why));
    if (arg.rp_count > kPingNids)
        return fail(EBADMSG, "malformed reply from ptlrpc (too many NIDs)");
    for (uint32_t n = 0; n < arg.rp_count; n++)
        answer.nids.push_back(text_of(nids[n]));
    answer.usec = arg.rp_usec;
    return answer;
}

Result<std::vector<std::string>> list_nids(KernelPort& port)
{
    return list_as<std::string, ll_rpc_nid>(
        port, LL_RPC_IOC_NIDS, [](const ll_rpc_nid& from) { return text_of(from.rn_nid); });
}

Result<std::vector<Peer>> list_peers(KernelPort& port)
{
    return list_as<Peer, ll_rpc_peer>(port, LL_RPC_IOC_PEERS, peer_of);
}

Result<std::vector<Connection>> list_connections(KernelPort& port)
{
    return list_as<Connection, ll_rpc_conn>(port, LL_RPC_IOC_CONNS, connection_of);
}

Result<std::vector<NetRule>> list_rules(KernelPort& port)
{
    return list_as<NetRule, ll_rpc_rule>(port, LL_RPC_IOC_RULES, rule_of);
}

Result<uint32_t> add_rule(KernelPort& port, const NetRule& rule)
{
    ll_rpc_ioc_rule arg{};

    set_header(&ll_rpc_ioc_rule::rr_hdr, arg);
    if (!put_text(arg.rr_rule.ru_dst, rule.destination))
        return no_nid(rule.destination);
    arg.rr_rule.ru_action = rule.action;
    arg.rr_rule.ru_opc = rule.opcode;
    arg.rr_rule.ru_rate = rule.rate;
    arg.rr_rule.ru_delay_ms = rule.delay_ms;
    arg.rr_rule.ru_max = rule.max;

    const int rc = port.call(LL_RPC_IOC_RULE_ADD, &arg);

    if (rc < 0)
        return call_error(rc, kModule, {}, words_of(arg.rr_why));
    return arg.rr_rule.ru_id;
}

Status delete_rule(KernelPort& port, uint32_t id)
{
    ll_rpc_ioc_rule arg{};

    set_header(&ll_rpc_ioc_rule::rr_hdr, arg);
    arg.rr_rule.ru_id = id;

    const int rc = port.call(LL_RPC_IOC_RULE_DEL, &arg);

    if (rc < 0)
        return call_error(rc, kModule, {}, words_of(arg.rr_why));
    return {};
}

Status control_network(KernelPort& port, ll_rpc_net_op op, std::string_view nid)
{
    ll_rpc_ioc_net arg{};

    set_header(&ll_rpc_ioc_net::rt_hdr, arg);
    arg.rt_op = op;
    if (!put_text(arg.rt_nid, nid))
        return no_nid(nid);

    const int rc = port.call(LL_RPC_IOC_NET, &arg);

    if (rc < 0)
        return call_error(rc, kModule, {}, words_of(arg.rt_why));
    return {};
}

}  // namespace ll
