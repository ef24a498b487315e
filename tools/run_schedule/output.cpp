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

std::string cannotWrite(const std::string& target, int error) {
    return "cannot write " + target + ": " + std::strerror(error);
}

void printError(const std::string& line) {
    const std::string text = line + '\n';
    std::string_view rest = text;
    static_cast<void>(writeAll(STDERR_FILENO, rest));
}

void say(const std::string& text) { printError("run_schedule: " + text); }

Losses::Losses(std::string target, std::string things, Say say)
    : target_(std::move(target)), things_(std::move(things)), say_(std::move(say)) {}

void Losses::add(std::int64_t count, int error) {
    if (!failing()) say_(cannotWrite(target_, error));
    lately_ += count;
}

void Losses::recover() {
    if (!failing()) return;
    say_("writing " + target_ + " again; " + things_ + " lost: " + std::to_string(lately_));
    before_ += std::exchange(lately_, 0);
}

Output::Output(int fd, std::size_t buffer, Say say)
    : fd_(fd), buffer_(buffer), losses_("output", "lines", std::move(say)) {}

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
        losses_.recover();
    } else {
        const std::size_t written = pending_.size() - rest.size();
        if (written > 0) lineIsCut_ = pending_[written - 1] != '\n';
        losses_.add(std::count(rest.begin(), rest.end(), '\n'), error);
    }
    pending_.clear();
}
