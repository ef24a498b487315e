// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Writes all of `text`, or as much as can be written.
/// \param text on return, what has not been written
/// \returns the errno of the failure; 0 if all has been written
int writeAll(int fd, std::string_view& text);

/// \param target what was to be written, as it is called
/// \param error an errno
std::string cannotWrite(const std::string& target, int error);

/// Writes a line to the standard error itself, past std::cerr.
void printError(const std::string& line);

/// Says something on the standard error, as run_schedule.
void say(const std::string& text);

/// Receives what is to be said.
using Say = std::function<void(const std::string&)>;

/// Counts what could not be written. It tells of the first loss, and of the first success after it.
class Losses {
  public:
    /// \param target what is written to, as it is called
    /// \param things what is lost, in the plural
    Losses(std::string target, std::string things, Say say);

    void add(std::int64_t count, int error);
    void recover();

    /// Whether the last write failed.
    bool failing() const { return lately_ > 0; }

    std::int64_t all() const { return before_ + lately_; }

  private:
    const std::string target_, things_;
    const Say say_;
    std::int64_t lately_ = 0;  ///< since the last successful write
    std::int64_t before_ = 0;
};

/// Writes lines to a file descriptor, and counts those that it could not write. Such a line is
/// lost, but the next one is still tried: a full disk may have room again.
///
/// Not for use by several threads at a time. The process must ignore SIGPIPE and SIGXFSZ, or they
/// end it when the first line is lost.
class Output {
  public:
    /// \param buffer how many bytes may be buffered; 0: each line is written at once
    /// \param say receives the reports of losses, on the standard error by default
    explicit Output(int fd, std::size_t buffer = 0, Say say = ::say);

    /// Writes one or more whole lines.
    void write(std::string_view lines);

    /// Writes what is in the buffer.
    void flush();

    /// Whether the last write failed.
    bool failing() const { return losses_.failing(); }

    /// The number of lines lost, including those written in part.
    std::int64_t lostLines() const { return losses_.all(); }

  private:
    const int fd_;
    const std::size_t buffer_;
    Losses losses_;
    std::string pending_;
    /// Whether only part of the last line was written.
    bool lineIsCut_ = false;
};
