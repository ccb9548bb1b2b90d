// SPDX-License-Identifier: GPL-2.0-only
#include "disk_fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "disk/mkfs.hpp"
#include "disk/tunefs.hpp"

namespace disk_test {

namespace fs = std::filesystem;

namespace {

Bytes read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail_msg("%s cannot be read", path.c_str());

    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return bytes_of(text);
}

/* A writer that keeps all its text, including flushed text. */
class Keeper final : public lctl::Writer {
public:
    Keeper() : Writer(-1) {}
    ~Keeper() override { flush(); }

    std::string kept()
    {
        flush();
        return kept_;
    }

protected:
    int write_all(std::string_view text) override
    {
        kept_ += text;
        return 0;
    }

private:
    std::string kept_;
};

}  // namespace

Directory::Directory()
{
    assert_non_null(::mkdtemp(path_.data()));
}

Directory::~Directory()
{
    std::error_code ignored;

    fs::remove_all(path_, ignored);
}

bool Directory::has(const std::string& name) const
{
    return fs::exists(file(name));
}

void Directory::put(const std::string& name, const Bytes& bytes) const
{
    fs::create_directories(fs::path(file(name)).parent_path());
    std::ofstream stream(file(name), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    stream.close();
    assert_true(stream.good());
}

Bytes Directory::get(const std::string& name) const
{
    return read_file(file(name));
}

std::string Directory::list() const
{
    std::vector<std::string> names;
    std::string text;

    for (const auto& entry : fs::recursive_directory_iterator(path_))
        names.push_back(entry.path().string().substr(path_.size() + 1));
    std::sort(names.begin(), names.end());
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

Bytes bytes_of(std::string_view text)
{
    Bytes bytes;

    for (const char c : text)
        bytes.push_back(static_cast<Bytes::value_type>(c));
    return bytes;
}

Bytes golden(const std::string& name)
{
    return read_file(std::string(LL_GOLDEN) + "/" + name);
}

Output run(Program program, std::vector<std::string> arguments)
{
    std::vector<char*> argv;
    Output output;
    Keeper out;
    Keeper err;

    arguments.insert(arguments.begin(), "program");
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    output.status = program(out, err, static_cast<int>(arguments.size()), argv.data());
    output.out = out.kept();
    output.err = err.kept();
    return output;
}

Output mkfs(std::vector<std::string> arguments)
{
    return run(disk::run_mkfs, std::move(arguments));
}

Output tunefs(std::vector<std::string> arguments)
{
    return run(disk::run_tunefs, std::move(arguments));
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

disk::MountData data_of(const Directory& directory, const std::string& name)
{
    const auto data = disk::MountData::decode(name, directory.get(name + "/CONFIGS/mountdata"));

    if (!data)
        fail_msg("%s", data.error().text.c_str());
    return *data;
}

}  // namespace disk_test
