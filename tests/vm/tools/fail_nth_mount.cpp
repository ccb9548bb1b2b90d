// SPDX-License-Identifier: GPL-2.0-only
//
//	fail-nth-mount SOURCE MNT
//
// Makes every allocation of a mount of a file system, and of its umount, fail in
// turn, see fail_nth.hpp. Wants a service that is there, and a kernel with fault
// injection. Memory is not compared after each call, as servers on this machine keep
// some for their clients: nothing may be left when the modules go. Prints a line for
// each operation:
//
//	OPERATION: N allocations failed in turn, M of them noticed
//
// Status 1 when something was wrong; the kernel log says more.

#include <sys/mount.h>

#include "fail_nth.hpp"

using vm::Device;
using vm::Operation;

namespace {

int mount_at(const char* source, const char* at)
{
    return ::mount(source, at, "lustre-lite", 0, "") ? -errno : 0;
}

int umount_at(const char* at)
{
    return ::umount(at) ? -errno : 0;
}

bool walk_mount(const Operation& op, const Device& device, const vm::Injector& injector)
{
    unsigned int nth = 1, noticed = 0;
    bool good = true, fired = true;

    for (; fired && good && nth < vm::FAIL_POINTS_MAX; nth += fired) {
        const vm::Outcome outcome = vm::inject(op, device, injector, nth);
        const vm::Outcome again = vm::inject(op, device, injector, 0);

        fired = outcome.fired;
        noticed += outcome.rc != 0;
        good = vm::is_right(op, outcome) && again.rc == 0;
        if (!good)
            std::printf("%s: allocation %u: %s; then without any failure: %s\n", op.name, nth,
                        std::strerror(-outcome.rc), std::strerror(-again.rc));
    }
    std::printf("%s: %u allocations failed in turn, %u of them noticed\n", op.name, nth - 1,
                noticed);
    return good && nth < vm::FAIL_POINTS_MAX;
}

}  // namespace

int main(int argc, char** argv)
{
    const Device device;
    const vm::Injector injector;
    unsigned int failed = 0;

    if (argc != 3) {
        std::fprintf(stderr, "usage: fail-nth-mount SOURCE MNT\n");
        return 2;
    }
    if (!device || !vm::failures_possible() || !injector) {
        std::perror(device ? "this kernel has no fault injection" : LIBCFS_DEV_PATH);
        return 1;
    }
    const char *source = argv[1], *at = argv[2];
    const Operation operations[] = {
        {"mount", [=](const Device&) { return mount_at(source, at); }, nullptr,
         [=](const Device&, int rc) {
             if (!rc)
                 umount_at(at);
         }},
        {"umount", [=](const Device&) { return umount_at(at); },
         [=](const Device&) { mount_at(source, at); },
         [=](const Device&, int rc) {
             if (rc)
                 umount_at(at);
         }},
    };
    for (const Operation& op : operations)
        failed += !walk_mount(op, device, injector);
    return failed ? 1 : 0;
}
