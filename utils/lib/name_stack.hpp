// SPDX-License-Identifier: LGPL-2.1-or-later
// The path of the entry at hand while a tree goes by in depth-first order.
#ifndef LL_NAME_STACK_HPP
#define LL_NAME_STACK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <uapi/lustre_lite/params_ioctl.h>

#include "pathspec.hpp"

namespace ll {

// Keeps the raw and the displayed path, and of each depth where its name begins
// in them: so an entry costs one pass over its own name.
class NameStack {
public:
    // The kernel refuses a `base` that is too long, so nothing follows it.
    explicit NameStack(std::string_view base)
        : base_size_(base.size() <= PARAMS_PATH_MAX ? base.size() : 0)
    {
        base = base.substr(0, base_size_);
        const std::string display = display_path(base);

        std::memcpy(raw_.data(), base.data(), base.size());
        std::memcpy(display_.data(), display.data(), display.size());
        size_ = {base.size(), display.size()};
    }

    // The entry at hand is now `name` at `depth`. False when that cannot
    // follow what went by before.
    bool set(size_t depth, std::string_view name)
    {
        if (depth > depth_ || depth >= PARAMS_DEPTH_MAX)
            return false;
        if (depth == depth_ && !descend())
            return false;

        const Sizes start = starts_[depth];
        if (name.empty() || name.size() > PARAMS_PATH_MAX - start.raw)
            return false;
        const uint8_t needs = copy(start, name);
        if (needs & NeedsRefusal)
            return false;
        size_ = {start.raw + name.size(), start.display + name.size()};
        depth_ = depth + 1;
        name_size_ = name.size();
        if (needs != NeedsNothing)
            display_otherwise(start, name);
        return true;
    }

    std::string_view raw() const { return {raw_.data(), size_.raw}; }
    std::string_view display() const { return {display_.data(), size_.display}; }
    std::string_view name() const { return raw().substr(size_.raw - name_size_); }
    // The path below the base, where a listing goes on.
    std::string_view relative() const
    {
        const size_t begin = base_size_ ? base_size_ + 1 : 0;
        return begin < size_.raw ? raw().substr(begin) : std::string_view{};
    }

private:
    struct Sizes {
        size_t raw = 0, display = 0;
    };

    // Both as they are; returns what its bytes ask for.
    uint8_t copy(const Sizes& to, std::string_view name)
    {
        char* const raw = raw_.data() + to.raw;
        char* const display = display_.data() + to.display;
        uint8_t needs = NeedsNothing;

        for (size_t i = 0; i < name.size(); i++) {
            const char c = name[i];

            needs |= kNameNeeds[uint8_t(c)];
            raw[i] = c;
            display[i] = c;
        }
        return needs;
    }

    void display_otherwise(const Sizes& start, std::string_view name)
    {
        std::string text;

        append_display(text, parent(start.raw), name);
        std::memcpy(display_.data() + start.display, text.data(), text.size());
        size_.display = start.display + text.size();
    }

    // The entry that was at hand is the directory of the next one.
    bool descend()
    {
        if (size_.raw >= PARAMS_PATH_MAX)
            return false;
        if (size_.raw) {
            raw_[size_.raw++] = '/';
            display_[size_.display++] = '.';
        }
        starts_[depth_] = size_;
        return true;
    }

    // The last component of the first `size` bytes of raw_, which end with a '/'.
    std::string_view parent(size_t size) const
    {
        return size ? raw_name(raw().substr(0, size - 1)) : std::string_view{};
    }

    // A byte is displayed as at most two.
    std::array<char, PARAMS_PATH_MAX> raw_;
    std::array<char, 2 * size_t{PARAMS_PATH_MAX}> display_;
    Sizes size_;  // of the path at hand
    size_t base_size_;
    size_t name_size_ = 0;
    size_t depth_ = 0;  // components below the base now
    std::array<Sizes, PARAMS_DEPTH_MAX> starts_{};
};

}  // namespace ll

#endif
