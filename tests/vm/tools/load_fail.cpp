// SPDX-License-Identifier: GPL-2.0-only
//
//	load-fail MODULE.ko [STEP]
//
// Loads a module again and again while each allocation of that system call fails
// in turn, or one in STEP of them, until it needs no more of them. A load must fail with ENOMEM or
// succeed all the same, and the module must go again. Prints
//
//	MODULE.ko: N allocations failed in turn, M of them stopped it
//
// Status 1 when something was wrong; the kernel log says more.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

constexpr unsigned int POINTS_MAX = 20000;

bool put_file(const std::string& path, std::string_view text)
{
    const ll::Fd fd(::open(path.c_str(), O_WRONLY));

    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// By default only atomic allocations fail.
bool prepare()
{
    const std::string debug = "/sys/kernel/debug/";

    return put_file(debug + "failslab/ignore-gfp-wait", "N") &&
           put_file(debug + "fail_page_alloc/ignore-gfp-wait", "N") &&
           put_file(debug + "fail_page_alloc/ignore-gfp-highmem", "N") &&
           put_file(debug + "fail_page_alloc/min-order", "0");
}

struct Load {
    int rc = 0;
    bool fired = false;
};

// One load of which the n-th allocation fails.
Load load(const char* path, unsigned int nth)
{
    const ll::Fd injector(::open("/proc/thread-self/fail-nth", O_RDWR));
    const ll::Fd module(::open(path, O_RDONLY));
    const std::string text = std::to_string(nth);
    char left[16] = {};
    Load load;

    if (::pwrite(injector.get(), text.data(), text.size(), 0) < 0)
        return {.rc = -errno};
    load.rc = ::syscall(SYS_finit_module, module.get(), "", 0) ? -errno : 0;
    if (::pread(injector.get(), left, sizeof(left) - 1, 0) < 0 ||
        ::pwrite(injector.get(), "0", 1, 0) < 0)
        return {.rc = -errno};
    load.fired = std::strtoul(left, nullptr, 10) == 0;
    return load;
}

std::string module_name(std::string_view path)
{
    path = path.substr(path.rfind('/') + 1);
    return std::string(path.substr(0, path.rfind('.')));
}

int walk(const char* path, unsigned int step)
{
    const std::string name = module_name(path);
    unsigned int stopped = 0;
    unsigned int failed = 0;

    for (unsigned int nth = 1; nth <= POINTS_MAX; nth += step) {
        const Load got = load(path, nth);

        if (got.rc && (got.rc != -ENOMEM || !got.fired)) {
            std::printf("%s: load with allocation %u failing: %s\n", path, nth,
                        std::strerror(-got.rc));
            return 1;
        }
        failed += got.fired ? 1 : 0;
        if (got.rc) {
            stopped++;
            continue;
        }
        if (::syscall(SYS_delete_module, name.c_str(), O_NONBLOCK)) {
            std::printf("%s: unload after allocation %u failed: %s\n", path, nth,
                        std::strerror(errno));
            return 1;
        }
        if (!got.fired) {
            std::printf("%s: %u allocations failed in turn, %u of them stopped it\n", path, failed,
                        stopped);
            return stopped == 0;
        }
    }
    std::printf("%s: still not loaded after %u allocations failed in turn\n", path, POINTS_MAX);
    return 1;
}

}  // namespace

int main(int argc, char** argv)
{
    const unsigned long step = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 1;

    if (argc < 2 || argc > 3 || step == 0 || step > POINTS_MAX) {
        std::fprintf(stderr, "usage: load-fail MODULE.ko [STEP]\n");
        return 2;
    }
    if (!prepare()) {
        std::fprintf(stderr, "load-fail: this kernel does not let allocations fail\n");
        return 2;
    }
    return walk(argv[1], static_cast<unsigned int>(step));
}
