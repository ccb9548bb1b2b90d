// SPDX-License-Identifier: GPL-2.0-only
/*
 * lctl's outside for tests: the modules' own tree in user space, a debug log in
 * memory, and outputs that are kept.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/context.hpp"
#include "lib/port.hpp"

/* The debug log's calls, over records that a test put there. */
class TestDebugLog {
public:
    struct Record {
        std::uint64_t sequence;
        std::string bytes;
    };

    /** Append a record; it is written at @time_ns. */
    void add(std::uint64_t time_ns, std::string_view text);

    int call(unsigned long cmd, libcfs_ioc_debug& arg);

    std::vector<Record> records;
    std::vector<std::string> marks;
    std::uint64_t lost = 0;         // the next read returns it
    std::string added_during_read;  // text that is logged after each read
    std::uint32_t most_room = ~0U;  // of a buffer that is used in one call
    int fail_with = 0;              // errno of every call

private:
    int read(libcfs_ioc_debug& arg);

    std::uint64_t sequence_ = 0;
};

/* The tree of real_tree.c and the log; counts the calls. */
class TestPort final : public ll::KernelPort {
public:
    explicit TestPort(TestDebugLog& log) : log_(log) {}

    int call(unsigned long cmd, void* arg) noexcept override;

    std::map<unsigned long, unsigned int> calls_of;

private:
    TestDebugLog& log_;
};

class TestSystem final : public lctl::System {
public:
    ll::Result<std::unique_ptr<ll::KernelPort>> open_kernel() override;
    ll::Result<std::unique_ptr<lctl::EventSource>> open_events() override;
    ll::Status list_devices(ll::DeviceVisitor visit) override;
    ll::Result<std::unique_ptr<lctl::DeviceEventSource>> open_device_events() override;

    TestDebugLog log;
    TestPort* port = nullptr;  // the one that was opened last
    bool loaded = true;        // false: there is no device
};

/* An output that is kept in memory. */
class TestWriter final : public lctl::Writer {
public:
    TestWriter() : Writer(-1) {}
    ~TestWriter() override { flush(); }

    /** Text written since the last call. */
    std::string take();

    int fail_with = 0;

protected:
    int write_all(std::string_view text) override;

private:
    std::string written_;
};

/* All of it together, for one test. */
struct TestLctl {
    TestSystem system;
    TestWriter out;
    TestWriter err;
    lctl::Context context{system, out, err};

    /** Run a command line. Return: its status. */
    int run(std::vector<std::string> words);
    /** The same for a command that must succeed. Return: its output. */
    std::string output_of(std::vector<std::string> words);
    /** A value, as the kernel has it. */
    std::string value_of(const std::string& name);
};

/* Start and stop the tree; for cmocka_unit_test_setup_teardown(). */
int start_tree(void** state);
int stop_tree(void** state);
