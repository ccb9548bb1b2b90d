// SPDX-License-Identifier: GPL-2.0-only
//
//	fail-nth-rpc [OPERATION...]
//
// Makes every allocation of a task that talks to a target over TCP fail in turn, see
// fail_nth.hpp. The target is on this node, at 127.0.0.1@tcp. Wants obdecho and osc,
// and a kernel with fault injection. Prints a line for each operation:
//
//	OPERATION: N allocations failed in turn, M of them noticed
//
// Status 1 when something was wrong; the kernel log says more.

#include <uapi/lustre_lite/rpc_ioctl.h>
#include <uapi/lustre_lite/wire.h>

#include "fail_nth.hpp"
#include "obd.hpp"

using vm::argument;
using vm::Command;
using vm::Device;
using vm::Operation;

namespace {

constexpr std::string_view SERVER = "rpc-es", OSC = "rpc-osc", CLIENT = "rpc-ec";
constexpr std::string_view TARGET = "rpc-es_UUID", NODE = "rpc-node", NID = "127.0.0.1@tcp";

int import_op(const Device& device, uint32_t op)
{
    const long long index = vm::find(device, OSC);
    auto arg = argument<obd_ioc_import>();

    arg.oi_index = static_cast<uint32_t>(index);
    arg.oi_op = op;
    return index < 0 ? static_cast<int>(index) : device.call(OBD_IOC_IMPORT, arg);
}

int ping_node(const Device& device)
{
    auto arg = argument<ll_rpc_ioc_ping>();

    std::memcpy(arg.rp_nid, NID.data(), NID.size());
    arg.rp_timeout_ms = 5000;
    return device.call(LL_RPC_IOC_PING, arg);
}

int list_conns(const Device& device)
{
    std::vector<ll_rpc_conn> conns(64);
    auto arg = argument<ll_rpc_ioc_list>();

    arg.rl_buf = vm::user(conns.data());
    arg.rl_buf_len = static_cast<uint32_t>(conns.size() * sizeof(conns[0]));
    arg.rl_rec_len = sizeof(conns[0]);
    return device.call(LL_RPC_IOC_CONNS, arg);
}

// One call of @op; how it failed counts as how the whole did. A lock has the type @type and
// the first two words of its policy.
int echo(const Device& device, uint32_t op, uint32_t type = 0, uint64_t first = 0,
         uint64_t last = 0)
{
    constexpr uint32_t size = 4096;
    const long long index = vm::find(device, CLIENT);
    auto arg = argument<ll_rpc_ioc_echo>();

    arg.et_index = static_cast<uint32_t>(index);
    arg.et_op = op;
    arg.et_inflight = 1;
    arg.et_size = op == LL_ECHO_READ || op == LL_ECHO_WRITE ? size : 0;
    arg.et_time_ms = 60000;
    arg.et_calls = 1;
    arg.et_mode = op == LL_ECHO_LOCK ? LCK_EX : 0;
    arg.et_resource = 7 + type;
    arg.et_type = type;
    arg.et_policy[0] = first;
    arg.et_policy[1] = last;
    const int rc = index < 0 ? static_cast<int>(index) : device.call(LL_RPC_IOC_ECHO_TEST, arg);
    return rc ? rc : arg.et_first_error;
}

void start_osc(const Device& device)
{
    vm::config(device, Command(LCFG_ADD_UUID, {}, {NODE, NID}));
    vm::attach(device, "osc", OSC, "rpc-osc_UUID");
    vm::setup(device, OSC, {TARGET, NODE});
}

void connect(const Device& device)
{
    start_osc(device);
    import_op(device, OBD_IMPORT_RECOVER);
}

// The server keeps a client that could not disconnect until it is evicted.
void forget_client(const Device& device)
{
    auto pw = argument<params_ioc_write>();
    std::string reason;

    device.write("obdecho/rpc-es/evict_client", "rpc-osc_UUID", pw, reason);
}

void stop_osc(const Device& device, int)
{
    vm::cleanup(device, OSC, "F");
    forget_client(device);
    vm::detach(device, OSC);
    vm::config(device, Command(LCFG_DEL_UUID, {}, {NODE}));
}

void start_client(const Device& device)
{
    connect(device);
    vm::attach(device, "echo_client", CLIENT, "rpc-ec_UUID");
    vm::setup(device, CLIENT, {OSC});
}

void stop_client(const Device& device, int rc)
{
    vm::cleanup(device, CLIENT, "F");
    vm::detach(device, CLIENT);
    stop_osc(device, rc);
}

Operation call(const char* name, uint32_t op)
{
    return {name, [op](const Device& d) { return echo(d, op); }, start_client, stop_client};
}

Operation lock(const char* name, uint32_t type, uint64_t first, uint64_t last)
{
    return {
        name,
        [type, first, last](const Device& d) { return echo(d, LL_ECHO_LOCK, type, first, last); },
        start_client, stop_client};
}

std::vector<Operation> operations()
{
    return {
        {"ping-node", ping_node},
        {"list", list_conns},
        {"connect", [](const Device& d) { return import_op(d, OBD_IMPORT_RECOVER); }, start_osc,
         stop_osc},
        {"disconnect", [](const Device& d) { return vm::cleanup(d, OSC); }, connect, stop_osc},
        call("ping", LL_ECHO_PING),
        call("count", LL_ECHO_COUNT),
        call("read", LL_ECHO_READ),
        call("write", LL_ECHO_WRITE),
        call("lock", LL_ECHO_LOCK),
        lock("lock-extent", LDLM_EXTENT, 4096, 8191),
        lock("lock-bits", LDLM_IBITS, MDS_INODELOCK_LOOKUP, MDS_INODELOCK_UPDATE),
    };
}

}  // namespace

int main(int argc, char** argv)
{
    const Device device;

    if (!device) {
        std::perror(LIBCFS_DEV_PATH);
        return 1;
    }
    vm::attach(device, "obdecho", SERVER, TARGET);
    if (vm::setup(device, SERVER) != 0) {
        std::fprintf(stderr, "fail-nth-rpc: the target cannot be set up\n");
        return 1;
    }
    const int status = vm::walk_all(operations(), argc, argv, device);
    vm::cleanup(device, SERVER, "F");
    vm::detach(device, SERVER);
    return status;
}
