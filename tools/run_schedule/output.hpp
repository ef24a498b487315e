// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

/// Writes all of `text`, or as much as can be written.
/// \param text on return, what has not been written
/// \returns the errno of the failure; 0 if all has been written
int writeAll(int fd, std::string_view& text);

/// Says something on the standard error.
void say(const std::string& text);

/// Writes lines to a file descriptor, and counts those that it could not write. Such a line is
/// lost, but the next one is still tried: a full disk may have room again. It reports the first
/// loss, and the first line that it could write again.
///
/// Not for use by several threads at a time. The process must ignore SIGPIPE and SIGXFSZ, or they
/// end it when the first line is lost.
class Output {
  public:
    /// \param buffer how many bytes may be buffered; 0: each line is written at once
    /// \param reports receives the reports of failures
    /// \param what is written, as they call it
    explicit Output(int fd, std::size_t buffer = 0, std::ostream& reports = std::cerr,
                    std::string what = "output");

    /// Writes one or more whole lines.
    void write(std::string_view lines);

    /// Writes what is in the buffer.
    void flush();

    /// Whether the last write failed.
    bool failing() const { return lostLately_ > 0; }

    /// The number of lines lost, including those written in part.
    std::int64_t lostLines() const { return lostBefore_ + lostLately_; }

  private:
    void lose(std::string_view lines, int error);
    void recover();

    const int fd_;
    const std::size_t buffer_;
    std::ostream& reports_;
    const std::string what_;
    std::string pending_;
    /// Whether only part of the last line was written.
    bool lineIsCut_ = false;
    std::int64_t lostLately_ = 0;  ///< since the last successful write
    std::int64_t lostBefore_ = 0;
};
