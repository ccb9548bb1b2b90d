// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-journal run DIR JOURNAL SEED
//	fs-journal check DIR JOURNAL
//	fs-journal shutdown DIR
//
// run: random changes of names and attributes in DIR, an empty directory, until SIGTERM. JOURNAL,
// which is on another file system, has a line for each change before it is made, "done" after it,
// and "synced" after an fsync() or syncfs() that succeeded. No call may fail, but syncfs() does not
// wait for a target that is down (ENOTCONN).
//
// check: prints how many changes are in DIR. All of them are whole and the first ones of the
// journal: those before its last "synced" at least. The next one may have left a name.
//
// shutdown: the local file system of DIR loses all that its own journal has not committed, and
// fails until it is mounted again.
//
// Status 1 if a call or the check fails.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

// Of ext4 and xfs: the number, and "without writing the journal".
constexpr unsigned long shutdown_request = _IOR('X', 125, std::uint32_t);
constexpr std::uint32_t shutdown_without_flush = 2;

constexpr const char* ATTRIBUTE = "user.j";

[[noreturn]] void die(const std::string& what)
{
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

void need(bool fine, const std::string& what)
{
    if (!fine)
        die(what);
}

struct Change {
    std::string op;  // creat, mkdir, symlink, link, rename, unlink, rmdir, chmod, setxattr
    std::string path;
    std::string other;  // new path, target, mode, or value
};

struct Object {
    mode_t mode = 0;  // with its type
    std::string target;
    std::string value;
};

// Paths with text about their objects.
using Shown = std::map<std::string, std::string>;

std::string shown(mode_t mode, std::size_t names, const std::string& target,
                  const std::string& value, const std::string& first)
{
    std::ostringstream text;

    text << std::oct << mode << std::dec;
    if (!S_ISDIR(mode))
        text << " names " << names << " of " << first;
    text << " -> '" << target << "' value '" << value << "'";
    return text.str();
}

// The names of a directory after some changes.
class Model {
public:
    void apply(const Change& change)
    {
        const std::string& op = change.op;

        if (op == "creat" || op == "mkdir" || op == "symlink")
            add(change);
        else if (op == "link")
            names_[change.other] = names_.at(change.path);
        else if (op == "rename")
            rename(change.path, change.other);
        else if (op == "unlink" || op == "rmdir")
            names_.erase(change.path);
        else if (op == "chmod")
            set_mode(*names_.at(change.path), change.other);
        else if (op == "setxattr")
            names_.at(change.path)->value = change.other;
        else
            throw std::runtime_error("unknown change " + op);
    }

    Shown show() const
    {
        std::map<const Object*, std::vector<std::string>> all;
        Shown result;

        for (const auto& [path, object] : names_)
            all[object.get()].push_back(path);
        for (const auto& [object, paths] : all)
            for (const std::string& path : paths)
                result[path] =
                    shown(object->mode, paths.size(), object->target, object->value, paths.front());
        return result;
    }

    bool has(const std::string& path) const { return names_.contains(path); }

    // Paths of a type.
    std::vector<std::string> paths(mode_t type) const
    {
        std::vector<std::string> result;

        for (const auto& [path, object] : names_)
            if ((object->mode & S_IFMT) == type)
                result.push_back(path);
        return result;
    }

    bool is_empty(const std::string& dir) const
    {
        const auto next = names_.upper_bound(dir + "/");

        return next == names_.end() || !next->first.starts_with(dir + "/");
    }

private:
    static void set_mode(Object& object, const std::string& octal)
    {
        object.mode = (object.mode & S_IFMT) | static_cast<mode_t>(std::stoul(octal, nullptr, 8));
    }

    void add(const Change& change)
    {
        auto object = std::make_shared<Object>();

        if (change.op == "symlink") {
            object->mode = S_IFLNK | 0777;
            object->target = change.other;
        } else {
            object->mode = change.op == "mkdir" ? S_IFDIR : S_IFREG;
            set_mode(*object, change.other);
        }
        names_[change.path] = object;
    }

    void rename(const std::string& from, const std::string& to)
    {
        std::map<std::string, std::shared_ptr<Object>> moved;

        std::erase_if(names_, [&](const auto& each) {
            const std::string& path = each.first;

            if (path != from && !path.starts_with(from + "/"))
                return false;
            moved[to + path.substr(from.size())] = each.second;
            return true;
        });
        for (const auto& [path, object] : moved)
            names_[path] = object;
    }

    std::map<std::string, std::shared_ptr<Object>> names_;
};

// --- run ----------------------------------------------------------------------------

volatile std::sig_atomic_t ended = 0;

class Runner {
public:
    Runner(const char* journal, std::uint64_t seed)
        : journal_(::open(journal, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)), random_(seed)
    {
        need(bool(journal_), journal);
    }

    void run()
    {
        while (ended == 0) {
            const Change change = choose();

            write(change.op + " " + change.path + " " + change.other + "\n");
            make(change);
            model_.apply(change);
            write("done\n");
            if (below(32) == 0)
                sync();
        }
    }

private:
    unsigned long below(unsigned long n) { return random_() % n; }

    void write(const std::string& line)
    {
        need(::write(journal_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()),
             "journal");
    }

    // A path without a name; its directory is there.
    std::string free_path()
    {
        const std::vector<std::string> dirs = model_.paths(S_IFDIR);
        std::string dir;
        std::string path;

        do {
            dir = dirs.empty() || below(3) == 0 ? "" : dirs[below(dirs.size())] + "/";
            path = dir + "n" + std::to_string(below(1000));
        } while (model_.has(path));
        return path;
    }

    std::string mode() { return std::to_string(6) + std::to_string(below(8)) + "0"; }

    Change choose()
    {
        const std::vector<std::string> files = model_.paths(S_IFREG);
        const std::vector<std::string> dirs = model_.paths(S_IFDIR);

        if (dirs.size() < 2 || (dirs.size() < 6 && below(12) == 0))
            return {"mkdir", free_path(), "7" + std::to_string(below(8)) + "0"};
        if (files.size() < 4 || (files.size() < 60 && below(3) == 0))
            return {"creat", free_path(), mode()};
        switch (below(8)) {
            case 0:
                return remove_dir(dirs);
            case 1:
                return symbolic();
            case 2:
                return {"link", any(files), free_path()};
            case 3:
                return {"chmod", any(files), mode()};
            case 4:
                return {"setxattr", any(files), std::to_string(below(100000))};
            case 5:
                return {"rename", any(files), free_path()};
            case 6:
                return replace(files);
            default:
                return {"unlink", any(files), "-"};
        }
    }

    const std::string& any(const std::vector<std::string>& paths)
    {
        return paths[below(paths.size())];
    }

    // Or move it to the top.
    Change remove_dir(const std::vector<std::string>& dirs)
    {
        const std::string& dir = any(dirs);

        if (model_.is_empty(dir))
            return {"rmdir", dir, "-"};
        for (;;) {
            const std::string to = "n" + std::to_string(below(1000));

            if (!model_.has(to))
                return {"rename", dir, to};
        }
    }

    Change symbolic()
    {
        const std::vector<std::string> links = model_.paths(S_IFLNK);

        if (links.size() < 10)
            return {"symlink", free_path(), "to/" + std::to_string(below(1000))};
        return {"unlink", any(links), "-"};
    }

    // A rename of one name of an object to another one does nothing.
    Change replace(const std::vector<std::string>& files)
    {
        const Shown names = model_.show();
        const std::string& from = any(files);
        const std::string& to = any(files);

        if (names.at(from) != names.at(to))
            return {"rename", from, to};
        return {"chmod", from, mode()};
    }

    static void make(const Change& change)
    {
        const char* path = change.path.c_str();
        const char* other = change.other.c_str();
        int rc = -1;

        if (change.op == "creat")
            rc = creat(path, static_cast<mode_t>(std::strtoul(other, nullptr, 8)));
        else if (change.op == "mkdir")
            rc = ::mkdir(path, static_cast<mode_t>(std::strtoul(other, nullptr, 8)));
        else if (change.op == "symlink")
            rc = ::symlink(other, path);
        else if (change.op == "link")
            rc = ::link(path, other);
        else if (change.op == "rename")
            rc = ::rename(path, other);
        else if (change.op == "unlink")
            rc = ::unlink(path);
        else if (change.op == "rmdir")
            rc = ::rmdir(path);
        else if (change.op == "chmod")
            rc = ::chmod(path, static_cast<mode_t>(std::strtoul(other, nullptr, 8)));
        else if (change.op == "setxattr")
            rc = ::setxattr(path, ATTRIBUTE, other, change.other.size(), 0);
        need(rc == 0, change.op + " " + change.path + " " + change.other);
    }

    static int creat(const char* path, mode_t mode)
    {
        const int fd = ::open(path, O_RDONLY | O_CREAT | O_EXCL, mode);

        return fd < 0 ? -1 : ::close(fd);
    }

    // By a file, the directory, or all.
    void sync()
    {
        const std::vector<std::string> files = model_.paths(S_IFREG);
        const bool file = !files.empty() && below(2) == 0;
        const ll::Fd fd(::open(file ? any(files).c_str() : ".", O_RDONLY | O_CLOEXEC));

        need(bool(fd), "open for a sync");
        if (below(3) != 0)
            need(::fsync(fd.get()) == 0, "fsync");
        else if (::syncfs(fd.get()) != 0)
            return need(errno == ENOTCONN, "syncfs");
        write("synced\n");
    }

    ll::Fd journal_;
    std::mt19937_64 random_;
    Model model_;
};

void run(const char* dir, const char* journal, const char* seed)
{
    Runner runner(journal, std::strtoull(seed, nullptr, 10));
    struct sigaction action = {};

    action.sa_handler = [](int) { ended = 1; };
    need(::sigaction(SIGTERM, &action, nullptr) == 0, "sigaction");
    ::umask(0);
    need(::chdir(dir) == 0, dir);
    runner.run();
}

// --- check --------------------------------------------------------------------------

struct Journal {
    std::vector<Change> changes;
    std::size_t synced = 0;
};

Journal read_journal(const char* name)
{
    std::ifstream file(name);
    Journal journal;
    std::string line;

    need(file.is_open(), name);
    while (std::getline(file, line)) {
        std::istringstream words(line);
        Change change;

        if (line == "synced")
            journal.synced = journal.changes.size();
        else if (line != "done" && words >> change.op >> change.path >> change.other)
            journal.changes.push_back(change);
    }
    return journal;
}

// The tree below the current directory.
class Tree {
public:
    Tree() { walk(""); }

    Shown show() const
    {
        Shown result;

        for (const auto& [number, each] : all_)
            for (const std::string& path : each.paths)
                result[path] = shown(each.st.st_mode, each.st.st_nlink, each.target, each.value,
                                     *std::ranges::min_element(each.paths));
        return result;
    }

private:
    struct Each {
        struct stat st {};
        std::string target;
        std::string value;
        std::vector<std::string> paths;
    };

    void walk(const std::string& dir)
    {
        const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir(dir.empty() ? "." : dir.c_str()),
                                                      ::closedir);

        need(bool(all), "opendir " + dir);
        while (const dirent* entry = ::readdir(all.get())) {
            const std::string name = entry->d_name;

            if (name != "." && name != "..")
                look(dir.empty() ? name : dir + "/" + name);
        }
    }

    void look(const std::string& path)
    {
        struct stat st {};
        char text[256];

        need(::lstat(path.c_str(), &st) == 0, "lstat " + path);
        Each& each = all_[st.st_ino];
        each.st = st;
        each.paths.push_back(path);
        if (S_ISLNK(st.st_mode)) {
            const ssize_t length = ::readlink(path.c_str(), text, sizeof(text));

            need(length >= 0, "readlink " + path);
            each.target.assign(text, static_cast<std::size_t>(length));
        } else if (S_ISDIR(st.st_mode)) {
            walk(path);
        } else {
            const ssize_t length = ::getxattr(path.c_str(), ATTRIBUTE, text, sizeof(text));

            need(length >= 0 || errno == ENODATA, "getxattr " + path);
            each.value.assign(text, length > 0 ? static_cast<std::size_t>(length) : 0);
        }
    }

    std::map<ino_t, Each> all_;
};

// Differences; without a name that the next change may have left.
std::string differences(Shown wanted, Shown seen, const Change* next)
{
    std::string text;

    if (next != nullptr && !wanted.contains(next->path))
        seen.erase(next->path);
    for (const auto& [path, what] : wanted)
        if (!seen.contains(path))
            text += "    - " + path + " " + what + "\n";
        else if (seen.at(path) != what)
            text += "    ~ " + path + " " + what + ", seen: " + seen.at(path) + "\n";
    for (const auto& [path, what] : seen)
        if (!wanted.contains(path))
            text += "    + " + path + " " + what + "\n";
    return text;
}

void check(const char* dir, const char* name)
{
    const Journal journal = read_journal(name);
    const std::size_t count = journal.changes.size();
    Model model;
    std::string closest;

    need(::chdir(dir) == 0, dir);
    const Shown seen = Tree().show();
    for (std::size_t n = 0; n <= count; n++) {
        const Change* next = n < count ? &journal.changes[n] : nullptr;

        if (n >= journal.synced) {
            const std::string text = differences(model.show(), seen, next);

            if (text.empty()) {
                std::printf("%zu of %zu changes, %zu were synced\n", n, count, journal.synced);
                return;
            }
            if (closest.empty() || text.size() < closest.size())
                closest = "after " + std::to_string(n) + " changes:\n" + text;
        }
        if (next != nullptr)
            model.apply(*next);
    }
    throw std::runtime_error(std::to_string(count) + " changes, " + std::to_string(journal.synced) +
                             " were synced; the closest is the state " + closest);
}

void shutdown(const char* dir)
{
    const ll::Fd fd(::open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::uint32_t how = shutdown_without_flush;

    need(fd && ::ioctl(fd.get(), shutdown_request, &how) == 0, dir);
}

int command(int argc, char** argv)
{
    const std::string_view name = argc > 1 ? argv[1] : "";

    if (name == "run" && argc == 5)
        run(argv[2], argv[3], argv[4]);
    else if (name == "check" && argc == 4)
        check(argv[2], argv[3]);
    else if (name == "shutdown" && argc == 3)
        shutdown(argv[2]);
    else {
        std::fputs("usage: fs-journal run DIR JOURNAL SEED | check DIR JOURNAL | shutdown DIR\n",
                   stderr);
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return command(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "fs-journal: %s\n", failure.what());
        return 1;
    }
}
