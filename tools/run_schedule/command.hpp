// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "line_reader.hpp"
#include "process.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

/// How long a command may take.
struct Limit {
    std::optional<std::chrono::milliseconds> timeout;  ///< then it gets SIGTERM
    std::chrono::milliseconds grace{0};                ///< and, after that, SIGKILL
};

/// How a command has ended.
struct Ending {
    std::string failure;    ///< such as "exit status 3"; empty if it has succeeded
    int status = 0;         ///< its exit status, or 128 plus the signal that has killed it
    bool timedOut = false;  ///< it took too long, and has failed however it ended then
    int signal = 0;         ///< the one that has killed it, or 0
};

/// The exit status of a command that cannot be started, as of shells.
inline constexpr int kNotStarted = 127;

/// Runs commands, one at a time.
class CommandRunner {
  public:
    /// Runs a command, and returns when its shell has exited. It does not wait for processes that
    /// the shell leaves in the background; their later output is read and discarded.
    ///
    /// \throws std::system_error if it cannot be started
    /// \param onLine receives the lines of its standard output, and of its standard error unless
    ///   `onErrorLine` does; empty: the command has ours
    Ending run(const Command& command, const Limit& limit, const OnLine& onLine,
               const OnLine& onErrorLine = {});

    /// Sends the signal to the process group of the running command, and of each command that
    /// starts later. After SIGTERM, run() does not return before the whole group has ended or has
    /// been sent SIGKILL. Any thread may call this.
    void end(int signal);

  private:
    class Deadline;

    int readUntilExit(pid_t shell, LineReader& output, LineReader& error, Deadline& deadline);
    bool hasExited(pid_t shell, int& status);
    void waitForGroup(Deadline& deadline);
    void endIfDue(Deadline& deadline);
    int sent();

    std::mutex mutex_;
    // Guarded by mutex_:
    pid_t group_ = 0;  ///< the group to signal: one that has not yet ended, or 0
    int sent_ = 0;     ///< the last signal passed to end(), or 0
};
