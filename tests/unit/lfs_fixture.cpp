// SPDX-License-Identifier: GPL-2.0-only
#include "lfs_fixture.hpp"

#include <cerrno>
#include <ctime>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace lfs_test {

namespace {

const std::string kMount = "/mnt/lustre";
constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kSecond = 1000000000;  // in ns

class KeptWriter : public lctl::Writer {
public:
    KeptWriter() : Writer(-1) {}
    KeptWriter(const KeptWriter&) = delete;
    KeptWriter& operator=(const KeptWriter&) = delete;
    ~KeptWriter() override { flush(); }

    std::string all;

protected:
    int write_all(std::string_view text) override
    {
        all.append(text);
        return 0;
    }
};

tl::unexpected<ll::Error> failed(int code)
{
    return ll::fail(code, ll::errno_text(code));
}

std::string without_slash(std::string path)
{
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    return path;
}

char type_of(lfs::Kind kind)
{
    switch (kind) {
        case lfs::Kind::File:
            return 'f';
        case lfs::Kind::Directory:
            return 'd';
        case lfs::Kind::Symlink:
            return 'l';
        default:
            return 'p';
    }
}

}  // namespace

FakeFiles::FakeFiles()
{
    files[kMount] = {.kind = lfs::Kind::Directory};
    files["/tmp"] = {.kind = lfs::Kind::Directory};
    files["/tmp/local"] = {};
    targets = some_targets();
}

ll::Result<lfs::Status> FakeFiles::status(const std::string& path, bool /*follow*/)
{
    const auto found = files.find(without_slash(path));

    asked++;
    if (found == files.end())
        return failed(ENOENT);

    const File& file = found->second;
    const std::int64_t written = std::time(nullptr) - file.age;

    return lfs::Status{.kind = file.kind,
                       .type = type_of(file.kind),
                       .size = file.size,
                       .uid = file.uid,
                       .gid = file.gid,
                       .atime = (written - kDay) * kSecond,
                       .mtime = written * kSecond,
                       .ctime = (written + file.age / 2) * kSecond};
}

ll::Result<std::vector<lfs::Entry>> FakeFiles::entries(const std::string& path)
{
    const std::string prefix = without_slash(path) + "/";
    std::vector<lfs::Entry> entries;

    for (const auto& [name, file] : files)
        if (name.starts_with(prefix) && name.find('/', prefix.size()) == std::string::npos)
            entries.push_back({.name = name.substr(prefix.size()),
                               .kind = file.kind,
                               .type = file.lists_no_type ? '?' : type_of(file.kind)});
    return entries;
}

ll::Result<std::optional<std::string>> FakeFiles::layout(const std::string& path)
{
    asked++;
    if (!without_slash(path).starts_with(kMount))
        return failed(EOPNOTSUPP);
    return files.at(without_slash(path)).layout;
}

ll::Result<std::optional<std::string>> FakeFiles::root_layout(const std::string& /*path*/)
{
    return files.at(kMount).layout;
}

ll::Status FakeFiles::set_file_layout(const std::string& path, const std::string& layout)
{
    set_path = path;
    set_bytes = layout;
    if (refuse != 0)
        return failed(refuse);
    files[path] = {};
    return {};
}

ll::Status FakeFiles::migrate(const std::string& path, const std::optional<std::string>& layout)
{
    set_path = path;
    set_bytes = layout.value_or("as a new file");
    if (changes > 0) {
        changes--;
        return failed(change);
    }
    if (refuse != 0)
        return failed(refuse);
    return {};
}

ll::Status FakeFiles::change_components(const std::string& path)
{
    if (other) {
        files[path].layout = *std::exchange(other, std::nullopt);
        return failed(EINVAL);
    }
    return refuse != 0 ? ll::Status(failed(refuse)) : ll::Status();
}

ll::Status FakeFiles::add_components(const std::string& path, const std::string& components)
{
    set_path = path + " add";
    set_bytes = components;
    return change_components(path);
}

ll::Status FakeFiles::delete_components(const std::string& path, const std::string& which)
{
    set_path = path + " del";
    set_bytes = which;
    return change_components(path);
}

ll::Status FakeFiles::set_default(const std::string& path, const std::string& layout)
{
    set_path = path + "/";
    set_bytes = layout;
    if (refuse != 0)
        return failed(refuse);
    return {};
}

ll::Result<lu_fid> FakeFiles::fid(const std::string& path)
{
    if (!files.contains(path))
        return failed(ENOENT);
    return lu_fid{0x20000a811, static_cast<u32>(path.size()), 0};
}

ll::Result<std::uint64_t> FakeFiles::data_version(const std::string& path, std::uint32_t flags)
{
    if (!files.contains(path))
        return failed(ENOENT);
    return 100 + flags;
}

ll::Result<lfs::PathName> FakeFiles::path(const std::string& /*mount*/, const lu_fid& fid,
                                          std::uint32_t number)
{
    const auto found = names.find(fid.f_oid);

    if (found == names.end())
        return failed(ENOENT);
    if (number >= found->second.size())
        return failed(ENODATA);
    return lfs::PathName{found->second[number],
                         number + (number + 1 < found->second.size() ? 1U : 0U)};
}

std::vector<std::string> FakeFiles::mounts()
{
    return mounted ? std::vector{kMount} : std::vector<std::string>();
}

ll::Result<std::string> FakeFiles::mount_of(const std::string& path, bool /*follow*/)
{
    if (!path.starts_with(kMount))
        return ll::fail(ENODEV, "not on a Lustre filesystem");
    return kMount;
}

ll::Result<std::string> FakeFiles::root_of(const std::string& /*mount*/)
{
    return root;
}

ll::Result<std::optional<ll_user_target>> FakeFiles::target(const std::string& /*mount*/,
                                                            lfs::TargetType type,
                                                            std::uint32_t index)
{
    for (const ll_user_target& target : targets)
        if (target.lt_type == static_cast<std::uint32_t>(type) && target.lt_index >= index)
            return std::optional(target);
    return std::optional<ll_user_target>();
}

ll::Result<std::string> FakeFiles::volume(const std::string& /*mount*/)
{
    return std::string("lustre-clilov-00000000deadbeef");
}

ll::Result<lctl::Pools> FakeFiles::pools(const std::string& name)
{
    if (!mounted)
        return ll::fail(ENODEV, "file system '" + name + "' is not mounted on this node");
    if (name == "lustre.flash")
        return lctl::Pools{"lustre", "flash", {{"flash", {"lustre-OST0003_UUID"}}}};
    return lctl::Pools{name, "", {{"disk", {}}, {"flash", {"lustre-OST0003_UUID"}}}};
}

std::vector<ll_user_target> some_targets()
{
    const ll_user_target ost = {.lt_type = LL_TARGET_OST,
                                .lt_bsize = 4096,
                                .lt_blocks = 78276,
                                .lt_bfree = 77897,
                                .lt_bavail = 71105,
                                .lt_files = 500,
                                .lt_ffree = 300,
                                .lt_uuid = "lustre-OST0000_UUID"};
    ll_user_target last = ost;

    last.lt_index = 3;
    last.lt_uuid[13] = '3';
    last.lt_state = OS_STATFS_DEGRADED | OS_STATFS_READONLY;
    return {{.lt_type = LL_TARGET_MDT,
             .lt_bsize = 4096,
             .lt_blocks = 31342,
             .lt_bfree = 30908,
             .lt_bavail = 28032,
             .lt_files = 1000,
             .lt_ffree = 900,
             .lt_uuid = "lustre-MDT0000_UUID"},
            ost,
            {.lt_type = LL_TARGET_OST,
             .lt_index = 1,
             .lt_error = ENODATA,
             .lt_uuid = "lustre-OST0001_UUID"},
            last};
}

std::string bytes_of(const std::string& hex)
{
    std::string bytes;

    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    return bytes;
}

std::string hex_of(const std::string& bytes)
{
    std::string hex;

    for (const char c : bytes)
        hex.append(fmt::format("{:02x}", static_cast<unsigned char>(c)));
    return hex;
}

std::string melon()
{
    return bytes_of(
        "d00bd10b01000000010000000000000011a800000200000000001000"
        "01000000a204000000000000000000000000000000000000"
        "01000000");
}

Ran run(lfs::Files& files, const std::string& line)
{
    std::istringstream stream("lfs " + line);
    std::vector<std::string> words;
    std::vector<char*> argv;
    KeptWriter out;
    KeptWriter err;

    for (std::string word; stream >> word;)
        words.push_back(word);
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    lfs::Context context(files, out, err);
    const int status = lfs::run(context, static_cast<int>(words.size()), argv.data());

    return {out.all, err.all, status};
}

void run_cases(lfs::Files& files, std::span<const Case> cases)
{
    for (const Case& one : cases) {
        const Ran ran = run(files, one.line);

        print_message("lfs %s\n", one.line);
        assert_text(ran.out, one.out);
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.status);
    }
}

}  // namespace lfs_test
