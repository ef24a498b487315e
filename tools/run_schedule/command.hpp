// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "process.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

class LineCutter;

/// Runs commands by /bin/sh, one at a time.
class CommandRunner {
  public:
    /// Gets each line of standard output and standard error. A last line need not end in a newline;
    /// one longer than 64 KiB comes in pieces.
    using OnLine = std::function<void(std::string_view)>;

    /// Runs a command, and returns when its shell has exited. What that leaves in the background is
    /// not waited for; what it prints from then on is read and discarded.
    ///
    /// \returns how the command failed, "exit status 3" or "killed by signal 9 (Killed)"; empty if
    ///   it did not
    /// \throws std::system_error if it cannot be started
    std::string run(const std::string& command, const OnLine& onLine);

    /// Sends the signal to the process group of the command that runs, and of each one that begins
    /// later. After SIGTERM, run() does not return before the whole group has ended or has got
    /// SIGKILL. For any thread.
    void end(int signal);

  private:
    int readUntilExit(pid_t shell, FileDescriptor& output, LineCutter& lines);
    bool hasExited(pid_t shell, int& status);
    void waitForGroup();
    int sent();

    std::mutex mutex_;
    // Guarded by mutex_:
    pid_t group_ = 0;  ///< that may be sent signals: 0, or one that has not yet ended
    int sent_ = 0;     ///< by end()
};
