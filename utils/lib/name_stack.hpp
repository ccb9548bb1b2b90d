// SPDX-License-Identifier: LGPL-2.1-or-later
// The path of the entry at hand while a tree goes by in depth-first order.
#ifndef LL_NAME_STACK_HPP
#define LL_NAME_STACK_HPP

#include <array>
#include <string>
#include <string_view>

#include <uapi/lustre_lite/params_ioctl.h>

#include "pathspec.hpp"

namespace ll {

// Keeps the raw and the displayed path, and of each depth where its name begins
// in them: so an entry costs two copies of its own name, and one look at it.
class NameStack {
public:
    explicit NameStack(std::string_view base)
        : raw_(base), display_(display_path(base)), base_size_(base.size())
    {
    }

    // The entry at hand is now `name` at `depth`. False when that cannot
    // follow what went by before.
    bool set(size_t depth, std::string_view name)
    {
        const uint8_t needs = needs_of(name);

        if (depth > depth_ || depth >= PARAMS_DEPTH_MAX || needs & NeedsRefusal)
            return false;
        if (depth == depth_)
            descend();
        const Start start = starts_[depth];
        raw_.resize(start.raw);
        display_.resize(start.display);
        if (needs == NeedsNothing)
            display_ += name;
        else
            append_display(display_, parent(), name);
        raw_ += name;
        depth_ = depth + 1;
        name_size_ = name.size();
        return true;
    }

    std::string_view raw() const { return raw_; }
    std::string_view display() const { return display_; }
    std::string_view name() const { return raw().substr(raw_.size() - name_size_); }
    // The path below the base, where a listing goes on.
    std::string_view relative() const
    {
        const size_t begin = base_size_ ? base_size_ + 1 : 0;
        return begin < raw_.size() ? raw().substr(begin) : std::string_view{};
    }

private:
    struct Start {
        size_t raw = 0, display = 0;
    };

    static uint8_t needs_of(std::string_view name)
    {
        uint8_t needs = name.empty() ? NeedsRefusal : NeedsNothing;

        for (const char c : name)
            needs |= kNameNeeds[uint8_t(c)];
        return needs;
    }

    // The entry that was at hand is the directory of the next one.
    void descend()
    {
        if (!raw_.empty()) {
            raw_ += '/';
            display_ += '.';
        }
        starts_[depth_] = {raw_.size(), display_.size()};
    }

    // The last component of raw_, which has been cut back to a directory.
    std::string_view parent() const
    {
        return raw_.empty() ? std::string_view{} : raw_name(raw().substr(0, raw_.size() - 1));
    }

    std::string raw_;
    std::string display_;
    size_t base_size_;
    size_t name_size_ = 0;
    size_t depth_ = 0;  // components below the base now
    std::array<Start, PARAMS_DEPTH_MAX> starts_{};
};

}  // namespace ll

#endif
