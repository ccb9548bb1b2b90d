// SPDX-License-Identifier: GPL-2.0-only
/*
 * lctl as a whole over a tree in memory: a command line in, output and exit status out.
 */
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lctl/context.hpp"

namespace lctl_test {

struct Ran {
    std::string out;
    std::string err;
    int status = 0;
};

/** Replaces the device and netlink. */
class FakeSystem final : public lctl::System {
public:
    explicit FakeSystem(ll::KernelPort& tree) : tree_(tree) {}

    ll::Result<std::unique_ptr<ll::KernelPort>> open_kernel() override;
    ll::Result<std::unique_ptr<lctl::EventSource>> open_events() override;
    ll::Status list_devices(ll::DeviceVisitor visit) override;
    ll::Result<std::unique_ptr<lctl::DeviceEventSource>> open_device_events() override;
    std::optional<bool> confirm(std::string_view question) override
    {
        asked = question;
        return answer;
    }

    std::optional<bool> answer;  // nothing: no terminal
    std::string asked;

    ll::Error no_kernel;  // given when its code is not 0
    ll::Error no_events;
    ll::Error no_devices;            // after what is in devices was listed
    std::deque<lctl::Event> events;  // after the last one the time is over
    std::deque<lctl::DeviceEvent> device_events;
    std::vector<ll::DeviceView> devices;  // what a list has

private:
    ll::KernelPort& tree_;
};

/** @line is split as lctl's own shell does it, and does not begin with "lctl". */
Ran run(FakeSystem& system, const std::string& line);
Ran run(ll::KernelPort& tree, const std::string& line);

struct Case {
    const char* line;
    const char* out;
    const char* err;
    int status;
};

/** Each case alone, on a new tree that @make creates. */
void check_cases(std::span<const Case> cases, void (*make)(FakeTree&));

/** Two object storage clients, a server with an export, and odd things. */
void make_tree(FakeTree& tree);

}  // namespace lctl_test
