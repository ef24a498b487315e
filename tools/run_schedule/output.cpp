// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>

int writeAll(int fd, std::string_view& text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count == 0) return EIO;
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            // Another process that shares the terminal or the pipe has set O_NONBLOCK.
            pollfd writable{fd, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void say(const std::string& text) { std::cerr << "run_schedule: " + text + '\n' << std::flush; }

Output::Output(int fd, std::size_t buffer, std::ostream& reports, std::string what)
    : fd_(fd), buffer_(buffer), reports_(reports), what_(std::move(what)) {}

void Output::write(std::string_view lines) {
    pending_ += lines;
    if (pending_.size() > buffer_) flush();
}

void Output::flush() {
    if (pending_.empty()) return;
    std::string_view rest = pending_;
    int error = 0;
    if (lineIsCut_) {
        std::string_view end = "\n";
        error = writeAll(fd_, end);
        lineIsCut_ = error != 0;
    }
    if (error == 0) error = writeAll(fd_, rest);
    if (error == 0) {
        recover();
    } else {
        const std::size_t written = pending_.size() - rest.size();
        if (written > 0) lineIsCut_ = pending_[written - 1] != '\n';
        lose(rest, error);
    }
    pending_.clear();
}

void Output::lose(std::string_view lines, int error) {
    if (!failing()) {
        reports_ << "run_schedule: cannot write " + what_ + ": " + strerror(error) + '\n'
                 << std::flush;
    }
    lostLately_ += std::count(lines.begin(), lines.end(), '\n');
}

void Output::recover() {
    if (!failing()) return;
    reports_ << "run_schedule: writing " + what_ +
                    " again; lines lost: " + std::to_string(lostLately_) + '\n'
             << std::flush;
    lostBefore_ += lostLately_;
    lostLately_ = 0;
}
