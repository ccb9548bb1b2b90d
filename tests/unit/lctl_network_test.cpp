// SPDX-License-Identifier: GPL-2.0-only
/* ping, list_nids, peer_list, conn_list, network and the rules for messages. */
#include <cerrno>
#include <string>

#include "fake_network.hpp"
#include "lctl_fixture.hpp"

#include <uapi/lustre_lite/wire.h>

using namespace lctl_test;

namespace {

ll_rpc_nid nid(const std::string& text)
{
    ll_rpc_nid record = {};

    put_text(record.rn_nid, text);
    return record;
}

FakeNetwork& with_nids(FakeNetwork& network)
{
    network.nids = {nid("10.0.0.1@tcp"), nid("2001:db8::1@tcp")};
    return network;
}

void ping_prints_the_nids_of_the_node(void** /*state*/)
{
    FakeNetwork network;
    const Ran ran = run(with_nids(network), "ping 10.0.0.1");

    assert_text(ran.out, "12345-10.0.0.1@tcp\n12345-2001:db8::1@tcp\n");
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    assert_text(network.take(), "ping 10.0.0.1 5000\n");
    assert_text(run(network, "ping --json 10.0.0.1@tcp").out,
                "{\"nid\": \"10.0.0.1@tcp\", \"usec\": 123, \"nids\": "
                "[\"10.0.0.1@tcp\", \"2001:db8::1@tcp\"]}\n");
    assert_text(run(network, "ping -y x").out,
                "nid: x\nusec: 123\nnids:\n- 10.0.0.1@tcp\n- 2001:db8::1@tcp\n");
}

void a_time_has_a_unit_or_is_seconds(void** /*state*/)
{
    static const struct {
        const char* text;
        const char* sent;  // "" when it is refused
    } cases[] = {{"2", "ping x 2000\n"},
                 {"0.25", "ping x 250\n"},
                 {"2s", "ping x 2000\n"},
                 {"250ms", "ping x 250\n"},
                 {"0.001", "ping x 1\n"},
                 {"600", "ping x 600000\n"},
                 {"601", ""},
                 {"0", ""},
                 {"0.0001", ""},
                 {"1.5ms", ""},
                 {"", ""},
                 {"s", ""},
                 {"1m", ""},
                 {"-1", ""},
                 {"1.", ""},
                 {"99999999999999999999", ""}};

    for (const auto& one : cases) {
        FakeNetwork network;
        const Ran ran = run(network, "ping --timeout='" + std::string(one.text) + "' x");

        assert_text(network.take(), one.sent);
        assert_int_equal(ran.status, *one.sent != '\0' ? 0 : EINVAL);
    }
}

void the_kernel_says_why(void** /*state*/)
{
    FakeNetwork network;

    network.refuse = ECONNREFUSED;
    network.why = "10.0.0.1@tcp: no listener on port 988";

    const Ran ran = run(network, "ping 10.0.0.1");

    assert_text(ran.err,
                "error: ping: 10.0.0.1@tcp: no listener on port 988: Connection refused\n");
    assert_int_equal(ran.status, ECONNREFUSED);
    network.refuse = EPERM;
    network.why = "";
    assert_text(run(network, "network up").err,
                "error: network: requires CAP_SYS_ADMIN (run as root): Operation not permitted\n");
    network.loaded = false;
    assert_text(run(network, "list_nids").err,
                "error: list_nids: the module ptlrpc is not loaded: modprobe ptlrpc\n");
    assert_int_equal(run(network, "list_nids").status, ENOENT);
}

void a_nid_that_is_too_long_is_refused(void** /*state*/)
{
    FakeNetwork network;
    const std::string text(64, 'x');

    assert_int_equal(run(network, "ping " + text).status, EINVAL);
    assert_int_equal(run(network, "network reset " + text).status, EINVAL);
    assert_int_equal(run(network, "net_drop_add -d " + text).status, EINVAL);
    assert_text(network.take(), "");
    assert_int_equal(run(network, "ping " + text.substr(1)).status, 0);
}

void nids_are_listed(void** /*state*/)
{
    FakeNetwork network;

    assert_text(run(network, "list_nids").out, "");
    assert_text(run(network, "list_nids --json").out, "[]\n");
    assert_text(run(network, "list_nids -y").out, "nids: []\n");
    with_nids(network);
    assert_text(run(network, "list_nids").out, "10.0.0.1@tcp\n2001:db8::1@tcp\n");
    assert_text(run(network, "list_nids --json").out,
                "[\n{\"nid\": \"10.0.0.1@tcp\"},\n{\"nid\": \"2001:db8::1@tcp\"}\n]\n");
    assert_text(run(network, "list_nids --yaml").out,
                "nids:\n- nid: 10.0.0.1@tcp\n- nid: 2001:db8::1@tcp\n");
}

void a_long_list_is_read_as_a_whole(void** /*state*/)
{
    FakeNetwork network;
    std::string want;

    for (int n = 0; n < 1000; n++) {
        network.nids.push_back(nid("10.0.0." + std::to_string(n)));
        want += "10.0.0." + std::to_string(n) + "\n";
    }
    assert_text(run(network, "list_nids").out, want);
    network.grows = true;
    assert_int_equal(run(network, "list_nids").status, EAGAIN);
}

void nodes_are_listed(void** /*state*/)
{
    FakeNetwork network;
    ll_rpc_peer peer = {};

    put_text(peer.re_nid, "10.0.0.2@tcp");
    peer.re_refs = 3;
    peer.re_conns = 2;
    peer.re_tx_msgs = 17;
    peer.re_rx_msgs = 18;
    peer.re_memory = 4096;
    peer.re_incarnation = 18446744073709551615U;
    peer.re_last_sec = 4;
    network.peers.push_back(peer);
    peer.re_last_sec = -1;
    network.peers.push_back(peer);
    assert_text(run(network, "peer_list").out,
                "12345-10.0.0.2@tcp refs 3 conns 2 sent 17 received 18 memory 4096 heard 4s\n"
                "12345-10.0.0.2@tcp refs 3 conns 2 sent 17 received 18 memory 4096 heard never\n");
    network.peers.pop_back();
    assert_text(run(network, "peer_list --json").out,
                "[\n{\"nid\": \"10.0.0.2@tcp\", \"refs\": 3, \"connections\": 2, \"sent\": 17, "
                "\"received\": 18, \"memory\": 4096, \"incarnation\": 18446744073709551615, "
                "\"heard_sec\": 4}\n]\n");
}

void connections_are_listed(void** /*state*/)
{
    FakeNetwork network;
    ll_rpc_conn conn = {};

    put_text(conn.rc_nid, "10.0.0.2@tcp");
    put_text(conn.rc_local, "10.0.0.1:1023");
    put_text(conn.rc_remote, "10.0.0.2:988");
    put_text(conn.rc_state, "OPEN");
    conn.rc_flags = LL_RPC_CONN_CRC | LL_RPC_CONN_BULK_CRC;
    conn.rc_age_sec = 12;
    conn.rc_tx_bytes = 100;
    conn.rc_rx_bytes = 200;
    conn.rc_tx_queued = 1;
    network.conns.push_back(conn);
    conn = {};
    put_text(conn.rc_state, "HELLO");
    conn.rc_flags = LL_RPC_CONN_PASSIVE | LL_RPC_CONN_PAUSED | LL_RPC_CONN_BULK;
    network.conns.push_back(conn);
    assert_text(run(network, "conn_list").out,
                "10.0.0.2@tcp OPEN 10.0.0.1:1023->10.0.0.2:988 age 12s sent 100 received 200 "
                "queued 1 crc bulk_crc\n"
                "- HELLO -<-- age 0s sent 0 received 0 queued 0 bulk paused\n");
    network.conns.pop_back();
    assert_text(run(network, "conn_list -y").out,
                "connections:\n- nid: 10.0.0.2@tcp\n  state: OPEN\n  lane: control\n"
                "  local: \"10.0.0.1:1023\"\n  remote: \"10.0.0.2:988\"\n"
                "  passive: false\n  crc: true\n  bulk_crc: true\n  paused: false\n"
                "  age_sec: 12\n  sent_bytes: 100\n  received_bytes: 200\n  queued: 1\n");
}

void network_takes_up_down_and_reset(void** /*state*/)
{
    FakeNetwork network;

    for (const char* line : {"network up", "net down", "net reset", "network reset 10.0.0.1"})
        assert_int_equal(run(network, line).status, 0);
    assert_text(network.take(), "up ''\ndown ''\nreset ''\nreset '10.0.0.1'\n");
    for (const char* line : {"network", "network left", "network up 10.0.0.1", "network reset a b"})
        assert_int_equal(run(network, line).status, EINVAL);
    assert_text(network.take(), "");
}

void rules_are_added(void** /*state*/)
{
    static const struct {
        const char* line;
        const char* sent;
        const char* out;
    } cases[] = {
        {"net_drop_add", "add 1 * 0 1 0 0\n", "1\n"},
        {"net_drop_add -s '*' -d 10.0.0.2 -r 50 --max 7", "add 1 10.0.0.2 0 50 0 7\n", "1\n"},
        {"net_drop_add --duplicate --dest *@tcp3", "add 3 *@tcp3 0 1 0 0\n", "1\n"},
        {"net_drop_add --reset", "add 4 * 0 1 0 0\n", "1\n"},
        {"net_drop_add -m OBD_PING -m ost_write", "add 1 * 400 1 0 0\nadd 1 * 4 1 0 0\n", "1\n2\n"},
        {"net_delay_add -l 1.5", "add 2 * 0 1 1500 0\n", "1\n"},
        {"net_delay_add --latency=20ms --rate=3", "add 2 * 0 3 20 0\n", "1\n"},
    };

    for (const auto& one : cases) {
        FakeNetwork network;
        const Ran ran = run(network, one.line);

        assert_text(ran.out, one.out);
        assert_text(ran.err, "");
        assert_text(network.take(), one.sent);
    }
}

void rules_that_make_no_sense_are_refused(void** /*state*/)
{
    FakeNetwork network;

    for (const char* line :
         {"net_drop_add x", "net_drop_add -s 10.0.0.1", "net_drop_add -r 0", "net_drop_add -r x",
          "net_drop_add --max 0", "net_drop_add -m nothing", "net_drop_add --duplicate --reset",
          "net_drop_add -r 4294967296", "net_delay_add", "net_delay_add -l 0",
          "net_delay_add -l 601", "net_drop_add -l 1", "net_drop_del", "net_drop_del --all 1",
          "net_drop_del x", "net_drop_del 0", "net_drop_list 1", "net_drop_list -y --json"})
        assert_int_equal(run(network, line).status, EINVAL);
    assert_text(network.take(), "");
}

void rules_are_deleted(void** /*state*/)
{
    FakeNetwork network;

    assert_int_equal(run(network, "net_drop_del 1 2").status, 0);
    assert_int_equal(run(network, "net_delay_del -a").status, 0);
    assert_text(network.take(), "del 1\ndel 2\ndel 0\n");
    network.refuse = ENOENT;
    network.why = "there is no rule 9";
    assert_text(run(network, "net_drop_del 9 10").err,
                "error: net_drop_del: there is no rule 9: No such file or directory\n");
    assert_text(network.take(), "del 9\n");
}

void rules_are_listed(void** /*state*/)
{
    FakeNetwork network;
    ll_rpc_rule rule = {};

    rule.ru_id = 1;
    rule.ru_action = LL_RPC_RULE_DROP;
    put_text(rule.ru_dst, "*");
    rule.ru_rate = 50;
    rule.ru_seen = 100;
    rule.ru_done = 2;
    network.rules.push_back(rule);
    rule.ru_id = 2;
    rule.ru_action = LL_RPC_RULE_DELAY;
    rule.ru_opc = OBD_PING;
    rule.ru_delay_ms = 1500;
    rule.ru_max = 9;
    network.rules.push_back(rule);
    assert_text(run(network, "net_drop_list").out,
                "1 drop to * rate 1/50 seen 100 done 2\n"
                "2 delay to * message obd_ping rate 1/50 latency 1500ms max 9 seen 100 done 2\n");
    assert_text(run(network, "net_delay_list --json").out,
                "[\n{\"id\": 1, \"action\": \"drop\", \"dest\": \"*\", \"rate\": 50, "
                "\"seen\": 100, \"done\": 2},\n"
                "{\"id\": 2, \"action\": \"delay\", \"dest\": \"*\", \"message\": \"obd_ping\", "
                "\"rate\": 50, \"latency_ms\": 1500, \"max\": 9, \"seen\": 100, \"done\": 2}\n]\n");
}

void operands_and_formats_are_checked(void** /*state*/)
{
    FakeNetwork network;

    for (const char* line : {"ping", "ping a b", "ping --json -y a", "list_nids x",
                             "peer_list --json --yaml", "conn_list x"})
        assert_int_equal(run(network, line).status, EINVAL);
    assert_text(network.take(), "");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(ping_prints_the_nids_of_the_node),
        cmocka_unit_test(a_time_has_a_unit_or_is_seconds),
        cmocka_unit_test(the_kernel_says_why),
        cmocka_unit_test(a_nid_that_is_too_long_is_refused),
        cmocka_unit_test(nids_are_listed),
        cmocka_unit_test(a_long_list_is_read_as_a_whole),
        cmocka_unit_test(nodes_are_listed),
        cmocka_unit_test(connections_are_listed),
        cmocka_unit_test(network_takes_up_down_and_reset),
        cmocka_unit_test(rules_are_added),
        cmocka_unit_test(rules_that_make_no_sense_are_refused),
        cmocka_unit_test(rules_are_deleted),
        cmocka_unit_test(rules_are_listed),
        cmocka_unit_test(operands_and_formats_are_checked),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
