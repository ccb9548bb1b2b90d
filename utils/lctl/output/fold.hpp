// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that differ in their device alone, as one pattern: osc.{a,b}.state.
 *
 * The device of a parameter is the component before the last one, where there
 * are three or more: osc.DEVICE.state, ldlm.namespaces.DEVICE.lock_count.
 */
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lctl {

class Fold {
public:
    /** Names that share everything but the device, and the content. */
    struct Group {
        std::string before;  // raw path of what the devices are in
        std::string last;    // name of the parameter
        std::string content;
        std::vector<std::string> devices;  // empty: a name without a device

        /** As one pattern that set_param takes. */
        std::string pattern() const;
    };

    /** @path is raw. Groups keep the order of their first members. */
    void add(std::string_view path, std::string content);

    const std::vector<Group>& groups() const { return groups_; }

private:
    std::vector<Group> groups_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace lctl
