// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "command.hpp"

#include "../text/time_text.hpp"
#include "process.hpp"

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

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using std::chrono::milliseconds;

namespace {

/// How often a command is looked at where the system does not tell when it ends, in milliseconds.
constexpr int kCheck = 100;

/// What shells add to the number of a signal that has killed a command.
constexpr int kSignalled = 128;

/// After SIGTERM, also sends SIGCONT: a stopped process gets SIGTERM only when it continues.
void sendToGroup(pid_t group, int signal) {
    ::kill(-group, signal);
    if (signal == SIGTERM) ::kill(-group, SIGCONT);
}

Ending endingOf(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return {"killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ')',
                kSignalled + signal, false, signal};
    }
    const int code = WEXITSTATUS(status);
    return {code == 0 ? "" : "exit status " + std::to_string(code), code, false, 0};
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
int CommandRunner::readUntilExit(pid_t shell, LineReader& output, LineReader& error,
                                 Deadline& deadline) {
    const FileDescriptor pidfd(openPidfd(shell));
    int status = 0;
    while (!hasExited(shell, status)) {
        endIfDue(deadline);
        int timeout = deadline.left();
        // Without a pidfd, check for the exit ten times a second.
        if (pidfd.get() < 0) timeout = timeout < 0 ? kCheck : std::min(timeout, kCheck);
        std::array<pollfd, 3> fds{
            {{output.get(), POLLIN, 0}, {error.get(), POLLIN, 0}, {pidfd.get(), POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), timeout);
        if (fds[0].revents != 0) output.read();
        if (fds[1].revents != 0) error.read();
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

Ending CommandRunner::run(const Command& command, const Limit& limit, const OnLine& onLine,
                          const OnLine& onErrorLine) {
    LineReader output(onLine), error(onErrorLine);
    const int toOutput = output.exists() ? output.input() : STDOUT_FILENO;
    const int toError = output.exists() ? toOutput : STDERR_FILENO;
    const pid_t shell = spawn(command, -1, toOutput, error.exists() ? error.input() : toError);
    output.closeInput();
    error.closeInput();
    {
        const std::lock_guard lock(mutex_);
        group_ = shell;
        if (sent_ != 0) sendToGroup(group_, sent_);
    }

    Deadline deadline(limit);
    const int status = readUntilExit(shell, output, error, deadline);
    waitForGroup(deadline);
    output.readRest();
    error.readRest();
    output.discardLater();
    error.discardLater();
    Ending ending = endingOf(status);
    ending.timedOut = deadline.hasPassed();
    if (ending.timedOut) {
        ending.failure = "timed out after " + inCanonicalForm(*limit.timeout);
    } else if (sent() != 0 && !ending.failure.empty()) {
        ending.failure = "ended by run_schedule: " + ending.failure;
    }
    return ending;
}
