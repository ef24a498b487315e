// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "process.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Receives a line of what a command prints.
using OnLine = std::function<void(std::string_view)>;

/// A pipe to which a command prints, read in lines. The last line need not end with a newline; one
/// longer than 64 KiB comes in pieces, which are cut between characters.
class LineReader {
  public:
    /// \param onLine empty: there is no pipe
    /// \throws std::system_error if there can be none
    explicit LineReader(const OnLine& onLine);

    bool exists() const { return static_cast<bool>(onLine_); }

    /// The end for the command, which is to be closed here when the command has it.
    int input() const { return input_.get(); }
    void closeInput() { input_.close(); }

    /// Becomes readable; negative if there is no pipe, or nothing more will come.
    int get() const { return output_.get(); }

    /// Reads once, and waits for that.
    void read();

    /// Reads what is in the pipe now, after the shell has exited. That includes all that the shell
    /// itself has written. It reads no more, because a process in the background may fill the pipe
    /// faster than we read.
    void readRest();

    /// Discards what a process in the background prints from now on: SIGPIPE would end it if it
    /// wrote to a pipe that has no reader. To be called after readRest().
    /// \throws std::system_error if that is impossible
    void discardLater();

  private:
    std::size_t readSome(std::size_t atMost);
    void add(std::string_view bytes);
    void flush();

    const OnLine& onLine_;
    FileDescriptor output_{-1}, input_{-1};
    std::string line_;
    bool isLeft_ = false;  ///< a process that can write to the pipe is
};
