// SPDX-License-Identifier: GPL-2.0
// The path of the entry at hand while a tree goes by in depth-first order.
#ifndef LL_NAME_STACK_HPP
#define LL_NAME_STACK_HPP

#include <array>
#include <string>
#include <string_view>

#include <uapi/lustre_lite/params_ioctl.h>

#include "pathspec.hpp"

namespace ll {

// Keeps the raw and the displayed path and cuts both back to the parent before
// a name is put on, so that an entry costs two copies of its own name.
class NameStack {
public:
	explicit NameStack(std::string_view base)
		: raw_(base), display_(display_path(base)), base_size_(base.size())
	{
		ends_[0] = {raw_.size(), display_.size()};
	}

	// The entry at hand is now `name` at `depth`. False when that cannot
	// follow what went by before.
	bool set(size_t depth, std::string_view name)
	{
		if (depth > depth_ || depth >= PARAMS_DEPTH_MAX || !is_name(name))
			return false;
		raw_.resize(ends_[depth].raw);
		display_.resize(ends_[depth].display);
		const std::string_view parent = parent_at(depth);
		if (!raw_.empty()) {
			display_ += '.';
			append_display(display_, parent, name);
			raw_ += '/';
		} else {
			append_display(display_, {}, name);
		}
		name_size_ = name.size();
		raw_ += name;
		depth_ = depth + 1;
		ends_[depth_] = {raw_.size(), display_.size()};
		return true;
	}

	std::string_view raw() const { return raw_; }
	std::string_view display() const { return display_; }
	std::string_view name() const
	{
		return raw().substr(raw_.size() - name_size_);
	}
	// The path below the base, where a listing goes on.
	std::string_view relative() const
	{
		const size_t begin = base_size_ ? base_size_ + 1 : 0;
		return begin < raw_.size() ? raw().substr(begin) : std::string_view{};
	}

private:
	struct End {
		size_t raw = 0, display = 0;
	};

	static bool is_name(std::string_view name)
	{
		for (const char c : name)
			if (c == '/' || c == '\0')
				return false;
		return !name.empty();
	}

	// Name of the directory that an entry at `depth` is in. raw_ ends with it.
	std::string_view parent_at(size_t depth) const
	{
		if (depth == 0)
			return raw_name(raw_);
		const size_t above = ends_[depth - 1].raw;
		return raw().substr(above ? above + 1 : 0);
	}

	std::string raw_;
	std::string display_;
	size_t base_size_;
	size_t name_size_ = 0;
	size_t depth_ = 0;	// components below the base now
	std::array<End, PARAMS_DEPTH_MAX + 1> ends_{};
};

} // namespace ll

#endif
