// SPDX-License-Identifier: GPL-2.0-only
/* device_list: the text of real Lustre, YAML, JSON. */
#include <cerrno>
#include <string>

#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

Ran list(const std::string& arguments, std::vector<ll::DeviceView> devices,
         const ll::Error& error = {})
{
    FakeTree tree;
    FakeSystem system(tree);

    system.devices = std::move(devices);
    system.no_devices = error;
    return run(system, "dl " + arguments);
}

std::vector<ll::DeviceView> some_devices()
{
    return {
        {0, 3, OBD_STATUS_UP, "obdecho", "es", "es_UUID", ""},
        {16, 4, OBD_STATUS_ATTACHED, "lov", "fs-clilov-ff", "56d8bfa2-bf82", ""},
        {999, 5, OBD_STATUS_INACTIVE, "osc", "fs-OST0000-osc-ff", "56d8bfa2-bf82", "0@lo"},
        {1000000, 1, OBD_STATUS_STOPPING, "mdc", "m", "m_UUID", "10.0.0.1@tcp"},
    };
}

void text_is_that_of_real_lustre(void** /*state*/)
{
    const Ran ran = list("", some_devices());

    assert_text(ran.out,
                "  0 UP obdecho es es_UUID 3\n"
                " 16 AT lov fs-clilov-ff 56d8bfa2-bf82 4\n"
                "999 IN osc fs-OST0000-osc-ff 56d8bfa2-bf82 5\n"
                "1000000 ST mdc m m_UUID 1\n");
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    assert_text(list("", {}).out, "");
}

void target_appends_the_server(void** /*state*/)
{
    for (const char* option : {"-t", "--target"})
        assert_text(list(option, some_devices()).out,
                    "  0 UP obdecho es es_UUID 3\n"
                    " 16 AT lov fs-clilov-ff 56d8bfa2-bf82 4\n"
                    "999 IN osc fs-OST0000-osc-ff 56d8bfa2-bf82 5 0@lo\n"
                    "1000000 ST mdc m m_UUID 1 10.0.0.1@tcp\n");
}

void yaml_is_a_sequence_of_devices(void** /*state*/)
{
    const std::vector<ll::DeviceView> devices = {
        {1021, 3, OBD_STATUS_UP, "obdecho", "es999", "es999_UUID", "0@lo"},
        {1022, 2, OBD_STATUS_ATTACHED, "obdecho", "12", "no", ""},
    };

    assert_text(list("-y", devices).out,
                "devices:\n"
                "- index: 1021\n"
                "  status: UP\n"
                "  type: obdecho\n"
                "  name: es999\n"
                "  uuid: es999_UUID\n"
                "  refcount: 3\n"
                "  connection: 0@lo\n"
                "- index: 1022\n"
                "  status: AT\n"
                "  type: obdecho\n"
                "  name: \"12\"\n"
                "  uuid: \"no\"\n"
                "  refcount: 2\n");
    assert_text(list("-y -t", {devices[0]}).out,
                "devices:\n"
                "- index: 1021\n"
                "  status: UP\n"
                "  type: obdecho\n"
                "  name: es999\n"
                "  uuid: es999_UUID\n"
                "  refcount: 3\n"
                "  connection: 0@lo\n");
    assert_text(list("--yaml", {}).out, "devices: []\n");
}

void json_is_an_array_of_objects(void** /*state*/)
{
    const std::vector<ll::DeviceView> devices = {
        {0, 3, OBD_STATUS_UP, "obdecho", "a\"b", "es_UUID", ""},
        {9, 5, OBD_STATUS_INACTIVE, "osc", "o", "o_UUID", "0@lo"},
    };

    assert_text(list("--json", devices).out,
                "[\n"
                "{\"index\": 0, \"status\": \"UP\", \"type\": \"obdecho\", \"name\": \"a\\\"b\", "
                "\"uuid\": \"es_UUID\", \"refcount\": 3},\n"
                "{\"index\": 9, \"status\": \"IN\", \"type\": \"osc\", \"name\": \"o\", "
                "\"uuid\": \"o_UUID\", \"refcount\": 5, \"connection\": \"0@lo\"}\n"
                "]\n");
    assert_text(list("--json", {}).out, "[]\n");
}

/*
 * Devices listed before the error stay, the document is complete, and the status is the
 * errno.
 */
void a_list_that_breaks_off_is_an_error(void** /*state*/)
{
    const ll::Error error = {ENOBUFS, "generic netlink: No buffer space available"};
    const Ran text = list("", {some_devices()[0]}, error);
    const Ran json = list("--json", {some_devices()[0]}, error);
    const Ran none = list("--json", {}, error);

    assert_text(text.out, "  0 UP obdecho es es_UUID 3\n");
    assert_text(text.err, "error: device_list: generic netlink: No buffer space available\n");
    assert_int_equal(text.status, ENOBUFS);
    assert_true(
        json.out.ends_with("3},\n{\"error\": {\"errno\": 105, \"message\": "
                           "\"generic netlink: No buffer space available\"}}\n]\n"));
    assert_int_equal(json.status, ENOBUFS);
    assert_true(none.out.starts_with("[\n{\"error\": {\"errno\": 105, "));
    assert_int_equal(none.status, ENOBUFS);
}

void wrong_words_are_refused(void** /*state*/)
{
    assert_int_equal(list("x", some_devices()).status, EINVAL);
    assert_text(list("x", some_devices()).out, "");
    assert_int_equal(list("-y --json", some_devices()).status, EINVAL);
    assert_text(list("-y --json", some_devices()).out,
                "[\n{\"error\": {\"errno\": 22, \"message\": "
                "\"--json and --yaml exclude each other\"}}\n]\n");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(text_is_that_of_real_lustre),
        cmocka_unit_test(target_appends_the_server),
        cmocka_unit_test(yaml_is_a_sequence_of_devices),
        cmocka_unit_test(json_is_an_array_of_objects),
        cmocka_unit_test(a_list_that_breaks_off_is_an_error),
        cmocka_unit_test(wrong_words_are_refused),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
