// SPDX-License-Identifier: GPL-2.0-only
// A module with malformed answers: every reply is refused with EBADMSG, no byte outside of
// the buffer is read, and calls are bounded.
#include <cerrno>
#include <cstring>
#include <functional>

#include <sys/stat.h>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/expand.hpp"

using namespace ll;

namespace {

const auto go_on = [](const EntryView&) { return Visit::Continue; };

template <class T>
char* buffer_of(T address)
{
    return reinterpret_cast<char*>(uintptr_t(address));
}

using ListMeddler = std::function<void(params_ioc_list&, params_list_rec*)>;

int list_error(const ListMeddler& meddle)
{
    FakeTree tree;
    Params params(tree);

    tree.u64("abc/def", 1);
    tree.meddle = [&](unsigned long cmd, void* arg, int&) {
        auto* list = static_cast<params_ioc_list*>(arg);
        if (cmd == PARAMS_IOC_LIST)
            meddle(*list, reinterpret_cast<params_list_rec*>(buffer_of(list->pl_buf)));
    };
    const auto done = params.list("", 0, go_on);
    return done ? 0 : done.error().code;
}

void listings_are_not_believed(void**)
{
    const ListMeddler bad[] = {
        [](auto&, auto* rec) { rec->lr_len = 0; },
        [](auto&, auto* rec) { rec->lr_len = 0xfff8; },
        [](auto&, auto* rec) { rec->lr_len = 21; },
        [](auto&, auto* rec) { rec->lr_name_len = 9; },
        [](auto&, auto* rec) { rec->lr_name_len = 0xffff; },
        [](auto&, auto* rec) { rec->lr_name_len = 0; },
        [](auto&, auto* rec) { rec->lr_depth = 1; },
        [](auto&, auto* rec) { rec->lr_depth = 255; },
        [](auto&, auto* rec) { rec->lr_name[1] = '/'; },
        [](auto&, auto* rec) { rec->lr_name[1] = '\0'; },
        [](auto& list, auto*) { list.pl_used = 8; },
        [](auto& list, auto*) { list.pl_used = 0xffffffff; },
        [](auto& list, auto*) { list.pl_used = list.pl_buf_len + 1; },
        [](auto& list, auto*) { list.pl_used = 0, list.pl_eof = 0; },
    };

    assert_int_equal(list_error([](auto&, auto*) {}), 0);
    for (const auto& meddle : bad)
        assert_int_equal(list_error(meddle), EBADMSG);
}

void a_tree_deeper_than_the_limit_is_refused(void**)
{
    FakeTree tree;
    Params params(tree);
    std::string path = "d";

    for (int i = 1; i < PARAMS_DEPTH_MAX; i++)
        path += "/d";
    tree.dir(path);
    assert_true(params.list("", 0, go_on).has_value());
    tree.dir(path + "/d");
    assert_int_equal(params.list("", 0, go_on).error().code, EBADMSG);
}

void a_path_longer_than_the_limit_is_refused(void**)
{
    FakeTree tree;
    Params params(tree);
    const std::string name(PARAMS_NAME_MAX, '*');  // each byte is displayed as two
    std::string path = name;

    while (path.size() + 1 + name.size() <= PARAMS_PATH_MAX)
        path += '/' + name;
    tree.dir(path);
    assert_true(params.list("", 0, go_on).has_value());
    tree.dir(path + '/' + name);
    assert_int_equal(params.list("", 0, go_on).error().code, EBADMSG);
    assert_false(params.list(std::string(3 * PARAMS_PATH_MAX, 'x'), 0, go_on).has_value());
}

using EntryMeddler = std::function<void(params_ioc_read_batch&, params_entry_rec*)>;

int batch_error(bool subtree, const EntryMeddler& meddle)
{
    FakeTree tree;
    Params params(tree);
    PathList paths;

    tree.u64("abc/def", 1);
    paths.add("abc/def");
    paths.add("abc");
    tree.meddle = [&](unsigned long cmd, void* arg, int&) {
        auto* batch = static_cast<params_ioc_read_batch*>(arg);
        if (cmd == PARAMS_IOC_READ_BATCH)
            meddle(*batch, reinterpret_cast<params_entry_rec*>(buffer_of(batch->rb_buf)));
    };
    const auto done = subtree ? params.read_subtree("", go_on) : params.read_many(paths, go_on);
    return done ? 0 : done.error().code;
}

void batches_are_not_believed(void**)
{
    const EntryMeddler bad[] = {
        [](auto&, auto* rec) { rec->er_len = 0; },
        [](auto&, auto* rec) { rec->er_len = 0xfffffff8; },
        [](auto&, auto* rec) { rec->er_len += 1; },
        [](auto&, auto* rec) { rec->er_name_len = 0xffff; },
        [](auto&, auto* rec) { rec->er_index = 77; },
        [](auto&, auto* rec) { rec->er_flags |= PARAMS_EF_MORE; },
        [](auto& batch, auto*) { batch.rb_used = 16; },
        [](auto& batch, auto*) { batch.rb_used = batch.rb_buf_len + 8; },
        [](auto& batch, auto*) { batch.rb_used = 0, batch.rb_eof = 0; },
    };

    for (const bool subtree : {false, true}) {
        assert_int_equal(batch_error(subtree, [](auto&, auto*) {}), 0);
        for (const auto& meddle : bad)
            assert_int_equal(batch_error(subtree, meddle), EBADMSG);
    }
    assert_int_equal(batch_error(true, [](auto&, auto* rec) { rec->er_name_len = 0; }), EBADMSG);
}

// Statuses that are no errno do not get through as one.
void statuses_are_not_believed(void**)
{
    for (const int32_t status : {1, INT32_MIN, INT32_MAX, -5000}) {
        FakeTree tree;
        Params params(tree);
        PathList paths;
        int seen = 0;
        auto see = [&](const EntryView& entry) {
            seen = entry.status;
            assert_false(entry.has_value);
            return Visit::Continue;
        };

        tree.u64("a", 1);
        paths.add("a");
        tree.meddle = [&](unsigned long cmd, void* arg, int&) {
            if (cmd == PARAMS_IOC_READ_BATCH)
                reinterpret_cast<params_entry_rec*>(
                    buffer_of(static_cast<params_ioc_read_batch*>(arg)->rb_buf))
                    ->er_status = status;
        };
        assert_true(params.read_many(paths, see).has_value());
        assert_int_equal(seen, EBADMSG);
    }
}

int read_error(const std::function<void(params_ioc_read&, int&)>& meddle)
{
    FakeTree tree;
    Params params(tree);

    tree.text("a", "text");
    tree.meddle = [&](unsigned long cmd, void* arg, int& rc) {
        if (cmd == PARAMS_IOC_READ)
            meddle(*static_cast<params_ioc_read*>(arg), rc);
    };
    const auto value = params.read("a");
    return value ? 0 : value.error().code;
}

void reads_are_not_believed(void**)
{
    assert_int_equal(read_error([](auto&, int&) {}), 0);
    assert_int_equal(read_error([](auto& read, int&) { read.pr_used = 0xffffffff; }), EBADMSG);
    assert_int_equal(read_error([](auto& read, int&) {
                         read.pr_used = 0;
                         read.pr_eof = 0;
                     }),
                     EBADMSG);
    assert_int_equal(read_error([](auto& read, int&) {
                         read.pr_eof = 0;
                         read.pr_snapshot = 0;
                     }),
                     EBADMSG);
    // Room that is asked for again and again, and far too much of it.
    assert_int_equal(read_error([](auto&, int& rc) { rc = -EOVERFLOW; }), EOVERFLOW);
    assert_int_equal(read_error([](auto& read, int& rc) {
                         read.pr_buf_len = 0xffffffff;
                         rc = -EOVERFLOW;
                     }),
                     EBADMSG);
    assert_int_equal(read_error([](auto& read, int& rc) {
                         read.pr_buf_len++;
                         rc = -EOVERFLOW;
                     }),
                     EBADMSG);
}

// A value without an end stops at the limit.
void an_endless_value_is_too_big(void**)
{
    FakeTree tree;
    Params params(tree);

    tree.text("a", std::string(30000, 'x'));
    tree.meddle = [&](unsigned long cmd, void* arg, int& rc) {
        auto* read = static_cast<params_ioc_read*>(arg);
        if (cmd != PARAMS_IOC_READ)
            return;
        rc = 0;
        read->pr_used = read->pr_buf_len;
        read->pr_eof = 0;
        read->pr_snapshot = 1;
    };
    assert_int_equal(params.read("a").error().code, E2BIG);
}

void look_ups_are_not_believed(void**)
{
    const ListMeddler bad[] = {
        [](auto& list, auto*) { list.pl_used = 8; },
        [](auto& list, auto*) { list.pl_used = 0xffffffff; },
        [](auto&, auto* rec) { rec->lr_name_len = 0xffff; },
    };

    for (const auto& meddle : bad) {
        FakeTree tree;
        Params params(tree);
        tree.u64("abc", 1);
        tree.meddle = [&](unsigned long, void* arg, int&) {
            auto* list = static_cast<params_ioc_list*>(arg);
            meddle(*list, reinterpret_cast<params_list_rec*>(buffer_of(list->pl_buf)));
        };
        assert_int_equal(params.stat("abc").error().code, EBADMSG);
    }
}

void replies_to_writes_are_not_believed(void**)
{
    using Meddler = std::function<void(params_ioc_write_batch&, params_reply_rec*)>;
    const Meddler bad[] = {
        [](auto& batch, auto*) { batch.bw_used = 0xffffffff; },
        [](auto& batch, auto*) { batch.bw_used = 8; },
        [](auto& batch, auto*) { batch.bw_used = 0; },
        [](auto&, auto* rec) { rec->rr_len = 0; },
        [](auto&, auto* rec) { rec->rr_len = 0xfffffff8; },
        [](auto&, auto* rec) { rec->rr_reason_len = 17; },
        [](auto&, auto* rec) { rec->rr_reason_len = 0xffffffff; },
    };

    for (const auto& meddle : bad) {
        FakeTree tree;
        Params params(tree);
        Write write;
        tree.text("a", "1");
        tree.meddle = [&](unsigned long, void* arg, int&) {
            auto* batch = static_cast<params_ioc_write_batch*>(arg);
            meddle(*batch, reinterpret_cast<params_reply_rec*>(buffer_of(batch->bw_out)));
        };
        write.path = "a";
        assert_int_equal(params.write_many({write, write}, {}).error().code, EBADMSG);
    }
}

void descriptions_are_not_believed(void**)
{
    using Meddler = std::function<void(params_ioc_describe&, int&)>;
    const Meddler bad[] = {
        [](auto& d, int&) { d.dsc_used = 0xffffffff; },
        [](auto& d, int&) { d.dsc_used -= 8; },
        [](auto& d, int& rc) { d.dsc_buf_len = 0xffffffff, rc = -EOVERFLOW; },
    };

    for (const auto& meddle : bad) {
        FakeTree tree;
        Params params(tree);
        tree.text("a", "1");
        tree.meddle = [&](unsigned long, void* arg, int& rc) {
            meddle(*static_cast<params_ioc_describe*>(arg), rc);
        };
        assert_int_equal(params.describe("a").error().code, EBADMSG);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(listings_are_not_believed),
        cmocka_unit_test(a_tree_deeper_than_the_limit_is_refused),
        cmocka_unit_test(a_path_longer_than_the_limit_is_refused),
        cmocka_unit_test(batches_are_not_believed),
        cmocka_unit_test(statuses_are_not_believed),
        cmocka_unit_test(reads_are_not_believed),
        cmocka_unit_test(an_endless_value_is_too_big),
        cmocka_unit_test(look_ups_are_not_believed),
        cmocka_unit_test(replies_to_writes_are_not_believed),
        cmocka_unit_test(descriptions_are_not_believed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
