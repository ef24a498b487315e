// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

/// Writes lines to a file descriptor, and keeps account of those that could not be written. Such a
/// line is lost, and the next one is tried all the same: a full disk may have room again. The
/// first loss is reported, and so is the first line that could be written again.
///
/// Not for several threads at a time. The process must ignore SIGPIPE and SIGXFSZ, or they end it
/// at the first line that is lost.
class Output {
  public:
    /// \param buffer how many bytes may wait to be written together; 0: each line is written at once
    /// \param reports where a failure is reported
    explicit Output(int fd, std::size_t buffer = 0, std::ostream& reports = std::cerr);

    /// Writes one or more whole lines.
    void write(std::string_view lines);

    /// Writes what is in the buffer.
    void flush();

    /// Whether the last write has failed.
    bool failing() const { return lostLately_ > 0; }

    /// How many lines have been lost, those of which a part was written included.
    std::int64_t lostLines() const { return lostBefore_ + lostLately_; }

  private:
    void lose(std::string_view lines, int error);
    void recover();

    const int fd_;
    const std::size_t buffer_;
    std::ostream& reports_;
    std::string pending_;
    /// Only a part of the last line could be written.
    bool lineIsCut_ = false;
    std::int64_t lostLately_ = 0;  ///< since a write last succeeded
    std::int64_t lostBefore_ = 0;
};
