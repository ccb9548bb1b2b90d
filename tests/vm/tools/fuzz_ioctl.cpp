// SPDX-License-Identifier: GPL-2.0-only
//
//	fuzz-ioctl [--seconds N] [--calls N] [--threads N] [--seed N] [--log FILE]
//
// Random and mutated calls on /dev/libcfs: bad pointers, short and absurd
// buffers, huge counts, malformed paths and records, several threads on
// one open file; with --log, replays of that config log; for N seconds, and on until there
// were N calls. Buffers end at a page that is not there, so an overrun of the
// kernel's is a fault. A call may be refused, but only with an errno that the
// headers list, and it must come back.
//
// Prints how many calls of each kind there were and what came of them. Status 1
// when a call broke a promise.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "fuzz.hpp"
#include "fuzz_mgs.hpp"
#include "fuzz_obd.hpp"
#include "fuzz_rpc.hpp"
#include "sample_ioctl.h"

namespace {

using vm::Area;
using vm::AREA;
using vm::Desert;

constexpr std::array PATHS = {
    "",
    "sample",
    "sample/special",
    "sample/special/plain",
    "sample/special/note",
    "sample/special/refuse",
    "sample/special/stuck",
    "sample/special/big_text",
    "sample/special/big_table",
    "sample/special/lines",
    "sample/special/pop",
    "sample/special/fail",
    "sample/special/fail_read",
    "sample/special/poke",
    "sample/special/limit",
    "sample/special/secret",
    "sample/links/plain",
    "sample/links/deep",
    "sample/lustre-OST0000",
    "sample/lustre-OST0000/import",
    "sample/lustre-OST0000/stats",
    "sample/lustre-OST0000/rpc_sizes",
    "sample/lustre-OST0000/connect_flags",
    "sample/lustre-OST0000/checksum_type",
    "sample/lustre-OST0000/idle_timeout",
    "sample/lustre-OST0000/max_dirty_mb",
    "sample/lustre-OST0000/conn_uuid",
    "sample/lustre-OST0000/nice_level",
    "sample/control/create",
    "sample/control/delete",
    "sample/control/tick",
    "sample/dyn",
    "sample/dyn/f0",
    "sample/dyn/f1/g00/uuid",
    "sample/churn",
    "sample/churn/c00/stats",
    "sample/deep/d0/d1/d2/d3/d4/d5/d6/d7/bottom",
    "memused",
    "version",
    "debug",
    "nosuch",
    "sample/nosuch/x",
    "/sample",
    "sample/",
    "sample//special",
    "..",
    ".",
    "sample/special/plain/below",
};

constexpr std::array TEXTS = {
    "1",
    "0",
    "-1",
    "8",
    "17",
    "60",
    "101",
    "4294967296",
    "18446744073709551616",
    "0x7f",
    "1K",
    "1.5GiB",
    "50%",
    "20ms",
    "on",
    "off",
    "crc32",
    "adler",
    "+acl -version",
    "clear",
    "f0",
    "f1 3",
    "f0 64",
    "x",
    "",
    "\n",
    "a b c",
    "10.0.0.1@tcp",
    "100",
};

constexpr std::array EXPECTED = {
    0,
    ENOENT,
    ENODEV,
    EACCES,
    EPERM,
    EISDIR,
    ENOTDIR,
    EINVAL,
    ERANGE,
    ESTALE,
    EOVERFLOW,
    E2BIG,
    ENAMETOOLONG,
    EPROTO,
    EFAULT,
    ENOMEM,
    ENOTTY,
    // Errors with which values of the sample itself refuse.
    EIO,
    EBUSY,
    EEXIST,
    EOPNOTSUPP,
    // Devices and logs.
    EBADF,
    EBADMSG,
    EALREADY,
    ENOTCONN,
    ESHUTDOWN,
    ENXIO,
    ENOSPC,
    EUCLEAN,
    EPROTONOSUPPORT,
    ETIMEDOUT,
    EHOSTUNREACH,
    // The network.
    ENETUNREACH,
    ENETDOWN,
    ECONNREFUSED,
    ECANCELED,
    EADDRINUSE,
    EADDRNOTAVAIL,
    EMSGSIZE,
    EAFNOSUPPORT,
    ECONNRESET,
    ECONNABORTED,
};

struct Call {
    const char* name;
    unsigned int nr;
    size_t size;
    // Where its pointers are, 0 for none: the head is there.
    std::array<size_t, 3> pointers;
};

constexpr std::array CALLS = {
    Call{"version", 0x00, sizeof(libcfs_ioc_version), {}},
    Call{"debug-read", 0x01, sizeof(libcfs_ioc_debug), {offsetof(libcfs_ioc_debug, dbg_buf)}},
    Call{"debug-clear", 0x02, sizeof(libcfs_ioc_debug), {offsetof(libcfs_ioc_debug, dbg_buf)}},
    Call{"debug-mark", 0x03, sizeof(libcfs_ioc_debug), {offsetof(libcfs_ioc_debug, dbg_buf)}},
    Call{"list",
         0x10,
         sizeof(params_ioc_list),
         {offsetof(params_ioc_list, pl_path), offsetof(params_ioc_list, pl_after),
          offsetof(params_ioc_list, pl_buf)}},
    Call{"read",
         0x11,
         sizeof(params_ioc_read),
         {offsetof(params_ioc_read, pr_path), offsetof(params_ioc_read, pr_buf)}},
    Call{"read-batch",
         0x12,
         sizeof(params_ioc_read_batch),
         {offsetof(params_ioc_read_batch, rb_paths), offsetof(params_ioc_read_batch, rb_buf),
          offsetof(params_ioc_read_batch, rb_after)}},
    Call{"write",
         0x13,
         sizeof(params_ioc_write),
         {offsetof(params_ioc_write, pw_path), offsetof(params_ioc_write, pw_value),
          offsetof(params_ioc_write, pw_reason)}},
    Call{"write-batch",
         0x14,
         sizeof(params_ioc_write_batch),
         {offsetof(params_ioc_write_batch, bw_in), offsetof(params_ioc_write_batch, bw_out)}},
    Call{"describe",
         0x15,
         sizeof(params_ioc_describe),
         {offsetof(params_ioc_describe, dsc_path), offsetof(params_ioc_describe, dsc_buf)}},
    Call{"obd-config", 0x20, sizeof(obd_ioc_config), {offsetof(obd_ioc_config, oc_cfg)}},
    Call{"obd-device", 0x21, sizeof(obd_ioc_device), {}},
    Call{"obd-import", 0x22, sizeof(obd_ioc_import), {}},
    Call{"obd-replay",
         0x23,
         sizeof(obd_ioc_replay),
         {offsetof(obd_ioc_replay, or_exclude), offsetof(obd_ioc_replay, or_buf)}},
    Call{"obd-instance", 0x24, sizeof(obd_ioc_instance), {}},
    Call{"mgs-change", 0x60, sizeof(mgs_ioc_change), {offsetof(mgs_ioc_change, mc_args)}},
    Call{"mgs-wait", 0x61, sizeof(mgs_ioc_wait), {}},
    Call{"mgs-logs", 0x62, sizeof(mgs_ioc_logs), {offsetof(mgs_ioc_logs, logs_buf)}},
    Call{"mgs-read", 0x63, sizeof(mgs_ioc_read), {offsetof(mgs_ioc_read, mr_buf)}},
    Call{"rpc-ping", 0x40, sizeof(ll_rpc_ioc_ping), {offsetof(ll_rpc_ioc_ping, rp_nids)}},
    Call{"rpc-nids", 0x41, sizeof(ll_rpc_ioc_list), {offsetof(ll_rpc_ioc_list, rl_buf)}},
    Call{"rpc-peers", 0x42, sizeof(ll_rpc_ioc_list), {offsetof(ll_rpc_ioc_list, rl_buf)}},
    Call{"rpc-conns", 0x43, sizeof(ll_rpc_ioc_list), {offsetof(ll_rpc_ioc_list, rl_buf)}},
    Call{"rpc-rules", 0x44, sizeof(ll_rpc_ioc_list), {offsetof(ll_rpc_ioc_list, rl_buf)}},
    Call{"rpc-rule-add", 0x45, sizeof(ll_rpc_ioc_rule), {}},
    Call{"rpc-rule-del", 0x46, sizeof(ll_rpc_ioc_rule), {}},
    Call{"rpc-net", 0x47, sizeof(ll_rpc_ioc_net), {}},
    Call{"sample-echo", 0xf0, sizeof(sample_ioc), {}},
    Call{"sample-alloc", 0xf3, sizeof(sample_ioc), {}},
    Call{"sample-create", 0xf4, sizeof(sample_ioc), {}},
    Call{"sample-delete", 0xf5, sizeof(sample_ioc), {}},
    Call{"unknown", 0, 64, {}},
};

// Bytes of an argument that are printed.
constexpr size_t SHOWN = 128;

struct Tally {
    std::mutex lock;
    std::map<std::string, std::map<int, unsigned long>> outcomes;
    std::atomic<unsigned long> calls{0};
    std::atomic<unsigned int> broken{0};
};

class Fuzzer : private vm::Dice {
public:
    Fuzzer(const vm::Device& device, Tally& tally, uint64_t seed, const std::string& log)
        : Dice(seed),
          device_(device),
          tally_(tally),
          log_(::memfd_create("fuzz-ioctl", MFD_CLOEXEC))
    {
        if (::write(log_.get(), log.data(), log.size()) != static_cast<ssize_t>(log.size()))
            std::perror("fuzz-ioctl: memfd");
    }

    void run(const std::atomic<bool>& stop)
    {
        while (!stop)
            one();
        const std::lock_guard guard(tally_.lock);
        for (const auto& [name, counts] : outcomes_)
            for (const auto& [rc, count] : counts)
                tally_.outcomes[name][rc] += count;
    }

private:
    // Bytes at the end of an area, sometimes not where they should be.
    uint64_t place(Area& area, const std::string& bytes)
    {
        char* at = area.tail(bytes.size());

        std::memcpy(at, bytes.data(), std::min(bytes.size(), AREA));
        return bad_pointer(vm::user(at));
    }

    uint64_t bad_pointer(uint64_t good)
    {
        if (!one_in(25))
            return good;
        return one_in(3) ? good + below(4096) : number();
    }

    std::string path()
    {
        if (one_in(12))
            return noise(below(5000));
        std::string path = pick(PATHS);
        if (one_in(15))
            path.insert(below(path.size() + 1), 1, static_cast<char>(below(256)));
        if (one_in(40))
            path.append(300, 'n');
        return path;
    }

    std::string text() { return one_in(10) ? noise(below(one_in(10) ? 70000 : 64)) : pick(TEXTS); }

    // One record of a typed value, or something like it.
    std::string typed()
    {
        params_value_rec rec{static_cast<uint8_t>(below(14)), 0, 0,
                             one_in(4) ? static_cast<uint32_t>(number()) : 8};
        const uint64_t value = number();
        std::string bytes(reinterpret_cast<const char*>(&rec), sizeof(rec));

        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
        if (one_in(8))
            bytes.resize(below(bytes.size() + 1));
        return bytes;
    }

    std::string write_records(uint32_t& count)
    {
        vm::WriteBatch batch;

        count = static_cast<uint32_t>(below(one_in(20) ? 300 : 5));
        for (uint32_t i = 0; i < count; i++)
            batch.add(path(), one_in(5) ? typed() : text(), static_cast<uint32_t>(below(4)),
                      static_cast<uint32_t>(below(4)));
        std::string bytes(batch.bytes().data(), batch.bytes().size());
        for (uint64_t n = one_in(3) ? below(6) : 0; n && !bytes.empty(); n--)
            bytes[below(bytes.size())] = byte();
        return bytes;
    }

    uint32_t room()
    {
        return static_cast<uint32_t>(one_in(10) ? number() : one_in(3) ? below(200) : below(AREA));
    }

    // The output buffer ends where memory ends, at least as often as not.
    uint64_t output(uint32_t len)
    {
        return bad_pointer(vm::user(out_.tail(one_in(3) ? AREA : len)));
    }

    void fill_list(params_ioc_list& pl)
    {
        const std::string dir = path(), after = one_in(2) ? "" : path();

        pl.pl_path = place(in_, dir);
        pl.pl_path_len = static_cast<uint32_t>(dir.size());
        pl.pl_after = place(more_, after);
        pl.pl_after_len = static_cast<uint32_t>(after.size());
        pl.pl_buf_len = room();
        pl.pl_buf = output(pl.pl_buf_len);
        pl.pl_depth = static_cast<uint32_t>(below(4));
    }

    void fill_read(params_ioc_read& pr)
    {
        const std::string entry = path();

        pr.pr_path = place(in_, entry);
        pr.pr_path_len = static_cast<uint32_t>(entry.size());
        pr.pr_buf_len = room();
        pr.pr_buf = output(pr.pr_buf_len);
        if (one_in(2)) {
            pr.pr_snapshot = snapshot_;
            pr.pr_index = index_;
        }
    }

    void fill_read_batch(params_ioc_read_batch& rb)
    {
        const bool subtree = one_in(2);
        const std::string after = subtree && one_in(2) ? path() : "";
        std::string paths = path() + '\0';

        rb.rb_count = 1;
        for (uint64_t n = subtree ? 0 : below(6); n; n--, rb.rb_count++)
            paths += path() + '\0';
        rb.rb_paths = place(in_, paths);
        rb.rb_paths_len = static_cast<uint32_t>(paths.size());
        rb.rb_flags = subtree ? PARAMS_RB_SUBTREE : 0;
        rb.rb_after = place(more_, after);
        rb.rb_after_len = static_cast<uint32_t>(after.size());
        rb.rb_buf_len = room();
        rb.rb_buf = output(rb.rb_buf_len);
        rb.rb_next = one_in(8) ? static_cast<uint32_t>(number()) : 0;
    }

    void fill_write(params_ioc_write& pw)
    {
        const std::string entry = path();
        const bool is_typed = one_in(4);
        const std::string value = is_typed ? typed() : text();

        pw.pw_path = place(in_, entry);
        pw.pw_path_len = static_cast<uint32_t>(entry.size());
        pw.pw_flags =
            static_cast<uint32_t>((is_typed ? PARAMS_W_TYPED : 0) | (one_in(6) ? below(16) : 0));
        pw.pw_value = place(more_, value);
        pw.pw_value_len = static_cast<uint32_t>(value.size());
        pw.pw_version = static_cast<uint32_t>(below(10));
        pw.pw_reason_len = static_cast<uint32_t>(one_in(8) ? number() : below(300));
        pw.pw_reason = output(pw.pw_reason_len);
    }

    void fill_write_batch(params_ioc_write_batch& wb)
    {
        const std::string records = write_records(wb.bw_count);

        wb.bw_in = place(in_, records);
        wb.bw_in_len = static_cast<uint32_t>(records.size());
        wb.bw_out_len = one_in(4) ? room() : static_cast<uint32_t>(wb.bw_count * PARAMS_REPLY_MAX);
        wb.bw_out = output(wb.bw_out_len);
        wb.bw_flags = static_cast<uint32_t>(one_in(2) ? below(16) : 0);
    }

    void fill_describe(params_ioc_describe& pd)
    {
        const std::string entry = path();

        pd.dsc_path = place(in_, entry);
        pd.dsc_path_len = static_cast<uint32_t>(entry.size());
        pd.dsc_buf_len = room();
        pd.dsc_buf = output(pd.dsc_buf_len);
    }

    void fill_debug(libcfs_ioc_debug& debug)
    {
        const std::string mark = text();

        debug.dbg_buf_len = one_in(2) ? room() : static_cast<uint32_t>(mark.size());
        debug.dbg_buf = one_in(2) ? output(debug.dbg_buf_len) : place(more_, mark);
        debug.dbg_cursor = one_in(3) ? number() : 0;
    }

    void fill_config(obd_ioc_config& oc)
    {
        const std::string command = vm::fuzz_command(*this);

        oc.oc_cfg = place(in_, command);
        oc.oc_cfg_len = static_cast<uint32_t>(command.size());
        oc.oc_index = one_in(4) ? static_cast<uint32_t>(below(4)) : OBD_INDEX_NONE;
    }

    void fill_replay(obd_ioc_replay& replay)
    {
        const std::string exclude = one_in(4) ? "t32fs-OST0000:fuzz0" : "";

        replay.or_fd = one_in(20) ? static_cast<int>(number()) : log_.get();
        replay.or_flags = one_in(2) ? OBD_REPLAY_DRY_RUN : 0;
        replay.or_instance = 1 + below(3);
        vm::fuzz_put(replay.or_uuid, vm::fuzz_uuid(*this));
        replay.or_exclude = exclude.empty() ? 0 : place(more_, exclude);
        replay.or_exclude_len = static_cast<uint32_t>(exclude.size());
        replay.or_state = one_in(4) ? static_cast<uint32_t>(below(32)) : 0;
        replay.or_last = one_in(4) ? static_cast<uint32_t>(below(45)) : 0;
        replay.or_buf_len = one_in(3) ? room() : 65536;
        replay.or_buf = output(replay.or_buf_len);
    }

    bool fill_obd(unsigned int nr)
    {
        switch (nr) {
            case 0x20:
                fill_config(*reinterpret_cast<obd_ioc_config*>(arg_));
                return true;
            case 0x21:
                vm::fuzz_device(*this, *reinterpret_cast<obd_ioc_device*>(arg_));
                return true;
            case 0x22:
                vm::fuzz_import(*this, *reinterpret_cast<obd_ioc_import*>(arg_));
                return true;
            case 0x23:
                fill_replay(*reinterpret_cast<obd_ioc_replay*>(arg_));
                return true;
            case 0x24:
                reinterpret_cast<obd_ioc_instance*>(arg_)->on_instance = 1 + below(3);
                return true;
            default:
                return false;
        }
    }

    void fill_ping(ll_rpc_ioc_ping& ping)
    {
        vm::fuzz_put(ping.rp_nid, vm::fuzz_nid(*this));
        ping.rp_timeout_ms = static_cast<uint32_t>(below(50));
        ping.rp_max = static_cast<uint32_t>(below(8));
        ping.rp_nids = output(ping.rp_max * LL_RPC_NID_MAX);
    }

    void fill_rpc_list(ll_rpc_ioc_list& list)
    {
        list.rl_buf_len = one_in(3) ? room() : 65536;
        list.rl_buf = output(list.rl_buf_len);
        list.rl_rec_len = static_cast<uint32_t>(below(300));
    }

    bool fill_rpc(unsigned int nr)
    {
        switch (nr) {
            case 0x40:
                fill_ping(*reinterpret_cast<ll_rpc_ioc_ping*>(arg_));
                return true;
            case 0x41:
            case 0x42:
            case 0x43:
            case 0x44:
                fill_rpc_list(*reinterpret_cast<ll_rpc_ioc_list*>(arg_));
                return true;
            case 0x45:
            case 0x46:
                vm::fuzz_rule(*this, *reinterpret_cast<ll_rpc_ioc_rule*>(arg_));
                return true;
            case 0x47:
                vm::fuzz_net(*this, *reinterpret_cast<ll_rpc_ioc_net*>(arg_));
                return true;
            default:
                return false;
        }
    }

    void fill_mgs_change(mgs_ioc_change& change)
    {
        std::string args = vm::fuzz_mgs_args(*this);

        vm::fuzz_mgs_change(*this, change);
        if (one_in(4))
            args = vm::fuzz_mgs_right(*this, change);
        change.mc_args = place(more_, args);
        change.mc_args_len = static_cast<uint32_t>(args.size());
    }

    void fill_mgs_read(mgs_ioc_read& read)
    {
        vm::fuzz_mgs_read(*this, read);
        read.mr_len = one_in(3) ? room() : 65536;
        read.mr_buf = output(read.mr_len);
    }

    bool fill_mgs(unsigned int nr)
    {
        auto& logs = *reinterpret_cast<mgs_ioc_logs*>(arg_);

        switch (nr) {
            case 0x60:
                fill_mgs_change(*reinterpret_cast<mgs_ioc_change*>(arg_));
                return true;
            case 0x61:
                vm::fuzz_mgs_wait(*this, *reinterpret_cast<mgs_ioc_wait*>(arg_));
                return true;
            case 0x62:
                logs.logs_max = static_cast<uint32_t>(below(20));
                logs.logs_buf = output(static_cast<uint32_t>(logs.logs_max * sizeof(mgs_log_info)));
                return true;
            case 0x63:
                fill_mgs_read(*reinterpret_cast<mgs_ioc_read*>(arg_));
                return true;
            default:
                return false;
        }
    }

    void fill(const Call& call)
    {
        std::fill(std::begin(arg_), std::end(arg_), '\0');
        if (fill_obd(call.nr) || fill_rpc(call.nr) || fill_mgs(call.nr))
            return;
        switch (call.nr) {
            case 0x10:
                return fill_list(*reinterpret_cast<params_ioc_list*>(arg_));
            case 0x11:
                return fill_read(*reinterpret_cast<params_ioc_read*>(arg_));
            case 0x12:
                return fill_read_batch(*reinterpret_cast<params_ioc_read_batch*>(arg_));
            case 0x13:
                return fill_write(*reinterpret_cast<params_ioc_write*>(arg_));
            case 0x14:
                return fill_write_batch(*reinterpret_cast<params_ioc_write_batch*>(arg_));
            case 0x15:
                return fill_describe(*reinterpret_cast<params_ioc_describe*>(arg_));
            case 0x01:
            case 0x02:
            case 0x03:
                return fill_debug(*reinterpret_cast<libcfs_ioc_debug*>(arg_));
            case 0xf4:
                reinterpret_cast<sample_ioc*>(arg_)->s_value = below(3);
                return;
            default:
                reinterpret_cast<sample_ioc*>(arg_)->s_value = number();
                return;
        }
    }

    // Overwrite something: a byte, or a field by a number that is apt to hurt.
    void mutate(size_t size)
    {
        for (uint64_t n = one_in(2) ? 0 : 1 + below(3); n; n--) {
            if (one_in(3)) {
                arg_[below(size)] = byte();
            } else {
                const uint64_t bits = number();
                const size_t width = one_in(2) ? 4 : 8;

                std::memcpy(arg_ + below(size / width) * width, &bits, width);
            }
        }
    }

    // Near addresses, the kernel's and impossible ones stay as they are.
    uint64_t tame(uint64_t pointer) const
    {
        const bool is_ours = in_.holds(pointer) || more_.holds(pointer) || out_.holds(pointer) ||
                             args_.holds(pointer);

        return is_ours || pointer < 65536 || pointer >> 47 ? pointer : desert_.address(pointer);
    }

    void tame_pointers(const Call& call)
    {
        for (const size_t at : call.pointers) {
            uint64_t pointer;

            if (!at)
                continue;
            std::memcpy(&pointer, arg_ + at, sizeof(pointer));
            pointer = tame(pointer);
            std::memcpy(arg_ + at, &pointer, sizeof(pointer));
        }
    }

    // The argument itself, perhaps at the very end of memory.
    int issue(unsigned int nr, size_t size)
    {
        char* at = args_.tail(size);
        const auto cmd =
            _IOC(static_cast<unsigned int>(below(4)), LIBCFS_IOC_MAGIC, nr, below(4096));

        std::memcpy(at, arg_, size);
        const uint64_t pointer = one_in(200) ? tame(number()) : vm::user(at);
        const int rc = ::ioctl(device_.fd(), cmd, pointer) < 0 ? errno : 0;
        std::memcpy(arg_, at, size);
        return rc;
    }

    // SLEEP and FAIL do as they are told, which proves nothing here; each MARK
    // is a line of the kernel log, which must not run over.
    bool is_left_out(unsigned int nr)
    {
        return nr == _IOC_NR(SAMPLE_IOC_SLEEP) || nr == _IOC_NR(SAMPLE_IOC_FAIL) ||
               (nr == _IOC_NR(LIBCFS_IOC_DEBUG_MARK) && !one_in(200));
    }

    void one()
    {
        const Call& call = pick(CALLS);
        auto* head = reinterpret_cast<libcfs_ioc_hdr*>(arg_);
        const unsigned int nr = std::strcmp(call.name, "unknown")
                                    ? call.nr
                                    : static_cast<unsigned int>(0x16 + below(0xda));

        if (is_left_out(nr))
            return;
        fill(call);
        head->ioh_size = static_cast<uint32_t>(one_in(30) ? number() : call.size);
        head->ioh_abi = one_in(60) ? static_cast<uint32_t>(number()) : LIBCFS_ABI_VERSION;
        mutate(call.size);
        tame_pointers(call);
        const int rc = issue(nr, call.size);
        outcomes_[call.name][rc]++;
        tally_.calls++;
        if (std::find(EXPECTED.begin(), EXPECTED.end(), rc) == EXPECTED.end())
            broken(call, rc);
        if (call.nr == 0x11 && !rc) {
            const auto* pr = reinterpret_cast<const params_ioc_read*>(arg_);

            snapshot_ = pr->pr_snapshot;
            index_ = pr->pr_index;
        }
    }

    void broken(const Call& call, int rc)
    {
        if (tally_.broken++ > 20)
            return;
        std::printf("%s: %s, which is no errno of this interface; the argument:", call.name,
                    ::strerrorname_np(rc));
        for (size_t i = 0; i < std::min(call.size, SHOWN); i++)
            std::printf("%s%02x", i % 8 ? "" : " ", static_cast<unsigned char>(arg_[i]));
        std::printf("\n");
    }

    const vm::Device& device_;
    Tally& tally_;
    ll::Fd log_;
    Area in_, more_, out_, args_;
    Desert desert_;
    alignas(8) char arg_[512] = {};
    uint64_t snapshot_ = 0;
    uint32_t index_ = 0;
    std::map<std::string, std::map<int, unsigned long>> outcomes_;
};

struct Options {
    unsigned int seconds = 30;
    unsigned long calls = 0;
    unsigned int threads = 2;
    uint64_t seed = 0;
    const char* log = nullptr;
};

std::string contents(const char* path)
{
    const ll::Fd fd(path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1);
    std::string bytes(1 << 20, '\0');
    const ssize_t got = fd ? ::read(fd.get(), bytes.data(), bytes.size()) : 0;

    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const auto value = std::strtoull(argv[i + 1], nullptr, 0);

        if (name == "--seconds")
            options.seconds = static_cast<unsigned int>(value);
        else if (name == "--calls")
            options.calls = value;
        else if (name == "--threads")
            options.threads = static_cast<unsigned int>(value);
        else if (name == "--seed")
            options.seed = value;
        else if (name == "--log")
            options.log = argv[i + 1];
        else
            return false;
    }
    return argc % 2 == 1;
}

// Wait for the time and the calls, and see that calls go on: none may take longer than
// ten seconds.
void watch(const Tally& tally, const Options& options)
{
    unsigned long last = 0;

    for (unsigned int past = 0; past < options.seconds || tally.calls < options.calls; past++) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        if (past % 10 != 9)
            continue;
        const unsigned long now = tally.calls;
        if (now == last) {
            std::printf("no call came back within ten seconds\n");
            std::fflush(stdout);
            ::_exit(1);
        }
        if (past % 60 == 59)
            std::printf("%u s, %lu calls\n", past + 1, now);
        last = now;
    }
}

void report(const Tally& tally)
{
    for (const auto& [name, counts] : tally.outcomes) {
        std::printf("%s:", name.c_str());
        for (const auto& [rc, count] : counts)
            std::printf(" %s %lu", rc ? ::strerrorname_np(rc) : "ok", count);
        std::printf("\n");
    }
    std::printf("%lu calls, %u broken promises\n", tally.calls.load(), tally.broken.load());
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    Tally tally;

    options.seed = std::random_device{}();
    if (!parse(argc, argv, options)) {
        std::fprintf(stderr,
                     "usage: fuzz-ioctl [--seconds N] [--calls N] [--threads N] [--seed N] "
                     "[--log FILE]\n");
        return 2;
    }
    const vm::Device shared;
    if (!shared) {
        std::perror("fuzz-ioctl: " LIBCFS_DEV_PATH);
        return 1;
    }
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    std::fflush(stdout);
    const std::string log = contents(options.log);
    std::atomic<bool> stop{false};
    std::vector<std::thread> pool;
    for (unsigned int i = 0; i < options.threads; i++)
        pool.emplace_back([&, i] { Fuzzer(shared, tally, options.seed + i, log).run(stop); });
    watch(tally, options);
    stop = true;
    for (std::thread& thread : pool)
        thread.join();
    report(tally);
    return tally.broken ? 1 : 0;
}
