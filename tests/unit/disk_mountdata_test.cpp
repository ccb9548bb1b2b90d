// SPDX-License-Identifier: GPL-2.0-only
/* mountdata: each of its bytes, and damaged ones. */
#include "disk_fixture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

using disk::MountData;
using disk::TargetParams;
using namespace disk_test;

namespace {

constexpr std::size_t kSize = 12288;

void put_word(Bytes& bytes, std::size_t offset, std::uint32_t value)
{
    for (int n = 0; n < 4; n++)
        bytes[offset + static_cast<std::size_t>(n)] = static_cast<std::byte>(value >> (8 * n));
}

void put_text(Bytes& bytes, std::size_t offset, std::string_view text)
{
    std::memcpy(&bytes[offset], text.data(), text.size());
}

/* Offsets are written out: they are those of real Lustre's disks. */
Bytes vector_of_bytes()
{
    Bytes bytes(kSize);

    put_word(bytes, 0, 0x1dd00001);
    put_word(bytes, 16, 7);       // config_ver
    put_word(bytes, 20, 0x1422);  // flags
    put_word(bytes, 24, 0x1f);    // svindex
    put_word(bytes, 28, 0x464c);  // mount_type
    put_text(bytes, 32, "lustre");
    put_text(bytes, 96, "lustre-OST001f");
    put_text(bytes, 160, "lustre-OST001f_UUID");
    put_text(bytes, 200, "rack 3");
    put_text(bytes, 4096, "ro,retry=3");
    put_text(bytes, 8192, "mgsnode=10.0.0.1@tcp a.b=5 failover.node=10.0.0.2@tcp");
    return bytes;
}

MountData decoded(const Bytes& bytes)
{
    auto data = MountData::decode("x", bytes);

    if (!data)
        fail_msg("%s", data.error().text.c_str());
    return *data;
}

void every_field_is_read(void**)
{
    const MountData data = decoded(vector_of_bytes());

    assert_int_equal(data.version(), 7);
    assert_int_equal(data.flags(),
                     LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_PARAM | LDD_F_NO_PRIMNODE);
    assert_int_equal(data.index(), 31);
    assert_text(data.fsname(), "lustre");
    assert_text(data.svname(), "lustre-OST001f");
    assert_text(data.uuid(), "lustre-OST001f_UUID");
    assert_text(data.comment(), "rack 3");
    assert_text(data.mount_opts(), "ro,retry=3");
    assert_text(data.params_text(), "mgsnode=10.0.0.1@tcp a.b=5 failover.node=10.0.0.2@tcp");
    assert_true(data.check().has_value());
}

void every_field_is_written(void**)
{
    const Bytes want = vector_of_bytes();
    Bytes got;
    MountData data;

    data.set_version(7);
    data.set_flags(0x1422);
    assert_true(data.set_identity("lustre", 31).has_value());
    assert_true(data.set_uuid("lustre-OST001f_UUID").has_value());
    assert_true(data.set_comment("rack 3").has_value());
    assert_true(data.set_mount_opts("ro,retry=3").has_value());
    assert_true(data.set_params(*TargetParams::parse(
                                    "mgsnode=10.0.0.1@tcp a.b=5 failover.node=10.0.0.2@tcp"))
                    .has_value());
    got.assign(data.bytes().begin(), data.bytes().end());
    assert_int_equal(got.size(), kSize);
    assert_memory_equal(got.data(), want.data(), kSize);
}

/* As RFC 4122 has it: version 4, and never the same one again. */
void an_identity_is_a_random_uuid(void**)
{
    constexpr std::string_view form = "xxxxxxxx-xxxx-4xxx-Vxxx-xxxxxxxxxxxx";
    const auto uuid = disk::random_uuid();
    const auto other = disk::random_uuid();

    assert_true(uuid.has_value() && other.has_value());
    assert_true(*uuid != *other);
    assert_int_equal(uuid->size(), form.size());
    for (std::size_t n = 0; n < form.size(); n++) {
        const std::string_view set = form[n] == 'x'   ? "0123456789abcdef"
                                     : form[n] == 'V' ? "89ab"
                                                      : form.substr(n, 1);

        assert_true(set.find((*uuid)[n]) != set.npos);
    }
}

void what_was_read_is_written_as_it_was(void**)
{
    Bytes bytes = vector_of_bytes();

    // Unused bytes are kept, too: compatible features, padding, bytes after a NUL.
    put_word(bytes, 4, 0x55);
    bytes[32 + 40] = std::byte{0xee};
    bytes[1024 + 17] = std::byte{0xab};
    bytes[8192 + 4000] = std::byte{0xcd};

    const MountData data = decoded(bytes);
    assert_true(std::ranges::equal(data.bytes(), bytes));
}

void a_text_replaces_all_of_the_old_one(void**)
{
    MountData data = decoded(vector_of_bytes());

    assert_true(data.set_comment("x").has_value());
    assert_text(data.comment(), "x");
    for (std::size_t n = 201; n < 1024; n++)
        assert_int_equal(data.bytes()[n], 0);
}

std::string fault_of(const Bytes& bytes, int code)
{
    const auto data = MountData::decode("/t/CONFIGS/mountdata", bytes);

    assert_false(data.has_value());
    assert_int_equal(data.error().code, code);
    assert_contains(data.error().text, "/t/CONFIGS/mountdata: ");
    return data.error().text;
}

void a_damaged_one_is_told(void**)
{
    Bytes bytes = vector_of_bytes();

    bytes.pop_back();
    assert_contains(fault_of(bytes, EBADMSG), "12287 bytes, expected 12288");
    assert_contains(fault_of({}, EBADMSG), "0 bytes, expected 12288");
    bytes.resize(kSize + 1);
    assert_contains(fault_of(bytes, EBADMSG), "12289 bytes");

    bytes = vector_of_bytes();
    put_word(bytes, 0, 0x1dd00002);
    assert_contains(fault_of(bytes, EBADMSG), "magic is 0x1dd00002, expected 0x1dd00001");
}

void a_text_without_an_end_is_told(void**)
{
    struct Field {
        const char* name;
        std::size_t offset;
        std::size_t size;
    };
    constexpr Field kFields[] = {
        {"ldd_fsname", 32, 64},     {"ldd_svname", 96, 64},         {"ldd_uuid", 160, 40},
        {"ldd_userdata", 200, 824}, {"ldd_mount_opts", 4096, 4096}, {"ldd_params", 8192, 4096},
    };

    for (const Field& field : kFields) {
        Bytes bytes = vector_of_bytes();

        std::fill_n(&bytes[field.offset], field.size, std::byte{'x'});
        assert_contains(fault_of(bytes, EBADMSG),
                        std::string(field.name) + " is not NUL-terminated");
        bytes[field.offset + field.size - 1] = std::byte{0};
        assert_true(MountData::decode("x", bytes).has_value());
    }
}

void one_of_others_is_told(void**)
{
    Bytes bytes = vector_of_bytes();

    put_word(bytes, 28, 1);
    assert_contains(fault_of(bytes, ENOTSUP), "mount type 0x1, expected 0x464c");
    bytes = vector_of_bytes();
    put_word(bytes, 20, 0x80022);
    assert_contains(fault_of(bytes, ENOTSUP), "unknown flags 0x80000");
    bytes = vector_of_bytes();
    put_word(bytes, 12, 2);
    assert_contains(fault_of(bytes, ENOTSUP), "features 0x2");
    bytes = vector_of_bytes();
    put_word(bytes, 8, 4);
    assert_contains(fault_of(bytes, ENOTSUP), "features 0x4");
}

MountData made(std::uint32_t flags, std::string_view fsname, std::uint32_t index,
               std::string_view params)
{
    MountData data;

    data.set_flags(flags);
    assert_true(data.set_identity(fsname, index).has_value());
    assert_true(data.set_params(*TargetParams::parse(params)).has_value());
    return data;
}

std::string complaint(std::uint32_t flags, std::string_view fsname, std::uint32_t index,
                      std::string_view params)
{
    const auto checked = made(flags, fsname, index, params).check();

    if (checked)
        return "none";
    assert_int_equal(checked.error().code, EINVAL);
    return checked.error().text;
}

void names_follow_from_kind_and_index(void**)
{
    constexpr auto kMgs = LDD_F_SV_TYPE_MGS;

    assert_text(made(LDD_F_SV_TYPE_OST, "a", 0xab, "").svname(), "a-OST00ab");
    assert_text(made(LDD_F_SV_TYPE_MDT | kMgs, "fs", 0, "").svname(), "fs-MDT0000");
    assert_text(made(LDD_F_SV_TYPE_OST, "a", LDD_INDEX_NONE, "").svname(), "a-OSTffff");
    assert_text(made(kMgs, "", LDD_INDEX_NONE, "").svname(), "MGS");
}

void parts_have_to_fit_together(void**)
{
    constexpr std::uint32_t kMdt = LDD_F_SV_TYPE_MDT, kOst = LDD_F_SV_TYPE_OST,
                            kMgs = LDD_F_SV_TYPE_MGS;
    constexpr auto kNode = "mgsnode=10.0.0.1@tcp";

    assert_text(complaint(kOst, "fs", 1, kNode), "none");
    assert_text(complaint(kMdt | kMgs, "fs", 1, ""), "none");
    assert_text(complaint(kMgs, "", LDD_INDEX_NONE, ""), "none");
    assert_text(complaint(kOst | LDD_F_NEED_INDEX, "fs", LDD_INDEX_NONE, kNode), "none");
    assert_contains(complaint(0, "fs", 1, kNode), "the kind of target is missing");
    assert_contains(complaint(kMdt | kOst, "fs", 1, kNode), "cannot be both");
    assert_contains(complaint(kOst, "fs", 1, ""), "the management service is missing");
    assert_contains(complaint(kOst, "fs", 1, "mgsnode=x"), "'x' is not a NID");
    assert_contains(complaint(kOst | kMgs, "fs", 1, "failover.node=x"), "'x' is not a NID");
    assert_contains(complaint(kOst, "fs", LDD_INDEX_NONE, kNode), "contradict each other");
    assert_contains(complaint(kOst, "fs", 0x10000, kNode), "contradict each other");
    assert_contains(complaint(kOst, "", 1, kNode), "needs the name of its file system");
    assert_contains(complaint(kOst, "9fs", 1, kNode), "'9fs' is not a valid file system name");
}

void a_name_that_is_anothers_is_told(void**)
{
    Bytes bytes = vector_of_bytes();

    put_text(bytes, 96, "lustre-OST0020");
    assert_contains(decoded(bytes).check().error().text,
                    "name mismatch: found lustre-OST0020, expected lustre-OST001f");
}

void names_of_file_systems_have_eight_bytes(void**)
{
    for (const char* good : {"a", "Lustre", "fs-1_2", "a-------", "abcdefgh"})
        assert_true(disk::check_fsname(good).has_value());
    for (const char* bad : {"", "abcdefghi", "1a", "-a", "_a", "a.b", "a b", "a/b", "\xc3\xa4"})
        assert_false(disk::check_fsname(bad).has_value());
}

void what_has_no_room_is_refused(void**)
{
    MountData data;

    assert_true(data.set_comment(std::string(823, 'x')).has_value());
    assert_contains(data.set_comment(std::string(824, 'x')).error().text,
                    "--comment: 824 bytes, the maximum is 823");
    assert_contains(data.set_comment("a\nb").error().text, "control characters");
    assert_true(data.set_mount_opts(std::string(4095, 'x')).has_value());
    assert_false(data.set_mount_opts(std::string(4096, 'x')).has_value());
    assert_false(data.set_params(*TargetParams::parse("a=" + std::string(4094, 'x'))).has_value());
    assert_true(data.set_params(*TargetParams::parse("a=" + std::string(4093, 'x'))).has_value());
}

void it_prints_as_real_tools_print_it(void**)
{
    assert_text(decoded(vector_of_bytes()).text(),
                "Target:     lustre-OST001f\n"
                "Index:      31\n"
                "UUID:       lustre-OST001f_UUID\n"
                "Lustre FS:  lustre\n"
                "Mount type: directory\n"
                "Flags:      0x1422\n"
                "              (OST first_time param no_primnode )\n"
                "Persistent mount opts: ro,retry=3\n"
                "Parameters: mgsnode=10.0.0.1@tcp a.b=5 failover.node=10.0.0.2@tcp\n"
                "Comment:    rack 3\n");
    assert_contains(made(LDD_F_SV_TYPE_MGS, "", LDD_INDEX_NONE, "").text(),
                    "Target:     MGS\nIndex:      unassigned\nLustre FS:  \n");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(every_field_is_written),
        cmocka_unit_test(an_identity_is_a_random_uuid),
        cmocka_unit_test(what_was_read_is_written_as_it_was),
        cmocka_unit_test(a_text_replaces_all_of_the_old_one),
        cmocka_unit_test(a_damaged_one_is_told),
        cmocka_unit_test(a_text_without_an_end_is_told),
        cmocka_unit_test(one_of_others_is_told),
        cmocka_unit_test(names_follow_from_kind_and_index),
        cmocka_unit_test(parts_have_to_fit_together),
        cmocka_unit_test(a_name_that_is_anothers_is_told),
        cmocka_unit_test(names_of_file_systems_have_eight_bytes),
        cmocka_unit_test(what_has_no_room_is_refused),
        cmocka_unit_test(it_prints_as_real_tools_print_it),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
