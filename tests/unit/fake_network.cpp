// SPDX-License-Identifier: GPL-2.0-only
#include "fake_network.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cmocka.hpp"

namespace lctl_test {

namespace {

template <class T>
void check_head(const libcfs_ioc_hdr& head)
{
    assert_int_equal(head.ioh_size, sizeof(T));
    assert_int_equal(head.ioh_abi, LIBCFS_ABI_VERSION);
}

template <class Record>
int list(ll_rpc_ioc_list& arg, const std::vector<Record>& records)
{
    check_head<ll_rpc_ioc_list>(arg.rl_hdr);
    assert_int_equal(arg.rl_rec_len, sizeof(Record));
    arg.rl_total = static_cast<std::uint32_t>(records.size());
    arg.rl_count = std::min<std::uint32_t>(
        arg.rl_total, static_cast<std::uint32_t>(arg.rl_buf_len / sizeof(Record)));
    if (arg.rl_count > 0)
        std::memcpy(reinterpret_cast<void*>(arg.rl_buf), records.data(),
                    arg.rl_count * sizeof(Record));
    return 0;
}

}  // namespace

int FakeNetwork::call(unsigned long cmd, void* arg) noexcept
{
    if (!loaded)
        return -ENOTTY;
    switch (cmd) {
        case LL_RPC_IOC_PING:
            return ping(*static_cast<ll_rpc_ioc_ping*>(arg));
        case LL_RPC_IOC_NIDS:
            if (grows)
                nids.resize(nids.size() * 2 + 64);
            return refuse != 0 ? -refuse : list(*static_cast<ll_rpc_ioc_list*>(arg), nids);
        case LL_RPC_IOC_PEERS:
            return list(*static_cast<ll_rpc_ioc_list*>(arg), peers);
        case LL_RPC_IOC_CONNS:
            return list(*static_cast<ll_rpc_ioc_list*>(arg), conns);
        case LL_RPC_IOC_RULES:
            return list(*static_cast<ll_rpc_ioc_list*>(arg), rules);
        case LL_RPC_IOC_RULE_ADD:
            return rule_add(*static_cast<ll_rpc_ioc_rule*>(arg));
        case LL_RPC_IOC_RULE_DEL:
            return rule_del(*static_cast<ll_rpc_ioc_rule*>(arg));
        case LL_RPC_IOC_NET:
            return net(*static_cast<ll_rpc_ioc_net*>(arg));
        default:
            return -ENOTTY;
    }
}

std::string FakeNetwork::take()
{
    return std::exchange(sent_, {});
}

int FakeNetwork::ping(ll_rpc_ioc_ping& arg)
{
    check_head<ll_rpc_ioc_ping>(arg.rp_hdr);
    assert_int_equal(arg.rp_reserved, 0);
    sent_ += "ping " + std::string(arg.rp_nid) + " " + std::to_string(arg.rp_timeout_ms) + "\n";
    put_text(arg.rp_why, why);
    if (refuse != 0)
        return -refuse;
    assert_true(arg.rp_max >= nids.size());
    arg.rp_count = static_cast<std::uint32_t>(nids.size());
    arg.rp_usec = 123;
    for (std::size_t n = 0; n < nids.size(); n++)
        std::memcpy(reinterpret_cast<char*>(arg.rp_nids) + n * LL_RPC_NID_MAX, nids[n].rn_nid,
                    LL_RPC_NID_MAX);
    return 0;
}

int FakeNetwork::rule_add(ll_rpc_ioc_rule& arg)
{
    const ll_rpc_rule& rule = arg.rr_rule;

    check_head<ll_rpc_ioc_rule>(arg.rr_hdr);
    assert_int_equal(rule.ru_id, 0);
    assert_int_equal(rule.ru_reserved, 0);
    sent_ += "add " + std::to_string(rule.ru_action) + " " + rule.ru_dst + " " +
             std::to_string(rule.ru_opc) + " " + std::to_string(rule.ru_rate) + " " +
             std::to_string(rule.ru_delay_ms) + " " + std::to_string(rule.ru_max) + "\n";
    put_text(arg.rr_why, why);
    arg.rr_rule.ru_id = ++next_rule_;
    return -refuse;
}

int FakeNetwork::rule_del(ll_rpc_ioc_rule& arg)
{
    check_head<ll_rpc_ioc_rule>(arg.rr_hdr);
    sent_ += "del " + std::to_string(arg.rr_rule.ru_id) + "\n";
    put_text(arg.rr_why, why);
    return -refuse;
}

int FakeNetwork::net(ll_rpc_ioc_net& arg)
{
    static constexpr const char* operations[] = {"?", "up", "down", "reset"};

    check_head<ll_rpc_ioc_net>(arg.rt_hdr);
    assert_int_equal(arg.rt_reserved, 0);
    assert_true(arg.rt_op < std::size(operations));
    sent_ += std::string(operations[arg.rt_op]) + " '" + arg.rt_nid + "'\n";
    put_text(arg.rt_why, why);
    return -refuse;
}

}  // namespace lctl_test
