// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "local_zone.hpp"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

std::string describeLocalZone() {
    if (const char* const zone = std::getenv("TZ"))
        return std::string(*zone == '\0' ? "UTC" : zone) + " (TZ)";
    constexpr const char* kFile = "/etc/localtime";
    std::error_code error;
    if (!std::filesystem::exists(kFile, error)) return "UTC (none)";
    const std::string target = std::filesystem::read_symlink(kFile, error).string();
    constexpr std::string_view kFolder = "zoneinfo/";
    const std::size_t folder = target.find(kFolder);
    const std::string name =
        folder == std::string::npos ? "of a file" : target.substr(folder + kFolder.size());
    return name + " (" + kFile + ')';
}
