// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_reader.hpp"

#include "../system/calls.hpp"
#include "../text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

/// An endless line must not use up the whole memory.
constexpr std::size_t kLongest = 65'536;

/// A character of UTF-8 has no more bytes behind its first one.
constexpr std::size_t kLongestRest = 3;

}  // namespace

LineReader::LineReader(const OnLine& onLine) : onLine_(onLine) {
    if (!exists()) return;
    std::array<int, 2> ends{};
    if (system_calls::openPipe(ends) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot be started");
    output_ = FileDescriptor(ends[0]);
    input_ = FileDescriptor(ends[1]);
}

void LineReader::read() {
    if (readSome(SIZE_MAX) == 0) output_.close();
}

void LineReader::readRest() {
    if (output_.get() >= 0) {
        pollfd pipe{output_.get(), POLLIN, 0};
        ::poll(&pipe, 1, 0);
        int left = 0;
        ::ioctl(output_.get(), FIONREAD, &left);
        for (auto rest = static_cast<std::size_t>(left); rest > 0;) {
            const std::size_t count = readSome(rest);
            if (count == 0) break;
            rest -= count;
        }
        isLeft_ = (pipe.revents & POLLHUP) == 0;
    }
    if (!line_.empty()) flush();
}

void LineReader::discardLater() {
    if (isLeft_) discardOutputOf(output_.get());
}

/// \returns how many bytes it has read; 0 if no more will come
std::size_t LineReader::readSome(std::size_t atMost) {
    std::array<char, 16'384> buffer;
    const ssize_t count = ::read(output_.get(), buffer.data(), std::min(atMost, buffer.size()));
    if (count <= 0) return 0;
    const auto size = static_cast<std::size_t>(count);
    add({buffer.data(), size});
    return size;
}

void LineReader::add(std::string_view bytes) {
    for (const char c : bytes) {
        const bool isNewline = c == '\n';
        const std::size_t most = kLongest + (beginsCharacter(c) ? 0 : kLongestRest);
        if (isNewline || line_.size() >= most) flush();
        if (!isNewline) line_ += c;
    }
}

void LineReader::flush() {
    onLine_(line_);
    line_.clear();
}
