// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class FileDescriptor {
  public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }

    int get() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_;
};

/// Cuts a stream of bytes into lines.
class LineCutter {
  public:
    explicit LineCutter(const std::function<void(std::string_view)>& onLine) : onLine_(onLine) {}

    void add(std::string_view bytes) {
        for (const char c : bytes) {
            const bool newline = c == '\n';
            if (newline || line_.size() == kLongest) flush();
            if (!newline) line_ += c;
        }
    }
    void end() {
        if (!line_.empty()) flush();
    }

  private:
    static constexpr std::size_t kLongest =
        65'536;  // a line without an end must not eat the memory

    void flush() {
        onLine_(line_);
        line_.clear();
    }

    const std::function<void(std::string_view)>& onLine_;
    std::string line_;
};

void check(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot be started");
}

/// What posix_spawn is told besides the program.
struct SpawnSettings {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;

    SpawnSettings() {
        check(posix_spawnattr_init(&attributes));
        check(posix_spawn_file_actions_init(&files));
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

pid_t spawnShell(const std::string& command, int output) {
    SpawnSettings settings;
    // In this order it works wherever `output` lies, also at 0 when we were started without an
    // input.
    check(posix_spawn_file_actions_adddup2(&settings.files, output, STDOUT_FILENO));
    check(posix_spawn_file_actions_adddup2(&settings.files, output, STDERR_FILENO));
    check(
        posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0));

    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    check(posix_spawnattr_setsigdefault(&settings.attributes, &all));
    check(posix_spawnattr_setsigmask(&settings.attributes, &none));
    check(posix_spawnattr_setpgroup(&settings.attributes, 0));
    check(posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGDEF |
                                                             POSIX_SPAWN_SETSIGMASK |
                                                             POSIX_SPAWN_SETPGROUP));

    std::string shell = "sh", option = "-c", script = command;
    const std::array<char*, 4> arguments{shell.data(), option.data(), script.data(), nullptr};
    pid_t pid = 0;
    check(posix_spawn(&pid, "/bin/sh", &settings.files, &settings.attributes, arguments.data(),
                      environ));
    return pid;
}

/// A descriptor that becomes readable when the process exits; negative where the kernel has none.
int openPidfd(pid_t pid) {
#if defined(SYS_pidfd_open)
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
    static_cast<void>(pid);
    return -1;
#endif
}

/// \returns how many bytes have come; 0 if no more will
std::size_t readSome(int fd, std::size_t atMost, LineCutter& lines) {
    std::array<char, 16'384> buffer;
    const ssize_t count = ::read(fd, buffer.data(), std::min(atMost, buffer.size()));
    if (count <= 0) return 0;
    const auto size = static_cast<std::size_t>(count);
    lines.add({buffer.data(), size});
    return size;
}

/// Reads until every writer has closed the pipe, or the shell has exited: a process in the
/// background may hold the pipe open for ever, or fill it faster than we read. So when the shell
/// has exited, only what is in the pipe at that moment is read still; all that the shell itself has
/// written is there.
/// \returns the shell's status, as waitpid gives it
int readAllAndWait(int output, pid_t pid, LineCutter& lines) {
    const FileDescriptor pidfd(openPidfd(pid));
    // Without a pidfd (Linux before 5.3) the exit is looked for ten times a second.
    const int timeout = pidfd.get() < 0 ? 100 : -1;
    int status = 0;
    for (;;) {
        std::array<pollfd, 2> fds{{{output, POLLIN, 0}, {pidfd.get(), POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), timeout);
        if (::waitpid(pid, &status, WNOHANG) != 0) {
            int left = 0;
            ::ioctl(output, FIONREAD, &left);
            for (auto rest = static_cast<std::size_t>(left); rest > 0;) {
                const std::size_t count = readSome(output, rest, lines);
                if (count == 0) break;
                rest -= count;
            }
            return status;
        }
        if (fds[0].revents != 0 && readSome(output, SIZE_MAX, lines) == 0) break;
    }
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string describeFailure(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ')';
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : "exit status " + std::to_string(code);
}

}  // namespace

std::string runCommand(const std::string& command,
                       const std::function<void(std::string_view)>& onLine) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) check(errno);
    const FileDescriptor output(ends[0]);
    FileDescriptor input(ends[1]);
    const pid_t pid = spawnShell(command, input.get());
    input.close();

    LineCutter lines(onLine);
    const int status = readAllAndWait(output.get(), pid, lines);
    lines.end();
    return describeFailure(status);
}
