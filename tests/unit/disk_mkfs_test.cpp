// SPDX-License-Identifier: GPL-2.0-only
/* mkfs.lustre-lite as a whole. */
#include "disk_fixture.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fd.hpp"

using disk::MountData;
using namespace disk_test;

namespace {

constexpr const char* kNode = "--mgsnode=10.0.0.1";

void expect_usage(std::vector<std::string> arguments, std::string_view complaint)
{
    const Directory directory;

    arguments.push_back(directory.path());
    const Output output = mkfs(arguments);
    assert_contains(output.err, complaint);
    assert_contains(output.err, "error: mkfs.lustre-lite: ");
    assert_int_equal(output.status, 2);
    assert_text(directory.list(), "");
}

void a_target_is_made_with_all_that_was_said(void**)
{
    const Directory directory;
    const Output output =
        mkfs({"--ost", "--fsname=lustre", "--index", "0x1f", "--mgsnode=10.0.0.1,10.1.0.1",
              "--mgsnode", "10.0.0.2:[fd78::1]", "--servicenode=10.0.0.3,10.1.0.3@tcp1",
              "--servicenode=10.0.0.4", "--param=a.b=1", "--param", "c=2", "--comment=rack 3",
              "--mountfsoptions=ro,retry=3", directory.file("ost")});

    assert_text(output.err, "");
    assert_int_equal(output.status, 0);

    const MountData data = data_of(directory, "ost");
    assert_int_equal(data.version(), 1);
    assert_int_equal(data.flags(),
                     LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_PARAM | LDD_F_NO_PRIMNODE);
    assert_int_equal(data.index(), 31);
    assert_text(data.svname(), "lustre-OST001f");
    assert_text(data.comment(), "rack 3");
    assert_text(data.mount_opts(), "ro,retry=3");
    assert_text(data.params_text(),
                "mgsnode=10.0.0.1@tcp,10.1.0.1@tcp:10.0.0.2@tcp:fd78::1@tcp "
                "failover.node=10.0.0.3@tcp,10.1.0.3@tcp1:10.0.0.4@tcp a.b=1 c=2");
    assert_text(output.out,
                "\n   Permanent disk data:\n" + data.text() + "\nWriting CONFIGS/mountdata\n");
    assert_text(directory.list(), "ost ost/CONFIGS ost/CONFIGS/mountdata");
}

void a_replacement_says_that_it_is_known(void**)
{
    const Directory directory;

    assert_int_equal(
        mkfs({"--ost", "--replace", "--fsname=fs", "--index=3", kNode, directory.path()}).status,
        0);
    assert_int_equal(data_of(directory).flags(), LDD_F_SV_TYPE_OST | LDD_F_UPDATE);
    assert_text(data_of(directory).svname(), "fs-OST0003");
    expect_usage({"--ost", "--replace", "--fsname=fs", kNode}, "--replace requires --index=N");
    expect_usage({"--mgs", "--replace"}, "--replace requires --index=N");
}

/* Formatting a target again gives it a new uuid. */
void the_secret_goes_with_the_target(void**)
{
    const Directory directory;

    assert_int_equal(mkfs({"--ost", "--fsname=fs", kNode, directory.path()}).status, 0);
    directory.put("target_secret", bytes_of("a secret"));
    assert_int_equal(mkfs({"--ost", "--fsname=fs", kNode, directory.path()}).status, 1);
    assert_int_equal(mkfs({"--ost", "--reformat", "--fsname=fs", kNode, directory.path()}).status,
                     0);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void an_index_may_be_left_to_the_service(void**)
{
    const Directory directory;

    assert_int_equal(mkfs({"--mdt", "--fsname=fs", kNode, directory.path()}).status, 0);
    const MountData data = data_of(directory);
    assert_int_equal(data.flags(), LDD_F_SV_TYPE_MDT | LDD_F_VIRGIN | LDD_F_NEED_INDEX);
    assert_int_equal(data.index(), LDD_INDEX_NONE);
    assert_text(data.svname(), "fs-MDTffff");
}

void a_service_by_itself_needs_nothing(void**)
{
    const Directory directory;
    const Output output = mkfs({"--mgs", directory.path()});

    assert_text(output.err, "");
    assert_int_equal(data_of(directory).flags(), LDD_F_SV_TYPE_MGS | LDD_F_VIRGIN);
    assert_text(data_of(directory).svname(), "MGS");
    assert_text(data_of(directory).fsname(), "");

    const Directory named;
    const Output noted = mkfs({"--mgs", "--fsname=lustre", named.path()});
    assert_int_equal(noted.status, 0);
    assert_contains(noted.err, "note: mkfs.lustre-lite: --fsname is ignored");
    assert_text(data_of(named).fsname(), "");
}

void a_parameter_that_names_nodes_is_their_option(void**)
{
    const Directory directory;

    assert_int_equal(mkfs({"--ost", "--fsname=fs", "--index=1", "--param=mgsnode=10.0.0.1",
                           "--param=failover.node=[::2]", directory.path()})
                         .status,
                     0);
    assert_text(data_of(directory).params_text(), "mgsnode=10.0.0.1@tcp failover.node=::2@tcp");
    assert_int_equal(data_of(directory).flags(), LDD_F_SV_TYPE_OST | LDD_F_VIRGIN);
}

void what_makes_no_sense_is_refused(void**)
{
    expect_usage({}, "the kind of target is missing");
    expect_usage({"--fsname=fs", kNode}, "the kind of target is missing");
    expect_usage({"--mdt", "--ost", "--fsname=fs", kNode}, "cannot be both");
    expect_usage({"--ost", "--fsname=fs"}, "the management service is missing");
    expect_usage({"--ost", kNode}, "needs the name of its file system");
    expect_usage({"--ost", kNode, "--fsname=toolongname"}, "11 bytes, the maximum is 8");
    expect_usage({"--mgs", "--index=1"}, "not to a management service");
    expect_usage({"--mgs", kNode}, "--mgsnode names a management service on another node");
    expect_usage({"--ost", "--fsname=fs", kNode, "--servicenode=10.0.0.3", "--failnode=10.0.0.4"},
                 "--servicenode and --failnode exclude each other");
    for (const char* index : {"65535", "0xffff", "-1", "x", "", "1 "})
        expect_usage({"--ost", "--fsname=fs", kNode, std::string("--index=") + index},
                     "should be 0 to 65534");
    expect_usage({"--ost", "--fsname=fs", "--mgsnode=x"}, "--mgsnode: 'x' is not a NID");
    expect_usage({"--ost", "--fsname=fs", kNode, "--param=x"}, "--param: 'x' is not NAME=VALUE");
    expect_usage({"--ost", "--fsname=fs", kNode, "--mountfsoptions=retry=x"}, "retry=x");
    expect_usage({"--ost", "--fsname=fs", kNode, "--param=a=" + std::string(5000, 'x')},
                 "the maximum is 4095");
    expect_usage({"--bogus"}, "unrecognized option '--bogus'");
    expect_usage({"--mgs", "another"}, "takes one DIRECTORY, not 2");
    assert_int_equal(mkfs({"--mgs"}).status, 2);
}

void what_is_a_target_stays_one(void**)
{
    const Directory directory;

    mkfs({"--mgs", directory.path()});
    const Bytes before = directory.get("CONFIGS/mountdata");
    const Output output = mkfs({"--ost", "--fsname=fs", kNode, directory.path()});
    assert_int_equal(output.status, 1);
    assert_contains(output.err, "is already the target MGS; --reformat overwrites it");
    assert_true(directory.get("CONFIGS/mountdata") == before);

    directory.put("CONFIGS/mountdata", bytes_of("rubbish"));
    assert_contains(mkfs({"--mgs", directory.path()}).err,
                    "not mountdata: 7 bytes, expected 12288; --reformat overwrites it");
}

void reformatting_takes_away_what_is_a_targets(void**)
{
    const Directory directory;

    mkfs({"--mgs", "--mdt", "--fsname=old", "--index=0", directory.path()});
    for (const char* name : {"mgs_journal", "mgs_state", "mgs_changes", "NIDTBL_VERSIONS/old",
                             "CONFIGS/old-client.copy", "lost+found/x"})
        directory.put(name, bytes_of("x"));
    directory.put("CONFIGS/old-client", golden("lustre-2.9/t32fs-client"));
    directory.put("data/1", bytes_of("x"));
    directory.put("CONFIGS/notes", bytes_of("x"));

    const Output output = mkfs({"--reformat", "--ost", "--fsname=fs", kNode, directory.path()});
    assert_int_equal(output.status, 0);
    assert_text(directory.list(),
                "CONFIGS CONFIGS/mountdata CONFIGS/notes data "
                "data/1 lost+found lost+found/x");
    assert_text(data_of(directory).svname(), "fs-OSTffff");
    assert_contains(output.out,
                    "Removing: CONFIGS/mountdata CONFIGS/old-client CONFIGS/old-client.copy "
                    "NIDTBL_VERSIONS mgs_changes mgs_journal mgs_state\n");
    assert_contains(output.err, "other files are kept, such as CONFIGS/notes");
}

void reformatting_takes_away_the_old_tree(void**)
{
    const Directory directory;
    const Directory outside;

    mkfs({"--mdt", "--fsname=old", "--index=0", kNode, directory.path()});
    outside.put("file", bytes_of("x"));
    for (const char* name :
         {"ROOT/a/b/c", "ROOT/mine", "PENDING/0/x", "seq_srv", "last_rcvd", "target_secret",
          "O/0/LAST_ID", "O/0/d0/32", "CONFIGS/fs-client.new", "lost+found/x", "root/x"})
        directory.put(name, bytes_of("x"));
    assert_int_equal(::symlink(outside.path().c_str(), directory.file("ROOT/out").c_str()), 0);

    const std::vector<std::string> arguments = {"--reformat", "--ost", "--fsname=fs",
                                                "--index=1",  kNode,   directory.path()};
    std::vector<std::string> dry = arguments;
    dry.insert(dry.begin(), "-n");
    const std::string before = directory.list();
    const std::string names =
        ": CONFIGS/mountdata CONFIGS/fs-client.new O "
        "PENDING ROOT last_rcvd seq_srv "
        "target_secret\n";
    Output output = mkfs(dry);
    assert_contains(output.out, "Would remove" + names);
    assert_contains(output.err, "other files are kept, such as root");
    assert_text(directory.list(), before);

    output = mkfs(arguments);
    assert_int_equal(output.status, 0);
    assert_contains(output.out, "Removing" + names);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata lost+found lost+found/x root root/x");
    assert_text(outside.list(), "file");
}

/* Names of a file system that real Lustre wrote; see tests/golden. */
void reformatting_knows_real_lustres_names(void**)
{
    const Directory directory;

    mkfs({"--mdt", "--fsname=old", "--index=0", kNode, directory.path()});
    for (const char* name : {"BATCHID",
                             "CATALOGS",
                             "CONFIGS/nodemap",
                             "LFSCK/lfsck_namespace_00",
                             "NIDTBL_VERSIONS/fs",
                             "O/0/d0/1",
                             "OI_scrub",
                             "REMOTE_PARENT_DIR/x",
                             "changelog_catalog",
                             "changelog_users",
                             "fld",
                             "health_check",
                             "hsm_actions",
                             "last_rcvd",
                             "last_rcvd.lustre",
                             "lfsck_bookmark",
                             "lfsck_layout",
                             "lfsck_namespace",
                             "lov_objid",
                             "lov_objseq",
                             "nodemap",
                             "oi.16.0",
                             "oi.16.63",
                             "quota_master/dt-0x0/x",
                             "quota_slave/0x10000",
                             "reply_data",
                             "seq_ctl",
                             "seq_srv",
                             "update_log",
                             "update_log_dir/[0x200000400:0x1:0x0]"})
        directory.put(name, bytes_of("x"));
    for (const char* name : {"CONFIGS/params", "CONFIGS/t32fs-client"})
        directory.put(name, golden("lustre-2.9/t32fs-client"));

    const Output output = mkfs({"--reformat", "--mgs", directory.path()});
    assert_text(output.err, "");
    assert_int_equal(output.status, 0);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

/* As after a removal that was interrupted: the rest is not a target, and can be
 * removed. */
void the_rest_of_a_target_is_not_one(void**)
{
    const Directory directory;

    directory.put("ROOT/a/b", bytes_of("x"));
    assert_contains(tunefs({directory.path()}).err, "is not a target");
    assert_contains(mkfs({"--mdt", "--fsname=fs", kNode, directory.path()}).err,
                    "contains files of an old target ('ROOT'); --reformat removes them");
    assert_int_equal(mkfs({"--mdt", "--reformat", "--fsname=fs", kNode, directory.path()}).status,
                     0);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void a_tree_of_any_depth_is_removed(void**)
{
    const Directory directory;
    const std::string deep = "123456789012345678901234567890";

    mkfs({"--mgs", directory.path()});
    ll::Fd at(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int level = 0; level < 1500; level++) {
        const char* const name = level == 0 ? "ROOT" : deep.c_str();

        assert_int_equal(::mkdirat(at.get(), name, 0755), 0);
        at = ll::Fd(::openat(at.get(), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    assert_text(mkfs({"--mgs", "--reformat", directory.path()}).err, "");
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void a_path_that_cannot_be_removed_is_named(void**)
{
    const Directory directory;
    const std::string closed = directory.file("ROOT/a");
    const uid_t user = ::geteuid();

    if (user == 0) {
        assert_int_equal(::chown(directory.path().c_str(), 65534, 65534), 0);
        assert_int_equal(::seteuid(65534), 0);
    }
    mkfs({"--mgs", directory.path()});
    directory.put("ROOT/a/b", bytes_of("x"));
    assert_int_equal(::chmod(closed.c_str(), 0500), 0);

    const Output output = mkfs({"--mgs", "--reformat", directory.path()});
    assert_int_equal(::chmod(closed.c_str(), 0700), 0);
    assert_int_equal(::seteuid(user), 0);
    assert_int_equal(output.status, 1);
    assert_contains(output.err, "cannot remove " + closed + "/b: Permission denied; ");
    assert_contains(output.err, "is not a target now");
    assert_contains(tunefs({directory.path()}).err, "is not a target");
}

void a_directory_of_others_is_left_alone(void**)
{
    const Directory directory;

    directory.put("letter", bytes_of("x"));
    for (const char* reformat : {"--mgs", "--reformat"}) {
        const Output output = mkfs({"--mgs", reformat, directory.path()});

        assert_int_equal(output.status, 1);
        assert_contains(output.err, "is not a target and not empty (it contains 'letter')");
        assert_text(directory.list(), "letter");
    }

    const Directory fresh;
    fresh.put("lost+found/x", bytes_of("x"));
    assert_int_equal(mkfs({"--mgs", fresh.path()}).status, 0);
}

void logs_alone_can_be_served(void**)
{
    const Directory directory;

    for (const char* name : {"t32fs-client", "t32fs-MDT0000"})
        directory.put(std::string("CONFIGS/") + name, golden(std::string("lustre-2.9/") + name));
    assert_contains(mkfs({"--ost", "--fsname=fs", kNode, directory.path()}).err,
                    "contains files of an old target ('CONFIGS/t32fs-MDT0000')");

    const Output output = mkfs({"--mgs", directory.path()});
    assert_int_equal(output.status, 0);
    assert_contains(output.out,
                    "Keeping 2 config logs for the service: CONFIGS/t32fs-MDT0000 "
                    "CONFIGS/t32fs-client\n");
    assert_true(directory.get("CONFIGS/t32fs-client") == golden("lustre-2.9/t32fs-client"));
    assert_text(directory.list(),
                "CONFIGS CONFIGS/mountdata CONFIGS/t32fs-MDT0000 CONFIGS/t32fs-client");
}

void what_is_left_of_a_target_is_told(void**)
{
    const Directory directory;

    directory.put("mgs_state", bytes_of("x"));
    assert_contains(mkfs({"--mgs", directory.path()}).err,
                    "contains files of an old target ('mgs_state'); --reformat removes them");
    assert_int_equal(mkfs({"--mgs", "--reformat", directory.path()}).status, 0);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void a_target_has_no_other_inside(void**)
{
    const Directory directory;

    mkfs({"--mgs", directory.path()});
    for (const char* name : {"inner", "CONFIGS"}) {
        const Output output = mkfs({"--ost", "--fsname=fs", kNode, directory.file(name)});

        assert_int_equal(output.status, 1);
        assert_contains(output.err, "is inside the target " + directory.path());
    }
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void a_dry_run_writes_nothing(void**)
{
    const Directory directory;
    Output output = mkfs({"-n", "--mgs", directory.file("new")});

    assert_int_equal(output.status, 0);
    assert_contains(output.out, "Target:     MGS\n");
    assert_contains(output.out, "Dry run: nothing written\n");
    assert_text(directory.list(), "");

    mkfs({"--mgs", directory.file("old")});
    const Bytes before = directory.get("old/CONFIGS/mountdata");
    output = mkfs({"--dryrun", "--reformat", "--ost", "--fsname=fs", kNode, directory.file("old")});
    assert_contains(output.out, "Would remove: CONFIGS/mountdata\n");
    assert_true(directory.get("old/CONFIGS/mountdata") == before);
    // A dry run refuses what a real run refuses.
    assert_int_equal(mkfs({"-n", "--mgs", directory.file("old")}).status, 1);
}

void a_directory_that_cannot_be_made_is_told(void**)
{
    const Directory directory;

    assert_contains(mkfs({"--mgs", directory.file("a/b")}).err, "a: No such file or directory");
    directory.put("file", bytes_of("x"));
    assert_contains(mkfs({"--mgs", directory.file("file")}).err,
                    "file: Not a directory; a target is a directory");
    assert_contains(mkfs({"--mgs", "/proc/self"}).err, "a target needs a local one");
}

void one_tool_at_a_time_changes_a_directory(void**)
{
    const Directory directory;
    const ll::Fd other(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));

    assert_int_equal(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
    assert_contains(mkfs({"--mgs", directory.path()}).err, "is being changed by another tool");
    assert_text(directory.list(), "");
}

void quiet_is_quiet(void**)
{
    const Directory directory;
    const Output output = mkfs({"-q", "--mgs", "--fsname=fs", directory.path()});

    assert_text(output.out, "");
    assert_text(output.err, "");
    assert_int_equal(output.status, 0);
}

void left_overs_of_a_cut_write_do_no_harm(void**)
{
    const Directory directory;

    directory.put("CONFIGS/mountdata.new", bytes_of("half"));
    assert_contains(mkfs({"--mgs", directory.path()}).err, "files of an old target");
    assert_int_equal(mkfs({"--mgs", "--reformat", directory.path()}).status, 0);
    directory.put("CONFIGS/mountdata.new", bytes_of("half"));
    assert_int_equal(tunefs({"--comment=x", directory.path()}).status, 0);
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void help_and_version_need_nothing(void**)
{
    assert_contains(mkfs({"--help"}).out, "usage: mkfs.lustre-lite");
    assert_text(mkfs({"-V"}).out, "mkfs.lustre-lite: " LL_VERSION "\n");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_made_with_all_that_was_said),
        cmocka_unit_test(a_replacement_says_that_it_is_known),
        cmocka_unit_test(the_secret_goes_with_the_target),
        cmocka_unit_test(an_index_may_be_left_to_the_service),
        cmocka_unit_test(a_service_by_itself_needs_nothing),
        cmocka_unit_test(a_parameter_that_names_nodes_is_their_option),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(what_is_a_target_stays_one),
        cmocka_unit_test(reformatting_takes_away_what_is_a_targets),
        cmocka_unit_test(reformatting_takes_away_the_old_tree),
        cmocka_unit_test(reformatting_knows_real_lustres_names),
        cmocka_unit_test(the_rest_of_a_target_is_not_one),
        cmocka_unit_test(a_tree_of_any_depth_is_removed),
        cmocka_unit_test(a_path_that_cannot_be_removed_is_named),
        cmocka_unit_test(a_directory_of_others_is_left_alone),
        cmocka_unit_test(logs_alone_can_be_served),
        cmocka_unit_test(what_is_left_of_a_target_is_told),
        cmocka_unit_test(a_target_has_no_other_inside),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(a_directory_that_cannot_be_made_is_told),
        cmocka_unit_test(one_tool_at_a_time_changes_a_directory),
        cmocka_unit_test(quiet_is_quiet),
        cmocka_unit_test(left_overs_of_a_cut_write_do_no_harm),
        cmocka_unit_test(help_and_version_need_nothing),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
