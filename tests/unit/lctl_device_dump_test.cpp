// SPDX-License-Identifier: GPL-2.0-only
/* Devices from bytes of netlink: sound ones, cut ones, hostile ones. */
#include <cerrno>
#include <string>

#include <uapi/lustre_lite/obd_netlink.h>

#include "cmocka.hpp"
#include "lctl/netlink_devices.hpp"
#include "netlink_bytes.hpp"
#include "netlink_fed.hpp"

using namespace lctl_test;
using lctl::Bytes;

namespace {

constexpr std::uint16_t kFamily = 30;
constexpr std::uint32_t kSequence = 7;

std::string packed(std::uint32_t index, std::string_view name = "es",
                   std::string_view connection = "")
{
    constexpr std::string_view type = "obdecho";
    constexpr std::string_view uuid = "es_UUID";
    ll_obd_device head = {};
    std::string bytes;

    head.d_index = index;
    head.d_refcount = 3;
    head.d_status = OBD_STATUS_UP;
    head.d_type_len = static_cast<std::uint8_t>(type.size());
    head.d_name_len = static_cast<std::uint8_t>(name.size());
    head.d_uuid_len = static_cast<std::uint8_t>(uuid.size());
    head.d_conn_len = static_cast<std::uint8_t>(connection.size());
    bytes.append(bytes_of(head)).append(type).append(name).append(uuid).append(connection);
    return bytes;
}

std::string devices_message(const std::string& attributes, std::uint16_t flags = NLM_F_MULTI)
{
    return generic_message({kFamily, flags, kSequence}, LL_OBD_CMD_DEVICES, attributes);
}

std::string end_message(std::int32_t status = 0)
{
    return plain_message({NLMSG_DONE, NLM_F_MULTI, kSequence}, bytes_of(status));
}

/* Contents of a datagram: names of devices, then "end", "more" or the errno of an error. */
std::string told(const std::string& datagram)
{
    std::string text;
    bool sound = true;
    lctl::NetlinkSocket socket = fed_socket(datagram);
    const auto done = socket.dump(kFamily, LL_OBD_CMD_DEVICES, [&](nlmsghdr* message) {
        sound = lctl::unpack_devices(
                    message,
                    [&](const ll::DeviceView& device) { text.append(device.name).append(" "); }) &&
                sound;
    });

    if (!sound)
        text += "unsound ";
    if (done)
        return text + "end";
    if (done.error().text.find("changed") != std::string::npos)
        return text + "changed";
    return text +
           (done.error().code == EAGAIN ? "more" : "error " + std::to_string(done.error().code));
}

void a_device_is_unpacked(void** /*state*/)
{
    const std::string bytes = packed(70000, "es", "0@lo");
    const auto view = lctl::unpack_device(Bytes(bytes.data(), bytes.size()));

    assert_true(view.has_value());
    assert_int_equal(view->index, 70000);
    assert_int_equal(view->refcount, 3);
    assert_int_equal(view->status, OBD_STATUS_UP);
    assert_text(view->type, "obdecho");
    assert_text(view->name, "es");
    assert_text(view->uuid, "es_UUID");
    assert_text(view->connection, "0@lo");
}

void texts_beyond_the_end_are_no_device(void** /*state*/)
{
    const std::string whole = packed(1);

    for (std::size_t size = 0; size < whole.size(); size++) {
        const std::string cut(whole, 0, size);

        assert_false(lctl::unpack_device(Bytes(cut.data(), cut.size())).has_value());
    }
    /* A longer record is of a newer module. */
    const std::string longer = whole + "xx";

    assert_true(lctl::unpack_device(Bytes(longer.data(), longer.size())).has_value());
}

void a_dump_goes_on_to_its_end(void** /*state*/)
{
    const std::string two =
        attribute(LL_OBD_A_DEVICE, packed(0, "a")) + attribute(LL_OBD_A_DEVICE, packed(1, "bcd"));

    assert_text(told(devices_message(two)), "a bcd more");
    assert_text(
        told(devices_message(two) + devices_message(attribute(LL_OBD_A_DEVICE, packed(2, "e")))),
        "a bcd e more");
    assert_text(told(devices_message(two) + end_message()), "a bcd end");
    assert_text(told(end_message()), "end");
}

void what_is_not_known_is_skipped(void** /*state*/)
{
    const std::string devices =
        attribute(200, std::string_view("new")) + attribute(LL_OBD_A_DEVICE, packed(0, "a"));

    assert_text(told(devices_message(devices)), "a more");
    assert_text(told(generic_message({kFamily, 0, kSequence}, 99, devices)), "more");
    assert_text(told(generic_message({kFamily + 1, 0, kSequence}, LL_OBD_CMD_DEVICES, devices)),
                "more");
}

void errors_end_it(void** /*state*/)
{
    nlmsgerr refusal = {};

    refusal.error = -EOPNOTSUPP;
    assert_text(told(plain_message({NLMSG_ERROR, 0, kSequence}, bytes_of(refusal))),
                "error " + std::to_string(EOPNOTSUPP));
    assert_text(told(end_message(-ENOMEM)), "error " + std::to_string(ENOMEM));
    refusal.error = INT32_MIN;
    assert_text(told(plain_message({NLMSG_ERROR, 0, kSequence}, bytes_of(refusal))),
                "error " + std::to_string(EBADMSG));
}

void a_list_that_is_not_whole_is_an_error(void** /*state*/)
{
    const std::string devices = attribute(LL_OBD_A_DEVICE, packed(0, "a"));

    assert_text(told(devices_message(devices, NLM_F_MULTI | NLM_F_DUMP_INTR) + end_message()),
                "a changed");
    assert_text(
        told(plain_message({NLMSG_DONE, NLM_F_DUMP_INTR, kSequence}, bytes_of(std::int32_t{0}))),
        "changed");
}

/* At no cut is a byte read that is not there, nor a message that is not whole. */
void cut_datagrams_are_not_read_past(void** /*state*/)
{
    const std::string whole = devices_message(attribute(LL_OBD_A_DEVICE, packed(0, "a"))) +
                              devices_message(attribute(LL_OBD_A_DEVICE, packed(1, "b")));
    const std::size_t first = whole.size() / 2;

    for (std::size_t size = 1; size < whole.size(); size++)
        assert_text(told(whole.substr(0, size)), size < first ? "more" : "a more");
}

void a_device_that_is_cut_is_unsound(void** /*state*/)
{
    const std::string whole = packed(1, "name");
    const std::string cut = whole.substr(0, whole.size() - 1);

    assert_text(told(devices_message(attribute(LL_OBD_A_DEVICE, cut))), "unsound more");

    /* An attribute whose length exceeds its message. */
    std::string bytes = devices_message(attribute(LL_OBD_A_DEVICE, whole));
    const std::uint16_t length = 9999;

    std::memcpy(bytes.data() + sizeof(nlmsghdr) + sizeof(genlmsghdr), &length, sizeof(length));
    assert_text(told(bytes), "unsound more");
}

/* The answer to a request for a family, which the kernel refuses. */
ll::Result<int> ask_with(int refusal)
{
    nlmsgerr body = {};

    body.error = -refusal;
    return fed_socket(plain_message({.type = NLMSG_ERROR}, bytes_of(body)))
        .family("lustre_lite_obd");
}

/* Other refusals are not reported as a missing family. */
void a_refusal_keeps_its_errno(void** /*state*/)
{
    const int refusals[] = {EPERM, ENOENT, ENOMEM, EOPNOTSUPP};

    for (const int refusal : refusals) {
        const auto family = ask_with(refusal);

        assert_false(family.has_value());
        assert_int_equal(family.error().code, refusal);
        assert_text(family.error().text,
                    "netlink family lustre_lite_obd: " + ll::errno_text(refusal));
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_unpacked),
        cmocka_unit_test(texts_beyond_the_end_are_no_device),
        cmocka_unit_test(a_dump_goes_on_to_its_end),
        cmocka_unit_test(what_is_not_known_is_skipped),
        cmocka_unit_test(errors_end_it),
        cmocka_unit_test(a_list_that_is_not_whole_is_an_error),
        cmocka_unit_test(cut_datagrams_are_not_read_past),
        cmocka_unit_test(a_device_that_is_cut_is_unsound),
        cmocka_unit_test(a_refusal_keeps_its_errno),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
