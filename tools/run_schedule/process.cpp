// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "process.hpp"

#include "../system/calls.hpp"
#include "output.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): only glibc declares it

namespace {

constexpr const char* kShell = "/bin/sh";

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), "cannot be started" + what);
}

/// What a child says of why it could not become the command.
struct Refusal {
    enum Step { Shell, User, Folder } step;
    int error;
};

/// A file without a name that holds the text: unlike a pipe, it lets neither side wait.
/// \returns a descriptor at its beginning
int fileWith(std::string_view text) {
#if defined(MFD_CLOEXEC)
    FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
#else
    std::FILE* const temporary = std::tmpfile();
    if (temporary == nullptr) fail(errno, "");
    FileDescriptor file(::fcntl(::fileno(temporary), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    std::fclose(temporary);
#endif
    if (file.get() < 0) fail(errno, "");
    const int error = writeAll(file.get(), text);
    if (error != 0) fail(error, "");
    ::lseek(file.get(), 0, SEEK_SET);
    return file.release();
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// All that the child needs, so that it calls only what is safe after the fork of a process with
/// threads.
struct Plan {
    const Command& command;
    std::vector<char*> arguments, environment;
    std::array<int, 3> descriptors;  ///< which become 0, 1 and 2
    int refusals;                    ///< a pipe for a Refusal
};

[[noreturn]] void refuse(const Plan& plan, Refusal::Step step) {
    const Refusal refusal{step, errno};
    static_cast<void>(::write(plan.refusals, &refusal, sizeof(refusal)));
    ::_exit(127);
}

/// Closes all descriptors above 2 when the program begins. Ours are close-on-exec in any case, but
/// not what we have inherited, nor those of a library for a moment.
void closeDescriptorsOnExec() {
#if defined(SYS_close_range)
    constexpr unsigned kOnExec = 4;                               // CLOSE_RANGE_CLOEXEC
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, kOnExec);  // Linux 5.11
#endif
}

/// The child's part.
[[noreturn]] void becomeCommand(const Plan& plan) {
    ::setpgid(0, 0);
    for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
    for (int to = STDIN_FILENO; to <= STDERR_FILENO; ++to) {
        if (::dup2(plan.descriptors[static_cast<std::size_t>(to)], to) < 0)
            refuse(plan, Refusal::Shell);
    }
    closeDescriptorsOnExec();
    const Command& command = plan.command;
    if (command.user && ::geteuid() == 0) {
        const User& user = *command.user;
        if (::setgroups(user.groups.size(), user.groups.data()) != 0 || ::setgid(user.group) != 0 ||
            ::setuid(user.id) != 0) {
            refuse(plan, Refusal::User);
        }
    }
    if (!command.folder.empty() && ::chdir(command.folder.c_str()) != 0)
        refuse(plan, Refusal::Folder);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(command.shell.c_str(), plan.arguments.data(), plan.environment.data());
    refuse(plan, Refusal::Shell);
}

/// Forks with all signals blocked: a handler of ours must not run in the child.
pid_t forkInto(const Plan& plan) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0) becomeCommand(plan);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) fail(error, "");
    return pid;
}

[[noreturn]] void failAs(const Refusal& refusal, const Command& command) {
    switch (refusal.step) {
    case Refusal::User:
        fail(refusal.error, " as " + command.user->name);
    case Refusal::Folder:
        fail(refusal.error, " in " + command.folder);
    case Refusal::Shell:
        break;
    }
    fail(refusal.error, command.shell == kShell ? "" : " by " + command.shell);
}

void reap(pid_t pid, int& status) {
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
}

enum class Member { No, Alive, Dead };

/// \param process its folder in /proc
Member memberOf(pid_t group, const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name = stat.rfind(')');  // a name may hold any character
    char state = 0;
    int itsGroup = 0;
    long threads = 0;
    if (name == std::string::npos ||
        std::sscanf(stat.c_str() + name + 1,
                    " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                    &state, &itsGroup, &threads) != 3 ||
        itsGroup != group) {
        return Member::No;
    }
    // Only the first of several threads may have ended.
    return (state == 'Z' || state == 'X') && threads <= 1 ? Member::Dead : Member::Alive;
}

}  // namespace

bool groupIsAlive(pid_t group) {
    if (::kill(-group, 0) != 0) return errno != ESRCH;
    bool dead = false;
    std::error_code error;  // without /proc, nothing is found
    std::filesystem::directory_iterator each("/proc", error);
    for (; each != std::filesystem::directory_iterator(); each.increment(error)) {
        const std::filesystem::path& process = each->path();
        const char first = process.filename().string().front();
        const Member member = first >= '0' && first <= '9' ? memberOf(group, process) : Member::No;
        if (member == Member::Alive) return true;
        dead = dead || member == Member::Dead;
    }
    return !dead || error;  // what was not seen may be alive
}

void FileDescriptor::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

std::vector<std::string> ownEnvironment() {
    std::vector<std::string> result;
    for (char** each = environ; *each != nullptr; ++each) result.emplace_back(*each);
    return result;
}

pid_t spawn(const Command& command, int input, int output, int error) {
    const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (null.get() < 0) fail(errno, "");
    const FileDescriptor text(command.input ? fileWith(*command.input) : -1);
    std::array<int, 2> ends{};
    if (system_calls::openPipe(ends) != 0) fail(errno, "");
    const FileDescriptor refusals(ends[0]);
    FileDescriptor toParent(ends[1]);

    const int in = text.get() >= 0 ? text.get() : input;
    const auto orNull = [&null](int fd) { return fd < 0 ? null.get() : fd; };
    std::vector<std::string> arguments{command.shell.substr(command.shell.rfind('/') + 1), "-c",
                                       command.script};
    std::vector<std::string> environment = command.environment;
    const Plan plan{command,
                    pointersTo(arguments),
                    pointersTo(environment),
                    {orNull(in), orNull(output), orNull(error)},
                    toParent.get()};
    const pid_t pid = forkInto(plan);
    toParent.close();
    Refusal refusal{};
    ssize_t count = 0;
    do {
        count = ::read(refusals.get(), &refusal, sizeof(refusal));
    } while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(sizeof(refusal))) return pid;
    int status = 0;
    reap(pid, status);
    failAs(refusal, command);
}

int openPidfd(pid_t pid) {
#if defined(SYS_pidfd_open)
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
    static_cast<void>(pid);
    return -1;
#endif
}

void discardOutputOf(int pipe) {
    // `cat` runs in the background of a shell that exits at once, so that we need not wait for it.
    // Its input is passed as descriptor 3, since a shell gives background processes an empty input.
    Command cat;
    cat.script = "exec 3<&0; cat <&3 3<&- &";
    cat.environment = ownEnvironment();
    const pid_t pid = spawn(cat, pipe, -1, -1);
    int status = 0;
    reap(pid, status);
    if (status != 0) fail(EAGAIN, "");  // the shell could not fork
}
