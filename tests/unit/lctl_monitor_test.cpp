// SPDX-License-Identifier: GPL-2.0-only
/* monitor: events of devices to lines, netlink's bytes to events. */
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl_fixture.hpp"
#include "lctl/netlink_events.hpp"
#include "netlink_bytes.hpp"
#include "netlink_fed.hpp"

using namespace lctl_test;
using lctl::DeviceEvent;
using lctl::DeviceEventParser;

namespace {

constexpr std::uint64_t kTime = 1795266242'123456789;

DeviceEvent event_of(std::uint8_t kind, std::uint32_t state = 0, const char* connection = "",
                     const char* peer = "")
{
    DeviceEvent event;

    event.kind = kind;
    event.time_ns = kTime;
    event.state = state;
    event.connection = connection;
    event.peer = peer;
    event.device = {.index = 3,
                    .refcount = 4,
                    .status = OBD_STATUS_UP,
                    .type = "osc",
                    .name = "osc0",
                    .uuid = "osc0_UUID"};
    return event;
}

Ran monitor(std::deque<DeviceEvent> events, const std::string& arguments)
{
    FakeTree tree;
    FakeSystem system(tree);

    system.device_events = std::move(events);
    return run(system, "monitor " + arguments);
}

void lines_tell_what_happened(void** /*state*/)
{
    struct {
        DeviceEvent event;
        const char* words;
    } const cases[] = {
        {event_of(LL_OBD_ATTACHED), "attached 3 osc osc0 osc0_UUID"},
        {event_of(LL_OBD_SET_UP), "set_up 3 osc osc0 osc0_UUID"},
        {event_of(LL_OBD_STOPPING), "stopping 3 osc osc0 osc0_UUID"},
        {event_of(LL_OBD_CLEANED_UP), "cleaned_up 3 osc osc0 osc0_UUID"},
        {event_of(LL_OBD_DETACHED), "detached 3 osc osc0 osc0_UUID"},
        {event_of(LL_OBD_IMPORT_STATE, LUSTRE_IMP_FULL, "0@lo"),
         "import_state 3 osc osc0 osc0_UUID FULL 0@lo"},
        {event_of(LL_OBD_IMPORT_STATE, LUSTRE_IMP_DISCON),
         "import_state 3 osc osc0 osc0_UUID DISCONN"},
        {event_of(LL_OBD_IMPORT_STATE, 77), "import_state 3 osc osc0 osc0_UUID 77"},
        {event_of(LL_OBD_IMPORT_EVENT, IMP_EVENT_ACTIVE, "0@lo"),
         "import_event 3 osc osc0 osc0_UUID ACTIVE 0@lo"},
        {event_of(LL_OBD_IMPORT_EVENT, IMP_EVENT_ACTIVATE),
         "import_event 3 osc osc0 osc0_UUID ACTIVATE"},
        {event_of(LL_OBD_IMPORT_EVENT, 5), "import_event 3 osc osc0 osc0_UUID 0x5"},
        {event_of(LL_OBD_EXPORT_NEW, 0, "", "ec_UUID"), "export_new 3 osc osc0 osc0_UUID ec_UUID"},
        {event_of(LL_OBD_EXPORT_GONE, 0, "", "ec_UUID"),
         "export_gone 3 osc osc0 osc0_UUID ec_UUID"},
        {event_of(LL_OBD_EXPORT_EVICTED, 0, "", "ec_UUID"),
         "export_evicted 3 osc osc0 osc0_UUID ec_UUID"},
        {event_of(99), "event_99 3 osc osc0 osc0_UUID"},
    };

    for (const auto& one : cases) {
        const Ran ran = monitor({one.event}, "");

        assert_text(ran.out, std::string("2026-11-21 13:04:02.123456 ") + one.words + "\n");
        assert_text(ran.err, "");
        assert_int_equal(ran.status, 0);
    }
}

void lost_events_are_told(void** /*state*/)
{
    assert_text(monitor({DeviceEvent::of_lost(3), DeviceEvent::of_lost(0)}, "").out,
                "lost 3\nlost\n");
    assert_text(monitor({DeviceEvent::of_lost(3)}, "--json").out,
                "{\"event\": \"lost\", \"count\": 3}\n");
}

void json_is_a_line_for_each_event(void** /*state*/)
{
    assert_text(
        monitor({event_of(LL_OBD_ATTACHED), event_of(LL_OBD_IMPORT_STATE, LUSTRE_IMP_FULL, "0@lo"),
                 event_of(LL_OBD_EXPORT_NEW, 0, "", "ec_UUID")},
                "--json")
            .out,
        "{\"event\": \"attached\", \"time\": 1795266242.123456789, \"index\": 3, "
        "\"status\": \"UP\", \"type\": \"osc\", \"name\": \"osc0\", \"uuid\": \"osc0_UUID\", "
        "\"refcount\": 4}\n"
        "{\"event\": \"import_state\", \"time\": 1795266242.123456789, \"index\": 3, "
        "\"status\": \"UP\", \"type\": \"osc\", \"name\": \"osc0\", \"uuid\": \"osc0_UUID\", "
        "\"refcount\": 4, \"state\": \"FULL\", \"connection\": \"0@lo\"}\n"
        "{\"event\": \"export_new\", \"time\": 1795266242.123456789, \"index\": 3, "
        "\"status\": \"UP\", \"type\": \"osc\", \"name\": \"osc0\", \"uuid\": \"osc0_UUID\", "
        "\"refcount\": 4, \"peer\": \"ec_UUID\"}\n");
}

void limits_end_it(void** /*state*/)
{
    const std::deque<DeviceEvent> three = {event_of(LL_OBD_ATTACHED), event_of(LL_OBD_SET_UP),
                                           event_of(LL_OBD_STOPPING)};
    const Ran two = monitor(three, "--count 2 --json");
    const Ran late = monitor(three, "-n 4 --timeout 1");

    assert_int_equal(std::ranges::count(two.out, '\n'), 2);
    assert_int_equal(two.status, 0);
    assert_int_equal(std::ranges::count(late.out, '\n'), 3);
    assert_int_equal(late.status, ETIMEDOUT);
    assert_int_equal(monitor(three, "--timeout 1").status, 0);
    for (const char* wrong : {"--count 0", "--count x", "--timeout x", "operand"}) {
        assert_int_equal(monitor(three, wrong).status, EINVAL);
        assert_text(monitor(three, wrong).out, "");
    }
}

void without_the_module_it_says_so(void** /*state*/)
{
    FakeTree tree;
    FakeSystem system(tree);

    system.no_events = {ENOENT, "events: load obdclass"};

    const Ran ran = run(system, "monitor");

    assert_text(ran.err, "error: monitor: events: load obdclass\n");
    assert_int_equal(ran.status, ENOENT);
}

/* ---- bytes of netlink --------------------------------------------------- */

std::string event_message(std::uint64_t sequence, std::uint8_t kind = LL_OBD_IMPORT_STATE)
{
    ll_obd_device device = {};

    device.d_index = 3;
    device.d_type_len = 3;
    device.d_name_len = 4;
    device.d_uuid_len = 1;
    device.d_conn_len = 4;
    return generic_message(
        {30, 0, 0}, LL_OBD_CMD_EVENT,
        attribute(LL_OBD_A_DEVICE, std::string(bytes_of(device)) + "oscosc0u0@lo") +
            attribute(LL_OBD_A_EVENT, kind) + attribute(LL_OBD_A_SEQ, sequence) +
            attribute(LL_OBD_A_TIME, kTime) +
            attribute(LL_OBD_A_STATE, std::uint32_t{LUSTRE_IMP_FULL}) +
            attribute(LL_OBD_A_PEER, std::string_view("peer\0", 5)));
}

void feed(DeviceEventParser& parser, const std::string& bytes)
{
    feed_messages(parser, bytes);
}

void events_are_unpacked(void** /*state*/)
{
    DeviceEventParser parser;

    feed(parser, event_message(1));

    const auto event = parser.pop();

    assert_true(event.has_value());
    assert_int_equal(event->kind, LL_OBD_IMPORT_STATE);
    assert_int_equal(event->time_ns, kTime);
    assert_int_equal(event->state, LUSTRE_IMP_FULL);
    assert_text(event->peer, "peer");
    assert_text(event->connection, "0@lo");
    assert_int_equal(event->device.index, 3);
    assert_text(event->device.type, "osc");
    assert_text(event->device.name, "osc0");
    assert_text(event->device.uuid, "u");
    assert_false(parser.pop().has_value());
}

void a_gap_in_the_numbers_is_told(void** /*state*/)
{
    DeviceEventParser parser;

    feed(parser, event_message(5));
    parser.overrun();
    feed(parser, event_message(9));
    assert_int_equal(parser.pop()->kind, LL_OBD_IMPORT_STATE);

    const auto lost = parser.pop();

    assert_int_equal(lost->kind, 0);
    assert_int_equal(lost->lost, 3);
    assert_int_equal(parser.pop()->kind, LL_OBD_IMPORT_STATE);
    parser.drained();
    assert_false(parser.has_event());
}

void what_has_no_device_is_no_event(void** /*state*/)
{
    DeviceEventParser parser;
    const std::string whole = event_message(1);

    feed(parser, generic_message({30, 0, 0}, LL_OBD_CMD_EVENT,
                                 attribute(LL_OBD_A_EVENT, std::uint8_t{LL_OBD_ATTACHED})));
    feed(parser, event_message(1, 0));
    for (std::size_t size = 0; size < whole.size(); size++) {
        const std::string cut(whole, 0, size);  // of its own memory, for the sanitizer

        feed(parser, cut);
    }
    assert_false(parser.has_event());
}

}  // namespace

int main()
{
    setenv("TZ", "UTC0", 1);

    const CMUnitTest tests[] = {
        cmocka_unit_test(lines_tell_what_happened),
        cmocka_unit_test(lost_events_are_told),
        cmocka_unit_test(json_is_a_line_for_each_event),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(without_the_module_it_says_so),
        cmocka_unit_test(events_are_unpacked),
        cmocka_unit_test(a_gap_in_the_numbers_is_told),
        cmocka_unit_test(what_has_no_device_is_no_event),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
