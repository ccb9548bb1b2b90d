// SPDX-License-Identifier: GPL-2.0-only
//
//	fail-nth [OPERATION...]
//
// Makes every allocation of each operation of the parameters tree fail in turn,
// see fail_nth.hpp. Wants params_sample.ko with big=100000 and a kernel with
// fault injection. Prints a line for each operation:
//
//	OPERATION: N allocations failed in turn, M of them noticed
//
// Status 1 when something was wrong; the kernel log says more.

#include "fail_nth.hpp"
#include "sample_ioctl.h"

using vm::argument;
using vm::Device;
using vm::Operation;
using vm::user;

namespace {

int read_value(const Device& device, std::string_view path, size_t room = 65536)
{
    static std::vector<char> buf(1 << 20);
    auto pr = argument<params_ioc_read>();

    pr.pr_path = user(path.data());
    pr.pr_path_len = static_cast<uint32_t>(path.size());
    pr.pr_buf = user(buf.data());
    pr.pr_buf_len = static_cast<uint32_t>(room);
    return device.call(PARAMS_IOC_READ, pr);
}

int write_value(const Device& device, std::string_view path, std::string_view text)
{
    auto pw = argument<params_ioc_write>();

    pw.pw_path = user(path.data());
    pw.pw_path_len = static_cast<uint32_t>(path.size());
    pw.pw_value = user(text.data());
    pw.pw_value_len = static_cast<uint32_t>(text.size());
    return device.call(PARAMS_IOC_WRITE, pw);
}

int list(const Device& device, std::string_view path, std::string_view after)
{
    static std::vector<char> buf(65536);
    auto pl = argument<params_ioc_list>();

    pl.pl_path = user(path.data());
    pl.pl_path_len = static_cast<uint32_t>(path.size());
    pl.pl_after = user(after.data());
    pl.pl_after_len = static_cast<uint32_t>(after.size());
    pl.pl_buf = user(buf.data());
    pl.pl_buf_len = static_cast<uint32_t>(buf.size());
    return device.call(PARAMS_IOC_LIST, pl);
}

int describe(const Device& device, std::string_view path)
{
    static std::vector<char> buf(4096);
    auto pd = argument<params_ioc_describe>();

    pd.dsc_path = user(path.data());
    pd.dsc_path_len = static_cast<uint32_t>(path.size());
    pd.dsc_buf = user(buf.data());
    pd.dsc_buf_len = static_cast<uint32_t>(buf.size());
    return device.call(PARAMS_IOC_DESCRIBE, pd);
}

// The first record in a batch that did not succeed; a value that could not be read does not
// make the call fail.
int read_batch(const Device& device, std::string_view paths, uint32_t count, uint32_t flags)
{
    static std::vector<char> buf(1 << 18);
    auto rb = argument<params_ioc_read_batch>();

    rb.rb_paths = user(paths.data());
    rb.rb_paths_len = static_cast<uint32_t>(paths.size() + 1);
    rb.rb_count = count;
    rb.rb_buf = user(buf.data());
    rb.rb_buf_len = static_cast<uint32_t>(buf.size());
    rb.rb_flags = flags;
    int rc = device.call(PARAMS_IOC_READ_BATCH, rb);
    for (size_t at = 0; !rc && at < rb.rb_used;) {
        params_entry_rec rec;

        std::memcpy(&rec, &buf[at], sizeof(rec));
        if (rec.er_status == -ENOMEM)
            rc = rec.er_status;
        at += rec.er_len;
    }
    return rc;
}

int write_batch(const Device& device, uint32_t flags)
{
    vm::WriteBatch batch;
    std::vector<int> statuses;

    batch.add("sample/special/plain", "5");
    batch.add("sample/lustre-OST0000/conn_uuid", "10.9.9.9@tcp");
    batch.add("sample/special/refuse", "5");
    int rc = batch.call(device, flags, statuses);
    for (const int status : statuses)
        if (!rc && status && status != -ECANCELED)
            rc = status;
    return rc;
}

// Refused by the last one, so that the others are taken back.
int write_batch_refused(const Device& device)
{
    vm::WriteBatch batch;
    std::vector<int> statuses;

    batch.add("sample/special/plain", "6");
    batch.add("sample/lustre-OST0000/conn_uuid", "10.8.8.8@tcp");
    batch.add("sample/special/refuse", "60");
    const int rc = batch.call(device, PARAMS_W_ATOMIC, statuses);
    if (rc)
        return rc;
    for (const int status : statuses)
        if (status == -ENOMEM || status == -EIO)
            return -ENOMEM;
    return statuses.size() == 3 && statuses[2] == -EBUSY ? 0 : -EBADMSG;
}

int sample(const Device& device, unsigned long cmd, uint64_t value)
{
    auto ioc = argument<sample_ioc>();

    ioc.s_value = value;
    return device.call(cmd, ioc);
}

int debug_mark(const Device& device)
{
    static const char text[] = "fail-nth was here";
    auto debug = argument<libcfs_ioc_debug>();

    debug.dbg_buf = user(text);
    debug.dbg_buf_len = sizeof(text) - 1;
    return device.call(LIBCFS_IOC_DEBUG_MARK, debug);
}

int debug_read(const Device& device)
{
    static std::vector<char> buf(65536);
    auto debug = argument<libcfs_ioc_debug>();

    debug.dbg_buf = user(buf.data());
    debug.dbg_buf_len = static_cast<uint32_t>(buf.size());
    return device.call(LIBCFS_IOC_DEBUG_READ, debug);
}

int open_device()
{
    const ll::Fd fd(::open(LIBCFS_DEV_PATH, O_RDWR));

    return fd ? 0 : -errno;
}

constexpr char BATCH_PATHS[] =
    "sample/special/plain\0sample/lustre-OST0000/uuid\0sample/special/lines\0"
    "sample/lustre-OST0000/connect_flags\0sample/lustre-OST0000/stats";

std::vector<Operation> operations()
{
    const auto add = [](const Device& d) { sample(d, SAMPLE_IOC_CREATE, 2); };
    const auto remove = [](const Device& d, int) { sample(d, SAMPLE_IOC_DELETE, 0); };

    return {
        {"open", [](const Device&) { return open_device(); }},
        {"list", [](const Device& d) { return list(d, "sample", ""); }},
        {"list-resumed", [](const Device& d) { return list(d, "sample", "links/plain"); }},
        {"read-number", [](const Device& d) { return read_value(d, "sample/special/plain"); }},
        {"read-mask",
         [](const Device& d) { return read_value(d, "sample/lustre-OST0000/connect_flags"); }},
        {"read-stats",
         [](const Device& d) { return read_value(d, "sample/lustre-OST0000/stats"); }},
        {"read-records",
         [](const Device& d) { return read_value(d, "sample/lustre-OST0000/import"); }},
        {"read-table", [](const Device& d) { return read_value(d, "sample/special/big_table"); }},
        {"read-snapshot",
         [](const Device& d) { return read_value(d, "sample/special/big_text", 40000); }},
        {"read-link", [](const Device& d) { return read_value(d, "sample/links/plain"); }},
        {"read-batch",
         [](const Device& d) {
             return read_batch(d, std::string_view(BATCH_PATHS, sizeof(BATCH_PATHS) - 1), 5, 0);
         }},
        {"read-subtree",
         [](const Device& d) {
             return read_batch(d, "sample/lustre-OST0000", 1, PARAMS_RB_SUBTREE);
         }},
        {"describe",
         [](const Device& d) { return describe(d, "sample/lustre-OST0000/checksum_type"); }},
        {"describe-link", [](const Device& d) { return describe(d, "sample/links/plain"); }},
        {"write-number",
         [](const Device& d) { return write_value(d, "sample/special/plain", "9"); }},
        {"write-mask",
         [](const Device& d) {
             return write_value(d, "sample/lustre-OST0000/connect_flags", "+acl -version");
         }},
        {"write-text",
         [](const Device& d) { return write_value(d, "sample/special/note", "a note"); }},
        {"write-string",
         [](const Device& d) {
             return write_value(d, "sample/lustre-OST0000/conn_uuid", "1.2.3.4@tcp");
         }},
        {"write-batch", [](const Device& d) { return write_batch(d, 0); }},
        {"write-atomic", [](const Device& d) { return write_batch(d, PARAMS_W_ATOMIC); }},
        {"write-rollback", write_batch_refused},
        {"debug-mark", debug_mark},
        {"debug-read", debug_read},
        {"add-subtree", [](const Device& d) { return sample(d, SAMPLE_IOC_CREATE, 2); }, nullptr,
         remove},
        {"delete-subtree",
         [](const Device& d) {
             const int rc = sample(d, SAMPLE_IOC_DELETE, 0);
             return rc == -ENOENT ? 0 : rc;
         },
         add, nullptr, true},
    };
}

}  // namespace

int main(int argc, char** argv)
{
    const Device device;

    if (!device) {
        std::perror("fail-nth: " LIBCFS_DEV_PATH);
        return 1;
    }
    // Another test may have left it.
    sample(device, SAMPLE_IOC_DELETE, 0);
    return vm::walk_all(operations(), argc, argv, device);
}
