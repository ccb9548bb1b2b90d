// SPDX-License-Identifier: GPL-2.0-only
/* tunefs.lustre-lite as a whole. */
#include "disk_fixture.hpp"

#include <algorithm>
#include <cstring>

#include <sys/xattr.h>

using disk::MountData;
using namespace disk_test;

namespace {

/* A target to work on. */
class Target : public Directory {
public:
    explicit Target(std::vector<std::string> more = {})
    {
        more.insert(more.end(),
                    {"--ost", "--fsname=fs", "--index=2", "--mgsnode=10.0.0.1", path()});
        assert_int_equal(mkfs(more).status, 0);
    }

    Output tune(std::vector<std::string> arguments) const
    {
        arguments.push_back(path());
        return tunefs(std::move(arguments));
    }

    MountData data() const { return data_of(*this); }
    std::string params() const { return std::string(data().params_text()); }
};

void expect_refusal(const Target& target, std::vector<std::string> arguments, int status,
                    std::string_view complaint)
{
    const Bytes before = target.get("CONFIGS/mountdata");
    const Output output = target.tune(std::move(arguments));

    assert_contains(output.err, complaint);
    assert_int_equal(output.status, status);
    assert_true(target.get("CONFIGS/mountdata") == before);
}

void without_a_change_it_prints(void**)
{
    const Target target;
    const std::string want = "\n   Permanent disk data:\n" + target.data().text() + "\n";
    const Bytes before = target.get("CONFIGS/mountdata");

    assert_text(target.tune({}).out, want);
    assert_text(target.tune({"--print"}).out, want);
    assert_true(target.get("CONFIGS/mountdata") == before);
}

void parameters_are_set_and_taken_away(void**)
{
    const Target target({"--param=a=1", "--param=b=2", "--param=c=3"});
    const Output output = target.tune({"--erase-param=b", "--param=a=9", "--param=d=4"});

    assert_text(output.err, "");
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp a=9 c=3 d=4");
    assert_int_equal(target.data().version(), 2);
    assert_int_equal(target.data().flags(), LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_PARAM);
    assert_contains(output.out, "Parameters: mgsnode=10.0.0.1@tcp a=9 c=3 d=4\n");
    assert_contains(output.out, "Writing CONFIGS/mountdata\n");

    assert_int_equal(target.tune({"--erase-params", "--param=e=5"}).status, 0);
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp e=5");
    expect_refusal(target, {"--erase-param=x"}, 1, "the target has no parameter 'x'");
}

void logs_can_be_regenerated(void**)
{
    const Target target;

    assert_int_equal(target.tune({"--writeconf"}).status, 0);
    assert_int_equal(target.data().flags(), LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_WRITECONF);
}

void nodes_of_the_service_are_added_or_replaced(void**)
{
    const Target target;

    target.tune({"--mgsnode=10.0.0.2,10.1.0.2:10.0.0.1"});
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp:10.0.0.2@tcp,10.1.0.2@tcp");
    // They are not in the logs of the target.
    assert_false(target.data().is(LDD_F_UPDATE | LDD_F_PARAM));
    target.tune({"--erase-param=mgsnode", "--mgsnode=[fd78::7]"});
    assert_text(target.params(), "mgsnode=fd78::7@tcp");
    expect_refusal(target, {"--erase-param=mgsnode"}, 1, "the management service is missing");
}

void nodes_of_the_target_are_of_one_kind(void**)
{
    const Target target;

    target.tune({"--servicenode=10.0.0.3"});
    target.tune({"--servicenode=10.0.0.4"});
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp failover.node=10.0.0.3@tcp:10.0.0.4@tcp");
    assert_int_equal(target.data().flags(),
                     LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_UPDATE | LDD_F_NO_PRIMNODE);
    expect_refusal(target, {"--failnode=10.0.0.5"}, 1, "its nodes were set with --servicenode");

    target.tune({"--erase-param=failover.node", "--failnode=10.0.0.5"});
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp failover.node=10.0.0.5@tcp");
    assert_false(target.data().is(LDD_F_NO_PRIMNODE));
    expect_refusal(target, {"--servicenode=10.0.0.6"}, 1, "its nodes were set with --failnode");

    target.tune({"--erase-param=failover.node"});
    assert_text(target.params(), "mgsnode=10.0.0.1@tcp");
}

void what_is_not_named_stays_bit_for_bit(void**)
{
    const Target target({"--param=a=1"});
    Bytes bytes = target.get("CONFIGS/mountdata");

    // Unused fields, and a list of parameters in another form than the one written here.
    bytes[4] = std::byte{0x55};
    bytes[32 + 40] = std::byte{0xee};
    bytes[1500] = std::byte{0xab};
    bytes[4096 + 77] = std::byte{0x11};
    std::memcpy(&bytes[8192], "  mgsnode=10.0.0.1   a=1 ", 25);
    target.put("CONFIGS/mountdata", bytes);

    assert_int_equal(target.tune({"--writeconf"}).status, 0);
    Bytes want = bytes;
    want[16] = std::byte{2};
    want[21] |= std::byte{LDD_F_WRITECONF >> 8};
    assert_true(target.get("CONFIGS/mountdata") == want);

    assert_int_equal(target.tune({"--comment=hello"}).status, 0);
    want[16] = std::byte{3};
    std::memcpy(&want[200], "hello", 5);
    assert_true(target.get("CONFIGS/mountdata") == want);
}

void what_is_so_already_is_not_written(void**)
{
    const Target target({"--param=a=1", "--comment=x"});
    const Bytes before = target.get("CONFIGS/mountdata");

    const Output output = target.tune({"--param=a=1", "--mgsnode=10.0.0.1", "--comment=x"});
    assert_contains(output.out, "Nothing changes\n");
    assert_true(target.get("CONFIGS/mountdata") == before);
}

void a_dry_run_writes_nothing(void**)
{
    const Target target;
    const Bytes before = target.get("CONFIGS/mountdata");
    const Output output = target.tune({"-n", "-v", "--param=a=1"});

    assert_contains(output.out, "Read previous values:\n");
    assert_contains(output.out, "Parameters: mgsnode=10.0.0.1@tcp a=1\n");
    assert_contains(output.out, "Dry run: nothing written\n");
    assert_true(target.get("CONFIGS/mountdata") == before);
}

void a_target_keeps_its_name(void**)
{
    const Target target;

    expect_refusal(target, {"--index=3"}, 2, "--index: the name of a target cannot be changed");
    expect_refusal(target, {"--fsname=x"}, 2, "--fsname: the name of a target cannot be changed");
}

void what_makes_no_sense_is_refused(void**)
{
    const Target target;

    expect_refusal(target, {"--param=x"}, 2, "'x' is not NAME=VALUE");
    expect_refusal(target, {"--mgsnode=x"}, 2, "'x' is not a NID");
    expect_refusal(target, {"--failnode=10.0.0.1", "--servicenode=10.0.0.2"}, 2,
                   "exclude each other");
    expect_refusal(target, {"--mountfsoptions=retry=x"}, 1, "retry=x");
    expect_refusal(target, {"--comment=" + std::string(1000, 'x')}, 1, "the maximum is 823");
    expect_refusal(target, {"other"}, 2, "takes one DIRECTORY, not 2");
    expect_refusal(target, {"--bogus"}, 2, "unrecognized option");
}

/* mountdata as real Lustre formats it, before the first start. */
Bytes foreign_data(std::uint8_t flags, std::string_view name, std::string_view params)
{
    Bytes bytes(sizeof(lustre_disk_data));
    const auto put = [&](std::size_t at, std::string_view text) {
        std::memcpy(&bytes[at], text.data(), text.size());
    };

    put(0, std::string_view("\1\0\xd0\x1d", 4));
    bytes[16] = std::byte{1};
    bytes[20] = std::byte{flags};
    bytes[21] = std::byte{0x20};  // LDD_F_IR_CAPABLE
    bytes[28] = std::byte{1};     // ldiskfs
    put(32, "t32fs");
    put(96, name);
    put(4096, "user_xattr,errors=remount-ro");
    put(8192, params);
    return bytes;
}

void what_real_lustre_wrote_is_imported(void**)
{
    const Directory directory;
    const Bytes foreign = foreign_data(LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_MGS | LDD_F_VIRGIN,
                                       "t32fs:MDT0000", " sys.timeout=20 lov.stripecount=0");

    directory.put("CONFIGS/mountdata", foreign);
    directory.put("last_rcvd", bytes_of("clients"));
    assert_contains(tunefs({directory.path()}).err, "tunefs.lustre-lite --import");

    const Output dry = tunefs({"--import", "--dry-run", directory.path()});
    assert_contains(dry.out, "Import: drop the mount options 'user_xattr,errors=remount-ro'");
    assert_contains(dry.out, "Import: rename last_rcvd to last_rcvd.lustre");
    assert_contains(dry.out, "Dry run: nothing written\n");
    assert_true(directory.get("CONFIGS/mountdata") == foreign);
    assert_true(directory.has("last_rcvd"));

    const Output output = tunefs({"--import", directory.path()});
    assert_text(output.err, "");
    assert_int_equal(output.status, 0);

    const MountData data = data_of(directory);
    assert_int_equal(data.flags(), LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_MGS | LDD_F_WRITECONF);
    assert_text(data.svname(), "t32fs-MDT0000");
    assert_text(data.mount_opts(), "");
    assert_text(data.params_text(), "sys.timeout=20 lov.stripecount=0");
    assert_int_equal(data.uuid().size(), 36);
    assert_int_equal(data.version(), 2);
    assert_false(directory.has("last_rcvd"));
    assert_true(directory.get("last_rcvd.lustre") == bytes_of("clients"));
    assert_contains(tunefs({"--import", directory.path()}).err,
                    "it is a target of lustre-lite already");
}

void an_import_replaces_the_nodes(void**)
{
    const Directory directory;

    directory.put(
        "CONFIGS/mountdata",
        foreign_data(LDD_F_SV_TYPE_OST, "t32fs-OST0000",
                     "mgsnode=10.2.2.59@o2ib ost.quota_type=ug failover.node=1.2.3.4@o2ib"));
    assert_contains(tunefs({"--import", directory.path()}).err,
                    "the management service is missing");

    const Output output = tunefs({"--import", "--mgsnode=10.0.0.1", directory.path()});
    assert_int_equal(output.status, 0);
    assert_contains(output.out, "drop mgsnode=10.2.2.59@o2ib, a node of its old network");
    assert_contains(output.out, "drop failover.node=1.2.3.4@o2ib");
    assert_contains(output.out, "Import: drop ost.quota_type=ug, which this release does not have");
    assert_text(data_of(directory).params_text(), "mgsnode=10.0.0.1@tcp");
}

void a_copy_without_attributes_is_not_imported(void**)
{
    const Directory directory;
    const Directory other;

    directory.put("CONFIGS/mountdata",
                  foreign_data(LDD_F_SV_TYPE_OST, "t32fs-OST0000", "mgsnode=10.2.2.59@tcp"));
    directory.put("O/0/d1/1", bytes_of("data"));
    directory.put("O/0/LAST_ID", bytes_of("12345678"));
    assert_contains(tunefs({"--import", "--mgsnode=10.0.0.1", directory.path()}).err,
                    "/O/0: none of 1 files has an attribute of Lustre");
    assert_contains(tunefs({"--force", directory.path()}).err, "--force goes with --import");
    assert_int_equal(tunefs({"--import", "--force", "--mgsnode=10.0.0.1", directory.path()}).status,
                     0);
    other.put("CONFIGS/mountdata",
              foreign_data(LDD_F_SV_TYPE_OST, "t32fs-OST0000", "mgsnode=10.2.2.59@tcp"));
    other.put("O/0/d1/1", bytes_of("data"));
    // Of root only.
    if (::lsetxattr((other.path() + "/O/0/d1/1").c_str(), "trusted.lma", "x", 1, 0) != 0)
        return;
    assert_int_equal(tunefs({"--import", "--mgsnode=10.0.0.1", other.path()}).status, 0);
}

void another_metadata_target_is_not_imported(void**)
{
    const Directory directory;
    Bytes bytes = foreign_data(LDD_F_SV_TYPE_MDT, "t32fs-MDT0001", "");

    bytes[24] = std::byte{1};
    directory.put("CONFIGS/mountdata", bytes);
    assert_contains(tunefs({"--import", "--mgsnode=10.0.0.1", directory.path()}).err,
                    "the metadata target with index 1");
}

void what_cannot_be_imported_is_told(void**)
{
    const Directory directory;
    Bytes bytes = foreign_data(LDD_F_SV_TYPE_OST, "t32fs-OST0000", "");

    bytes[28] = std::byte{9};
    directory.put("CONFIGS/mountdata", bytes);
    assert_contains(tunefs({"--import", directory.path()}).err, "mount type 0x9");
    bytes[28] = std::byte{1};
    bytes[12] = std::byte{1};
    directory.put("CONFIGS/mountdata", bytes);
    assert_contains(tunefs({"--import", directory.path()}).err, "unknown features 0x1");
}

void what_is_no_good_target_is_told(void**)
{
    const Target target;
    const Directory directory;
    Bytes bytes = target.get("CONFIGS/mountdata");

    assert_contains(tunefs({directory.path()}).err,
                    "is not a target: CONFIGS/mountdata is missing");
    assert_contains(tunefs({directory.file("x")}).err, "x: No such file or directory");
    target.put("CONFIGS/mountdata", Bytes(bytes.begin(), bytes.begin() + 100));
    assert_contains(target.tune({"--writeconf"}).err, "100 bytes, expected 12288");
    bytes[0] = std::byte{0};
    target.put("CONFIGS/mountdata", bytes);
    assert_contains(target.tune({}).err, "its magic is 0x1dd00000");
    bytes[0] = std::byte{1};
    bytes[22] = std::byte{0x80};
    target.put("CONFIGS/mountdata", bytes);
    assert_contains(target.tune({}).err, "unknown flags 0x800000");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(without_a_change_it_prints),
        cmocka_unit_test(parameters_are_set_and_taken_away),
        cmocka_unit_test(logs_can_be_regenerated),
        cmocka_unit_test(nodes_of_the_service_are_added_or_replaced),
        cmocka_unit_test(nodes_of_the_target_are_of_one_kind),
        cmocka_unit_test(what_is_not_named_stays_bit_for_bit),
        cmocka_unit_test(what_is_so_already_is_not_written),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(a_target_keeps_its_name),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(what_real_lustre_wrote_is_imported),
        cmocka_unit_test(an_import_replaces_the_nodes),
        cmocka_unit_test(a_copy_without_attributes_is_not_imported),
        cmocka_unit_test(another_metadata_target_is_not_imported),
        cmocka_unit_test(what_cannot_be_imported_is_told),
        cmocka_unit_test(what_is_no_good_target_is_told),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
