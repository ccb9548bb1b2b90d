// SPDX-License-Identifier: GPL-2.0
#include "lctl/shell/batch.hpp"

#include "lctl/shell/line_reader.hpp"
#include "lctl/shell/session.hpp"

namespace lctl::shell {

int run_batch(Context& context, int fd, std::string_view source, bool ignore_errors)
{
    LineReader reader(fd);
    Session session(context, Session::Names::Whole, source);

    if (ignore_errors)
        session.ignore_errors();
    while (!session.wants_to_end()) {
        const auto line = reader.next();

        if (!line)
            return context.error(source, ll::errno_text(line.error()), line.error());
        if (!*line)
            break;
        if (session.run_line((*line)->text, (*line)->number) != 0 && !session.ignores_errors())
            break;
    }
    return session.first_error();
}

}  // namespace lctl::shell
