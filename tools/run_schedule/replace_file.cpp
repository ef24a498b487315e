// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "replace_file.hpp"

#include "output.hpp"
#include "process.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace {

/// \returns the errno of the failure; 0 if the file has all of `text`
int writeNew(const std::string& fileName, std::string_view text, bool isDurable) {
    constexpr mode_t kMode = 0666;
    const FileDescriptor file(
        ::open(fileName.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
    if (file.get() < 0) return errno;
    const int error = writeAll(file.get(), text);
    if (error != 0) return error;
    return isDurable && ::fsync(file.get()) != 0 ? errno : 0;
}

/// That a file in it has another name now.
int syncFolderOf(const std::string& fileName) {
    const FileDescriptor file(
        ::open(folderOf(fileName).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return file.get() < 0 || ::fsync(file.get()) != 0 ? errno : 0;
}

}  // namespace

int replaceFile(const std::string& fileName, std::string_view text, bool isDurable) {
    // In the same folder, or it could not be renamed; and not *.prom, which collectors read.
    const std::string newName = fileName + ".new";
    int error = writeNew(newName, text, isDurable);
    if (error == 0 && std::rename(newName.c_str(), fileName.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(newName.c_str());
    return error == 0 && isDurable ? syncFolderOf(fileName) : error;
}

std::string whyNotReplaced(const std::string& fileName) {
    std::error_code none;
    const std::filesystem::file_status status = std::filesystem::status(fileName, none);
    if (std::filesystem::is_directory(status)) return std::strerror(EISDIR);
    // Renaming would replace /dev/null and the like.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return "it is not a regular file";
    return ::access(folderOf(fileName).c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

std::string folderOf(const std::string& fileName) {
    const std::size_t slash = fileName.rfind('/');
    return slash == std::string::npos ? "." : fileName.substr(0, slash + 1);
}
