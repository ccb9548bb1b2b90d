// SPDX-License-Identifier: GPL-2.0-only
//
// Every ioctl of object devices with the raw outcome as text:
//
//	obd-client all LOG	what a correct program sees; the same text must come
//				from the 32-bit and the 64-bit build
//	obd-client abi N	what a program of ABI major N is told
//	obd-client sizes	structures shorter and longer than the kernel's, and
//				fields that must be zero
//
// Wants obdclass, all types and no device. Leaves none.

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "obd.hpp"

using vm::argument;
using vm::Command;
using vm::Device;
using vm::user;

namespace {

constexpr uint64_t INSTANCE = 0xfedcba9876543210ULL;

const char* error_name(int rc)
{
    return rc ? ::strerrorname_np(-rc) : "0";
}

void show_config(const Device& device, const char* what, const Command& command)
{
    std::string why;
    const int rc = vm::config(device, command, &why);

    std::printf("%s: %s%s%s\n", what, error_name(rc), why.empty() ? "" : ": ", why.c_str());
}

void show_device(const Device& device, uint32_t index, const char* name, const char* uuid)
{
    auto arg = argument<obd_ioc_device>();

    arg.od_index = index;
    std::strncpy(arg.od_name, name, sizeof(arg.od_name) - 1);
    std::strncpy(arg.od_uuid, uuid, sizeof(arg.od_uuid) - 1);
    const int rc = device.call(OBD_IOC_DEVICE, arg);
    std::printf("device %d '%s' '%s': %s", static_cast<int>(index), name, uuid, error_name(rc));
    if (!rc)
        std::printf(", %u status %u refcount %u %s %s %s", arg.od_index, arg.od_status,
                    arg.od_refcount, arg.od_type, arg.od_name, arg.od_uuid);
    std::printf("\n");
}

void show_import(const Device& device, uint32_t index, uint32_t op)
{
    auto arg = argument<obd_ioc_import>();

    arg.oi_index = index;
    arg.oi_op = op;
    const int rc = device.call(OBD_IOC_IMPORT, arg);
    std::printf("import %u of %u: %s%s%.*s\n", op, index, error_name(rc), arg.oi_why[0] ? ": " : "",
                static_cast<int>(sizeof(arg.oi_why)), arg.oi_why);
}

void show_replay(const Device& device, int log, uint32_t flags, uint32_t room)
{
    const vm::Replayed done = vm::replay(device, log, INSTANCE, "client-uuid", flags, room);

    std::printf(
        "replay, flags %u, %s: %s, %u applied, %u skipped, %u failed, %u records, report %s\n",
        flags, room < 65536 ? "several calls" : "one call", error_name(done.rc), done.applied,
        done.skipped, done.failed, done.records, done.sound ? "sound" : "not sound");
}

void show_life(const Device& device)
{
    show_config(device, "attach", Command(LCFG_ATTACH, "oc-es", {"obdecho", "oc-es_UUID"}));
    show_config(device, "attach again", Command(LCFG_ATTACH, "oc-es", {"obdecho", "oc-es_UUID"}));
    show_device(device, OBD_INDEX_NONE, "oc-es", "");
    show_config(device, "setup", Command(LCFG_SETUP, "oc-es"));
    show_config(device, "detach of what is set up", Command(LCFG_DETACH, "oc-es"));
    show_device(device, OBD_INDEX_NONE, "", "oc-es_UUID");
    show_device(device, 0, "", "");
    show_device(device, 77, "", "");
    show_device(device, OBD_INDEX_NONE, "nosuch", "");
    show_import(device, 0, OBD_IMPORT_RECOVER);
    show_import(device, 77, OBD_IMPORT_RECOVER);
    show_import(device, 0, 99);
    show_config(device, "cleanup", Command(LCFG_CLEANUP, "oc-es"));
    show_config(device, "detach", Command(LCFG_DETACH, "oc-es"));
    show_config(device, "unknown and required", Command(0x00cf0ff, "oc-es"));
    show_config(device, "unknown and optional", Command(0x00ce0ff, "oc-es"));
}

void show_logs(const Device& device, int log)
{
    show_replay(device, log, OBD_REPLAY_DRY_RUN, 65536);
    show_replay(device, log, OBD_REPLAY_DRY_RUN, 1024);
    show_replay(device, log, 0, 1024);
    show_device(device, OBD_INDEX_NONE, "t32fs-clilov-fedcba9876543210", "");
    show_device(device, OBD_INDEX_NONE, "", "client-uuid");
    std::printf("instance: %d devices went\n", vm::instance_cleanup(device, INSTANCE));
    std::printf("instance: %d devices went\n", vm::instance_cleanup(device, INSTANCE));
    show_replay(device, -1, 0, 65536);
    show_replay(device, device.fd(), 0, 65536);
    show_replay(device, log, 0, 100);
    show_replay(device, log, 0x80, 65536);
}

void show_abi(const Device& device, unsigned int major)
{
    for (unsigned int nr = 0x20; nr < 0x26; nr++) {
        alignas(8) char arg[512] = {};
        auto* head = reinterpret_cast<libcfs_ioc_hdr*>(arg);

        head->ioh_size = sizeof(arg);
        head->ioh_abi = major << 16;
        const int rc =
            ::ioctl(device.fd(), _IOC(_IOC_READ | _IOC_WRITE, LIBCFS_IOC_MAGIC, nr, 0), arg) < 0
                ? -errno
                : 0;
        std::printf("%02x: %s\n", nr, error_name(rc));
    }
}

void show_size(const Device& device, const char* what, uint32_t size, uint64_t tail)
{
    struct Longer {
        obd_ioc_device od;
        uint64_t tail;
    };
    Longer arg{};

    arg.od.od_hdr.ioh_size = size;
    arg.od.od_hdr.ioh_abi = LIBCFS_ABI_VERSION;
    arg.od.od_index = 0;
    arg.tail = tail;
    std::memset(arg.od.od_type, '~', sizeof(arg.od.od_type));
    const int rc = device.call(OBD_IOC_DEVICE, arg);
    std::printf("%s: %s, last field %s\n", what, error_name(rc),
                arg.od.od_type[0] == '~' ? "untouched" : "written");
}

void show_reserved(const Device& device)
{
    const std::string bytes = Command(LCFG_CLEANUP, "oc-es").bytes();
    auto config = argument<obd_ioc_config>();
    auto replay = argument<obd_ioc_replay>();
    auto found = argument<obd_ioc_device>();

    config.oc_cfg = user(bytes.data());
    config.oc_cfg_len = static_cast<uint32_t>(bytes.size());
    config.oc_index = OBD_INDEX_NONE;
    config.oc_flags = 1;
    std::printf("config, unknown flag: %s\n", error_name(device.call(OBD_IOC_CONFIG, config)));
    config.oc_flags = 0;
    config.oc_reserved = 1;
    std::printf("config, reserved: %s\n", error_name(device.call(OBD_IOC_CONFIG, config)));
    config.oc_reserved = 0;
    config.oc_cfg_len = LUSTRE_CFG_SIZE_MAX + 8;
    std::printf("config, too long: %s\n", error_name(device.call(OBD_IOC_CONFIG, config)));
    config.oc_cfg_len = 8;
    std::printf("config, too short: %s\n", error_name(device.call(OBD_IOC_CONFIG, config)));
    found.od_reserved = 1;
    std::printf("device, reserved: %s\n", error_name(device.call(OBD_IOC_DEVICE, found)));
    replay.or_reserved = 1;
    std::printf("replay, reserved: %s\n", error_name(device.call(OBD_IOC_REPLAY, replay)));
}

void show_sizes(const Device& device)
{
    vm::attach(device, "obdecho", "oc-es", "oc-es_UUID");
    show_size(device, "as long as it is", sizeof(obd_ioc_device), 0);
    show_size(device, "longer, zero", sizeof(obd_ioc_device) + 8, 0);
    show_size(device, "longer, not zero", sizeof(obd_ioc_device) + 8, 1);
    show_size(device, "shorter", offsetof(obd_ioc_device, od_type), 0);
    show_size(device, "shorter than its head", 4, 0);
    show_size(device, "absurdly long", 0x7fffffff, 0);
    show_reserved(device);
    vm::detach(device, "oc-es");
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view what = argc == 3                                           ? argv[1]
                                  : argc == 2 && argv[1] == std::string_view("sizes") ? "sizes"
                                                                                      : "";
    const Device device;

    if (!device) {
        std::perror("obd-client: " LIBCFS_DEV_PATH);
        return 1;
    }
    if (what == "all") {
        const ll::Fd log(::open(argv[2], O_RDONLY | O_CLOEXEC));

        show_life(device);
        show_logs(device, log.get());
    } else if (what == "abi") {
        show_abi(device, static_cast<unsigned int>(std::strtoul(argv[2], nullptr, 0)));
    } else if (what == "sizes") {
        show_sizes(device);
    } else {
        std::fprintf(stderr, "usage: obd-client all LOG | abi MAJOR | sizes\n");
        return 2;
    }
    return 0;
}
