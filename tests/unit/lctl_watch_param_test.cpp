// SPDX-License-Identifier: GPL-2.0-only
/* watch_param: events to lines, netlink's bytes to events. */
#include <cerrno>
#include <cstring>
#include <string>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <uapi/lustre_lite/netlink.h>

#include "lctl_fixture.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/netlink_events.hpp"
#include "netlink_fed.hpp"

using namespace lctl_test;
using lctl::Event;
using lctl::EventParser;
using lctl::relate;
using lctl::Relation;

namespace {

Event event_of(Event::Kind kind, const char* path, std::uint32_t version = 1)
{
    return {.kind = kind, .version = version, .lost = 0, .path = path};
}

Ran watch(FakeTree& tree, std::deque<Event> events, const std::string& arguments)
{
    FakeSystem system(tree);

    system.events = std::move(events);
    return run(system, "watch_param " + arguments);
}

std::deque<Event> some_events()
{
    return {
        event_of(Event::Kind::Changed, "note", 4),
        event_of(Event::Kind::Changed, "osc/fs-OST0000/active", 9),
        event_of(Event::Kind::Removed, "osc/fs-OST0000/active", 10),
        {.kind = Event::Kind::Lost, .version = 0, .lost = 3, .path = {}},
        event_of(Event::Kind::Changed, "version", 2),
    };
}

void lines_tell_what_happened(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran ran = watch(tree, some_events(), "note osc.*.active");

    assert_text(ran.out,
                "changed note 4 one\\ntwo\n"
                "changed osc.fs-OST0000.active 9 1\n"
                "removed osc.fs-OST0000.active 10\n"
                "lost 3\n");
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
}

void json_is_a_line_for_each_event(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    assert_text(watch(tree, some_events(), "--json osc").out,
                "{\"event\": \"changed\", \"name\": \"osc.fs-OST0000.active\", \"version\": 9, "
                "\"value\": 1}\n"
                "{\"event\": \"removed\", \"name\": \"osc.fs-OST0000.active\", "
                "\"version\": 10}\n"
                "{\"event\": \"lost\", \"count\": 3}\n");
    assert_text(watch(tree, some_events(), "--yaml version").out,
                "- event: lost\n  count: 3\n"
                "- event: changed\n  name: version\n  version: 2\n  value: \"0.1.0\"\n");
}

void values_are_left_out_on_demand(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    assert_text(watch(tree, some_events(), "--no-value note").out, "changed note 4\nlost 3\n");
    assert_int_equal(tree.calls, 0);
}

void what_a_read_changes_is_not_read(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    assert_text(watch(tree, {event_of(Event::Kind::Changed, "job_stats", 4)}, "job_stats").out,
                "changed job_stats 4\n");
    assert_int_equal(tree.find("job_stats")->reads, 0);
}

/* A directory appears with its contents: only watched parameters are printed. */
void an_added_directory_is_looked_into(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const std::deque<Event> added = {event_of(Event::Kind::Added, "osc", 2)};

    assert_text(watch(tree, added, "osc.*.active").out,
                "added osc.fs-OST0000.active 1 1\nadded osc.fs-OST0001.active 1 0\n");
    assert_text(watch(tree, added, "osc").out, "added osc 2\n");
    assert_text(watch(tree, {event_of(Event::Kind::Removed, "osc", 2)}, "osc.*.active").out,
                "removed osc 2\n");
    assert_text(watch(tree, {event_of(Event::Kind::Added, "gone", 2)}, "gone.*.active").out, "");
}

void count_ends_the_watch(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran enough = watch(tree, some_events(), "-n 2 **");

    assert_text(enough.out, "changed note 4 one\\ntwo\nchanged osc.fs-OST0000.active 9 1\n");
    assert_int_equal(enough.status, 0);
    assert_int_equal(watch(tree, some_events(), "-n 9 **").status, ETIMEDOUT);
}

void wrong_limits_are_refused(void** /*state*/)
{
    FakeTree tree;

    for (const char* arguments : {"", "-n 0 x", "-n many x", "--timeout=soon x"})
        assert_int_equal(watch(tree, {}, arguments).status, EINVAL);
    assert_int_equal(tree.calls, 0);
}

void patterns_relate_to_paths(void** /*state*/)
{
    const struct {
        const char* pattern;
        const char* path;
        Relation relation;
    } cases[] = {
        {"a.b", "a/b", Relation::Match},      {"a.b", "a", Relation::Above},
        {"a.b", "a/b/c", Relation::Below},    {"a.b", "a/c", Relation::None},
        {"a.*.c", "a/x/c", Relation::Match},  {"a.*.c", "a/x/d", Relation::None},
        {"**", "a/b", Relation::Match},       {"**.c", "a/b/c", Relation::Match},
        {"**.c", "a/b", Relation::Above},     {"a.**.c", "a/c", Relation::Match},
        {"a.**.c", "a/c/d", Relation::Below}, {"a.{b,c}", "a/c", Relation::Match},
        {"a.b", "ab", Relation::None},        {"", "a", Relation::Below},
    };

    for (const auto& one : cases) {
        const auto spec = ll::PathSpec::parse(one.pattern);

        assert_true(spec.has_value());
        if (relate(*spec, one.path) != one.relation)
            print_error("%s and %s\n", one.pattern, one.path);
        assert_int_equal(static_cast<int>(relate(*spec, one.path)), static_cast<int>(one.relation));
    }
}

/* ---- bytes of netlink --------------------------------------------------- */

std::string attribute(std::uint16_t type, std::string_view data)
{
    nlattr head = {};
    std::string bytes;

    head.nla_type = type;
    head.nla_len = static_cast<std::uint16_t>(sizeof(head) + data.size());
    bytes.append(reinterpret_cast<const char*>(&head), sizeof(head)).append(data);
    bytes.resize((bytes.size() + 3) & ~std::size_t{3});
    return bytes;
}

template <class T>
std::string attribute(std::uint16_t type, const T& number) requires std::is_integral_v<T>
{
    return attribute(type, std::string_view(reinterpret_cast<const char*>(&number), sizeof(T)));
}

std::string message(std::uint16_t family, std::uint8_t command, const std::string& attributes)
{
    nlmsghdr head = {};
    genlmsghdr generic = {};
    std::string bytes;

    head.nlmsg_type = family;
    head.nlmsg_len = static_cast<std::uint32_t>(sizeof(head) + sizeof(generic) + attributes.size());
    generic.cmd = command;
    bytes.append(reinterpret_cast<const char*>(&head), sizeof(head));
    bytes.append(reinterpret_cast<const char*>(&generic), sizeof(generic)).append(attributes);
    return bytes;
}

std::string event_message(std::uint64_t sequence, const char* path = "a/b",
                          std::uint8_t kind = LL_PARAMS_CHANGED)
{
    return message(30, LL_CMD_PARAMS_EVENT,
                   attribute(LL_PARAMS_A_EVENT, kind) +
                       attribute(LL_PARAMS_A_PATH, std::string_view(path, strlen(path) + 1)) +
                       attribute(LL_PARAMS_A_VERSION, std::uint32_t{5}) +
                       attribute(LL_PARAMS_A_SEQ, sequence));
}

std::string told(EventParser& parser)
{
    std::string text;

    while (const auto event = parser.pop())
        text += event->kind == Event::Kind::Lost ? "lost " + std::to_string(event->lost) + " "
                                                 : event->path + " ";
    return text;
}

void feed(EventParser& parser, const std::string& bytes)
{
    lctl_test::feed_messages(parser, bytes);
}

void events_are_unpacked(void** /*state*/)
{
    EventParser parser;

    feed(parser, event_message(1, "a", LL_PARAMS_ADDED) + event_message(2, "b", LL_PARAMS_REMOVED) +
                     event_message(3, "c/d", LL_PARAMS_CHANGED) + event_message(4, "e", 99));

    const auto added = parser.pop();
    const auto removed = parser.pop();
    const auto changed = parser.pop();

    assert_int_equal(static_cast<int>(added->kind), static_cast<int>(Event::Kind::Added));
    assert_int_equal(static_cast<int>(removed->kind), static_cast<int>(Event::Kind::Removed));
    assert_int_equal(static_cast<int>(changed->kind), static_cast<int>(Event::Kind::Changed));
    assert_text(changed->path, "c/d");
    assert_int_equal(changed->version, 5);
    assert_false(parser.pop().has_value());
}

void a_gap_in_the_numbers_is_told(void** /*state*/)
{
    EventParser parser;

    feed(parser, event_message(10));
    feed(parser, event_message(11));
    assert_text(told(parser), "a/b a/b ");
    feed(parser, event_message(15));
    assert_text(told(parser), "lost 3 a/b ");
}

/* The socket overran: pending events are printed first, then the gap. */
void an_overrun_is_told_where_it_was(void** /*state*/)
{
    EventParser parser;

    feed(parser, event_message(1));
    parser.overrun();
    feed(parser, event_message(2));
    feed(parser, event_message(7));
    parser.drained();
    assert_text(told(parser), "a/b a/b lost 4 a/b ");
}

/* No event follows for a long time: the gap is reported once, without a number. */
void an_overrun_at_the_end_is_told_too(void** /*state*/)
{
    EventParser parser;

    feed(parser, event_message(1));
    parser.overrun();
    parser.drained();
    parser.drained();
    assert_text(told(parser), "a/b lost 0 ");
    feed(parser, event_message(7));
    assert_text(told(parser), "a/b ");
    feed(parser, event_message(9));
    assert_text(told(parser), "lost 1 a/b ");
}

void cut_messages_are_not_read_past(void** /*state*/)
{
    const std::string whole = event_message(1) + event_message(2);

    for (std::size_t size = 0; size < whole.size(); size++) {
        const std::string cut(whole, 0, size);  // of its own memory, for the sanitizer
        EventParser parser;

        feed(parser, cut);
        assert_true(told(parser).size() <= std::strlen("a/b "));
    }
}

void wrong_lengths_end_the_walk(void** /*state*/)
{
    std::string bytes = event_message(1);
    EventParser parser;

    for (const std::uint16_t length : std::initializer_list<std::uint16_t>{0, 3, 9999}) {
        std::memcpy(bytes.data() + sizeof(nlmsghdr) + sizeof(genlmsghdr), &length, sizeof(length));
        feed(parser, bytes);
        assert_text(told(parser), "");
    }
}

/* The kernel's own controller is a family with a group that always exists. */
void the_kernel_is_asked(void** /*state*/)
{
    auto socket = lctl::NetlinkSocket::open();

    if (!socket)
        skip();

    const auto group = socket->group("nlctrl", "notify");

    assert_true(group.has_value());
    assert_int_equal(*group, GENL_ID_CTRL);

    const auto none = socket->group("no_such_family", "x");

    assert_false(none.has_value());
    assert_int_equal(none.error().code, ENOENT);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(lines_tell_what_happened),
        cmocka_unit_test(json_is_a_line_for_each_event),
        cmocka_unit_test(values_are_left_out_on_demand),
        cmocka_unit_test(what_a_read_changes_is_not_read),
        cmocka_unit_test(an_added_directory_is_looked_into),
        cmocka_unit_test(count_ends_the_watch),
        cmocka_unit_test(wrong_limits_are_refused),
        cmocka_unit_test(patterns_relate_to_paths),
        cmocka_unit_test(events_are_unpacked),
        cmocka_unit_test(a_gap_in_the_numbers_is_told),
        cmocka_unit_test(an_overrun_is_told_where_it_was),
        cmocka_unit_test(an_overrun_at_the_end_is_told_too),
        cmocka_unit_test(cut_messages_are_not_read_past),
        cmocka_unit_test(wrong_lengths_end_the_walk),
        cmocka_unit_test(the_kernel_is_asked),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
