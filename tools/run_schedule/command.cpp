// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "command.hpp"

#include "process.hpp"
#include "rule.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Cuts a stream of bytes into lines.
class LineCutter {
  public:
    explicit LineCutter(const CommandRunner::OnLine& onLine) : onLine_(onLine) {}

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
        65'536;  // an endless line must not use up the whole memory

    void flush() {
        onLine_(line_);
        line_.clear();
    }

    const CommandRunner::OnLine& onLine_;
    std::string line_;
};

using std::chrono::milliseconds;

namespace {

/// How often a command is looked at where the system does not tell when it ends, in milliseconds.
constexpr int kCheck = 100;

/// What shells add to the number of a signal that has killed a command.
constexpr int kSignalled = 128;

/// \returns how many bytes it has read; 0 if no more will come
std::size_t readSome(int fd, std::size_t atMost, LineCutter& lines) {
    std::array<char, 16'384> buffer;
    const ssize_t count = ::read(fd, buffer.data(), std::min(atMost, buffer.size()));
    if (count <= 0) return 0;
    const auto size = static_cast<std::size_t>(count);
    lines.add({buffer.data(), size});
    return size;
}

/// Reads what is in the pipe now, after the shell has exited. That includes all that the shell
/// itself has written. It reads no more, because a process in the background may fill the pipe
/// faster than we read.
/// \returns whether there is such a process
bool readRest(int output, LineCutter& lines) {
    pollfd pipe{output, POLLIN, 0};
    ::poll(&pipe, 1, 0);
    int left = 0;
    ::ioctl(output, FIONREAD, &left);
    for (auto rest = static_cast<std::size_t>(left); rest > 0;) {
        const std::size_t count = readSome(output, rest, lines);
        if (count == 0) break;
        rest -= count;
    }
    return (pipe.revents & POLLHUP) == 0;
}

/// After SIGTERM, also sends SIGCONT: a stopped process gets SIGTERM only when it continues.
void sendToGroup(pid_t group, int signal) {
    ::kill(-group, signal);
    if (signal == SIGTERM) ::kill(-group, SIGCONT);
}

Ending endingOf(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return {"killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ')',
                kSignalled + signal, false};
    }
    const int code = WEXITSTATUS(status);
    return {code == 0 ? "" : "exit status " + std::to_string(code), code, false};
}

}  // namespace

/// When a command gets which signal because it takes too long.
class CommandRunner::Deadline {
  public:
    explicit Deadline(const Limit& limit)
        : limit_(limit), next_(limit.timeout ? std::optional(steady_clock::now() + *limit.timeout)
                                             : std::nullopt) {}

    /// \returns the signal that is due now; 0 if none is
    int take() {
        if (!next_ || steady_clock::now() < *next_) return 0;
        if (std::exchange(hasPassed_, true)) {
            next_.reset();
            return SIGKILL;
        }
        next_ = steady_clock::now() + limit_.grace;
        return SIGTERM;
    }

    /// \returns how long poll() may wait for it, in milliseconds; -1: for ever
    int left() const {
        if (!next_) return -1;
        const auto left = std::chrono::ceil<milliseconds>(*next_ - steady_clock::now());
        return static_cast<int>(
            std::clamp<milliseconds>(left, milliseconds(0), kLongestPoll).count());
    }

    bool hasPassed() const { return hasPassed_; }

  private:
    using steady_clock = std::chrono::steady_clock;
    static constexpr milliseconds kLongestPoll = std::chrono::hours(1);

    const Limit limit_;
    std::optional<steady_clock::time_point> next_;
    bool hasPassed_ = false;
};

void CommandRunner::end(int signal) {
    const std::lock_guard lock(mutex_);
    sent_ = signal;
    if (group_ != 0) sendToGroup(group_, signal);
}

int CommandRunner::sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
}

/// \param status on return, the shell's, as waitpid gives it
bool CommandRunner::hasExited(pid_t shell, int& status) {
    const std::lock_guard lock(mutex_);
    if (::waitpid(shell, &status, WNOHANG) == 0) return false;
    // From now on another group may get this number, unless this group has other processes.
    if (sent_ != SIGTERM) group_ = 0;
    return true;
}

/// Reads what the command prints until its shell has exited, even if another process can still
/// write to the pipe: a process in the background may keep it open forever.
/// \returns the shell's status, as waitpid gives it
int CommandRunner::readUntilExit(pid_t shell, FileDescriptor& output, LineCutter& lines,
                                 Deadline& deadline) {
    const FileDescriptor pidfd(openPidfd(shell));
    int status = 0;
    while (!hasExited(shell, status)) {
        endIfDue(deadline);
        int timeout = deadline.left();
        // Without a pidfd, check for the exit ten times a second.
        if (pidfd.get() < 0) timeout = timeout < 0 ? kCheck : std::min(timeout, kCheck);
        std::array<pollfd, 2> fds{{{output.get(), POLLIN, 0}, {pidfd.get(), POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), timeout);
        if (fds[0].revents != 0 && readSome(output.get(), SIZE_MAX, lines) == 0) output.close();
    }
    return status;
}

/// To be called when the shell has exited. After a SIGTERM, waits for the rest of its group.
void CommandRunner::waitForGroup(Deadline& deadline) {
    // There is no notification when a group becomes empty, and each look reads all of /proc.
    for (milliseconds pause(5);; pause = std::min(pause * 2, milliseconds(100))) {
        {
            const std::lock_guard lock(mutex_);
            if (sent_ == SIGKILL || group_ == 0 || !groupIsAlive(group_)) {
                group_ = 0;
                return;
            }
        }
        endIfDue(deadline);
        std::this_thread::sleep_for(pause);
    }
}

void CommandRunner::endIfDue(Deadline& deadline) {
    const int signal = deadline.take();
    if (signal != 0) end(signal);
}

Ending CommandRunner::run(const Command& command, const Limit& limit, const OnLine& onLine) {
    std::array<int, 2> ends{-1, -1};
    if (onLine && ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot be started");
    }
    FileDescriptor output(ends[0]);
    FileDescriptor input(ends[1]);
    const pid_t shell = spawn(command, -1, onLine ? input.get() : kOurOutput);
    input.close();
    {
        const std::lock_guard lock(mutex_);
        group_ = shell;
        if (sent_ != 0) sendToGroup(group_, sent_);
    }

    Deadline deadline(limit);
    LineCutter lines(onLine);
    const int status = readUntilExit(shell, output, lines, deadline);
    waitForGroup(deadline);
    const bool leftInBackground = output.get() >= 0 && readRest(output.get(), lines);
    lines.end();
    // SIGPIPE would end it if it wrote to a pipe that has no reader.
    if (leftInBackground) discardOutputOf(output.get());
    Ending ending = endingOf(status);
    ending.timedOut = deadline.hasPassed();
    if (ending.timedOut) {
        ending.failure = "timed out after " + inCanonicalForm(*limit.timeout);
    } else if (sent() != 0 && !ending.failure.empty()) {
        ending.failure = "ended by run_schedule: " + ending.failure;
    }
    return ending;
}
