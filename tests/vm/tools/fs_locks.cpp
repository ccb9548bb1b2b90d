// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-locks [--interrupted] DIR DIR
//	fs-locks --random N SEED DIR DIR LOCAL
//	fs-locks --hold FILE
//	fs-locks --try FILE
//
// Locks of files by processes on two mounts of one file system, DIR and DIR: flock(), fcntl() and
// locks of open files. A line "ok TEXT" or "failed TEXT" for each check. With --random N calls that
// do not wait are made there and then, in the same order, in LOCAL, a directory of a local file
// system: each has to end alike. With --interrupted only the calls that a signal ends. Status 1 if
// a check failed.
//
// --hold: lock a file, print "held", and keep the lock until the process is killed. --try: status 1
// if another one has a lock of the file.

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int FILES = 2;

enum class Kind { FLOCK, POSIX, OFD, REOPEN, COUNT };

// A call of a worker. type: F_RDLCK, F_WRLCK, F_UNLCK. rounds: of COUNT.
struct Call {
    Kind kind;
    int file;
    short type;
    long start;
    long len;
    bool wait;
    bool test;
    bool alarms;
    int rounds;
};

// error: 0 or an errno. type, start, len and pid: of a test.
struct Answer {
    int error;
    short type;
    long start;
    long len;
    int pid;
};

[[noreturn]] void die(const std::string& what)
{
    std::perror(("fs-locks: " + what).c_str());
    std::_Exit(2);
}

void all(ssize_t done, std::size_t size, const char* what)
{
    if (done != static_cast<ssize_t>(size))
        die(what);
}

void on_alarm(int) {}

// --- in the process of a worker -------------------------------------------------------------

class Files {
public:
    explicit Files(const std::string& dir) : dir_(dir)
    {
        for (int n = 0; n < FILES; n++)
            open_one(n);
    }

    Answer run(const Call& call)
    {
        if (call.kind == Kind::REOPEN) {
            ::close(fds_[call.file]);
            open_one(call.file);
            return {};
        }
        if (call.kind == Kind::COUNT)
            return count(call);
        return call.alarms ? with_alarms(call) : lock(call);
    }

private:
    void open_one(int n)
    {
        // The second one is a directory, which has only locks of flock().
        const std::string path = dir_ + (n == 0 ? "/file" : "/dir");

        fds_[n] = ::open(path.c_str(), n == 0 ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
        if (fds_[n] < 0)
            die(path);
    }

    static int command(const Call& call)
    {
        if (call.kind == Kind::OFD)
            return call.test ? F_OFD_GETLK : call.wait ? F_OFD_SETLKW : F_OFD_SETLK;
        return call.test ? F_GETLK : call.wait ? F_SETLKW : F_SETLK;
    }

    Answer lock_whole(const Call& call) const
    {
        int op = call.type == F_RDLCK ? LOCK_SH : call.type == F_WRLCK ? LOCK_EX : LOCK_UN;

        if (!call.wait)
            op |= LOCK_NB;
        return {::flock(fds_[call.file], op) == 0 ? 0 : errno, 0, 0, 0, 0};
    }

    Answer lock(const Call& call) const
    {
        struct flock fl = {};

        if (call.kind == Kind::FLOCK)
            return lock_whole(call);
        fl.l_type = call.type;
        fl.l_start = call.start;
        fl.l_len = call.len;
        if (::fcntl(fds_[call.file], command(call), &fl) != 0)
            return {errno, 0, 0, 0, 0};
        return {0, fl.l_type, fl.l_start, fl.l_len, fl.l_pid};
    }

    // Signals come until the call ends.
    Answer with_alarms(const Call& call)
    {
        struct sigaction action = {};
        const itimerval often = {{0, 20000}, {0, 20000}}, never = {};

        action.sa_handler = on_alarm;
        ::sigaction(SIGALRM, &action, nullptr);
        ::setitimer(ITIMER_REAL, &often, nullptr);
        const Answer answer = lock(call);
        ::setitimer(ITIMER_REAL, &never, nullptr);
        return answer;
    }

    // Add to the number in the file, each time under a lock.
    Answer count(const Call& call)
    {
        const Kind kind = call.start == 0 ? Kind::FLOCK : Kind::POSIX;

        for (int n = 0; n < call.rounds; n++) {
            Call step = {kind, 0, F_WRLCK, 0, 0, true, false, false, 0};
            char text[32] = "0";

            if (const Answer a = lock(step); a.error != 0)
                return a;
            if (::pread(fds_[0], text, sizeof(text) - 1, 0) < 0)
                return {errno, 0, 0, 0, 0};
            const int len = std::snprintf(text, sizeof(text), "%08ld", std::atol(text) + 1);
            if (::pwrite(fds_[0], text, static_cast<std::size_t>(len), 0) != len)
                return {errno, 0, 0, 0, 0};
            step.type = F_UNLCK;
            if (const Answer a = lock(step); a.error != 0)
                return a;
        }
        return {};
    }

    std::string dir_;
    int fds_[FILES] = {};
};

// --- workers ----------------------------------------------------------------------------

class Worker {
public:
    explicit Worker(const std::string& dir)
    {
        int to[2], from[2];

        if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
            die("pipe");
        pid_ = ::fork();
        if (pid_ < 0)
            die("fork");
        if (pid_ == 0) {
            ::close(to[1]);
            ::close(from[0]);
            serve(dir, to[0], from[1]);
        }
        ::close(to[0]);
        ::close(from[1]);
        to_ = to[1];
        from_ = from[0];
    }

    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    ~Worker()
    {
        // Others have its pipe, too: it would not see that this end is closed.
        if (pid_ > 0)
            kill_it();
        ::close(to_);
        ::close(from_);
    }

    void send(const Call& call) { all(::write(to_, &call, sizeof(call)), sizeof(call), "send"); }

    Answer answer()
    {
        Answer answer;

        all(::read(from_, &answer, sizeof(answer)), sizeof(answer), "a worker is gone");
        return answer;
    }

    Answer run(const Call& call)
    {
        send(call);
        return answer();
    }

    bool has_answered() const
    {
        pollfd fd = {from_, POLLIN, 0};

        return ::poll(&fd, 1, 0) > 0;
    }

    void kill_it()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

    pid_t pid() const { return pid_; }

private:
    [[noreturn]] static void serve(const std::string& dir, int in, int out)
    {
        Files files(dir);
        Call call;

        while (::read(in, &call, sizeof(call)) == sizeof(call)) {
            const Answer answer = files.run(call);

            if (::write(out, &answer, sizeof(answer)) != sizeof(answer))
                break;
        }
        std::_Exit(0);
    }

    pid_t pid_ = 0;
    int to_ = -1;
    int from_ = -1;
};

// --- checks ---------------------------------------------------------------------------------

int failures = 0;

void check(const std::string& what, bool fine)
{
    std::printf("%s %s\n", fine ? "ok" : "failed", what.c_str());
    std::fflush(stdout);
    failures += !fine;
}

void expect(const std::string& what, const Answer& answer, int error)
{
    check(what, answer.error == error);
    if (answer.error != error)
        std::printf("failed %s: '%s', not '%s'\n", what.c_str(), std::strerror(answer.error),
                    std::strerror(error));
}

Call whole(short type, bool wait = false, int file = 0)
{
    return {Kind::FLOCK, file, type, 0, 0, wait, false, false, 0};
}

Call bytes(short type, long start, long len, bool wait = false)
{
    return {Kind::POSIX, 0, type, start, len, wait, false, false, 0};
}

Call tested(short type, long start, long len)
{
    return {Kind::POSIX, 0, type, start, len, false, true, false, 0};
}

void whole_files(Worker& a, Worker& b, Worker& c, int file, const std::string& what)
{
    expect(what + ": shared", a.run(whole(F_RDLCK, false, file)), 0);
    expect(what + ": shared by two", b.run(whole(F_RDLCK, false, file)), 0);
    expect(what + ": not exclusive", b.run(whole(F_WRLCK, false, file)), EWOULDBLOCK);
    expect(what + ": released", a.run(whole(F_UNLCK, false, file)), 0);
    expect(what + ": exclusive", b.run(whole(F_WRLCK, false, file)), 0);
    expect(what + ": not by two", a.run(whole(F_WRLCK, false, file)), EWOULDBLOCK);
    expect(what + ": nor on the same mount", c.run(whole(F_RDLCK, false, file)), EWOULDBLOCK);
    a.send(whole(F_WRLCK, true, file));
    check(what + ": the other one waits", !a.has_answered());
    expect(what + ": released", b.run(whole(F_UNLCK, false, file)), 0);
    expect(what + ": granted", a.answer(), 0);
    expect(what + ": closed", a.run({Kind::REOPEN, file, 0, 0, 0, false, false, false, 0}), 0);
    expect(what + ": free after a close", b.run(whole(F_WRLCK, false, file)), 0);
    expect(what + ": released", b.run(whole(F_UNLCK, false, file)), 0);
}

// A row of a test: bytes of a process. start below 0: any.
bool is(const Answer& seen, short type, int pid, long start = -1, long len = 0)
{
    return seen.error == 0 && seen.type == type && seen.pid == pid &&
           (start < 0 || (seen.start == start && seen.len == len));
}

void ranges(Worker& a, Worker& b, Worker& c)
{
    expect("bytes for writing", a.run(bytes(F_WRLCK, 0, 100)), 0);
    expect("others beside them", b.run(bytes(F_WRLCK, 100, 0)), 0);
    expect("a byte of the other client", b.run(bytes(F_RDLCK, 99, 1)), EAGAIN);
    expect("a byte of the same client", c.run(bytes(F_RDLCK, 5, 1)), EAGAIN);
    check("who is in the way", is(b.run(tested(F_RDLCK, 0, 0)), F_WRLCK, -a.pid(), 0, 100));
    check("up to the end", is(a.run(tested(F_RDLCK, 200, 1)), F_WRLCK, -b.pid(), 100, 0));
    check("on the same node", is(c.run(tested(F_WRLCK, 50, 10)), F_WRLCK, a.pid()));
    expect("a part for reading", a.run(bytes(F_RDLCK, 40, 20)), 0);
    expect("is shared", b.run(bytes(F_RDLCK, 45, 5)), 0);
    expect("the owner waits for the others", a.run(bytes(F_WRLCK, 40, 20)), EAGAIN);
    expect("it still has them", c.run(bytes(F_WRLCK, 40, 1)), EAGAIN);
    expect("released", a.run(bytes(F_UNLCK, 0, 0)), 0);
    expect("released", b.run(bytes(F_UNLCK, 0, 0)), 0);
    const Answer seen = c.run(tested(F_WRLCK, 0, 0));
    check("nobody is in the way", seen.error == 0 && seen.type == F_UNLCK);
}

void interrupted(Worker& a, Worker& b, Worker& c)
{
    Call call = bytes(F_WRLCK, 0, 10, true);

    call.alarms = true;
    expect("held", a.run(bytes(F_WRLCK, 0, 10)), 0);
    expect("a signal ends the wait", b.run(call), EINTR);
    expect("released", a.run(bytes(F_UNLCK, 0, 0)), 0);
    expect("who was interrupted has none", c.run(bytes(F_WRLCK, 0, 10)), 0);
    expect("released", c.run(bytes(F_UNLCK, 0, 0)), 0);
    call = whole(F_WRLCK, true);
    call.alarms = true;
    expect("held", a.run(whole(F_RDLCK)), 0);
    expect("a signal ends the wait for a file", b.run(call), EINTR);
    expect("shared with the holder", c.run(whole(F_RDLCK)), 0);
    expect("released", a.run(whole(F_UNLCK)), 0);
    expect("released", c.run(whole(F_UNLCK)), 0);
}

void interrupted(const std::array<std::string, 2>& dirs)
{
    Worker a(dirs[0]), b(dirs[1]), c(dirs[0]);

    interrupted(a, b, c);
}

void deadlock(Worker& a, Worker& b)
{
    expect("the first byte", a.run(bytes(F_WRLCK, 0, 1)), 0);
    expect("the second byte", b.run(bytes(F_WRLCK, 1, 1)), 0);
    b.send(bytes(F_WRLCK, 0, 1, true));
    // The one that comes second is refused. The first call here may come before the other one.
    Answer mine;
    do {
        Call probe = bytes(F_WRLCK, 1, 1, true);

        probe.alarms = true;
        mine = a.run(probe);
    } while (mine.error == EINTR && !b.has_answered());
    if (mine.error != EINTR)
        expect("a deadlock", mine, EDEADLK);
    expect("the first byte is released", a.run(bytes(F_UNLCK, 0, 0)), 0);
    expect("the other one", b.answer(), mine.error == EINTR ? EDEADLK : 0);
    expect("released", b.run(bytes(F_UNLCK, 0, 0)), 0);
}

void killed(const std::array<std::string, 2>& dirs, Worker& b)
{
    auto holder = std::make_unique<Worker>(dirs[0]);
    Worker waiter(dirs[0]);

    expect("a process locks", holder->run(bytes(F_WRLCK, 0, 0)), 0);
    expect("and the file", holder->run(whole(F_WRLCK)), 0);
    b.send(bytes(F_WRLCK, 0, 0, true));
    waiter.send(bytes(F_WRLCK, 0, 0, true));
    waiter.kill_it();
    check("still held", !b.has_answered());
    holder->kill_it();
    expect("the lock of a killed process is free", b.answer(), 0);
    expect("that of the file, too", b.run(whole(F_WRLCK)), 0);
    expect("released", b.run(bytes(F_UNLCK, 0, 0)), 0);
    expect("released", b.run(whole(F_UNLCK)), 0);
}

void counted(const std::array<std::string, 2>& dirs, bool posix)
{
    constexpr int WORKERS = 4, ROUNDS = 20;
    std::vector<std::unique_ptr<Worker>> workers;
    const std::string path = dirs[0] + "/file";
    char text[32] = "";
    bool fine = true;

    if (::truncate(path.c_str(), 0) != 0)
        die(path);
    for (int n = 0; n < WORKERS; n++) {
        workers.push_back(std::make_unique<Worker>(dirs[n % 2]));
        workers.back()->send({Kind::COUNT, 0, 0, posix, 0, false, false, false, ROUNDS});
    }
    for (const auto& worker : workers)
        fine &= worker->answer().error == 0;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::read(fd, text, sizeof(text) - 1) < 0)
        die(path);
    ::close(fd);
    check(std::string("a number in a file, added to under ") + (posix ? "fcntl()" : "flock()"),
          fine && std::atol(text) == WORKERS * ROUNDS);
}

void make(const std::string& dir)
{
    const int fd = ::open((dir + "/file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);

    if (fd < 0 || (::mkdir((dir + "/dir").c_str(), 0755) != 0 && errno != EEXIST))
        die(dir);
    ::close(fd);
}

void cases(const std::array<std::string, 2>& dirs)
{
    Worker a(dirs[0]), b(dirs[1]), c(dirs[0]);

    whole_files(a, b, c, 0, "file");
    whole_files(a, b, c, 1, "directory");
    ranges(a, b, c);
    interrupted(a, b, c);
    deadlock(a, b);
    killed(dirs, b);
    counted(dirs, false);
    counted(dirs, true);
}

// --- random calls ---------------------------------------------------------------------------

constexpr std::size_t OWNERS = 4;

Call random_call(std::mt19937_64& random)
{
    auto below = [&random](unsigned long n) { return static_cast<long>(random() % n); };
    constexpr short TYPES[] = {F_RDLCK, F_WRLCK, F_UNLCK};
    Call call = {};

    call.kind = std::array{Kind::FLOCK, Kind::POSIX, Kind::POSIX, Kind::OFD, Kind::OFD}[below(5)];
    call.file = call.kind == Kind::FLOCK ? static_cast<int>(below(FILES)) : 0;
    call.type = TYPES[below(3)];
    call.start = below(10);
    call.len = below(6);
    call.test = call.kind != Kind::FLOCK && below(4) == 0;
    if (call.test && call.type == F_UNLCK)
        call.type = F_WRLCK;
    if (below(25) == 0)
        call.kind = Kind::REOPEN;
    return call;
}

std::vector<Answer> random_calls(unsigned long count, unsigned long seed,
                                 const std::vector<std::string>& dirs)
{
    std::vector<std::unique_ptr<Worker>> owners;
    std::vector<Answer> answers;
    std::mt19937_64 random(seed);

    for (std::size_t n = 0; n < OWNERS; n++)
        owners.push_back(std::make_unique<Worker>(dirs[n % dirs.size()]));
    for (unsigned long n = 0; n < count; n++) {
        const std::size_t who = random() % OWNERS;
        const Call call = random_call(random);

        if (random() % 100 == 0) {
            owners[who]->kill_it();
            owners[who] = std::make_unique<Worker>(dirs[who % dirs.size()]);
        }
        Answer answer = owners[who]->run(call);
        // Which one of several is in the way is not said.
        if (!call.test || answer.error != 0)
            answer.type = 0;
        else
            answer.type = answer.type == F_UNLCK;
        answers.push_back(answer);
    }
    return answers;
}

void compare(unsigned long count, unsigned long seed, const std::array<std::string, 2>& dirs,
             const std::string& local)
{
    make(local);
    const auto ours = random_calls(count, seed, {dirs[0], dirs[1]});
    const auto theirs = random_calls(count, seed, {local});
    unsigned long refused = 0;

    for (unsigned long n = 0; n < count; n++) {
        refused += ours[n].error != 0;
        if (ours[n].error == theirs[n].error && ours[n].type == theirs[n].type)
            continue;
        check("call " + std::to_string(n) + " of seed " + std::to_string(seed) + ": '" +
                  std::strerror(ours[n].error) + "', a local file system has '" +
                  std::strerror(theirs[n].error) + "'",
              false);
        return;
    }
    check("random calls end as those of a local file system", refused > count / 20);
}

int one_lock(const std::string& path, bool hold)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);

    if (fd < 0)
        die(path);
    if (::flock(fd, hold ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            die(path);
        return 1;
    }
    if (hold) {
        std::puts("held");
        std::fflush(stdout);
        ::pause();
    }
    return 0;
}

int usage()
{
    std::fprintf(stderr,
                 "usage: fs-locks [--random N SEED | --interrupted] DIR DIR [LOCAL]\n"
                 "       fs-locks --hold|--try FILE\n");
    return 2;
}

// The cases that an option chooses. @args: DIR DIR [LOCAL]
int run(const std::string& option, unsigned long count, unsigned long seed,
        const std::vector<std::string>& args)
{
    if (args.size() != (count ? 3u : 2u))
        return usage();
    const std::array<std::string, 2> dirs = {args[0], args[1]};

    make(dirs[0]);
    if (count)
        compare(count, seed, dirs, args[2]);
    else if (option == "--interrupted")
        interrupted(dirs);
    else
        cases(dirs);
    return failures != 0;
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> args(argv + 1, argv + argc);
    const std::string option = args.empty() ? "" : args[0];
    unsigned long count = 0, seed = 0;

    if (args.size() == 2 && (option == "--hold" || option == "--try"))
        return one_lock(args[1], option == "--hold");
    if (args.size() == 6 && option == "--random") {
        count = std::strtoul(args[1].c_str(), nullptr, 10);
        seed = std::strtoul(args[2].c_str(), nullptr, 10);
        args.erase(args.begin(), args.begin() + 3);
    } else if (option == "--interrupted") {
        args.erase(args.begin());
    }
    return run(option, count, seed, args);
}
