// SPDX-License-Identifier: GPL-2.0-only
#include "lctl_fixture.hpp"

#include <string>

#include "lctl/command.hpp"
#include "lctl/shell/tokenizer.hpp"

namespace lctl_test {

namespace {

class CaptureWriter final : public lctl::Writer {
public:
    CaptureWriter() : Writer(-1) {}
    std::string all;

protected:
    int write_all(std::string_view text) override
    {
        all.append(text);
        return 0;
    }
};

class Forward final : public ll::KernelPort {
public:
    explicit Forward(ll::KernelPort& to) : to_(to) {}
    int call(unsigned long cmd, void* arg) noexcept override { return to_.call(cmd, arg); }

private:
    ll::KernelPort& to_;
};

template <class Source, class Event>
class FakeEvents final : public Source {
public:
    explicit FakeEvents(std::deque<Event>& events) : events_(events) {}

    ll::Result<std::optional<Event>> next(
        std::optional<std::chrono::steady_clock::time_point> /*until*/) override
    {
        std::optional<Event> event;

        if (!events_.empty()) {
            event = std::move(events_.front());
            events_.pop_front();
        }
        return event;
    }

private:
    std::deque<Event>& events_;
};

}  // namespace

ll::Result<std::unique_ptr<ll::KernelPort>> FakeSystem::open_kernel()
{
    if (no_kernel.code != 0)
        return tl::unexpected(no_kernel);
    return std::make_unique<Forward>(tree_);
}

ll::Result<std::unique_ptr<lctl::EventSource>> FakeSystem::open_events()
{
    if (no_events.code != 0)
        return tl::unexpected(no_events);
    return std::make_unique<FakeEvents<lctl::EventSource, lctl::Event>>(events);
}

ll::Status FakeSystem::list_devices(ll::DeviceVisitor visit)
{
    for (const ll::DeviceView& device : devices)
        visit(device);
    if (no_devices.code != 0)
        return tl::unexpected(no_devices);
    return {};
}

ll::Result<std::unique_ptr<lctl::DeviceEventSource>> FakeSystem::open_device_events()
{
    if (no_events.code != 0)
        return tl::unexpected(no_events);
    return std::make_unique<FakeEvents<lctl::DeviceEventSource, lctl::DeviceEvent>>(device_events);
}

Ran run(FakeSystem& system, const std::string& line)
{
    CaptureWriter out;
    CaptureWriter err;
    lctl::Context context(system, out, err);
    auto words = lctl::shell::split_words(line);

    assert_true(words.has_value());

    std::vector<std::string> texts = lctl::shell::texts_of(*words);
    std::string tool = "lctl";
    std::vector<char*> argv = {tool.data()};

    for (std::string& text : texts)
        argv.push_back(text.data());
    argv.push_back(nullptr);

    const int status = lctl::run_lctl(context, static_cast<int>(argv.size()) - 1, argv.data());

    return {out.all, err.all, status};
}

Ran run(ll::KernelPort& tree, const std::string& line)
{
    FakeSystem system(tree);

    return run(system, line);
}

void check_cases(std::span<const Case> cases, void (*make)(FakeTree&))
{
    for (const Case& one : cases) {
        FakeTree tree;

        make(tree);

        const Ran ran = run(tree, one.line);

        if (ran.out != one.out || ran.err != one.err || ran.status != one.status)
            print_error("lctl %s\n", one.line);
        assert_text(ran.out, one.out);
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.status);
    }
}

namespace {

void make_client(FakeTree& tree, const std::string& dir, std::uint64_t active)
{
    ll::ValuePacker state;

    tree.u64(dir + "/active", active).flags = PARAMS_EF_TUNABLE;
    tree.u64(dir + "/max_rpcs", 8).flags = PARAMS_EF_TUNABLE;
    state.text("current_state", "FULL");
    state.u64("rpcs", 3);
    tree.records(dir + "/state", state);
}

}  // namespace

void make_tree(FakeTree& tree)
{
    tree.text("version", "0.1.0", 0100444);
    tree.text("note", "one\ntwo", 0100644);
    tree.text("clear", "", 0100200);
    tree.text("job_stats", "job", 0100644).flags = PARAMS_EF_VOLATILE;
    make_client(tree, "osc/fs-OST0000", 1);
    make_client(tree, "osc/fs-OST0001", 0);
    tree.text("mgs/MGS/exports/10.0.0.1@tcp/uuid", "client_UUID", 0100444);
    tree.link("current", "osc/fs-OST0001/active");
}

}  // namespace lctl_test
