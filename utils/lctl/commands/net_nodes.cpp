// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network: ping, list_nids, peer_list, conn_list, network.
 */
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/network.hpp"

namespace lctl {

namespace {

/* What real Lustre puts in front of the NID of a process in the kernel. */
constexpr const char* kProcess = "12345-";
constexpr std::uint32_t kPingDefaultMs = 5000;
constexpr std::uint32_t kPingMaxMs = 600000;

constexpr Option kPingOptions[] = {
    {.letter = 't',
     .name = "timeout",
     .argument = "SECONDS",
     .help = "give up after SECONDS, or 250ms (default: 5)"},
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

Json nid_members(const std::string& nid)
{
    return {{"nid", nid}};
}

int run_list_nids(Context& context, const Arguments& arguments)
{
    static constexpr Listing<std::string> listing = {ll::list_nids, append_nid, nid_members};

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

Json peer_members(const ll::Peer& peer)
{
    Json members = {{"nid", peer.nid},
                    {"refs", peer.references},
                    {"connections", peer.connections},
                    {"sent", peer.sent},
                    {"received", peer.received},
                    {"memory", peer.memory},
                    {"incarnation", peer.incarnation}};

    if (peer.heard_sec >= 0)
        members["heard_sec"] = peer.heard_sec;
    return members;
}

int run_peer_list(Context& context, const Arguments& arguments)
{
    static constexpr Listing<ll::Peer> listing = {ll::list_peers, append_peer, peer_members};

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
    out.append(conn.bulk ? " bulk" : "");
    out.append(conn.crc ? " crc" : "").append(conn.bulk_crc ? " bulk_crc" : "");
    out.append(conn.paused ? " paused" : "").append("\n");
}

Json connection_members(const ll::Connection& conn)
{
    return {{"nid", conn.nid},
            {"state", conn.state},
            {"lane", conn.bulk ? "bulk" : "control"},
            {"local", conn.local},
            {"remote", conn.remote},
            {"passive", conn.passive},
            {"crc", conn.crc},
            {"bulk_crc", conn.bulk_crc},
            {"paused", conn.paused},
            {"age_sec", conn.age_sec},
            {"sent_bytes", conn.sent_bytes},
            {"received_bytes", conn.received_bytes},
            {"queued", conn.queued}};
}

int run_conn_list(Context& context, const Arguments& arguments)
{
    static constexpr Listing<ll::Connection> listing = {ll::list_connections, append_connection,
                                                        connection_members};

    return run_listing(context, arguments, listing);
}

int run_ping(Context& context, const Arguments& arguments)
{
    std::uint32_t timeout_ms = kPingDefaultMs;

    if (const Given* given = arguments.find("timeout"))
        if (const std::string wrong = parse_time_ms(*given, kPingMaxMs, timeout_ms); !wrong.empty())
            return usage_error(context, arguments, wrong);

    const std::string_view nid = arguments.operands[0];
    const auto answer = ll::ping_node(context.port(), nid, timeout_ms);

    if (!answer)
        return context.error(arguments.command, answer.error());
    if (!context.is_text())
        context.printer().item({{"nid", nid}, {"usec", answer->usec}, {"nids", answer->nids}});
    else
        for (const std::string& own : answer->nids)
            context.out.put(kProcess + own + "\n");
    return 0;
}

int run_network(Context& context, const Arguments& arguments)
{
    const auto& words = arguments.operands;
    const std::string_view what = words[0];
    ll_rpc_net_op op = LL_RPC_NET_RESET;

    if (what == "up")
        op = LL_RPC_NET_UP;
    else if (what == "down")
        op = LL_RPC_NET_DOWN;
    else if (what != "reset")
        return usage_error(context, arguments, "takes up, down or reset");
    if (words.size() > (op == LL_RPC_NET_RESET ? 2U : 1U))
        return usage_error(context, arguments, "takes one NID, after reset only");

    const auto done =
        ll::control_network(context.port(), op, words.size() > 1 ? words[1] : std::string_view());

    return done ? 0 : context.error(arguments.command, done.error());
}

/* Digits, a point and up to three more digits: thousandths. */
std::optional<std::uint64_t> thousandths(std::string_view text)
{
    constexpr std::string_view digits = "0123456789";
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));

    if (whole.empty() || whole.size() > 9 || fraction.size() > 3 ||
        (point != std::string_view::npos && fraction.empty()))
        return std::nullopt;
    fraction.resize(3, '0');

    const std::string all = std::string(whole) + fraction;

    if (all.find_first_not_of(digits) != std::string::npos)
        return std::nullopt;
    return std::stoull(all);
}

std::optional<std::uint64_t> milliseconds(std::string_view text)
{
    std::uint64_t divisor = 1;

    if (text.ends_with("ms")) {
        divisor = 1000;
        text.remove_suffix(2);
    } else if (text.ends_with("s")) {
        text.remove_suffix(1);
    }

    const auto number = thousandths(text);

    if (!number || *number % divisor != 0)
        return std::nullopt;
    return *number / divisor;
}

}  // namespace

std::string parse_time_ms(const Given& given, std::uint32_t max, std::uint32_t& ms)
{
    const auto number = milliseconds(*given.argument);

    if (!number)
        return "--" + std::string(given.option->name) + "=" + std::string(*given.argument) +
               " is not a time, such as 2, 0.25, 2s or 250ms";
    if (*number == 0 || *number > max)
        return "--" + std::string(given.option->name) + "=" + std::string(*given.argument) +
               " is not between 1ms and " + std::to_string(max / 1000) + "s";
    ms = std::uint32_t(*number);
    return {};
}

const Command ping_command = {
    .name = "ping",
    .group = "network",
    .operands = "NID",
    .takes = {1, 1},
    .summary = "ping a node",
    .help =
        "Prints the NIDs of the node. The node must listen, because of a target or after\n"
        "'lctl network up'.\n",
    .options = kPingOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Object,
    .run = run_ping,
};

const Command list_nids_command = {
    .name = "list_nids",
    .group = "network",
    .operands = "",
    .summary = "list the NIDs of this node",
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "nids",
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
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "peers",
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
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "connections",
    .run = run_conn_list,
};

const Command network_command = {
    .name = "network",
    .aliases = kNetworkAliases,
    .group = "network",
    .operands = "up|down|reset [NID]",
    .takes = {1, 2},
    .summary = "start or stop listening; close connections",
    .help =
        "up: listen on the port of parameter ptlrpc.port, even without a target. down: stop\n"
        "listening, unless there is a target. reset: close the connections to NID (default:\n"
        "all); they are made again when needed.\n",
    .needs = Needs::Kernel,
    .choices = "up|down|reset",
    .run = run_network,
};

}  // namespace lctl
