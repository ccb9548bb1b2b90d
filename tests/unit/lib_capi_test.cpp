// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/capi.hpp"
#include "lib_capi_c.h"

namespace {

// A handle with a tree of its own.
struct Handle {
    Handle()
    {
        auto made = std::make_unique<FakeTree>();

        tree = made.get();
        handle.port = std::move(made);
        handle.params.emplace(*handle.port);
    }
    operator params_handle*() { return &handle; }

    params_handle handle;
    FakeTree* tree;
};

void fill(FakeTree& tree)
{
    tree.u64("osc/a/max", 8);
    tree.u64("osc/b.c/max", 9);
    tree.text("osc/a/state", "FULL");
    tree.text("version", "1.0");
    tree.u64("osc/off", 1, 0100200);
}

void a_program_in_c_lists_and_reads(void**)
{
    Handle h;
    char out[500];

    fill(*h.tree);
    assert_int_equal(c_print_matching(h, "osc.*.*", out, sizeof(out)), 0);
    assert_string_equal(out, "osc.a.max=8\nosc.a.state=FULL\nosc.b\\.c.max=9\n");
    assert_int_equal(c_print_matching(h, "nosuch.*", out, sizeof(out)), -ENOENT);
    assert_string_equal(params_error(h), "nosuch.*: No such file or directory");
    assert_int_equal(c_print_matching(h, "osc.off", out, sizeof(out)), -EACCES);
    assert_string_equal(params_error(h), "osc.off: Permission denied");
}

void listings_say_what_an_entry_is(void**)
{
    Handle h;
    list_entry* list = nullptr;

    fill(*h.tree);
    h.tree->find("osc/a/max")->version = 77;
    h.tree->find("osc/a/max")->flags = PARAMS_EF_TUNABLE;
    assert_int_equal(params_list(h, "osc.a.max", &list), 0);
    assert_string_equal(list->le_name, "osc.a.max");
    assert_int_equal(list->le_name_len, 9);
    assert_true(S_ISREG(list->le_mode));
    assert_int_equal(list->le_type, PARAMS_T_U64);
    assert_int_equal(list->le_version, 77);
    assert_int_equal(list->le_flags, PARAMS_EF_TUNABLE);
    assert_null(list->le_next);
    params_list_free(list);
    assert_int_equal(params_list(h, "osc", &list), 0);
    assert_true(S_ISDIR(list->le_mode));
    params_list_free(list);
    assert_int_equal(params_list(h, "a..b", &list), -EINVAL);
    assert_null(list);
    assert_non_null(strstr(params_error(h), "empty component"));
    assert_int_equal(params_list(h, nullptr, &list), -EINVAL);
    params_list_free(nullptr);
}

void values_are_lists_of_records(void**)
{
    Handle h;
    ll::ValuePacker v;
    params_value_entry* values = nullptr;
    uint64_t number = 0;
    int64_t signed_number = 0;

    v.u64("count", 3);
    v.s64("delta", -3);
    v.begin("list", PARAMS_LIST_FLOW_SEQ);
    v.text("", std::string(PARAMS_TEXT_CHUNK + 1, 'x'));
    v.end();
    h.tree->records("r", v);
    assert_int_equal(params_read(h, "r", -1, &values, 0, 0), v.bytes().size());
    const params_value_entry* e = values;
    assert_string_equal(e->pve_name, "count");
    assert_int_equal(e->pve_name_len, 5);
    assert_int_equal(e->pve_value_len, 8);
    assert_int_equal(uintptr_t(e->pve_value) % 8, 0);
    assert_int_equal(params_value_u64(e, &number), 0);
    assert_int_equal(number, 3);
    assert_int_equal(params_value_s64(e, &signed_number), 0);
    assert_int_equal(signed_number, 3);
    e = e->pve_next;
    assert_int_equal(params_value_s64(e, &signed_number), 0);
    assert_int_equal(signed_number, -3);
    assert_int_equal(params_value_u64(e, &number), -EINVAL);
    e = e->pve_next;
    assert_int_equal(e->pve_type, PARAMS_V_LIST_BEGIN);
    e = e->pve_next;
    assert_int_equal(e->pve_value_len, PARAMS_TEXT_CHUNK + 1);
    assert_int_equal(e->pve_value[e->pve_value_len], 0);
    assert_int_equal(params_value_s64(e, &signed_number), -EINVAL);
    e = e->pve_next;
    assert_int_equal(e->pve_type, PARAMS_V_LIST_END);
    assert_null(e->pve_next);
    params_value_free(values);
    params_value_free(nullptr);
    // From the middle, where a list has begun already.
    assert_int_equal(params_read(h, "r", 1, &values, 4, 0) > 0, 1);
    assert_int_equal(values->pve_type, PARAMS_V_STRING);
    params_value_free(values);
    assert_int_equal(params_read(h, "r.and more", 1, &values, 99, 0), 0);
    assert_null(values);
}

void bad_arguments_are_refused(void**)
{
    Handle h;
    params_value_entry* values = nullptr;
    params_value_entry empty{};

    fill(*h.tree);
    assert_int_equal(params_read(h, "version", -1, &values, -1, 0), -EINVAL);
    assert_int_equal(params_read(h, "version", -1, &values, 0, 1), -EINVAL);
    assert_int_equal(params_read(h, "vers*", -1, &values, 0, 0), -EINVAL);
    assert_non_null(strstr(params_error(h), "a glob"));
    assert_int_equal(params_read(h, "osc", -1, &values, 0, 0), -EISDIR);
    assert_null(values);
    assert_int_equal(params_write(h, "version", -1, nullptr, 0, 0), -EINVAL);
    assert_int_equal(params_write(h, "version", -1, &empty, 3, 0), -EINVAL);
    assert_int_equal(params_write(h, "version", -1, &empty, 0, PARAMS_OPT_ATOMIC), -EINVAL);
    assert_int_equal(params_write_text(h, "version", "x", PARAMS_OPT_TYPED), -EINVAL);
    assert_int_equal(params_read_batch(h, nullptr, 0, 1), -EINVAL);
    assert_int_equal(params_write_batch(h, nullptr, 0, 8), -EINVAL);
    assert_int_equal(params_read(h, "version", -1, &values, 0, 0) > 0, 1);
    assert_string_equal(params_error(h), "");  // a success clears the text
    params_value_free(values);
}

void texts_and_records_are_written(void**)
{
    Handle h;
    params_value_entry* values = nullptr;

    fill(*h.tree);
    assert_int_equal(params_write_text(h, "version", "2.0", PARAMS_OPT_DRY_RUN), 0);
    assert_text(h.tree->text_of("version"), "1.0");
    assert_int_equal(params_write_text(h, "version", "2.0", 0), 0);
    assert_text(h.tree->text_of("version"), "2.0");
    params_value_entry text{};
    text.pve_type = PARAMS_V_STRING;
    text.pve_value = const_cast<char*>("3.0");
    text.pve_value_len = 3;
    assert_int_equal(params_write(h, "version", 7, &text, 0, 0), 3);
    assert_text(h.tree->text_of("version"), "3.0");
    // A value that was read can be written back.
    assert_int_equal(params_read(h, "osc.a.max", -1, &values, 0, 0), 16);
    assert_int_equal(params_write(h, "osc.b\\.c.max", -1, values, 0, 0), 16);
    assert_true(h.tree->find("osc/b.c/max")->value == h.tree->find("osc/a/max")->value);
    params_value_free(values);
    h.tree->find("version")->write_error = ERANGE;
    h.tree->find("version")->reason = "must be below 4";
    assert_int_equal(params_write(h, "version", -1, &text, 0, 0), -ERANGE);
    assert_string_equal(params_error(h), "setting version: must be below 4");
}

void batches_have_a_status_each(void**)
{
    Handle h;
    params_batch batch[5]{};
    const char* paths[] = {"osc.a.max", "nosuch", "a..b", "osc.a.state", "osc.off"};
    const int statuses[] = {0, -ENOENT, -EINVAL, 0, -EACCES};

    fill(*h.tree);
    for (size_t i = 0; i < 5; i++)
        batch[i].pb_path = paths[i];
    assert_int_equal(params_read_batch(h, batch, 5, 0), 3);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(batch[i].pb_status, statuses[i]);
        assert_int_equal(batch[i].pb_values != nullptr, statuses[i] == 0);
    }
    assert_int_equal(batch[0].pb_type, PARAMS_T_U64);
    assert_int_equal(batch[0].pb_mode, 0100644);
    assert_int_equal(batch[0].pb_version, 1);
    assert_int_equal(h.tree->calls, 1);
    params_read_batch_free(batch, 5);
    assert_null(batch[0].pb_values);
    assert_int_equal(params_read_batch(h, batch, 0, 0), 0);
}

void batches_are_written_with_reasons(void**)
{
    Handle h;
    params_batch batch[3]{};

    fill(*h.tree);
    h.tree->find("osc/a/max")->reason = "not today";
    batch[0].pb_path = "version";
    batch[0].pb_text = "n";
    batch[1].pb_path = "osc.a.max";
    batch[1].pb_text = "n";
    batch[1].pb_check_version = 1;
    batch[1].pb_version = 99;
    assert_int_equal(params_write_batch(h, batch, 2, PARAMS_OPT_ATOMIC), 2);
    assert_int_equal(batch[0].pb_status, -ECANCELED);
    assert_int_equal(batch[1].pb_status, -ESTALE);
    assert_string_equal(batch[1].pb_reason, "not today");
    assert_text(h.tree->text_of("version"), "1.0");
    params_write_batch_free(batch, 2);
    assert_null(batch[1].pb_reason);
    batch[1].pb_version = 1;
    batch[0].pb_version = 0;
    assert_int_equal(params_write_batch(h, batch, 2, PARAMS_OPT_DRY_RUN), 0);
    assert_text(h.tree->text_of("version"), "1.0");
    assert_int_equal(params_write_batch(h, batch, 2, 0), 0);
    assert_int_equal(batch[1].pb_version, 2);
    assert_text(h.tree->text_of("osc/a/max"), "n");
    params_write_batch_free(batch, 2);
    // A name that is none keeps an atomic batch from being sent at all.
    batch[1].pb_check_version = 0;
    batch[2].pb_path = "a..b";
    batch[2].pb_text = "n";
    h.tree->calls = 0;
    assert_int_equal(params_write_batch(h, batch, 3, PARAMS_OPT_ATOMIC), 3);
    assert_int_equal(batch[0].pb_status, -ECANCELED);
    assert_int_equal(batch[2].pb_status, -EINVAL);
    assert_int_equal(h.tree->calls, 0);
    batch[2].pb_path = "version";
    batch[2].pb_text = nullptr;
    assert_int_equal(params_write_batch(h, batch, 3, 0), 1);
    assert_int_equal(batch[2].pb_status, -EINVAL);
    params_write_batch_free(batch, 3);
}

void typed_values_go_in_a_batch(void**)
{
    Handle h;
    params_batch batch[1]{};
    params_value_entry* values = nullptr;

    fill(*h.tree);
    assert_int_equal(params_read(h, "osc.a.max", -1, &values, 0, 0), 16);
    batch[0].pb_path = "osc.b\\.c.max";
    batch[0].pb_values = values;
    assert_int_equal(params_write_batch(h, batch, 1, 0), 0);
    assert_true(h.tree->find("osc/b.c/max")->value == h.tree->find("osc/a/max")->value);
    params_write_batch_free(batch, 1);
    params_value_free(values);
}

void visitors_see_all_that_matches(void**)
{
    Handle h;
    uint64_t sum = 0;
    auto stop = [](const params_visit_entry*, void* arg) { return ++*static_cast<int*>(arg); };
    int seen = 0;

    fill(*h.tree);
    assert_int_equal(params_visit(h, "*", PARAMS_VISIT_RECURSIVE, c_add_numbers, &sum), 0);
    assert_int_equal(sum, 17);
    assert_int_equal(params_visit(h, "osc.*", 0, stop, &seen), 1);
    assert_int_equal(seen, 1);
    assert_int_equal(params_visit(h, "nosuch", 0, stop, &seen), -ENOENT);
    h.tree->calls_of.clear();
    assert_int_equal(
        params_visit(
            h, "osc.a.*", PARAMS_VISIT_NAMES,
            [](const params_visit_entry* entry, void*) { return entry->pv_value ? -1 : 0; },
            nullptr),
        0);
    assert_int_equal(h.tree->calls_of[PARAMS_IOC_READ_BATCH], 0);
}

void declarations_are_records(void**)
{
    Handle h;
    params_value_entry* values = nullptr;

    fill(*h.tree);
    assert_int_equal(params_describe(h, "version", -1, &values), 0);
    assert_string_equal(values->pve_name, "type");
    params_value_free(values);
    assert_int_equal(params_describe(h, "nosuch", -1, &values), -ENOENT);
    assert_null(values);
}

void malformed_records_are_told(void**)
{
    Handle h;
    params_value_entry* values = nullptr;
    ll::ValuePacker v;

    v.begin("x", PARAMS_LIST_MAP);
    assert_int_equal(params_unpack(v.bytes().data(), v.bytes().size(), &values), -EBADMSG);
    assert_null(values);
    assert_int_equal(params_unpack("abc", 3, &values), -EBADMSG);
    assert_int_equal(params_unpack("", 0, &values), 0);
    assert_null(values);
    h.tree->records("r", v);
    assert_int_equal(params_read(h, "r", -1, &values, 0, 0), -EBADMSG);
    params_value_entry list{};
    list.pve_type = PARAMS_V_LIST_BEGIN;
    assert_null(params_value_text(&list, 0));
    char* nothing = params_value_text(nullptr, 0);
    assert_string_equal(nothing, "");
    free(nothing);
}

// Without a module: errors of a thread's own handle and of an open one.
void no_module_is_told_in_words(void**)
{
    params_value_entry* values = nullptr;
    params_handle* handle = nullptr;

    if (access(LIBCFS_DEV_PATH, F_OK) == 0)
        skip();
    assert_string_equal(params_error(nullptr), "");
    assert_int_equal(params_read(nullptr, "version", -1, &values, 0, 0), -ENOENT);
    assert_non_null(strstr(params_error(nullptr), "modprobe libcfs"));
    assert_int_equal(params_open(&handle), -ENOENT);
    assert_non_null(strstr(params_error(handle), "modprobe libcfs"));
    assert_int_equal(params_write_text(handle, "version", "x", 0), -ENOENT);
    params_close(handle);
    params_close(nullptr);
}

void every_thread_has_its_own_words(void**)
{
    std::vector<std::thread> threads;

    if (access(LIBCFS_DEV_PATH, F_OK) == 0)
        skip();
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] {
            params_value_entry* values = nullptr;
            assert_string_equal(params_error(nullptr), "");
            assert_int_equal(params_read(nullptr, "x", -1, &values, 0, 0), -ENOENT);
            assert_non_null(strstr(params_error(nullptr), "modprobe libcfs"));
        });
    for (auto& thread : threads)
        thread.join();
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_program_in_c_lists_and_reads),
        cmocka_unit_test(listings_say_what_an_entry_is),
        cmocka_unit_test(values_are_lists_of_records),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(texts_and_records_are_written),
        cmocka_unit_test(batches_have_a_status_each),
        cmocka_unit_test(batches_are_written_with_reasons),
        cmocka_unit_test(typed_values_go_in_a_batch),
        cmocka_unit_test(visitors_see_all_that_matches),
        cmocka_unit_test(declarations_are_records),
        cmocka_unit_test(malformed_records_are_told),
        cmocka_unit_test(no_module_is_told_in_words),
        cmocka_unit_test(every_thread_has_its_own_words),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
