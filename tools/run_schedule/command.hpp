// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "process.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

class LineCutter;

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
};

/// Runs commands, one at a time.
class CommandRunner {
  public:
    /// Receives each line of standard output and standard error. The last line need not end with a
    /// newline; a line longer than 64 KiB comes in pieces.
    using OnLine = std::function<void(std::string_view)>;

    /// Runs a command, and returns when its shell has exited. It does not wait for processes that
    /// the shell leaves in the background; their later output is read and discarded.
    ///
    /// \throws std::system_error if it cannot be started
    /// \param onLine empty: the command has our standard output and standard error
    Ending run(const Command& command, const Limit& limit, const OnLine& onLine);

    /// Sends the signal to the process group of the running command, and of each command that
    /// starts later. After SIGTERM, run() does not return before the whole group has ended or has
    /// been sent SIGKILL. Any thread may call this.
    void end(int signal);

  private:
    class Deadline;

    int readUntilExit(pid_t shell, FileDescriptor& output, LineCutter& lines, Deadline& deadline);
    bool hasExited(pid_t shell, int& status);
    void waitForGroup(Deadline& deadline);
    void endIfDue(Deadline& deadline);
    int sent();

    std::mutex mutex_;
    // Guarded by mutex_:
    pid_t group_ = 0;  ///< the group to signal: one that has not yet ended, or 0
    int sent_ = 0;     ///< the last signal passed to end(), or 0
};
