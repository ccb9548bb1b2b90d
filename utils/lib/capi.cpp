// SPDX-License-Identifier: LGPL-2.1-or-later
// The C interface: see lustre_lite/liblustrelite.h.
#include <lustre_lite/liblustrelite.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "call.hpp"
#include "capi.hpp"
#include "expand.hpp"
#include "pathspec.hpp"

using namespace ll;

namespace {

std::string_view text_of(const char* text, int len)
{
    return len < 0 ? std::string_view(text) : std::string_view(text, size_t(len));
}

tl::unexpected<Error> bad_argument(const char* what)
{
    return ll::fail(EINVAL, what);
}

list_entry* new_list_entry(const EntryView& view)
{
    auto* block = static_cast<char*>(std::calloc(1, sizeof(list_entry) + view.display.size() + 1));

    if (!block)
        return nullptr;
    auto* entry = new (block) list_entry{};
    entry->le_name = block + sizeof(list_entry);
    entry->le_name_len = int(view.display.size());
    entry->le_mode = view.mode;
    entry->le_type = view.type;
    entry->le_flags = view.flags;
    entry->le_version = view.version;
    std::memcpy(entry->le_name, view.display.data(), view.display.size());
    return entry;
}

Result<PathSpec> parse_pattern(const char* pattern)
{
    if (!pattern)
        return bad_argument("no pattern was given");
    return PathSpec::parse(pattern);
}

Result<int> send_write(Params& params, const Write& write, unsigned int opt_flag)
{
    auto reply = params.write(write, opt_flag & PARAMS_OPT_DRY_RUN);

    if (!reply)
        return ll::fail(reply.error().code,
                        "setting " + path_text(write.path) + ": " + reply.error().text);
    return int(write.value.size());
}

}  // namespace

extern "C" {

int params_list(struct params_handle* handle, const char* pattern, struct list_entry** list)
{
    *list = nullptr;
    return with_handle(handle, [&](Params& params) -> Result<int> {
        list_entry *first = nullptr, **next = &first;
        auto spec = parse_pattern(pattern);
        if (!spec)
            return tl::unexpected(spec.error());
        bool short_of_memory = false;
        auto keep = [&](const EntryView& view) {
            *next = new_list_entry(view);
            short_of_memory = !*next;
            if (short_of_memory)
                return Visit::Stop;
            next = &(*next)->le_next;
            return Visit::Continue;
        };
        auto count = visit_matching(params, *spec, {.values = false}, keep);
        if (count && !short_of_memory && *count > 0) {
            *list = first;
            return 0;
        }
        params_list_free(first);
        if (!count)
            return tl::unexpected(count.error());
        if (short_of_memory)
            return tl::unexpected(make_error(ENOMEM, pattern));
        return tl::unexpected(make_error(ENOENT, pattern));
    });
}

void params_list_free(struct list_entry* list)
{
    while (list) {
        list_entry* next = list->le_next;
        std::free(list);
        list = next;
    }
}

int params_read(struct params_handle* handle, const char* path, int path_len,
                struct params_value_entry** values, int offset, unsigned int opt_flag)
{
    *values = nullptr;
    return with_handle(handle, [&](Params& params) -> Result<int> {
        if (offset < 0 || opt_flag)
            return bad_argument("params_read: offset below 0 or unknown flag");
        auto raw = exact_path(text_of(path, path_len));
        if (!raw)
            return tl::unexpected(raw.error());
        auto value = params.read(*raw, uint32_t(offset));
        if (!value)
            return tl::unexpected(value.error());
        const int rc = unpack_values(value->view(), offset > 0, values);
        if (rc < 0)
            return tl::unexpected(make_error(-rc, path_text(*raw)));
        return int(value->bytes.size());
    });
}

int params_write(struct params_handle* handle, const char* path, int path_len,
                 const struct params_value_entry* values, int offset, unsigned int opt_flag)
{
    return with_handle(handle, [&](Params& params) -> Result<int> {
        if (offset || (opt_flag & ~unsigned(PARAMS_OPT_TYPED | PARAMS_OPT_DRY_RUN)))
            return bad_argument("params_write: offset other than 0 or unknown flag");
        auto raw = exact_path(text_of(path, path_len));
        if (!raw)
            return tl::unexpected(raw.error());
        auto write = make_write(std::move(*raw), values, opt_flag & PARAMS_OPT_TYPED);
        if (!write)
            return tl::unexpected(write.error());
        return send_write(params, *write, opt_flag);
    });
}

int params_write_text(struct params_handle* handle, const char* path, const char* text,
                      unsigned int opt_flag)
{
    return with_handle(handle, [&](Params& params) -> Result<int> {
        if (opt_flag & ~unsigned(PARAMS_OPT_DRY_RUN))
            return bad_argument("params_write_text: unknown flag");
        auto raw = exact_path(path);
        if (!raw)
            return tl::unexpected(raw.error());
        Write write;
        write.path = std::move(*raw);
        write.value = text;
        auto done = send_write(params, write, opt_flag);
        return done ? Result<int>(0) : done;
    });
}

int params_describe(struct params_handle* handle, const char* path, int path_len,
                    struct params_value_entry** values)
{
    *values = nullptr;
    return with_handle(handle, [&](Params& params) -> Result<int> {
        auto raw = exact_path(text_of(path, path_len));
        if (!raw)
            return tl::unexpected(raw.error());
        auto description = params.describe(*raw);
        if (!description)
            return tl::unexpected(description.error());
        const int rc = unpack_values(ValueView(description->raw), false, values);
        if (rc < 0)
            return tl::unexpected(make_error(-rc, path_text(*raw)));
        return 0;
    });
}

int params_visit(struct params_handle* handle, const char* pattern, unsigned int flags,
                 params_visitor_t visit, void* arg)
{
    int answer = 0;

    const int rc = with_handle(handle, [&](Params& params) -> Result<int> {
        std::string name;
        auto spec = parse_pattern(pattern);
        if (!spec)
            return tl::unexpected(spec.error());
        auto see = [&](const EntryView& view) {
            name = view.display;
            const params_visit_entry entry = {
                .pv_name = name.c_str(),
                .pv_mode = view.mode,
                .pv_type = view.type,
                .pv_flags = view.flags,
                .pv_version = view.version,
                .pv_status = -view.status,
                .pv_value = view.has_value ? view.value.bytes().data() : nullptr,
                .pv_value_len = view.value.bytes().size(),
            };
            answer = visit(&entry, arg);
            return answer ? Visit::Stop : Visit::Continue;
        };
        const Query query = {
            .recursive = (flags & PARAMS_VISIT_RECURSIVE) != 0,
            .values = !(flags & PARAMS_VISIT_NAMES),
        };
        auto count = visit_matching(params, *spec, query, see);
        if (!count)
            return tl::unexpected(count.error());
        if (*count == 0)
            return tl::unexpected(make_error(ENOENT, pattern));
        return 0;
    });
    return rc < 0 ? rc : answer;
}

}  // extern "C"
