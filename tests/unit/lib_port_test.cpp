// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/fd.hpp"
#include "lib/port.hpp"

using namespace ll;

namespace {

bool has(const std::string& text, std::string_view part)
{
    if (text.find(part) != std::string::npos)
        return true;
    print_error("'%s' is not in '%s'\n", std::string(part).c_str(), text.c_str());
    return false;
}

void a_descriptor_is_closed_once(void**)
{
    int pipe_fds[2];

    assert_int_equal(pipe(pipe_fds), 0);
    {
        Fd a(pipe_fds[0]);
        Fd b(std::move(a));
        assert_false(bool(a));  // NOLINT: a moved-from Fd is empty
        a = std::move(b);
        assert_int_equal(a.get(), pipe_fds[0]);
        assert_int_equal(fcntl(pipe_fds[0], F_GETFD) >= 0, 1);
    }
    assert_int_equal(fcntl(pipe_fds[0], F_GETFD), -1);
    Fd c(pipe_fds[1]);
    assert_int_equal(c.release(), pipe_fds[1]);
    assert_false(bool(c));
    c.reset(pipe_fds[1]);
    c.reset();
    assert_int_equal(fcntl(pipe_fds[1], F_GETFD), -1);
}

void no_device_says_to_load_the_module(void**)
{
    const auto port = open_device("/nonexistent/libcfs");

    assert_int_equal(port.error().code, ENOENT);
    assert_true(has(port.error().text, "cannot open /nonexistent/libcfs: No such file"));
    assert_true(has(port.error().text, "load the module: modprobe libcfs"));
}

void a_closed_device_says_which_mode_it_needs(void**)
{
    char path[] = "/tmp/lib_port_test.XXXXXX";
    const Fd file(mkstemp(path));

    if (geteuid() == 0) {  // whom no mode holds back
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(seteuid(65533), 0);
    }
    chmod(path, 0);
    const auto port = open_device(path);
    assert_int_equal(seteuid(getuid()), 0);
    unlink(path);
    assert_int_equal(port.error().code, EACCES);
    assert_true(has(port.error().text, "Permission denied"));
    assert_true(has(port.error().text, "0666"));
}

void what_is_no_libcfs_is_told(void**)
{
    const auto port = open_device("/dev/null");

    assert_int_equal(port.error().code, EPROTO);
    assert_true(has(port.error().text, "/dev/null: it does not answer like libcfs"));
}

void the_handshake_gives_the_limits(void**)
{
    FakeTree tree;
    const auto version = handshake(tree);

    assert_int_equal(version->v_buf_max, PARAMS_BUF_MAX);
    assert_int_equal(version->v_abi, LIBCFS_ABI_VERSION);
    tree.abi = LIBCFS_ABI_VERSION + 1;  // a minor makes no difference
    assert_true(handshake(tree).has_value());
}

void another_abi_major_names_both(void**)
{
    FakeTree tree;

    tree.abi = (7 << 16) | 3;
    const auto version = handshake(tree);
    assert_int_equal(version.error().code, EPROTO);
    assert_true(has(version.error().text, "ABI 7.3"));
    assert_true(has(version.error().text, "ABI 1.0"));
    assert_true(has(version.error().text, "9.9-fake"));
}

void a_release_without_an_end_is_cut(void**)
{
    FakeTree tree;

    tree.abi = 7 << 16;
    tree.meddle = [](unsigned long, void* arg, int&) {
        auto* version = static_cast<libcfs_ioc_version*>(arg);
        memset(version->v_release, 'x', sizeof(version->v_release));
    };
    assert_true(has(handshake(tree).error().text,
                    "release " + std::string(LIBCFS_RELEASE_LEN - 1, 'x') + ")"));
}

void an_interrupted_call_is_not_repeated_without_end(void**)
{
    int calls = 0;

    assert_int_equal(call_again([&]() noexcept { return ++calls < 3 ? -EINTR : 7; }), 7);
    assert_int_equal(calls, 3);
    calls = 0;
    assert_int_equal(call_again([&]() noexcept {
                         calls++;
                         return -EINTR;
                     }),
                     -EINTR);
    assert_int_equal(calls, kCallsMax);
    calls = 0;
    assert_int_equal(call_again([&]() noexcept {
                         calls++;
                         return -EIO;
                     }),
                     -EIO);
    assert_int_equal(calls, 1);
}

void errors_have_words_without_locales(void**)
{
    assert_text(errno_text(ENOENT), "No such file or directory");
    assert_text(errno_text(100000), "error 100000");
    assert_text(make_error(ERANGE, "a.b").text, "a.b: Numerical result out of range");
    assert_text(make_error(EINVAL, "").text, "Invalid argument");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_is_closed_once),
        cmocka_unit_test(no_device_says_to_load_the_module),
        cmocka_unit_test(a_closed_device_says_which_mode_it_needs),
        cmocka_unit_test(what_is_no_libcfs_is_told),
        cmocka_unit_test(the_handshake_gives_the_limits),
        cmocka_unit_test(another_abi_major_names_both),
        cmocka_unit_test(a_release_without_an_end_is_cut),
        cmocka_unit_test(an_interrupted_call_is_not_repeated_without_end),
        cmocka_unit_test(errors_have_words_without_locales),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
