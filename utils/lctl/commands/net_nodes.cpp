// SPDX-License-Identifier: GPL-2.0
/*
 * The network: ping, list_nids, peer_list, conn_list, network.
 */
#include <cerrno>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/net_listing.hpp"
#include "lctl/commands/net_time.hpp"
#include "lctl/commands/record_list.hpp"
#include "lctl/context.hpp"
#include "lib/network.hpp"

namespace lctl {

namespace {

/* What real Lustre puts in front of the NID of a process in the kernel. */
constexpr const char* kProcess = "12345-";
constexpr std::uint32_t kPingDefaultMs = 5000;
constexpr std::uint32_t kPingMaxMs = 600000;

constexpr Option kListOptions[] = {options::kYaml, options::kJson};
constexpr Option kPingOptions[] = {
    {.letter = 't',
     .name = "timeout",
     .argument = "SECONDS",
     .help = "give up after SECONDS, or 250ms (default: 5)"},
    options::kYaml,
    options::kJson,
};
constexpr const char* kNetworkAliases[] = {"net"};

void append_number(std::string& out, const char* name, std::uint64_t number, const char* unit = "")
{
    out.append(" ").append(name).append(" ").append(std::to_string(number)).append(unit);
}

void append_nid(std::string& out, const std::string& nid)
{
    out.append(nid).append("\n");
}

Record nid_record(const std::string& nid)
{
    return Record().text("nid", nid);
}

int run_list_nids(Context& context, const Arguments& arguments)
{
    static constexpr Listing<std::string> listing = {ll::list_nids, append_nid, nid_record, "nids"};

    return run_listing(context, arguments, listing);
}

void append_peer(std::string& out, const ll::Peer& peer)
{
    out.append(kProcess).append(peer.nid);
    append_number(out, "refs", peer.references);
    append_number(out, "conns", peer.connections);
    append_number(out, "sent", peer.sent);
    append_number(out, "received", peer.received);
    append_number(out, "memory", peer.memory);
    if (peer.heard_sec < 0)
        out.append(" heard never");
    else
        append_number(out, "heard", std::uint64_t(peer.heard_sec), "s");
    out.push_back('\n');
}

Record peer_record(const ll::Peer& peer)
{
    Record record;

    record.text("nid", peer.nid)
        .number("refs", peer.references)
        .number("connections", peer.connections)
        .number("sent", peer.sent)
        .number("received", peer.received)
        .number("memory", peer.memory)
        .number("incarnation", peer.incarnation);
    if (peer.heard_sec >= 0)
        record.number("heard_sec", std::uint64_t(peer.heard_sec));
    return record;
}

int run_peer_list(Context& context, const Arguments& arguments)
{
    static constexpr Listing<ll::Peer> listing = {ll::list_peers, append_peer, peer_record,
                                                  "peers"};

    return run_listing(context, arguments, listing);
}

const std::string& or_dash(const std::string& text)
{
    static const std::string dash = "-";

    return text.empty() ? dash : text;
}

void append_connection(std::string& out, const ll::Connection& conn)
{
    out.append(or_dash(conn.nid)).append(" ").append(conn.state).append(" ");
    out.append(or_dash(conn.local)).append(conn.passive ? "<-" : "->");
    out.append(or_dash(conn.remote));
    append_number(out, "age", conn.age_sec, "s");
    append_number(out, "sent", conn.sent_bytes);
    append_number(out, "received", conn.received_bytes);
    append_number(out, "queued", conn.queued);
    out.append(conn.crc ? " crc" : "").append(conn.paused ? " paused" : "").append("\n");
}

Record connection_record(const ll::Connection& conn)
{
    return Record()
        .text("nid", conn.nid)
        .text("state", conn.state)
        .text("local", conn.local)
        .text("remote", conn.remote)
        .boolean("passive", conn.passive)
        .boolean("crc", conn.crc)
        .boolean("paused", conn.paused)
        .number("age_sec", conn.age_sec)
        .number("sent_bytes", conn.sent_bytes)
        .number("received_bytes", conn.received_bytes)
        .number("queued", conn.queued);
}

int run_conn_list(Context& context, const Arguments& arguments)
{
    static constexpr Listing<ll::Connection> listing = {ll::list_connections, append_connection,
                                                        connection_record, "connections"};

    return run_listing(context, arguments, listing);
}

void print_answer(Context& context, std::string_view nid, const ll::PingAnswer& answer,
                  ListFormat format)
{
    Record record;

    record.text("nid", nid).number("usec", answer.usec).texts("nids", answer.nids);
    if (format == ListFormat::Json)
        print_json(context.out, record);
    else if (format == ListFormat::Yaml)
        print_yaml(context.out, record);
    else
        for (const std::string& own : answer.nids)
            context.out.put(kProcess + own + "\n");
}

int run_ping(Context& context, const Arguments& arguments)
{
    ListFormat format = ListFormat::Text;
    std::uint32_t timeout_ms = kPingDefaultMs;
    std::string wrong = parse_list_format(arguments, format);

    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes one NID");
    if (const Given* given = arguments.find("timeout"); wrong.empty() && given != nullptr)
        wrong = parse_time_ms(*given, kPingMaxMs, timeout_ms);
    if (!wrong.empty())
        return usage_error(context, arguments, wrong);

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto answer = ll::ping_node((*params)->port(), arguments.operands[0], timeout_ms);

    if (!answer)
        return context.error(arguments.command, answer.error());
    print_answer(context, arguments.operands[0], *answer, format);
    return 0;
}

int run_network(Context& context, const Arguments& arguments)
{
    const auto& words = arguments.operands;
    const std::string_view what = words.empty() ? std::string_view() : words[0];
    ll_rpc_net_op op = LL_RPC_NET_RESET;

    if (what == "up")
        op = LL_RPC_NET_UP;
    else if (what == "down")
        op = LL_RPC_NET_DOWN;
    else if (what != "reset")
        return usage_error(context, arguments, "takes up, down or reset");
    if (words.size() > (op == LL_RPC_NET_RESET ? 2U : 1U))
        return usage_error(context, arguments, "takes one NID, after reset only");

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto done = ll::control_network((*params)->port(), op,
                                          words.size() > 1 ? words[1] : std::string_view());

    return done ? 0 : context.error(arguments.command, done.error());
}

}  // namespace

const Command ping_command = {
    .name = "ping",
    .group = "network",
    .operands = "NID",
    .summary = "ping a node",
    .help =
        "Prints the NIDs of the node. The node must listen, because of a target or after\n"
        "'lctl network up'.\n",
    .options = kPingOptions,
    .run = run_ping,
};

const Command list_nids_command = {
    .name = "list_nids",
    .group = "network",
    .operands = "",
    .summary = "list the NIDs of this node",
    .options = kListOptions,
    .run = run_list_nids,
};

const Command peer_list_command = {
    .name = "peer_list",
    .group = "network",
    .operands = "",
    .summary = "list known nodes",
    .help =
        "Prints one line each: NID, references, open connections, messages sent and received,\n"
        "memory in use for its requests, time since its last message.\n",
    .options = kListOptions,
    .run = run_peer_list,
};

const Command conn_list_command = {
    .name = "conn_list",
    .group = "network",
    .operands = "",
    .summary = "list connections",
    .help =
        "Prints one line each: NID, state, both endpoints with an arrow from the end that made\n"
        "the connection, age, bytes sent and received, queued messages.\n",
    .options = kListOptions,
    .run = run_conn_list,
};

const Command network_command = {
    .name = "network",
    .aliases = kNetworkAliases,
    .group = "network",
    .operands = "up|down|reset [NID]",
    .summary = "start or stop listening; close connections",
    .help =
        "up: listen on the port of parameter ptlrpc.port, even without a target. down: stop\n"
        "listening, unless there is a target. reset: close the connections to NID (default:\n"
        "all); they are made again when needed.\n",
    .choices = "up|down|reset",
    .run = run_network,
};

}  // namespace lctl
