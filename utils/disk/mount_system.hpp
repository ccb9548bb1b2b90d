// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of mount.lustre-lite to the kernel, which tests replace.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fd.hpp"

namespace disk {

/** A line that the kernel has for who mounts. */
struct KernelWord {
    char kind = 'e';  // e: error, w: warning, i: information
    std::string text;
};

/** Of "e lustre-lite: TEXT", which is how the kernel writes it. */
KernelWord parse_word(std::string_view line);

/** All that return int return 0 or an errno. */
class MountSystem {
public:
    MountSystem() = default;
    MountSystem(const MountSystem&) = delete;
    MountSystem& operator=(const MountSystem&) = delete;
    virtual ~MountSystem() = default;

    /** A new file system, or the one that is mounted there. */
    virtual int open(ll::Fd& context) = 0;
    virtual int pick(const std::string& directory, ll::Fd& context) = 0;
    /** An option; @value is nullptr for one that has none. */
    virtual int set(const ll::Fd& context, const char* name, const char* value) = 0;
    virtual int create(const ll::Fd& context) = 0;
    virtual int reconfigure(const ll::Fd& context) = 0;
    /** What the kernel has said about it since it was asked last. */
    virtual std::vector<KernelWord> words(const ll::Fd& context) = 0;

    virtual int attach(const ll::Fd& context, const std::string& directory,
                       std::uint64_t attrs) = 0;
    virtual int set_attrs(const std::string& directory, std::uint64_t set, std::uint64_t clear) = 0;

    /** mount(2), which is all that some kernels have. */
    virtual int mount(const std::string& source, const std::string& directory, unsigned long flags,
                      const std::string& data) = 0;

    virtual bool is_root() = 0;
    virtual void pause(unsigned seconds) = 0;
};

class RealMountSystem final : public MountSystem {
public:
    int open(ll::Fd& context) override;
    int pick(const std::string& directory, ll::Fd& context) override;
    int set(const ll::Fd& context, const char* name, const char* value) override;
    int create(const ll::Fd& context) override;
    int reconfigure(const ll::Fd& context) override;
    std::vector<KernelWord> words(const ll::Fd& context) override;
    int attach(const ll::Fd& context, const std::string& directory, std::uint64_t attrs) override;
    int set_attrs(const std::string& directory, std::uint64_t set, std::uint64_t clear) override;
    int mount(const std::string& source, const std::string& directory, unsigned long flags,
              const std::string& data) override;
    bool is_root() override;
    void pause(unsigned seconds) override;
};

}  // namespace disk
