// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Where time_t has 32 bits, newer C libraries also offer one of 64 bits. Only this file uses it.
// NOLINTBEGIN(bugprone-reserved-identifier): names of the C library
#ifndef _TIME_BITS
#define _TIME_BITS 64
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64  // which _TIME_BITS requires
#endif
// NOLINTEND(bugprone-reserved-identifier)

#include "calendar/local_time.hpp"

#include "calendar/posix_zone.hpp"
#include "calendar/zone_file.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

namespace jtimer::detail {

namespace {

// When a file was written, and when it was changed in any way.
#if defined(__APPLE__)
timespec timeOfWrite(const struct stat& file) { return file.st_mtimespec; }
timespec timeOfChange(const struct stat& file) { return file.st_ctimespec; }
#elif defined(_WIN32)
timespec timeOfWrite(const struct stat& file) { return {file.st_mtime, 0}; }
timespec timeOfChange(const struct stat& file) { return {file.st_ctime, 0}; }
#else
timespec timeOfWrite(const struct stat& file) { return file.st_mtim; }
timespec timeOfChange(const struct stat& file) { return file.st_ctim; }
#endif

bool isSame(const struct stat& one, const struct stat& other) {
    const auto isSameTime = [](const timespec& a, const timespec& b) {
        return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
    };
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
           one.st_size == other.st_size && isSameTime(timeOfWrite(one), timeOfWrite(other)) &&
           isSameTime(timeOfChange(one), timeOfChange(other));
}

std::optional<std::int64_t> offsetOfSystemAt(std::time_t time) {
    std::tm local{};
#if defined(_WIN32)
    if (localtime_s(&local, &time) != 0) return std::nullopt;
    return _mkgmtime(&local) - time;
#else
    if (localtime_r(&time, &local) == nullptr) return std::nullopt;
    return local.tm_gmtoff;
#endif
}

/// What TZ names or says, as the C library reads it: a colon at the beginning has no meaning.
std::string nameInEnvironment() {
    const char* const set = std::getenv("TZ");
    const std::string text = set == nullptr ? "" : set;
    return text.substr(text.rfind(':', 0) == 0 ? 1 : 0);
}

/// Where the C library looks for a zone first.
std::string fileOf(const std::string& name) {
    return name.front() == '/' ? name : zoneFolder() + '/' + name;
}

/// The zone that TZ names, after rereadLocalTime(). Never destroyed, as a thread may be asking for
/// local time while the process exits.
std::shared_ptr<const ZoneFile>& rereadZone() {
    static auto& zone = *new std::shared_ptr<const ZoneFile>;
    return zone;
}

}  // namespace

std::optional<std::int64_t> localOffsetAt(std::int64_t instant) {
    if (const auto zone = std::atomic_load(&rereadZone())) return zone->offsetAt(instant);
    const auto time = static_cast<std::time_t>(instant);
    if (time != instant) return std::nullopt;
    return offsetOfSystemAt(time);
}

bool isLocalZoneKnown() {
    const std::string name = nameInEnvironment();
    if (name.empty() || name == "UTC" || name == "GMT") return true;
    std::array<char, 4> begin{};
    std::ifstream(fileOf(name), std::ios::binary).read(begin.data(), begin.size());
    if (std::string_view(begin.data(), begin.size()) == "TZif") return true;
    // A rule may leave out when summer time begins and ends.
    return PosixZone::parse(name) || PosixZone::parse(name + ",M3.2.0,M11.1.0");
}

std::uint64_t lookAtLocalTime() {
    static std::mutex mutex;
    static std::optional<struct stat> last;
    static std::uint64_t changes = 0;
    const std::lock_guard lock(mutex);
    struct stat now {};
    // A file that is not there is about to be replaced.
    if (std::getenv("TZ") != nullptr || ::stat("/etc/localtime", &now) != 0) return changes;
    if (last && isSame(*last, now)) return changes;
    if (last) ++changes;
    last = now;
    ::tzset();
    return changes;
}

void rereadLocalTime() {
    // Setting TZ to something else and back would make the C library read it, but other threads
    // print times meanwhile, and a command would inherit it.
    const std::string name = nameInEnvironment();
    std::optional<ZoneFile> zone;
    if (!name.empty()) zone = ZoneFile::read(fileOf(name));
    if (zone) std::atomic_store(&rereadZone(), std::make_shared<const ZoneFile>(std::move(*zone)));
    lookAtLocalTime();
}

}  // namespace jtimer::detail
