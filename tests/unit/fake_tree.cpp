// SPDX-License-Identifier: GPL-2.0-only
#include "fake_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>

using namespace ll;

namespace {

std::string_view user_text(uint64_t address, uint32_t len)
{
    return {reinterpret_cast<const char*>(uintptr_t(address)), len};
}

std::string_view next_component(std::string_view& path)
{
    const size_t end = path.find('/');
    const auto name = path.substr(0, end);

    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    return name;
}

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> parts;

    while (!path.empty())
        parts.emplace_back(next_component(path));
    return parts;
}

template <class T>
std::string_view bytes_of(const T& v)
{
    return {reinterpret_cast<const char*>(&v), sizeof(v)};
}

}  // namespace

// A caller's buffer that is being filled.
class FakeTree::Out {
public:
    Out(uint64_t address, uint32_t room)
        : to_(reinterpret_cast<char*>(uintptr_t(address))), room_(room & ~7U)
    {
    }

    bool fits(size_t len)
    {
        if (len > room_ - used_)
            needed_ = uint32_t(len);
        return len <= room_ - used_;
    }
    void put(std::string_view bytes)
    {
        const size_t padded = PARAMS_ALIGN(bytes.size());

        std::memcpy(to_ + used_, bytes.data(), bytes.size());
        std::memset(to_ + used_ + bytes.size(), 0, padded - bytes.size());
        used_ += uint32_t(padded);
    }
    uint32_t used() const { return used_; }
    uint32_t left() const { return room_ - used_; }
    uint32_t needed() const { return needed_; }

private:
    char* to_;
    uint32_t room_;
    uint32_t used_ = 0;
    uint32_t needed_ = 0;
};

FakeTree::FakeTree()
{
    root_.mode = S_IFDIR | 0555;
    root_.type = PARAMS_T_DIR;
}

FakeTree::Node& FakeTree::add(std::string_view path, uint16_t mode, uint8_t type)
{
    Node* at = &root_;

    while (!path.empty()) {
        const std::string name(next_component(path));
        auto& child = at->children[name];
        if (!child) {
            child = std::make_unique<Node>();
            child->mode = S_IFDIR | 0555;
            child->type = PARAMS_T_DIR;
        }
        at = child.get();
    }
    at->mode = mode;
    at->type = type;
    return *at;
}

FakeTree::Node& FakeTree::dir(std::string_view path)
{
    return add(path, S_IFDIR | 0555, PARAMS_T_DIR);
}

FakeTree::Node& FakeTree::u64(std::string_view path, uint64_t value, uint16_t mode)
{
    Node& node = add(path, mode, PARAMS_T_U64);
    ValuePacker packer;

    packer.u64("", value);
    node.value = packer.bytes();
    return node;
}

FakeTree::Node& FakeTree::text(std::string_view path, std::string_view value, uint16_t mode)
{
    Node& node = add(path, mode, PARAMS_T_STRING);
    ValuePacker packer;

    packer.text("", value);
    node.value = packer.bytes();
    return node;
}

FakeTree::Node& FakeTree::records(std::string_view path, const ValuePacker& value, uint8_t type,
                                  uint16_t mode)
{
    Node& node = add(path, mode, type);

    node.value = value.bytes();
    return node;
}

FakeTree::Node& FakeTree::link(std::string_view path, std::string_view target)
{
    Node& node = add(path, S_IFLNK | 0777, PARAMS_T_LINK);
    int error = 0;

    node.target = target;
    if (Node* to = walk(target, error, true))
        node.type = to->type;
    return node;
}

FakeTree::Node* FakeTree::find(std::string_view path)
{
    int error = 0;

    return walk(path, error, false);
}

std::string FakeTree::text_of(std::string_view path)
{
    std::string out;
    Node* node = find(path);

    return node && value_as_string(ValueView(node->value), out) ? out : "<no text>";
}

void FakeTree::remove(std::string_view path)
{
    const size_t at = path.rfind('/');
    Node* parent = at == std::string_view::npos ? &root_ : find(path.substr(0, at));

    parent->children.erase(std::string(path.substr(at + 1)));
}

FakeTree::Node* FakeTree::resolve(Node* node)
{
    int error = 0;

    return node && S_ISLNK(node->mode) ? walk(node->target, error, true) : node;
}

FakeTree::Node* FakeTree::walk(std::string_view path, int& error, bool follow_last)
{
    Node* at = &root_;

    if (path.size() > PARAMS_PATH_MAX) {
        error = -ENAMETOOLONG;
        return nullptr;
    }
    while (!path.empty()) {
        const auto name = next_component(path);
        at = resolve(at);
        if (!at || !S_ISDIR(at->mode)) {
            error = at ? -ENOTDIR : -ENOENT;
            return nullptr;
        }
        const auto found = at->children.find(name);
        if (found == at->children.end()) {
            error = -ENOENT;
            return nullptr;
        }
        at = found->second.get();
    }
    return follow_last ? resolve(at) : at;
}

std::vector<FakeTree::Visited> FakeTree::below(Node& dir, unsigned int depth)
{
    std::vector<Visited> all;
    std::function<void(Node&, const std::string&, unsigned int)> visit =
        [&](Node& from, const std::string& prefix, unsigned int level) {
            for (auto& [name, child] : from.children) {
                const std::string path = prefix + name;
                all.push_back({path, name, level, child.get()});
                if (S_ISDIR(child->mode) && (!depth || level + 1 < depth))
                    visit(*child, path + '/', level + 1);
            }
        };

    visit(dir, "", 0);
    return all;
}

// Depth-first order is the order of the lists of components.
size_t FakeTree::first_after(const std::vector<Visited>& all, std::string_view after)
{
    const auto wanted = split(after);
    size_t i = 0;

    while (!after.empty() && i < all.size() && split(all[i].path) <= wanted)
        i++;
    return i;
}

int FakeTree::call(unsigned long cmd, void* arg) noexcept
{
    const auto* head = static_cast<libcfs_ioc_hdr*>(arg);
    int rc;

    calls++;
    calls_of[cmd]++;
    if (fail_with)
        rc = -fail_with;
    else if (cmd != LIBCFS_IOC_VERSION && LIBCFS_ABI_MAJOR_OF(head->ioh_abi) != LIBCFS_ABI_MAJOR)
        rc = -EPROTO;
    else if (head->ioh_size != _IOC_SIZE(cmd))
        rc = -EINVAL;
    else
        rc = dispatch(cmd, arg);
    if (meddle)
        meddle(cmd, arg, rc);
    return rc;
}

int FakeTree::dispatch(unsigned long cmd, void* arg)
{
    switch (cmd) {
        case LIBCFS_IOC_VERSION:
            return version(*static_cast<libcfs_ioc_version*>(arg));
        case PARAMS_IOC_LIST:
            return list(*static_cast<params_ioc_list*>(arg));
        case PARAMS_IOC_READ:
            return read(*static_cast<params_ioc_read*>(arg));
        case PARAMS_IOC_READ_BATCH:
            return read_batch(*static_cast<params_ioc_read_batch*>(arg));
        case PARAMS_IOC_WRITE:
            return write(*static_cast<params_ioc_write*>(arg));
        case PARAMS_IOC_WRITE_BATCH:
            return write_batch(*static_cast<params_ioc_write_batch*>(arg));
        case PARAMS_IOC_DESCRIBE:
            return describe(*static_cast<params_ioc_describe*>(arg));
        default:
            return -ENOTTY;
    }
}

int FakeTree::version(libcfs_ioc_version& arg)
{
    arg.v_abi = abi;
    arg.v_name_max = PARAMS_NAME_MAX;
    arg.v_path_max = PARAMS_PATH_MAX;
    arg.v_depth_max = PARAMS_DEPTH_MAX;
    arg.v_buf_max = PARAMS_BUF_MAX;
    std::strcpy(arg.v_release, "9.9-fake");
    return 0;
}

int FakeTree::list(params_ioc_list& arg)
{
    Out out(arg.pl_buf, std::min(arg.pl_buf_len, most_room));
    int error = 0;
    Node* dir = walk(user_text(arg.pl_path, arg.pl_path_len), error, true);

    if (!dir)
        return error;
    if (!S_ISDIR(dir->mode))
        return -ENOTDIR;
    const auto all = below(*dir, arg.pl_depth);
    size_t i = first_after(all, user_text(arg.pl_after, arg.pl_after_len));
    arg.pl_count = 0;
    for (; i < all.size(); i++) {
        const auto& one = all[i];
        params_list_rec head{};
        head.lr_len = uint16_t(sizeof(head) + PARAMS_ALIGN(one.name.size()));
        head.lr_mode = one.node->mode;
        head.lr_name_len = uint16_t(one.name.size());
        head.lr_type = one.node->type;
        head.lr_depth = uint8_t(one.depth);
        head.lr_version = one.node->version;
        head.lr_flags = one.node->flags;
        if (!out.fits(head.lr_len))
            break;
        out.put(bytes_of(head));
        out.put(one.name);
        arg.pl_count++;
    }
    arg.pl_used = out.used();
    arg.pl_eof = i == all.size();
    if (!arg.pl_eof && !arg.pl_count) {
        arg.pl_buf_len = out.needed();
        return -EOVERFLOW;
    }
    return 0;
}

int FakeTree::take_value(Node* node, std::string& value)
{
    node = resolve(node);
    if (!node)
        return -ENOENT;
    if (S_ISDIR(node->mode))
        return -EISDIR;
    if (!(node->mode & 0444))
        return -EACCES;
    node->reads++;
    if (node->read_error)
        return -node->read_error;
    value = node->value;
    return 0;
}

// Whole records from number pr_index on, as many as fit.
int FakeTree::read_snapshot(params_ioc_read& arg)
{
    if (arg.pr_snapshot != snapshot_id_ || !snapshot_id_)
        return -ESTALE;
    Out out(arg.pr_buf, std::min(arg.pr_buf_len, most_room));
    std::string_view rest = snapshot_;
    RecordReader reader(ValueView(rest), true);
    Record rec;
    uint32_t n = 0;
    arg.pr_eof = 1;
    while (reader.next(rec)) {
        const auto record = rest.substr(0, rest.size() - reader.rest().size());
        rest = reader.rest();
        if (n++ < arg.pr_index)
            continue;
        if (!out.fits(record.size())) {
            arg.pr_eof = 0;
            n--;
            break;
        }
        out.put(record);
    }
    arg.pr_index = n;
    arg.pr_used = out.used();
    if (!arg.pr_eof && !arg.pr_used) {
        arg.pr_buf_len = out.needed();
        return -EOVERFLOW;
    }
    if (arg.pr_eof)
        arg.pr_snapshot = 0;
    return 0;
}

int FakeTree::read(params_ioc_read& arg)
{
    int error = 0;

    if (arg.pr_snapshot)
        return read_snapshot(arg);
    Node* node = walk(user_text(arg.pr_path, arg.pr_path_len), error, false);
    if (!node)
        return error;
    if (const int rc = take_value(node, snapshot_); rc)
        return rc;
    arg.pr_version = node->version;
    arg.pr_type = node->type;
    arg.pr_mode = node->mode;
    arg.pr_snapshot = ++snapshot_id_;
    return read_snapshot(arg);
}

int FakeTree::batch_record(Out& out, params_entry_rec head, std::string_view name, Node* node,
                           int error, bool with_value, bool& more)
{
    std::string value;

    if (node) {
        head.er_mode = node->mode;
        head.er_type = node->type;
        head.er_flags = uint8_t(node->flags);
        head.er_version = node->version;
    }
    head.er_name_len = uint16_t(name.size());
    const size_t head_len = sizeof(head) + PARAMS_ALIGN(name.size());
    if (!out.fits(head_len + sizeof(uint64_t)))
        return -ENOSPC;
    head.er_status = error;
    if (!error && with_value)
        head.er_status = take_value(node, value);
    if (head_len + value.size() > out.left()) {
        snapshot_ = value;
        snapshot_id_++;
        value.assign(bytes_of(snapshot_id_));
        head.er_flags |= PARAMS_EF_MORE;
        more = true;
    }
    head.er_len = uint32_t(head_len + value.size());
    out.put(bytes_of(head));
    out.put(name);
    out.put(value);
    return 0;
}

int FakeTree::read_paths(params_ioc_read_batch& arg, Out& out)
{
    auto paths = user_text(arg.rb_paths, arg.rb_paths_len);
    bool more = false;
    uint32_t i = 0;

    for (; i < arg.rb_count && !more; i++) {
        const auto path = paths.substr(0, paths.find('\0'));
        paths.remove_prefix(path.size() + 1);
        if (i < arg.rb_next)
            continue;
        params_entry_rec head{};
        int error = 0;
        Node* node = walk(path, error, false);
        head.er_index = i;
        if (batch_record(out, head, "", node, error, true, more))
            break;
    }
    arg.rb_next = i;
    arg.rb_eof = i == arg.rb_count;
    return 0;
}

int FakeTree::read_subtree(params_ioc_read_batch& arg, Out& out)
{
    const std::string path(user_text(arg.rb_paths, arg.rb_paths_len).data());
    int error = 0;
    Node* dir = walk(path, error, true);

    if (!dir)
        return error;
    if (!S_ISDIR(dir->mode))
        return -ENOTDIR;
    const auto all = below(*dir, 0);
    size_t i = first_after(all, user_text(arg.rb_after, arg.rb_after_len));
    bool more = false;
    for (; i < all.size() && !more; i++) {
        params_entry_rec head{};
        Node* node = all[i].node;
        head.er_index = all[i].depth;
        const bool value = S_ISREG(node->mode) && !(node->flags & PARAMS_EF_VOLATILE);
        if (batch_record(out, head, all[i].name, node, 0, value, more))
            break;
    }
    arg.rb_eof = i == all.size();
    return 0;
}

int FakeTree::read_batch(params_ioc_read_batch& arg)
{
    Out out(arg.rb_buf, std::min(arg.rb_buf_len, most_room));
    const int rc = arg.rb_flags & PARAMS_RB_SUBTREE ? read_subtree(arg, out) : read_paths(arg, out);

    if (rc)
        return rc;
    arg.rb_used = out.used();
    if (!arg.rb_used && !arg.rb_eof) {
        arg.rb_buf_len = out.needed();
        return -EOVERFLOW;
    }
    return 0;
}

int FakeTree::check_write(Node* node, uint32_t flags, uint32_t version)
{
    if (S_ISDIR(node->mode))
        return -EISDIR;
    if (!(node->mode & 0222))
        return -EACCES;
    if ((flags & PARAMS_W_VERSION) && version != node->version)
        return -ESTALE;
    return -node->write_error;
}

void FakeTree::apply(Node* node, std::string_view value, uint32_t flags)
{
    ValuePacker packer;

    packer.text("", value);
    node->value = flags & PARAMS_W_TYPED ? std::string(value) : packer.bytes();
    node->version++;
}

int FakeTree::write(params_ioc_write& arg)
{
    int error = 0;
    Node* node = walk(user_text(arg.pw_path, arg.pw_path_len), error, true);

    if (!node)
        return error;
    const int rc = check_write(node, arg.pw_flags, arg.pw_version);
    if (rc) {
        const auto len = std::min<size_t>(arg.pw_reason_len, node->reason.size());
        std::memcpy(reinterpret_cast<char*>(uintptr_t(arg.pw_reason)), node->reason.data(), len);
        arg.pw_reason_len = uint32_t(len);
        return rc;
    }
    if (!(arg.pw_flags & PARAMS_W_DRY_RUN))
        apply(node, user_text(arg.pw_value, arg.pw_value_len), arg.pw_flags);
    arg.pw_version = node->version;
    return 0;
}

// The writes of a batch, each looked at; false when they do not fill `in`.
bool FakeTree::check_batch(std::string_view in, uint32_t count, std::vector<Checked>& all)
{
    for (uint32_t i = 0; i < count; i++) {
        params_write_rec head;
        if (in.size() < sizeof(head))
            return false;
        std::memcpy(&head, in.data(), sizeof(head));
        const size_t value_at = sizeof(head) + PARAMS_ALIGN(size_t{head.wr_path_len});
        if (head.wr_len > in.size() || value_at + head.wr_value_len > head.wr_len)
            return false;
        int error = 0;
        Node* node = walk(in.substr(sizeof(head), head.wr_path_len), error, true);
        if (node)
            error = check_write(node, head.wr_flags, head.wr_version);
        all.push_back({node, in.substr(value_at, head.wr_value_len), head.wr_flags, error});
        in.remove_prefix(head.wr_len);
    }
    return in.empty();
}

void FakeTree::reply(Out& out, const Checked& one)
{
    const std::string_view reason =
        one.status && one.node ? std::string_view(one.node->reason) : "";
    params_reply_rec head{};

    head.rr_len = uint32_t(sizeof(head) + PARAMS_ALIGN(reason.size()));
    head.rr_status = one.status;
    head.rr_version = one.node ? one.node->version : 0;
    head.rr_reason_len = uint32_t(reason.size());
    out.put(bytes_of(head));
    out.put(reason);
}

int FakeTree::write_batch(params_ioc_write_batch& arg)
{
    std::vector<Checked> all;
    Out out(arg.bw_out, arg.bw_out_len);
    const auto failed = [](const Checked& one) { return one.status != 0; };

    if (!check_batch(user_text(arg.bw_in, arg.bw_in_len), arg.bw_count, all) ||
        arg.bw_out_len < arg.bw_count * sizeof(params_reply_rec))
        return -EINVAL;
    const bool cancel =
        (arg.bw_flags & PARAMS_W_ATOMIC) && std::any_of(all.begin(), all.end(), failed);
    for (auto& one : all) {
        if (cancel && !one.status)
            one.status = -ECANCELED;
        if (!one.status && !(arg.bw_flags & PARAMS_W_DRY_RUN))
            apply(one.node, one.value, one.flags);
        reply(out, one);
    }
    arg.bw_failed = uint32_t(std::count_if(all.begin(), all.end(), failed));
    arg.bw_used = out.used();
    return 0;
}

int FakeTree::describe(params_ioc_describe& arg)
{
    int error = 0;
    Node* node = walk(user_text(arg.dsc_path, arg.dsc_path_len), error, false);
    Out out(arg.dsc_buf, std::min(arg.dsc_buf_len, most_room));
    ValuePacker packer;

    if (!node)
        return error;
    packer.text("type", S_ISDIR(node->mode) ? "dir" : "u64");
    packer.u64("mode", node->mode);
    packer.begin("flags", PARAMS_LIST_FLOW_SEQ);
    if (node->flags & PARAMS_EF_TUNABLE)
        packer.text("", "tunable");
    packer.end();
    if (node->flags & PARAMS_EF_TUNABLE)
        packer.text("source", "permanent");
    if (!S_ISDIR(node->mode)) {
        packer.text("unit", "bytes");
        packer.u64("min", 1);
        packer.u64("max", 256);
        packer.s64("default", -8);
        packer.begin("values", PARAMS_LIST_FLOW_SEQ);
        packer.text("", "one");
        packer.text("", "two");
        packer.end();
        packer.text("doc", "what it is for");
    }
    if (S_ISLNK(node->mode))
        packer.text("target", node->target);
    if (!out.fits(packer.bytes().size())) {
        arg.dsc_buf_len = uint32_t(packer.bytes().size());
        return -EOVERFLOW;
    }
    out.put(packer.bytes());
    arg.dsc_used = out.used();
    return 0;
}
