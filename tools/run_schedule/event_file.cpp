// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "event_file.hpp"

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::string_view kBegin = "[\n", kSeparator = ",\n", kEnd = "\n]\n";

int create(const std::string& name) {
    constexpr mode_t kMode = 0666;
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    if (file < 0) throw std::runtime_error(cannotWrite(name, errno));
    return file;
}

bool isRegularFile(int file) {
    struct stat status {};
    return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/// \returns the errno of the failure; 0 if all has been written
int writeAllAt(int file, std::string_view text, off_t place) {
    if (::lseek(file, place, SEEK_SET) < 0) return errno;
    return writeAll(file, text);
}

}  // namespace

EventFile::EventFile(const std::string& name, Say say)
    : file_(create(name)), isRegular_(isRegularFile(file_.get())),
      losses_(name, "events", std::move(say)) {
    if (isRegular_) {
        const int error = replaceEnd(kBegin);
        if (error != 0) account(error);
    }
}

/// Writes the text and the end of the array in the place of that. If it fails, the file is as
/// before.
int EventFile::replaceEnd(std::string_view text) {
    const int error = writeAllAt(file_.get(), std::string(text).append(kEnd), end_);
    if (error == 0) {
        end_ += static_cast<off_t>(text.size());
        return 0;
    }
    // The end is written before what follows it is cut off: it still has its place on the disk.
    const std::string_view before = end_ == 0 ? std::string_view() : kEnd;
    if (writeAllAt(file_.get(), before, end_) == 0) {
        static_cast<void>(::ftruncate(file_.get(), end_ + static_cast<off_t>(before.size())));
    }
    return error;
}

/// Writes the rest of what was cut, and the text.
/// \returns the errno of a failure before anything of the text was written; 0 if its rest will follow
int EventFile::append(std::string_view text) {
    std::string_view rest = rest_;
    int error = writeAll(file_.get(), rest);
    rest_ = rest;
    if (error != 0) return error;
    std::string_view unwritten = text;
    error = writeAll(file_.get(), unwritten);
    if (unwritten.size() == text.size()) return error;
    rest_ = unwritten;
    return 0;
}

bool EventFile::add(std::string_view element) {
    const bool hasBegin = isRegular_ && end_ > 0;
    std::string text(isEmpty_ ? (hasBegin ? std::string_view() : kBegin) : kSeparator);
    text += element;
    const int error = isRegular_ ? replaceEnd(text) : append(text);
    account(error);
    if (error == 0) isEmpty_ = false;
    return error == 0;
}

void EventFile::finish() {
    if (isRegular_) return;
    int error = append(std::string(isEmpty_ ? kBegin : std::string_view()).append(kEnd));
    if (error == 0) error = append({});  // what may be left of it
    if (error != 0) account(error);
}

void EventFile::account(int error) {
    if (error != 0) {
        losses_.add(1, error);
    } else {
        losses_.recover();
    }
}
