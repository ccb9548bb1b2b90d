// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that are lost, late, sent twice or that end their connection, on
 * purpose: net_drop_add, net_delay_add, net_drop_del, net_drop_list.
 */
#include <cerrno>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/network.hpp"
#include "lib/number.hpp"

#include <lustre_lite/wire.h>

namespace lctl {

namespace {

constexpr std::uint32_t kDelayMaxMs = 600000;
/* Numbers of operations are below this. */
constexpr std::uint32_t kOpcodeEnd = 1024;

constexpr Option kSource = {
    .letter = 's',
    .name = "source",
    .argument = "NID",
    .help = "only '*' is accepted: rules match messages sent by this node",
};
constexpr Option kDest = {
    .letter = 'd',
    .name = "dest",
    .argument = "NID",
    .help = "match messages to NID, or to a network such as '*@tcp3' (default: '*')",
};
constexpr Option kRate = {
    .letter = 'r',
    .name = "rate",
    .argument = "N",
    .help = "apply to one message in N at random (default: every message)",
};
constexpr Option kMessage = {
    .letter = 'm',
    .name = "message",
    .argument = "OPERATION",
    .help =
        "match requests of this operation and their replies, such as obd_ping;\nmay be "
        "repeated (default: all)",
};
constexpr Option kMax = {
    .name = "max",
    .argument = "COUNT",
    .help = "apply to at most COUNT messages",
};

constexpr Option kDropOptions[] = {
    kSource,
    kDest,
    kRate,
    kMessage,
    kMax,
    {.name = "duplicate", .help = "send the messages twice instead"},
    {.name = "reset", .help = "close the connection instead"},
};
constexpr Option kDelayOptions[] = {
    kSource,
    kDest,
    kRate,
    kMessage,
    kMax,
    {.letter = 'l',
     .name = "latency",
     .argument = "SECONDS",
     .help = "delay messages by SECONDS, or 250ms"},
};
constexpr Option kDeleteOptions[] = {
    {.letter = 'a', .name = "all", .help = "delete all drop and delay rules"},
};
constexpr const char* kDeleteAliases[] = {"net_delay_del"};
constexpr const char* kListAliases[] = {"net_delay_list"};

const char* action_name(ll_rpc_rule_action action)
{
    switch (action) {
        case LL_RPC_RULE_DROP:
            return "drop";
        case LL_RPC_RULE_DELAY:
            return "delay";
        case LL_RPC_RULE_DUPLICATE:
            return "duplicate";
        case LL_RPC_RULE_RESET:
            return "reset";
    }
    return "?";
}

std::string opcode_text(std::uint32_t opcode)
{
    const char* name = wire_opcode_name(opcode);

    return name != nullptr ? name : std::to_string(opcode);
}

/* 0 where there is no such operation. */
std::uint32_t opcode_of(std::string_view text)
{
    std::string name(text);

    for (char& c : name)
        if (c >= 'A' && c <= 'Z')
            c = char(c - 'A' + 'a');
    for (std::uint32_t opcode = 1; opcode < kOpcodeEnd; opcode++) {
        const char* known = wire_opcode_name(opcode);

        if (known != nullptr && name == known)
            return opcode;
    }
    return 0;
}

/* Return: an error text; empty if there is none */
std::string take_count(const Arguments& arguments, const char* option, std::uint64_t max,
                       std::uint64_t& to)
{
    const Given* given = arguments.find(option);

    if (given == nullptr)
        return {};

    const auto number = ll::parse_number(*given->argument, max);

    if (!number || *number == 0)
        return std::string("--") + option + "=" + std::string(*given->argument) +
               " is not between 1 and " + std::to_string(max);
    to = *number;
    return {};
}

std::string take_common(const Arguments& arguments, ll::NetRule& rule)
{
    const Given* source = arguments.find("source");
    const Given* dest = arguments.find("dest");
    std::uint64_t rate = 1;
    std::string wrong;

    if (!arguments.operands.empty())
        return "takes no operands";
    if (source != nullptr && *source->argument != "*")
        return "--source=" + std::string(*source->argument) +
               ": only '*' is accepted: rules match messages sent by this node";
    rule.destination = dest != nullptr ? std::string(*dest->argument) : "*";
    wrong = take_count(arguments, "rate", UINT32_MAX, rate);
    rule.rate = std::uint32_t(rate);
    if (wrong.empty())
        wrong = take_count(arguments, "max", UINT64_MAX, rule.max);
    return wrong;
}

/* Each operation that was named; one 0 for all without any. */
std::string take_opcodes(const Arguments& arguments, std::vector<std::uint32_t>& opcodes)
{
    for (const Given& given : arguments.options) {
        if (!given.is("message"))
            continue;
        opcodes.push_back(opcode_of(*given.argument));
        if (opcodes.back() == 0)
            return "no operation '" + std::string(*given.argument) +
                   "'; names are those of statistics, such as obd_ping and ost_write";
    }
    if (opcodes.empty())
        opcodes.push_back(0);
    return {};
}

/* A rule for each operation. */
int add_rules(Context& context, const Arguments& arguments, ll::NetRule& rule)
{
    std::vector<std::uint32_t> opcodes;
    std::string wrong = take_common(arguments, rule);

    if (wrong.empty())
        wrong = take_opcodes(arguments, opcodes);
    if (!wrong.empty())
        return usage_error(context, arguments, wrong);

    for (const std::uint32_t opcode : opcodes) {
        rule.opcode = opcode;

        const auto id = ll::add_rule(context.port(), rule);

        if (!id)
            return context.error(arguments.command, id.error());
        if (context.is_text())
            context.out.put(std::to_string(*id) + "\n");
        else
            context.printer().item({{"id", *id}});
    }
    return 0;
}

int run_drop_add(Context& context, const Arguments& arguments)
{
    ll::NetRule rule;

    if (arguments.has("duplicate") && arguments.has("reset"))
        return usage_error(context, arguments, "--duplicate and --reset exclude each other");
    if (arguments.has("duplicate"))
        rule.action = LL_RPC_RULE_DUPLICATE;
    else if (arguments.has("reset"))
        rule.action = LL_RPC_RULE_RESET;
    return add_rules(context, arguments, rule);
}

int run_delay_add(Context& context, const Arguments& arguments)
{
    const Given* latency = arguments.find("latency");
    ll::NetRule rule;

    rule.action = LL_RPC_RULE_DELAY;
    if (latency == nullptr)
        return usage_error(context, arguments, "needs --latency");

    const std::string wrong = parse_time_ms(*latency, kDelayMaxMs, rule.delay_ms);

    if (!wrong.empty())
        return usage_error(context, arguments, wrong);
    return add_rules(context, arguments, rule);
}

int delete_some(Context& context, const Arguments& arguments, ll::KernelPort& port)
{
    for (const std::string_view word : arguments.operands) {
        const auto id = ll::parse_number(word, UINT32_MAX);

        if (!id || *id == 0)
            return context.error(arguments.command,
                                 "'" + std::string(word) + "' is not the number of a rule", EINVAL);
        if (const auto done = ll::delete_rule(port, std::uint32_t(*id)); !done)
            return context.error(arguments.command, done.error());
    }
    return 0;
}

int run_delete(Context& context, const Arguments& arguments)
{
    if (arguments.has("all") != arguments.operands.empty())
        return usage_error(context, arguments, "takes either numbers of rules or --all");

    if (!arguments.has("all"))
        return delete_some(context, arguments, context.port());

    const auto done = ll::delete_rule(context.port(), 0);

    return done ? 0 : context.error(arguments.command, done.error());
}

void append_rule(std::string& out, const ll::NetRule& rule)
{
    out.append(std::to_string(rule.id)).append(" ").append(action_name(rule.action));
    out.append(" to ").append(rule.destination);
    if (rule.opcode != 0)
        out.append(" message ").append(opcode_text(rule.opcode));
    out.append(" rate 1/").append(std::to_string(rule.rate));
    if (rule.delay_ms != 0)
        out.append(" latency ").append(std::to_string(rule.delay_ms)).append("ms");
    if (rule.max != 0)
        out.append(" max ").append(std::to_string(rule.max));
    out.append(" seen ").append(std::to_string(rule.seen));
    out.append(" done ").append(std::to_string(rule.done)).append("\n");
}

Json rule_members(const ll::NetRule& rule)
{
    Json members = {
        {"id", rule.id}, {"action", action_name(rule.action)}, {"dest", rule.destination}};

    if (rule.opcode != 0)
        members["message"] = opcode_text(rule.opcode);
    members["rate"] = rule.rate;
    if (rule.delay_ms != 0)
        members["latency_ms"] = rule.delay_ms;
    if (rule.max != 0)
        members["max"] = rule.max;
    members["seen"] = rule.seen;
    members["done"] = rule.done;
    return members;
}

int run_list(Context& context, const Arguments& arguments)
{
    static constexpr Listing<ll::NetRule> listing = {ll::list_rules, append_rule, rule_members};

    return run_listing(context, arguments, listing);
}

}  // namespace

const Command net_drop_add_command = {
    .name = "net_drop_add",
    .group = "network",
    .operands = "",
    .summary = "add a message-drop rule (for testing)",
    .help =
        "Rules apply to requests and replies sent by this node. Prints the number of the\n"
        "rule. Only the oldest matching rule applies to a message.\n",
    .options = kDropOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "rules",
    .run = run_drop_add,
};

const Command net_delay_add_command = {
    .name = "net_delay_add",
    .group = "network",
    .operands = "",
    .summary = "add a message-delay rule (for testing)",
    .help =
        "Rules apply to requests and replies sent by this node. Prints the number of the\n"
        "rule. Other messages overtake delayed ones.\n",
    .options = kDelayOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "rules",
    .run = run_delay_add,
};

const Command net_drop_del_command = {
    .name = "net_drop_del",
    .aliases = kDeleteAliases,
    .group = "network",
    .operands = "[ID...]",
    .takes = {0, kMany},
    .summary = "delete drop and delay rules",
    .help = "Messages held by a rule are sent at once.\n",
    .options = kDeleteOptions,
    .needs = Needs::Kernel,
    .run = run_delete,
};

const Command net_drop_list_command = {
    .name = "net_drop_list",
    .aliases = kListAliases,
    .group = "network",
    .operands = "",
    .summary = "list drop and delay rules",
    .help =
        "Prints one line each: number, action, destination, rate, messages that matched,\n"
        "messages that it was applied to.\n",
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "rules",
    .run = run_list,
};

}  // namespace lctl
