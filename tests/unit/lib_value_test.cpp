// SPDX-License-Identifier: GPL-2.0-only
#include <vector>

#include "cmocka.hpp"
#include "lib/value.hpp"

using namespace ll;

namespace {

// The error of a value made by hand: type, flags, name length, value length and
// the bytes that follow the head.
const char* error_of(uint8_t type, uint8_t flags, uint16_t name_len, uint32_t len, size_t bytes)
{
    params_value_rec head{type, flags, name_len, len};
    static std::string value;

    value.assign(reinterpret_cast<const char*>(&head), sizeof(head));
    value.append(bytes, '\0');
    return check_value(ValueView(value));
}

void packed_values_come_back(void**)
{
    ValuePacker packer;
    Record rec;

    packer.u64("count", 7);
    packer.s64("", -5);
    packer.text("a name of some length", "text");
    packer.begin("list", PARAMS_LIST_FLOW_SEQ);
    packer.u64("", 0xff, PARAMS_V_HEX);
    packer.end();
    packer.time("t", {1500, PARAMS_UNIT_USEC, PARAMS_TIME_SPAN, 0});
    RecordReader reader(packer.view());
    assert_true(reader.next(rec));
    assert_text(rec.name, "count");
    assert_int_equal(rec.u64(), 7);
    assert_true(reader.next(rec));
    assert_text(rec.name, "");
    assert_int_equal(rec.s64(), -5);
    assert_true(reader.next(rec));
    assert_text(rec.name, "a name of some length");
    assert_text(rec.bytes, "text");
    assert_true(reader.next(rec));
    assert_int_equal(rec.type, PARAMS_V_LIST_BEGIN);
    assert_int_equal(rec.list_kind(), PARAMS_LIST_FLOW_SEQ);
    assert_int_equal(rec.depth, 0);
    assert_true(reader.next(rec));
    assert_int_equal(rec.u64(), 0xff);
    assert_int_equal(rec.depth, 1);
    assert_true(reader.next(rec));
    assert_int_equal(rec.type, PARAMS_V_LIST_END);
    assert_int_equal(rec.depth, 0);
    assert_true(reader.next(rec));
    assert_int_equal(rec.time().pt_ns, 1500);
    assert_false(reader.next(rec));
    assert_true(reader.ok());
}

void every_cut_of_a_value_is_an_error_or_whole_records(void**)
{
    ValuePacker packer;
    std::string whole;
    size_t good = 0;

    packer.u64("abc", 7);
    packer.text("", "text of a length");
    packer.begin("l", PARAMS_LIST_MAP);
    packer.counter("c", {});
    packer.end();
    for (size_t n = 0; n <= packer.bytes().size(); n++) {
        // A copy of exactly n bytes, so that ASan sees a read after them.
        const std::vector<char> copy(packer.bytes().begin(), packer.bytes().begin() + ptrdiff_t(n));
        good += !check_value(ValueView({copy.data(), copy.size()}));
    }
    assert_int_equal(good, 4);  // nothing, one record, two, all
}

void lengths_are_checked(void**)
{
    assert_non_null(error_of(PARAMS_V_U64, 0, 0, 8, 7));
    assert_null(error_of(PARAMS_V_U64, 0, 0, 8, 8));
    assert_non_null(error_of(PARAMS_V_U64, 0, 0, 4, 8));
    assert_non_null(error_of(PARAMS_V_TIME, 0, 0, 8, 8));
    assert_non_null(error_of(PARAMS_V_COUNTER, 0, 0, 56, 56));
    assert_non_null(error_of(PARAMS_V_BUCKET, 0, 0, 24, 24));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 256, 0, 256));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 0xffff, 0, 65536));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 0, 0xffffffff, 64));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 0, 0xfffffff8, 64));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 0, 65536, 65536));
    assert_null(error_of(PARAMS_V_STRING, 0, 0, 65528, 65528));
    assert_non_null(error_of(PARAMS_V_STRING, 0, 8, 65528, 65536));
    assert_null(error_of(200, 0, 0, 3, 8));  // a type of tomorrow
}

void lists_must_match(void**)
{
    ValuePacker packer;

    packer.end();
    assert_non_null(check_value(packer.view()));
    packer.clear();
    packer.begin("a", PARAMS_LIST_MAP);
    assert_non_null(check_value(packer.view()));
    packer.clear();
    for (int i = 0; i < PARAMS_NEST_MAX; i++)
        packer.begin("a", PARAMS_LIST_MAP);
    for (int i = 0; i < PARAMS_NEST_MAX; i++)
        packer.end();
    assert_null(check_value(packer.view()));
    packer.clear();
    for (int i = 0; i <= PARAMS_NEST_MAX; i++)
        packer.begin("a", PARAMS_LIST_MAP);
    for (int i = 0; i <= PARAMS_NEST_MAX; i++)
        packer.end();
    assert_non_null(check_value(packer.view()));
}

void parts_of_a_value_may_begin_within_a_list(void**)
{
    ValuePacker packer;
    Record rec;

    packer.u64("", 1);
    packer.end();
    packer.begin("x", PARAMS_LIST_SEQ);
    RecordReader reader(packer.view(), true);
    while (reader.next(rec))
        ;
    assert_true(reader.ok());
}

void long_texts_are_cut_and_joined(void**)
{
    const std::string text =
        std::string(PARAMS_TEXT_CHUNK, 'a') + std::string(PARAMS_TEXT_CHUNK, 'b') + "end";
    ValuePacker packer;
    std::string got;
    Record rec;

    packer.text("", text);
    assert_null(check_value(packer.view()));
    assert_true(value_as_string(packer.view(), got));
    assert_true(got == text);
    RecordReader reader(packer.view());
    size_t pieces = 0;
    while (reader.next(rec))
        pieces++;
    assert_int_equal(pieces, 3);
}

void a_text_that_does_not_go_on_is_an_error(void**)
{
    ValuePacker packer;

    packer.record(PARAMS_V_STRING, PARAMS_VF_CONT, "", "abc");
    assert_non_null(check_value(packer.view()));
    packer.u64("", 1);
    assert_non_null(check_value(packer.view()));
    packer.clear();
    const uint64_t number = 1;
    packer.record(PARAMS_V_U64, PARAMS_VF_CONT, "",
                  {reinterpret_cast<const char*>(&number), sizeof(number)});
    packer.u64("", 1);
    assert_non_null(check_value(packer.view()));
}

void only_one_plain_text_is_a_string(void**)
{
    ValuePacker packer;
    std::string out = "kept";

    assert_false(value_as_string(packer.view(), out));
    packer.text("named", "x");
    assert_false(value_as_string(packer.view(), out));
    packer.clear();
    packer.text("", "x");
    packer.text("", "y");
    assert_false(value_as_string(packer.view(), out));
    assert_text(out, "kept");
    packer.clear();
    packer.text("", "");
    assert_true(value_as_string(packer.view(), out));
    assert_text(out, "kept");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(packed_values_come_back),
        cmocka_unit_test(every_cut_of_a_value_is_an_error_or_whole_records),
        cmocka_unit_test(lengths_are_checked),
        cmocka_unit_test(lists_must_match),
        cmocka_unit_test(parts_of_a_value_may_begin_within_a_list),
        cmocka_unit_test(long_texts_are_cut_and_joined),
        cmocka_unit_test(a_text_that_does_not_go_on_is_an_error),
        cmocka_unit_test(only_one_plain_text_is_a_string),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
