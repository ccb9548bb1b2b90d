// SPDX-License-Identifier: GPL-2.0-only
// A KernelPort over a parameters tree in memory: packs and unpacks as the module does, with
// the same resuming, limits and errors.
#ifndef LL_TESTS_FAKE_TREE_HPP
#define LL_TESTS_FAKE_TREE_HPP

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/port.hpp"
#include "lib/value.hpp"

#include <uapi/lustre_lite/params_ioctl.h>

class FakeTree final : public ll::KernelPort {
public:
    struct Node {
        uint16_t mode = 0;
        uint8_t type = 0;
        uint32_t flags = 0;
        uint32_t version = 1;
        int read_error = 0;   // errno of its read callback
        int write_error = 0;  // errno of its write callback
        std::string reason;   // words of that refusal
        std::string value;    // packed
        std::string target;   // raw path, of a link
        int reads = 0;        // how often its value was taken
        std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
    };

    FakeTree();

    // Paths are raw; directories above are made.
    Node& dir(std::string_view path);
    Node& u64(std::string_view path, uint64_t value, uint16_t mode = 0100644);
    Node& text(std::string_view path, std::string_view value, uint16_t mode = 0100644);
    Node& records(std::string_view path, const ll::ValuePacker& value,
                  uint8_t type = PARAMS_T_RECORDS, uint16_t mode = 0100444);
    Node& link(std::string_view path, std::string_view target);
    Node* find(std::string_view path);
    std::string text_of(std::string_view path);
    void remove(std::string_view path);

    int call(unsigned long cmd, void* arg) noexcept override;

    // Knobs and counters for tests.
    uint32_t abi = LIBCFS_ABI_VERSION;
    uint32_t most_room = UINT32_MAX;  // of a buffer that is used in one call
    int fail_with = 0;                // errno of every call
    unsigned int calls = 0;
    std::map<unsigned long, unsigned int> calls_of;
    // Runs after each call, to change its result.
    std::function<void(unsigned long cmd, void* arg, int& rc)> meddle;

private:
    struct Visited {
        std::string path;  // relative
        std::string name;
        unsigned int depth;
        Node* node;
    };
    struct Checked {  // a write of a batch
        Node* node;
        std::string_view value;
        uint32_t flags;
        int status;
    };
    class Out;

    Node& add(std::string_view path, uint16_t mode, uint8_t type);
    Node* walk(std::string_view path, int& error, bool follow_last);
    Node* resolve(Node* node);
    std::vector<Visited> below(Node& dir, unsigned int depth);
    size_t first_after(const std::vector<Visited>& all, std::string_view after);
    int take_value(Node* node, std::string& value);
    int dispatch(unsigned long cmd, void* arg);
    int version(libcfs_ioc_version& arg);
    int list(params_ioc_list& arg);
    int read(params_ioc_read& arg);
    int read_snapshot(params_ioc_read& arg);
    int read_batch(params_ioc_read_batch& arg);
    int read_paths(params_ioc_read_batch& arg, Out& out);
    int read_subtree(params_ioc_read_batch& arg, Out& out);
    int batch_record(Out& out, params_entry_rec head, std::string_view name, Node* node, int error,
                     bool with_value, bool& more);
    int check_write(Node* node, uint32_t flags, uint32_t version);
    void apply(Node* node, std::string_view value, uint32_t flags);
    int write(params_ioc_write& arg);
    bool check_batch(std::string_view in, uint32_t count, std::vector<Checked>& all);
    void reply(Out& out, const Checked& one);
    int write_batch(params_ioc_write_batch& arg);
    int describe(params_ioc_describe& arg);

    Node root_;
    std::string snapshot_;
    uint64_t snapshot_id_ = 0;
};

#endif
