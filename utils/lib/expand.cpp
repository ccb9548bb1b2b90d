// SPDX-License-Identifier: GPL-2.0
// Globs, by a queue of partly matched paths: what is literal is never listed,
// and what must be listed is listed many levels at a time.
#include "expand.hpp"

#include <array>
#include <deque>

#include <sys/stat.h>

#include "call.hpp"
#include "expander.hpp"
#include "matcher.hpp"

namespace ll {
namespace {

// Up to so many directories are listed one by one. More of them cost more calls
// than it costs to list all between them and the directory above.
constexpr size_t few = 16;

bool leads_down(const EntryView &entry)
{
	return entry.is_dir() || (entry.is_link() && entry.type == PARAMS_T_DIR);
}

bool has_any_depth(std::span<const Component> parts)
{
	for (const auto &part : parts)
		if (part.kind == Component::Kind::AnyDepth)
			return true;
	return false;
}

} // namespace

EntryView view_of(const Entry &entry, std::string_view display)
{
	EntryView view;

	view.path = entry.path;
	view.display = display;
	view.name = raw_name(entry.path);
	view.mode = entry.mode;
	view.type = entry.type;
	view.flags = entry.flags;
	view.version = entry.version;
	return view;
}

Visit Expander::give(const Entry &entry)
{
	const std::string display = display_path(entry.path);
	const Visit visit = sink_(view_of(entry, display));

	stopped_ = visit == Visit::Stop;
	return visit;
}

// All below `base` that matches `parts`, and below that what lies behind links
// that were asked for by name.
Status Expander::match_below(const std::string &base, std::span<const Component> parts,
			     bool inherit, EntryVisitor found)
{
	struct Partial {
		std::string path;
		Matcher::States states;
	};
	const Matcher matcher(parts, inherit);
	std::deque<Partial> queue{{base, matcher.start()}};

	while (!queue.empty() && !stopped_) {
		const Partial from = std::move(queue.front());
		std::array<Matcher::States, PARAMS_DEPTH_MAX + 1> states{};
		queue.pop_front();
		states[0] = from.states;
		auto see = [&](const EntryView &entry) {
			const auto above = states[entry.depth];
			auto &here = states[entry.depth + 1];
			const bool link = entry.is_link();
			here = link && !links_ ? 0 : matcher.step(above, entry.name);
			if (link && here && entry.type == PARAMS_T_DIR)
				if (auto named = matcher.step_named(above, entry.name))
					queue.push_back({std::string(entry.path), named});
			if (!matcher.accepts(here))
				return Visit::Continue;
			const Visit visit = found(entry);
			stopped_ = visit == Visit::Stop;
			return visit;
		};
		auto done = params_.list(from.path, matcher.levels(from.states), see);
		if (!done && !is_missing(done.error().code))
			return done;
	}
	return {};
}

// A path that is complete: look it up where that is wanted.
Status Expander::finish(const std::string &path)
{
	if (tail_ == Tail::Leave && !recursive_) {
		give(Entry{path, 0, 0, 0, 0});
		return {};
	}
	auto entry = params_.stat(path);
	if (!entry)
		return is_missing(entry.error().code)
			? Status{} : Status{tl::unexpected(entry.error())};
	if (!links_ && S_ISLNK(entry->mode) && !spec_.is_literal())
		return {};
	if (give(*entry) == Visit::Stop || !recursive_ || entry->type != PARAMS_T_DIR)
		return {};
	auto below = [&](const EntryView &view) {
		if (view.is_link() && !links_)
			return Visit::Continue;
		const Visit visit = sink_(view);
		stopped_ = visit == Visit::Stop;
		return visit;
	};
	return params_.list(path, 0, below);
}

Status Expander::finish_all(const std::vector<std::string> &paths)
{
	for (const auto &path : paths) {
		if (auto done = finish(path); !done)
			return done;
		if (stopped_)
			break;
	}
	return {};
}

// The directories that components [first, last), all globs, lead to.
Status Expander::descend(std::vector<std::string> &paths, size_t first, size_t last)
{
	const auto parts = std::span(spec_.components()).subspan(first, last - first);
	std::vector<std::string> next;

	for (const auto &path : paths) {
		auto keep = [&](const EntryView &entry) {
			if (leads_down(entry))
				next.emplace_back(entry.path);
			return Visit::Continue;
		};
		if (auto done = match_below(path, parts, false, keep); !done)
			return done;
	}
	paths = std::move(next);
	return {};
}

// The last globs, or all at once: [first, end) below each path.
Status Expander::match_rest(const std::vector<std::string> &paths, size_t first)
{
	const auto parts = std::span(spec_.components()).subspan(first);

	for (const auto &path : paths) {
		if (auto done = match_below(path, parts, recursive_, sink_); !done)
			return done;
		if (stopped_)
			break;
	}
	return {};
}

Status Expander::run()
{
	const auto &parts = spec_.components();
	const size_t base = spec_.literal_prefix();
	std::vector<std::string> paths{spec_.raw(0, base)};

	if (base == parts.size())
		return finish_all(paths);
	for (size_t at = base; !paths.empty();) {
		size_t globs = at, literals;
		while (globs < parts.size() &&
		       parts[globs].kind != Component::Kind::Literal)
			globs++;
		if (globs == parts.size() ||
		    has_any_depth(std::span(parts).subspan(at)))
			return match_rest(paths, at);
		for (literals = globs; literals < parts.size() &&
		     parts[literals].kind == Component::Kind::Literal; literals++)
			;
		if (auto done = descend(paths, at, globs); !done)
			return done;
		const bool complete = literals == parts.size();
		const bool look = !complete || tail_ == Tail::Verify || recursive_;
		if (look && paths.size() > few)
			return match_rest({spec_.raw(0, base)}, base);
		const std::string tail = '/' + spec_.raw(globs, literals);
		for (auto &path : paths)
			path += tail;
		if (complete)
			return finish_all(paths);
		at = literals;
	}
	return {};
}

Result<std::vector<Entry>> expand(Params &params, const PathSpec &spec, Tail tail,
				  bool links)
{
	std::vector<Entry> entries;
	auto keep = [&](const EntryView &view) {
		entries.push_back({std::string(view.path), view.mode, view.type,
				   view.flags, view.version});
		return Visit::Continue;
	};

	if (auto done = Expander(params, spec, tail, links, false, keep).run(); !done)
		return tl::unexpected(done.error());
	return entries;
}

} // namespace ll
