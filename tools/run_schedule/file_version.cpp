// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "file_version.hpp"

#include <sys/stat.h>

namespace {

FileVersion versionOf(const std::string& fileName) {
    FileVersion none;
    none.fill(-1);
    struct stat status {};
    if (::stat(fileName.c_str(), &status) != 0) return none;
    return {static_cast<std::int64_t>(status.st_dev),
            static_cast<std::int64_t>(status.st_ino),
            status.st_size,
            status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec};
}

}  // namespace

std::vector<FileVersion> versionsOf(const std::vector<std::string>& fileNames) {
    std::vector<FileVersion> versions;
    versions.reserve(fileNames.size());
    for (const std::string& fileName : fileNames) versions.push_back(versionOf(fileName));
    return versions;
}
