// SPDX-License-Identifier: GPL-2.0
//
//	fail-nth [OPERATION...]
//
// Makes every allocation of each operation fail in turn: the kernel fails the
// n-th one of a system call, n rises until the call needs no more. Whatever
// fails, the call must say -ENOMEM or succeed all the same, nothing may be left
// allocated, and the next call must work. Wants params_sample.ko with big=100000
// and a kernel with fault injection. Prints a line for each operation:
//
//	OPERATION: N allocations failed in turn, M of them noticed
//
// Status 1 when something was wrong; the kernel log says more.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>

#include <unistd.h>

#include "device.hpp"
#include "sample_ioctl.h"

using vm::argument;
using vm::Device;
using vm::user;

namespace {

constexpr unsigned int POINTS_MAX = 20000;

bool put_file(const char *path, const char *text)
{
	const ll::Fd fd(::open(path, O_WRONLY));

	return fd && ::write(fd.get(), text, std::strlen(text)) > 0;
}

// By default only atomic allocations fail.
bool prepare()
{
	put_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	put_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	put_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	return put_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
}

// The counter of this task; one open file, so that arming allocates nothing.
class Injector {
public:
	Injector() : fd_(::open("/proc/thread-self/fail-nth", O_RDWR)) {}

	explicit operator bool() const { return static_cast<bool>(fd_); }

	void arm(unsigned int nth) const
	{
		char text[16];
		const int len = std::snprintf(text, sizeof(text), "%u", nth);

		if (::pwrite(fd_.get(), text, len, 0) != len)
			std::perror("fail-nth: arming");
	}

	// Disarms; whether the failure was used up.
	bool fired() const
	{
		char text[16] = {};

		if (::pread(fd_.get(), text, sizeof(text) - 1, 0) < 0)
			std::perror("fail-nth: reading");
		arm(0);
		return std::strtoul(text, nullptr, 10) == 0;
	}

private:
	ll::Fd fd_;
};

struct Operation {
	const char *name;
	std::function<int(const Device &)> run;
	// Done after each run that succeeded, without failures.
	std::function<void(const Device &)> undo = nullptr;
	// 0 or -ENOMEM are right; some may only succeed.
	bool must_succeed = false;
};

int read_value(const Device &device, std::string_view path, size_t room = 65536)
{
	static std::vector<char> buf(1 << 20);
	auto pr = argument<params_ioc_read>();

	pr.pr_path = user(path.data());
	pr.pr_path_len = static_cast<uint32_t>(path.size());
	pr.pr_buf = user(buf.data());
	pr.pr_buf_len = static_cast<uint32_t>(room);
	return device.call(PARAMS_IOC_READ, pr);
}

int write_value(const Device &device, std::string_view path, std::string_view text)
{
	auto pw = argument<params_ioc_write>();

	pw.pw_path = user(path.data());
	pw.pw_path_len = static_cast<uint32_t>(path.size());
	pw.pw_value = user(text.data());
	pw.pw_value_len = static_cast<uint32_t>(text.size());
	return device.call(PARAMS_IOC_WRITE, pw);
}

int list(const Device &device, std::string_view path, std::string_view after)
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

int describe(const Device &device, std::string_view path)
{
	static std::vector<char> buf(4096);
	auto pd = argument<params_ioc_describe>();

	pd.pd_path = user(path.data());
	pd.pd_path_len = static_cast<uint32_t>(path.size());
	pd.pd_buf = user(buf.data());
	pd.pd_buf_len = static_cast<uint32_t>(buf.size());
	return device.call(PARAMS_IOC_DESCRIBE, pd);
}

// The first record in a batch that did not succeed; that a value could not be
// had is no failure of the call.
int read_batch(const Device &device, std::string_view paths, uint32_t count, uint32_t flags)
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

int write_batch(const Device &device, uint32_t flags)
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
int write_batch_refused(const Device &device)
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

int sample(const Device &device, unsigned long cmd, uint64_t value)
{
	auto ioc = argument<sample_ioc>();

	ioc.s_value = value;
	return device.call(cmd, ioc);
}

int debug_mark(const Device &device)
{
	static const char text[] = "fail-nth was here";
	auto debug = argument<libcfs_ioc_debug>();

	debug.d_buf = user(text);
	debug.d_buf_len = sizeof(text) - 1;
	return device.call(LIBCFS_IOC_DEBUG_MARK, debug);
}

int debug_read(const Device &device)
{
	static std::vector<char> buf(65536);
	auto debug = argument<libcfs_ioc_debug>();

	debug.d_buf = user(buf.data());
	debug.d_buf_len = static_cast<uint32_t>(buf.size());
	return device.call(LIBCFS_IOC_DEBUG_READ, debug);
}

int open_device()
{
	const ll::Fd fd(::open(LIBCFS_DEV_PATH, O_RDWR));

	return fd ? 0 : -errno;
}

constexpr char BATCH_PATHS[] = "sample/special/plain\0sample/lustre-OST0000/uuid\0sample/special/lines\0"
			       "sample/lustre-OST0000/connect_flags\0sample/lustre-OST0000/stats";

std::vector<Operation> operations()
{
	const auto remove = [](const Device &d) { sample(d, SAMPLE_IOC_DELETE, 0); };

	return {
		{ "open", [](const Device &) { return open_device(); } },
		{ "list", [](const Device &d) { return list(d, "sample", ""); } },
		{ "list-resumed", [](const Device &d) { return list(d, "sample", "links/plain"); } },
		{ "read-number", [](const Device &d) { return read_value(d, "sample/special/plain"); } },
		{ "read-mask", [](const Device &d) { return read_value(d, "sample/lustre-OST0000/connect_flags"); } },
		{ "read-stats", [](const Device &d) { return read_value(d, "sample/lustre-OST0000/stats"); } },
		{ "read-records", [](const Device &d) { return read_value(d, "sample/lustre-OST0000/import"); } },
		{ "read-table", [](const Device &d) { return read_value(d, "sample/special/big_table"); } },
		{ "read-snapshot", [](const Device &d) { return read_value(d, "sample/special/big_text", 40000); } },
		{ "read-link", [](const Device &d) { return read_value(d, "sample/links/plain"); } },
		{ "read-batch", [](const Device &d) { return read_batch(d, std::string_view(BATCH_PATHS, sizeof(BATCH_PATHS) - 1), 5, 0); } },
		{ "read-subtree", [](const Device &d) { return read_batch(d, "sample/lustre-OST0000", 1, PARAMS_RB_SUBTREE); } },
		{ "describe", [](const Device &d) { return describe(d, "sample/lustre-OST0000/checksum_type"); } },
		{ "describe-link", [](const Device &d) { return describe(d, "sample/links/plain"); } },
		{ "write-number", [](const Device &d) { return write_value(d, "sample/special/plain", "9"); } },
		{ "write-mask", [](const Device &d) { return write_value(d, "sample/lustre-OST0000/connect_flags", "+acl -version"); } },
		{ "write-text", [](const Device &d) { return write_value(d, "sample/special/note", "a note"); } },
		{ "write-string", [](const Device &d) { return write_value(d, "sample/lustre-OST0000/conn_uuid", "1.2.3.4@tcp"); } },
		{ "write-batch", [](const Device &d) { return write_batch(d, 0); } },
		{ "write-atomic", [](const Device &d) { return write_batch(d, PARAMS_W_ATOMIC); } },
		{ "write-rollback", write_batch_refused },
		{ "debug-mark", debug_mark },
		{ "debug-read", debug_read },
		{ "add-subtree", [](const Device &d) { return sample(d, SAMPLE_IOC_CREATE, 2); }, remove },
		{ "delete-subtree", [](const Device &d) {
			const int rc = sample(d, SAMPLE_IOC_DELETE, 0);
			return rc == -ENOENT ? 0 : rc;
		}, nullptr, true },
	};
}

// libcfs's account, -1 when it cannot be read.
long long memused(const Device &device)
{
	struct {
		params_value_rec rec;
		uint64_t value;
	} out{};
	auto pr = argument<params_ioc_read>();

	pr.pr_path = user("memused");
	pr.pr_path_len = 7;
	pr.pr_buf = user(&out);
	pr.pr_buf_len = sizeof(out);
	return device.call(PARAMS_IOC_READ, pr) ? -1 : static_cast<long long>(out.value);
}

// The calls keep the snapshot of a value on their open file; a read of another
// value on the same file gives it up.
void forget_snapshot(const Device &device)
{
	read_value(device, "sample/special/plain");
}

struct Outcome {
	int rc;
	bool fired;
};

// One run with the n-th allocation failing, and back to where it began.
Outcome inject(const Operation &op, const Device &device, const Injector &injector, unsigned int nth)
{
	injector.arm(nth);
	const int rc = op.run(device);
	const bool fired = injector.fired();

	if (rc == 0 && op.undo)
		op.undo(device);
	if (op.must_succeed)
		sample(device, SAMPLE_IOC_CREATE, 2);
	forget_snapshot(device);
	return { rc, fired };
}

bool is_right(const Operation &op, const Outcome &outcome)
{
	return outcome.rc == 0 || (outcome.rc == -ENOMEM && outcome.fired && !op.must_succeed);
}

// Once without failures: what stays for good is allocated now.
void warm_up(const Operation &op, const Device &device)
{
	if (op.must_succeed)
		sample(device, SAMPLE_IOC_CREATE, 2);
	else if (op.run(device) == 0 && op.undo)
		op.undo(device);
	forget_snapshot(device);
}

bool walk(const Operation &op, const Device &device, const Injector &injector)
{
	unsigned int nth = 1, noticed = 0;
	bool good = true, fired = true;

	warm_up(op, device);
	const long long before = memused(device);
	for (; fired && good && nth < POINTS_MAX; nth += fired) {
		const Outcome outcome = inject(op, device, injector, nth);
		const long long after = memused(device);

		fired = outcome.fired;
		noticed += outcome.rc != 0;
		good = is_right(op, outcome) && after == before;
		if (!good)
			std::printf("%s: allocation %u: %s; memory in use was %lld and is %lld\n", op.name, nth,
				    std::strerror(-outcome.rc), before, after);
	}
	if (op.must_succeed)
		sample(device, SAMPLE_IOC_DELETE, 0);
	std::printf("%s: %u allocations failed in turn, %u of them noticed\n", op.name, nth - 1, noticed);
	return good && nth < POINTS_MAX;
}

bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!std::strcmp(name, argv[i]))
			return true;
	return argc == 1;
}

} // namespace

int main(int argc, char **argv)
{
	const Injector injector;
	const Device device;
	unsigned int failed = 0;

	if (!prepare() || !injector) {
		std::fprintf(stderr, "fail-nth: this kernel has no fault injection\n");
		return 77;
	}
	if (!device) {
		std::perror("fail-nth: " LIBCFS_DEV_PATH);
		return 1;
	}
	// What another test may have left.
	sample(device, SAMPLE_IOC_DELETE, 0);
	for (const Operation &op : operations())
		if (wanted(op.name, argc, argv))
			failed += !walk(op, device, injector);
	return failed ? 1 : 0;
}
