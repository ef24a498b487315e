// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "user.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

/// Closes its file descriptor.
class FileDescriptor {
  public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        close();
        fd_ = other.release();
        return *this;
    }
    ~FileDescriptor() { close(); }

    /// The descriptor; negative if there is none or it is closed.
    int get() const { return fd_; }
    void close();

    /// \returns the descriptor, which is the caller's now
    int release();

  private:
    int fd_;
};

/// A command, and how it runs.
struct Command {
    std::string script;
    std::string shell = "/bin/sh";
    std::vector<std::string> environment;   ///< `NAME=VALUE`, and nothing else
    std::string folder = {};                ///< where it runs; empty: where this process does
    std::optional<User> user = {};          ///< as whom; only root can change the user
    std::optional<std::string> input = {};  ///< what it reads; nothing: /dev/null
};

/// The environment of this process.
std::vector<std::string> ownEnvironment();

/// Starts `SHELL -c SCRIPT`, in a process group of its own (a Ctrl-C at the terminal does not reach
/// it) and with the default handling of every signal. It inherits only descriptors 0, 1 and 2
/// (before Linux 5.11 also those with which this process was started).
/// \param input our descriptor that becomes its standard input, unless the command has one;
///   negative: /dev/null
/// \param output, error our descriptors that become its standard output and standard error;
///   negative: /dev/null
/// \throws std::system_error if it cannot be started
pid_t spawn(const Command& command, int input, int output, int error);

/// A descriptor that becomes readable when the process exits; negative if the kernel does not
/// support that (Linux before 5.3).
int openPidfd(pid_t pid);

/// Whether a process of the group is alive. One that has ended, but is not reaped, does not count:
/// orphans are reaped by init, which in a container may do so late or never.
bool groupIsAlive(pid_t group);

/// Starts a `cat` that reads and discards what comes out of the pipe until its last writer closes
/// it. The `cat` may outlive this program.
/// \throws std::system_error if it cannot be started
void discardOutputOf(int pipe);
