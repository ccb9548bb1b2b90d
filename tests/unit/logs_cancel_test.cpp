// SPDX-License-Identifier: GPL-2.0-only
/* Cancelling a record: the writes, their order, and refusals. */
#include "lib/log_cancel.hpp"
#include "lib/log_check.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

const char* const kLog = "lustre-2.9/t32fs-client";

/* A medium that keeps synced bytes, and fails at a given write. */
class Medium final : public ll::LogBytes {
public:
    Medium(Bytes bytes, std::string& calls) : now_(bytes), calls_(calls), safe_(std::move(bytes)) {}

    const std::string& name() const override { return name_; }
    ll::LogId id() const override { return {}; }

    ll::Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override
    {
        ll::MemoryLogBytes bytes(name_, now_);

        return bytes.read(offset, into);
    }

    ll::Status write(std::uint64_t offset, std::span<const std::byte> from) override
    {
        if (writes_left-- == 0)
            return ll::fail(EIO, "broken");
        calls_ += "w" + std::to_string(offset) + "+" + std::to_string(from.size()) + " ";
        std::copy(from.begin(), from.end(), now_.begin() + std::ptrdiff_t(offset));
        return {};
    }

    ll::Status sync() override
    {
        if (syncs_left-- == 0)
            return ll::fail(EIO, "broken");
        calls_ += "s ";
        safe_ = now_;
        return {};
    }

    /* The bytes after a power failure, with all or none of the unsynced ones. */
    const Bytes& synced() const { return safe_; }
    const Bytes& written() const { return now_; }

    int writes_left = -1;
    int syncs_left = -1;

private:
    std::string name_ = "log";
    Bytes now_;
    std::string& calls_;
    Bytes safe_;
};

/* A log on a medium, which the log owns. */
struct OnMedium {
    explicit OnMedium(Bytes bytes) : log(open(std::move(bytes))) {}

    ll::LogFile open(Bytes bytes)
    {
        auto owned = std::make_unique<Medium>(std::move(bytes), calls);

        medium = owned.get();
        return std::move(*ll::LogFile::open(std::move(owned)));
    }

    std::string calls;
    Medium* medium = nullptr;
    ll::LogFile log;
};

bool is_live(const Bytes& bytes, std::uint32_t index)
{
    return llog_index_live(&open_bytes(bytes).head(), index);
}

void a_record_is_cancelled_and_no_other(void**)
{
    for (const bool other_order : {false, true}) {
        const Bytes before = other_order ? swapped(golden(kLog)) : golden(kLog);
        OnMedium on(before);

        const auto left = ll::cancel_record(on.log, 34);
        assert_true(left.has_value());
        assert_int_equal(*left, 41);

        ll::LogFile after = open_bytes(on.medium->synced());
        assert_int_equal(after.head().count, 41);
        assert_int_equal(after.head().last_index, 41);
        for (std::uint32_t index = 0; index <= 42; index++)
            assert_int_equal(llog_index_live(&after.head(), index), index <= 41 && index != 34);
        assert_true(ll::check_log(after)->findings.empty());

        std::size_t changed = 0;
        for (std::size_t i = 0; i < before.size(); i++)
            changed += before[i] != on.medium->synced()[i];
        assert_int_equal(changed, 2);
    }
}

void the_bit_is_safe_before_the_count_is_written(void**)
{
    OnMedium on(golden(kLog));

    assert_true(ll::cancel_record(on.log, 34).has_value());
    assert_text(on.calls, "w92+1 s w24+4 s ");
}

void a_power_cut_leaves_the_record_live_or_cancelled(void**)
{
    for (int step = 0; step < 2; step++)
        for (const bool at_sync : {false, true}) {
            OnMedium on(golden(kLog));

            (at_sync ? on.medium->syncs_left : on.medium->writes_left) = step;
            assert_false(ll::cancel_record(on.log, 34).has_value());
            for (const Bytes* left : {&on.medium->synced(), &on.medium->written()})
                for (std::uint32_t index = 1; index <= 41; index++)
                    if (index != 34)
                        assert_true(is_live(*left, index));
            assert_int_equal(is_live(on.medium->synced(), 34), step == 0);
        }
}

void a_cut_between_bit_and_count_is_mended_by_the_next(void**)
{
    OnMedium on(golden(kLog));

    on.medium->writes_left = 1;
    assert_false(ll::cancel_record(on.log, 34).has_value());
    OnMedium again(on.medium->synced());
    assert_true(ll::cancel_record(again.log, 33).has_value());
    ll::LogFile after = open_bytes(again.medium->synced());
    assert_int_equal(after.head().count, 40);
    assert_true(ll::check_log(after)->findings.empty());
}

void what_cannot_be_cancelled_is_refused(void**)
{
    LogMaker maker;

    maker.command(LCFG_DETACH, {"d"}).command(LCFG_DETACH, {"e"}).cancelled();
    OnMedium on(maker.bytes());
    const std::pair<std::uint32_t, std::string> cases[] = {
        {0, "log: record 0 is the header, which cannot be cancelled"},
        {2, "log: record 2 is already cancelled"},
        {3, "log: no record 3; the last index is 2"},
        {0xffffffff, "log: no record 4294967295; the last index is 2"},
    };
    const int codes[] = {EINVAL, EALREADY, ENOENT, ENOENT};

    for (std::size_t i = 0; i < std::size(cases); i++) {
        const auto done = ll::cancel_record(on.log, cases[i].first);

        assert_false(done.has_value());
        assert_text(done.error().text, cases[i].second);
        assert_int_equal(done.error().code, codes[i]);
    }
    assert_text(on.calls, "");
}

void padding_is_refused(void**)
{
    LogMaker maker;

    maker.record(LLOG_PAD_MAGIC, Bytes(8)).command(LCFG_DETACH, {"d"});
    OnMedium on(maker.bytes());
    const auto done = ll::cancel_record(on.log, 1);

    assert_false(done.has_value());
    assert_int_equal(done.error().code, EINVAL);
    assert_text(on.calls, "");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_cancelled_and_no_other),
        cmocka_unit_test(the_bit_is_safe_before_the_count_is_written),
        cmocka_unit_test(a_power_cut_leaves_the_record_live_or_cancelled),
        cmocka_unit_test(a_cut_between_bit_and_count_is_mended_by_the_next),
        cmocka_unit_test(what_cannot_be_cancelled_is_refused),
        cmocka_unit_test(padding_is_refused),
    };

    return cmocka_run_group_tests_name("logs_cancel", tests, nullptr, nullptr);
}
