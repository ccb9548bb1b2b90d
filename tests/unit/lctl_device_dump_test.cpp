// SPDX-License-Identifier: GPL-2.0
/* Devices from bytes of netlink: sound ones, cut ones, hostile ones. */
#include <cerrno>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include <uapi/lustre_lite/obd_netlink.h>

#include "cmocka.hpp"
#include "lctl/genl.hpp"
#include "lctl/netlink_devices.hpp"
#include "netlink_bytes.hpp"

using namespace lctl_test;
using lctl::genl::Bytes;
using lctl::genl::Dump;

namespace {

constexpr std::uint16_t kFamily = 30;
constexpr std::uint32_t kSequence = 7;
constexpr Dump kDump = {.family = kFamily, .sequence = kSequence, .command = LL_OBD_CMD_DEVICES};

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

/* What a datagram tells: names of devices; "end", or the errno of an error. */
std::string told(const std::string& datagram)
{
    const std::string own = datagram;  // of its own memory, for the sanitizer
    std::string text;
    bool sound = true;
    const auto over =
        lctl::genl::read_dump(Bytes(own.data(), own.size()), kDump, [&](Bytes attributes) {
            sound = lctl::unpack_devices(attributes,
                                         [&](const ll::DeviceView& device) {
                                             text.append(device.name).append(" ");
                                         }) &&
                    sound;
        });

    if (!sound)
        text += "unsound ";
    if (!over)
        return text + "error " + std::to_string(over.error().code);
    return text + (*over ? "end" : "more");
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
    assert_text(told(""), "more");
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

void answers_to_other_questions_are_skipped(void** /*state*/)
{
    const std::string devices = attribute(LL_OBD_A_DEVICE, packed(0, "a"));
    const std::int32_t failed = -EIO;

    assert_text(told(generic_message({kFamily, 0, kSequence + 1}, LL_OBD_CMD_DEVICES, devices)),
                "more");
    assert_text(told(plain_message({NLMSG_DONE, 0, kSequence - 1}, bytes_of(failed))), "more");
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

    assert_text(told(devices_message(devices, NLM_F_MULTI | NLM_F_DUMP_INTR)),
                "error " + std::to_string(EAGAIN));
    assert_text(
        told(plain_message({NLMSG_DONE, NLM_F_DUMP_INTR, kSequence}, bytes_of(std::int32_t{0}))),
        "error " + std::to_string(EAGAIN));
}

/* At no cut is a byte read that is not there, and none goes unnoticed. */
void cut_datagrams_are_errors(void** /*state*/)
{
    const std::string whole = devices_message(attribute(LL_OBD_A_DEVICE, packed(0, "a"))) +
                              devices_message(attribute(LL_OBD_A_DEVICE, packed(1, "b")));
    const std::size_t first = whole.size() / 2;

    for (std::size_t size = 1; size < whole.size(); size++) {
        const std::string text = told(whole.substr(0, size));

        if (size == first)
            assert_text(text, "a more");
        else
            assert_text(text, (size < first ? "error " : "a error ") + std::to_string(EBADMSG));
    }
}

void a_device_that_is_cut_is_unsound(void** /*state*/)
{
    const std::string whole = packed(1, "name");
    const std::string cut = whole.substr(0, whole.size() - 1);

    assert_text(told(devices_message(attribute(LL_OBD_A_DEVICE, cut))), "unsound more");

    /* An attribute that says to be longer than its message. */
    std::string bytes = devices_message(attribute(LL_OBD_A_DEVICE, whole));
    const std::uint16_t length = 9999;

    std::memcpy(bytes.data() + sizeof(nlmsghdr) + sizeof(genlmsghdr), &length, sizeof(length));
    assert_text(told(bytes), "unsound more");
}

void a_family_is_found(void** /*state*/)
{
    const std::string reply = attribute(CTRL_ATTR_VERSION, std::uint32_t{1}) +
                              attribute(CTRL_ATTR_FAMILY_ID, std::uint16_t{31});
    const std::string shorter = attribute(CTRL_ATTR_FAMILY_ID, std::uint8_t{31});

    assert_int_equal(lctl::genl::find_family(Bytes(reply.data(), reply.size())).value_or(0), 31);
    assert_false(lctl::genl::find_family(Bytes(shorter.data(), shorter.size())).has_value());
    assert_false(lctl::genl::find_family(Bytes()).has_value());
}

/* What the kernel answers to a question for a family: 0 for what is there. */
ll::Result<std::uint16_t> ask_with(int refusal)
{
    int ends[2] = {-1, -1};
    nlmsgerr body = {};

    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    body.error = -refusal;

    const std::string answer = plain_message({.type = NLMSG_ERROR}, bytes_of(body));

    assert_int_equal(send(ends[1], answer.data(), answer.size(), 0), answer.size());

    auto family = lctl::genl::resolve_family(ends[0], "lustre_lite_obd");

    close(ends[0]);
    close(ends[1]);
    return family;
}

/* Only a family that is not there is one that is not there. */
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
        cmocka_unit_test(answers_to_other_questions_are_skipped),
        cmocka_unit_test(errors_end_it),
        cmocka_unit_test(a_list_that_is_not_whole_is_an_error),
        cmocka_unit_test(cut_datagrams_are_errors),
        cmocka_unit_test(a_device_that_is_cut_is_unsound),
        cmocka_unit_test(a_family_is_found),
        cmocka_unit_test(a_refusal_keeps_its_errno),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
