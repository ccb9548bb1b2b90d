// SPDX-License-Identifier: GPL-2.0-only
//
// Every ioctl of the parameters tree, and of params_sample.ko, with the raw
// outcome as text:
//
//	params-client all	what a correct program sees; the same text must
//				come from the 32-bit and the 64-bit build
//	params-client abi N	what a program of ABI major N is told
//	params-client sizes	structures shorter and longer than the kernel's
//	params-client sleep MS	stay that long inside a call of the sample's range
//
// Wants params_sample.ko with its defaults.

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "device.hpp"
#include "sample_ioctl.h"

using vm::argument;
using vm::Device;
using vm::user;

namespace {

const char* error_name(int rc)
{
    return rc ? ::strerrorname_np(-rc) : "0";
}

// A number that stands for the bytes (FNV-1a).
uint64_t digest(const char* data, size_t len, uint64_t hash = 0xcbf29ce484222325ULL)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3ULL;
    return hash;
}

void show_version(const Device& device)
{
    auto version = argument<libcfs_ioc_version>();
    const int rc = device.call(LIBCFS_IOC_VERSION, version);

    std::printf("version: %s abi %u.%u name %u path %u depth %u buf %u\n", error_name(rc),
                LIBCFS_ABI_MAJOR_OF(version.v_abi), LIBCFS_ABI_MINOR_OF(version.v_abi),
                version.v_name_max, version.v_path_max, version.v_depth_max, version.v_buf_max);
}

std::string join(const std::vector<std::string>& names)
{
    std::string path;

    for (const std::string& name : names)
        path += (path.empty() ? "" : "/") + name;
    return path;
}

// The records of one call; @stack is the path of the last one.
unsigned int take_names(const std::vector<char>& buf, size_t used, std::vector<std::string>& stack,
                        std::string& names)
{
    unsigned int count = 0;

    for (size_t at = 0; at < used; count++) {
        params_list_rec rec;

        std::memcpy(&rec, &buf[at], sizeof(rec));
        stack.resize(rec.lr_depth);
        stack.emplace_back(&buf[at + sizeof(rec)], rec.lr_name_len);
        names += join(stack) + '\n';
        at += rec.lr_len;
    }
    return count;
}

// All of a listing through a buffer of @room bytes, as one digest.
void show_list(const Device& device, std::string_view path, uint32_t depth, size_t room)
{
    std::vector<char> buf(room);
    std::vector<std::string> stack;
    std::string names;
    unsigned int calls = 0, count = 0;

    for (bool eof = false; !eof; calls++) {
        const std::string after = join(stack);
        auto pl = argument<params_ioc_list>();

        pl.pl_path = user(path.data());
        pl.pl_path_len = static_cast<uint32_t>(path.size());
        pl.pl_after = user(after.data());
        pl.pl_after_len = static_cast<uint32_t>(after.size());
        pl.pl_buf = user(buf.data());
        pl.pl_buf_len = static_cast<uint32_t>(buf.size());
        pl.pl_depth = depth;
        const int rc = device.call(PARAMS_IOC_LIST, pl);
        if (rc) {
            std::printf("list %s: %s\n", path.data(), error_name(rc));
            return;
        }
        count += take_names(buf, pl.pl_used, stack, names);
        eof = pl.pl_eof;
    }
    std::printf("list %s: %u entries, %s, digest %016llx\n", path.data(), count,
                calls > 1 ? "several calls" : "one call",
                static_cast<unsigned long long>(digest(names.data(), names.size())));
}

// A whole value through a buffer of @room bytes, going on with the snapshot.
void show_value(const Device& device, std::string_view path, size_t room)
{
    auto pr = argument<params_ioc_read>();
    uint64_t hash = digest(nullptr, 0);
    unsigned int calls = 0;
    size_t bytes = 0;
    int rc;

    do {
        std::vector<char> buf(room);

        rc = device.read(path, buf, pr);
        if (rc)
            break;
        hash = digest(buf.data(), pr.pr_used, hash);
        bytes += pr.pr_used;
        calls++;
    } while (!pr.pr_eof);
    std::printf("read %s: %s, %u records, %zu bytes, %s, type %u, mode %o, digest %016llx\n",
                path.data(), error_name(rc), pr.pr_index, bytes,
                calls > 1 ? "several calls" : "one call", pr.pr_type, pr.pr_mode,
                static_cast<unsigned long long>(hash));
}

void show_write(const Device& device, std::string_view path, std::string_view text)
{
    auto pw = argument<params_ioc_write>();
    std::string reason;
    const int rc = device.write(path, text, pw, reason);

    std::printf("write %s=%s: %s%s%s\n", path.data(), text.data(), error_name(rc),
                reason.empty() ? "" : ": ", reason.c_str());
}

void show_write_batch(const Device& device, uint32_t flags)
{
    vm::WriteBatch batch;
    std::vector<int> statuses;

    batch.add("sample/special/plain", "11");
    batch.add("sample/special/refuse", "60");
    batch.add("sample/special/nosuch", "1");
    const int rc = batch.call(device, flags, statuses);
    std::printf("write batch, flags %u: %s:", flags, error_name(rc));
    for (const int status : statuses)
        std::printf(" %s", error_name(status));
    std::printf("\n");
}

// Statuses and types of a batch of reads that mixes good and bad paths.
void show_read_batch(const Device& device)
{
    static const char paths[] =
        "sample/special/plain\0sample/nosuch\0sample\0sample/special/lines\0"
        "sample/special/poke\0sample/links/plain";
    std::vector<char> buf(65536);
    auto rb = argument<params_ioc_read_batch>();

    rb.rb_paths = user(paths);
    rb.rb_paths_len = sizeof(paths);
    rb.rb_count = 6;
    rb.rb_buf = user(buf.data());
    rb.rb_buf_len = static_cast<uint32_t>(buf.size());
    const int rc = device.call(PARAMS_IOC_READ_BATCH, rb);
    std::printf("read batch: %s:", error_name(rc));
    for (size_t at = 0; !rc && at < rb.rb_used;) {
        params_entry_rec rec;

        std::memcpy(&rec, &buf[at], sizeof(rec));
        std::printf(" %u:%s:%u", rec.er_index, error_name(rec.er_status), rec.er_type);
        at += rec.er_len;
    }
    std::printf(" next %u eof %u\n", rb.rb_next, rb.rb_eof);
}

// One call of a subtree; returns entries, and where to go on.
void show_read_subtree(const Device& device, std::string_view dir)
{
    std::vector<char> buf(65536);
    auto rb = argument<params_ioc_read_batch>();
    unsigned int count = 0, errors = 0;

    rb.rb_paths = user(dir.data());
    rb.rb_paths_len = static_cast<uint32_t>(dir.size() + 1);
    rb.rb_count = 1;
    rb.rb_flags = PARAMS_RB_SUBTREE;
    rb.rb_buf = user(buf.data());
    rb.rb_buf_len = static_cast<uint32_t>(buf.size());
    const int rc = device.call(PARAMS_IOC_READ_BATCH, rb);
    for (size_t at = 0; !rc && at < rb.rb_used;) {
        params_entry_rec rec;

        std::memcpy(&rec, &buf[at], sizeof(rec));
        count++;
        errors += rec.er_status != 0;
        at += rec.er_len;
    }
    std::printf("read subtree %s: %s, %u entries, %u errors, eof %u\n", dir.data(), error_name(rc),
                count, errors, rb.rb_eof);
}

void show_describe(const Device& device, std::string_view path)
{
    std::vector<char> buf(4096);
    auto pd = argument<params_ioc_describe>();

    pd.dsc_path = user(path.data());
    pd.dsc_path_len = static_cast<uint32_t>(path.size());
    pd.dsc_buf = user(buf.data());
    pd.dsc_buf_len = static_cast<uint32_t>(buf.size());
    const int rc = device.call(PARAMS_IOC_DESCRIBE, pd);
    std::printf("describe %s: %s, %u bytes, digest %016llx\n", path.data(), error_name(rc),
                pd.dsc_used,
                static_cast<unsigned long long>(digest(buf.data(), rc ? 0 : pd.dsc_used)));
}

void show_sample(const Device& device, const char* name, unsigned long cmd, uint64_t value)
{
    auto ioc = argument<sample_ioc>();

    ioc.s_value = value;
    const int rc = device.call(cmd, ioc);
    std::printf("sample %s %llu: %s, result %llu\n", name, static_cast<unsigned long long>(value),
                error_name(rc), static_cast<unsigned long long>(ioc.s_result));
}

void show_all(const Device& device)
{
    show_version(device);
    show_write(device, "sample/special/plain", "7");
    show_list(device, "sample", 1, 4096);
    show_list(device, "sample", 0, 65536);
    show_list(device, "sample", 0, 256);
    show_list(device, "nosuch", 1, 4096);
    show_list(device, "sample/special/plain", 1, 4096);
    for (const char* path :
         {"sample/special/plain", "sample/special/lines", "sample/special/blob",
          "sample/special/fail", "sample/special/poke", "sample", "sample/links/plain",
          "sample/lustre-OST0000/import", "sample/special/empty"})
        show_value(device, path, 4096);
    show_value(device, "sample/special/big_table", 65536);
    show_value(device, "sample/special/big_table", 1000);
    show_value(device, "sample/special/plain", 8);
    show_write(device, "sample/special/plain", "8");
    show_write(device, "sample/special/plain", "8000");
    show_write(device, "sample/special/plain", "eight");
    show_write(device, "sample/special/refuse", "60");
    show_write(device, "sample/special/pokes", "1");
    show_write_batch(device, 0);
    show_write_batch(device, PARAMS_W_ATOMIC);
    show_read_batch(device);
    show_read_subtree(device, "sample/special");
    show_describe(device, "sample/special/plain");
    show_describe(device, "sample/lustre-OST0000/checksum_type");
    show_sample(device, "echo", SAMPLE_IOC_ECHO, 0xfffffffffffffffeULL);
    show_sample(device, "fail", SAMPLE_IOC_FAIL, EXDEV);
    show_sample(device, "alloc", SAMPLE_IOC_ALLOC, 4096);
    show_sample(device, "unknown", _IO(LIBCFS_IOC_MAGIC, 0xff), 0);
}

// The answer of each call to a program of another ABI major.
void show_abi(const Device& device, unsigned int major)
{
    for (unsigned int nr = 0; nr < 0x18; nr++) {
        char arg[128] = {};
        auto* head = reinterpret_cast<libcfs_ioc_hdr*>(arg);

        if (nr > 3 && nr < 0x10)
            continue;
        head->ioh_size = sizeof(arg);
        head->ioh_abi = major << 16;
        const int rc =
            ::ioctl(device.fd(), _IOC(_IOC_READ | _IOC_WRITE, LIBCFS_IOC_MAGIC, nr, 0), arg) < 0
                ? -errno
                : 0;
        std::printf("%02x: %s\n", nr, error_name(rc));
    }
}

// A structure may be shorter, or longer when the rest is zero.
void show_sizes(const Device& device)
{
    struct Longer {
        params_ioc_read pr;
        uint64_t tail;
    };
    std::vector<char> buf(4096);
    const std::string_view path = "sample/special/plain";
    auto fill = [&](params_ioc_read& pr, uint32_t size) {
        pr.pr_hdr.ioh_size = size;
        pr.pr_hdr.ioh_abi = LIBCFS_ABI_VERSION;
        pr.pr_path = user(path.data());
        pr.pr_path_len = static_cast<uint32_t>(path.size());
        pr.pr_buf = user(buf.data());
        pr.pr_buf_len = static_cast<uint32_t>(buf.size());
    };
    Longer arg{};

    fill(arg.pr, sizeof(arg));
    std::printf("longer, zero: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
    arg = {};
    fill(arg.pr, sizeof(arg));
    arg.tail = 1;
    std::printf("longer, not zero: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
    arg = {};
    fill(arg.pr, offsetof(params_ioc_read, pr_type));
    arg.pr.pr_type = 0x55555555;
    const int rc = device.call(PARAMS_IOC_READ, arg);
    std::printf("shorter: %s, beyond it %s\n", error_name(rc),
                arg.pr.pr_type == 0x55555555 ? "untouched" : "overwritten");
    arg = {};
    fill(arg.pr, 4);
    std::printf("shorter than its head: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
    arg = {};
    fill(arg.pr, 0x7fffffff);
    std::printf("absurdly long: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
    arg = {};
    fill(arg.pr, sizeof(arg.pr));
    arg.pr.pr_reserved = 1;
    std::printf("reserved not zero: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
    arg = {};
    fill(arg.pr, sizeof(arg.pr));
    arg.pr.pr_flags = 0x80000000;
    std::printf("unknown flag: %s\n", error_name(device.call(PARAMS_IOC_READ, arg)));
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view what = argc > 1 ? argv[1] : "";
    const Device device;

    if (!device) {
        std::perror("params-client: " LIBCFS_DEV_PATH);
        return 1;
    }
    if (what == "all") {
        show_all(device);
    } else if (what == "abi" && argc > 2) {
        show_abi(device, static_cast<unsigned int>(std::strtoul(argv[2], nullptr, 0)));
    } else if (what == "sizes") {
        show_sizes(device);
    } else if (what == "sleep" && argc > 2) {
        auto ioc = argument<sample_ioc>();

        ioc.s_value = std::strtoul(argv[2], nullptr, 0);
        std::printf("sleep %s: %s\n", argv[2], error_name(device.call(SAMPLE_IOC_SLEEP, ioc)));
    } else {
        std::fprintf(stderr, "usage: params-client all | abi MAJOR | sizes | sleep MS\n");
        return 2;
    }
    return 0;
}
