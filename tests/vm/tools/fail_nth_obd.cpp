// SPDX-License-Identifier: GPL-2.0-only
//
//	fail-nth-obd LOG [OPERATION...]
//
// Makes every allocation of each step in the life of a device fail in turn, see
// fail_nth.hpp; LOG is a config log to replay. Wants obdclass and all types, and
// a kernel with fault injection. Prints a line for each operation:
//
//	OPERATION: N allocations failed in turn, M of them noticed
//
// Status 1 when something was wrong; the kernel log says more.

#include "fail_nth.hpp"
#include "obd.hpp"

using vm::argument;
using vm::Command;
using vm::Device;
using vm::Operation;

namespace {

constexpr uint64_t INSTANCE = 0xfa11;
constexpr std::string_view SERVER = "fail-es", CLIENT = "fail-ec", OSC = "fail-osc",
                           LOV = "fail-lov";
constexpr std::string_view TARGET = "fail-es_UUID", NODE = "fail-node";

// Remove a device in any state.
void wipe(const Device& device, std::string_view name)
{
    vm::cleanup(device, name, "F");
    vm::detach(device, name);
}

std::string lov_desc_bytes()
{
    lov_desc desc{};

    desc.ld_magic = LOV_DESC_MAGIC;
    desc.ld_default_stripe_count = 1;
    desc.ld_pattern = 1;
    desc.ld_default_stripe_size = 1 << 20;
    desc.ld_default_stripe_offset = ~0ULL;
    desc.ld_qos_maxage = 5;
    std::memcpy(desc.ld_uuid, "fail-lov_UUID", sizeof("fail-lov_UUID"));
    return {reinterpret_cast<const char*>(&desc), sizeof(desc)};
}

int setup_lov(const Device& device)
{
    return vm::config(device, Command(LCFG_SETUP, LOV).raw(lov_desc_bytes()));
}

int import_op(const Device& device, std::string_view name, uint32_t op)
{
    const long long index = vm::find(device, name);
    auto arg = argument<obd_ioc_import>();

    arg.oi_index = static_cast<uint32_t>(index);
    arg.oi_op = op;
    return index < 0 ? static_cast<int>(index) : device.call(OBD_IOC_IMPORT, arg);
}

void attach_server(const Device& device)
{
    vm::attach(device, "obdecho", SERVER, TARGET);
}

void start_server(const Device& device)
{
    attach_server(device);
    vm::setup(device, SERVER);
}

void stop_server(const Device& device, int)
{
    wipe(device, SERVER);
}

void attach_client(const Device& device)
{
    start_server(device);
    vm::attach(device, "echo_client", CLIENT, "fail-ec_UUID");
}

void start_client(const Device& device)
{
    attach_client(device);
    vm::setup(device, CLIENT, {SERVER});
}

void stop_client(const Device& device, int)
{
    wipe(device, CLIENT);
    wipe(device, SERVER);
}

void attach_osc(const Device& device)
{
    start_server(device);
    vm::config(device, Command(LCFG_ADD_UUID, {}, {NODE, "0@lo"}));
    vm::attach(device, "osc", OSC, "fail-osc_UUID");
}

void start_osc(const Device& device)
{
    attach_osc(device);
    vm::setup(device, OSC, {TARGET, NODE});
}

void connect_osc(const Device& device)
{
    start_osc(device);
    import_op(device, OSC, OBD_IMPORT_RECOVER);
}

void stop_osc(const Device& device, int)
{
    wipe(device, OSC);
    wipe(device, SERVER);
    vm::config(device, Command(LCFG_DEL_UUID, {}, {NODE}));
}

void start_lov(const Device& device)
{
    start_osc(device);
    vm::attach(device, "lov", LOV, "fail-lov_UUID");
    setup_lov(device);
}

void stop_lov(const Device& device, int rc)
{
    wipe(device, LOV);
    stop_osc(device, rc);
}

int write_param(const Device& device, std::string_view path, std::string_view text)
{
    auto pw = argument<params_ioc_write>();
    std::string reason;

    return device.write(path, text, pw, reason);
}

// Records of the log may fail one by one: on allocation failure, and as a consequence of
// earlier failures.
int replay_log(const Device& device, int log)
{
    const vm::Replayed done = vm::replay(device, log, INSTANCE, "fail-client-uuid");

    if (!done.sound)
        return -EBADMSG;
    return done.rc ? done.rc : done.nomem ? -ENOMEM : done.failed ? -EIO : 0;
}

void end_instance(const Device& device, int)
{
    vm::instance_cleanup(device, INSTANCE);
    vm::config(device, Command(LCFG_DEL_UUID));
}

std::vector<Operation> life()
{
    return {
        {"attach", [](const Device& d) { return vm::attach(d, "obdecho", SERVER, TARGET); },
         nullptr, stop_server},
        {"setup", [](const Device& d) { return vm::setup(d, SERVER); }, attach_server, stop_server},
        {"cleanup", [](const Device& d) { return vm::cleanup(d, SERVER); }, start_server,
         stop_server},
        {"detach", [](const Device& d) { return vm::detach(d, SERVER); }, attach_server,
         stop_server},
        {"find",
         [](const Device& d) { return static_cast<int>(std::min(vm::find(d, SERVER), 0LL)); },
         start_server, stop_server},
        {"setup-client", [](const Device& d) { return vm::setup(d, CLIENT, {SERVER}); },
         attach_client, stop_client},
        {"cleanup-client", [](const Device& d) { return vm::cleanup(d, CLIENT); }, start_client,
         stop_client},
        {"evict",
         [](const Device& d) {
             return write_param(d, "obdecho/fail-es/evict_client", "fail-ec_UUID");
         },
         start_client, stop_client},
    };
}

std::vector<Operation> imports()
{
    return {
        {"setup-osc",
         [](const Device& d) {
             return vm::setup(d, OSC, {TARGET, NODE});
         },
         attach_osc, stop_osc},
        {"connect", [](const Device& d) { return import_op(d, OSC, OBD_IMPORT_RECOVER); },
         start_osc, stop_osc},
        {"deactivate", [](const Device& d) { return import_op(d, OSC, OBD_IMPORT_DEACTIVATE); },
         connect_osc, stop_osc},
        {"cleanup-osc", [](const Device& d) { return vm::cleanup(d, OSC); }, connect_osc, stop_osc},
        {"add-conn",
         [](const Device& d) { return vm::config(d, Command(LCFG_ADD_CONN, OSC, {NODE})); },
         start_osc, stop_osc},
        {"add-uuid",
         [](const Device& d) {
             return vm::config(d, Command(LCFG_ADD_UUID, {}, {NODE, "1.2.3.4@tcp"}));
         },
         nullptr, [](const Device& d, int) { vm::config(d, Command(LCFG_DEL_UUID, {}, {NODE})); }},
    };
}

std::vector<Operation> logs(int log)
{
    return {
        {"setup-lov", setup_lov,
         [](const Device& d) { vm::attach(d, "lov", LOV, "fail-lov_UUID"); },
         [](const Device& d, int) { wipe(d, LOV); }},
        {"add-target",
         [](const Device& d) {
             return vm::config(d, Command(LCFG_LOV_ADD_OBD, LOV, {TARGET, "0", "1"}));
         },
         start_lov, stop_lov},
        {"profile",
         [](const Device& d) {
             return vm::config(d, Command(LCFG_MOUNTOPT, {}, {"fail-client", LOV, "fail-lmv"}));
         },
         nullptr,
         [](const Device& d, int) {
             vm::config(d, Command(LCFG_DEL_MOUNTOPT, {}, {"fail-client"}));
         }},
        {"replay", [log](const Device& d) { return replay_log(d, log); }, nullptr, end_instance},
        {"dry-run",
         [log](const Device& d) {
             return vm::replay(d, log, INSTANCE, {}, OBD_REPLAY_DRY_RUN).rc;
         }},
        {"end-instance",
         [](const Device& d) { return std::min(vm::instance_cleanup(d, INSTANCE), 0); },
         [log](const Device& d) { replay_log(d, log); }, end_instance},
    };
}

}  // namespace

int main(int argc, char** argv)
{
    const Device device;
    std::vector<Operation> operations = life();

    if (argc < 2) {
        std::fprintf(stderr, "usage: fail-nth-obd LOG [OPERATION...]\n");
        return 2;
    }
    const ll::Fd log(::open(argv[1], O_RDONLY | O_CLOEXEC));
    if (!device || !log) {
        std::perror(device ? argv[1] : LIBCFS_DEV_PATH);
        return 1;
    }
    for (auto&& more : {imports(), logs(log.get())})
        operations.insert(operations.end(), more.begin(), more.end());
    return vm::walk_all(operations, argc - 1, argv + 1, device);
}
