// SPDX-License-Identifier: GPL-2.0-only
/* Lines of a command file: joined, numbered, handed out as they arrive. */
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cmocka.hpp"
#include "lctl/shell/session.hpp"
#include "lib/fd.hpp"

using namespace lctl::shell;

namespace {

struct Pipe {
    ll::Fd out;
    ll::Fd in;
};

Pipe make_pipe()
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    return {ll::Fd(ends[0]), ll::Fd(ends[1])};
}

void feed(const Pipe& pipe, const std::string& text)
{
    assert_int_equal(write(pipe.in.get(), text.data(), text.size()), text.size());
}

std::vector<Line> lines_of(const std::string& text)
{
    Pipe pipe = make_pipe();
    std::vector<Line> lines;

    feed(pipe, text);
    pipe.in.reset();

    LineReader reader(pipe.out.get());
    for (;;) {
        auto line = reader.next();
        assert_true(line.has_value());
        if (!*line)
            return lines;
        lines.push_back(std::move(**line));
    }
}

struct Expected {
    const char* text;
    std::vector<Line> lines;
};

const Expected tables[] = {
    {"", {}},
    {"\n", {{"", 1}}},
    {"a", {{"a", 1}}},
    {"a\nb\n", {{"a", 1}, {"b", 2}}},
    {"a\r\nb\r\n", {{"a", 1}, {"b", 2}}},
    {"a\n\n# c\nd", {{"a", 1}, {"", 2}, {"# c", 3}, {"d", 4}}},
    {"a \\\n b\nc\n", {{"a \\\n b", 1}, {"c", 3}}},
    {"a \\\r\n b\nc\n", {{"a \\\n b", 1}, {"c", 3}}},
    {"a\\\nb\\\nc\nd\n", {{"a\\\nb\\\nc", 1}, {"d", 4}}},
    {"# a \\\nb\n", {{"# a \\", 1}, {"b", 2}}},
    {"a \\", {{"a \\", 1}}},
};

void lines_are_joined_and_numbered(void**)
{
    for (const Expected& expected : tables) {
        const std::vector<Line> lines = lines_of(expected.text);

        assert_int_equal(lines.size(), expected.lines.size());
        for (std::size_t i = 0; i < lines.size(); i++) {
            assert_string_equal(lines[i].text.c_str(), expected.lines[i].text.c_str());
            assert_int_equal(lines[i].number, expected.lines[i].number);
        }
    }
}

void a_line_longer_than_the_buffer_is_whole(void**)
{
    const std::string name(50'000, 'x');
    const std::vector<Line> lines = lines_of(name + "\nend\n");

    assert_int_equal(lines.size(), 2);
    assert_true(lines[0].text == name);
    assert_string_equal(lines[1].text.c_str(), "end");
}

void a_line_comes_before_the_next_is_written(void**)
{
    Pipe pipe = make_pipe();
    LineReader reader(pipe.out.get());

    // Were the reader to wait for more than a line, this would never end.
    feed(pipe, "one\n");
    assert_string_equal((*reader.next())->text.c_str(), "one");
    feed(pipe, "tw");
    feed(pipe, "o\n");
    assert_string_equal((*reader.next())->text.c_str(), "two");
    pipe.in.reset();
    assert_false(reader.next()->has_value());
    assert_false(reader.next()->has_value());
}

void a_failed_read_gives_its_errno(void**)
{
    const ll::Fd directory(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    LineReader reader(directory.get());
    const auto line = reader.next();

    assert_false(line.has_value());
    assert_int_equal(line.error(), EISDIR);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_joined_and_numbered),
        cmocka_unit_test(a_line_longer_than_the_buffer_is_whole),
        cmocka_unit_test(a_line_comes_before_the_next_is_written),
        cmocka_unit_test(a_failed_read_gives_its_errno),
    };

    return cmocka_run_group_tests_name("shell_line_reader", tests, nullptr, nullptr);
}
