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

#include "calendar/zone.hpp"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <sys/stat.h>

namespace jtimer::detail {

namespace {

bool isSame(const struct stat& one, const struct stat& other) {
    const auto isSameTime = [](const timespec& a, const timespec& b) {
        return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
    };
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
           one.st_size == other.st_size && isSameTime(one.st_mtim, other.st_mtim) &&
           isSameTime(one.st_ctim, other.st_ctim);
}

/// The zone that TZ names, after rereadLocalTime(). Never destroyed, as a thread may be asking for
/// local time while the process exits.
std::shared_ptr<const Zone>& rereadZone() {
    static auto& zone = *new std::shared_ptr<const Zone>;
    return zone;
}

}  // namespace

std::optional<std::int64_t> localOffsetAt(std::int64_t moment) {
    if (const auto zone = std::atomic_load(&rereadZone())) return zone->offsetAt(moment);
    const auto time = static_cast<std::time_t>(moment);
    std::tm local{};
    if (time != moment || localtime_r(&time, &local) == nullptr) return std::nullopt;
    return local.tm_gmtoff;
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
    std::optional<Zone> zone = Zone::ofEnvironment();
    if (zone) std::atomic_store(&rereadZone(), std::make_shared<const Zone>(std::move(*zone)));
    lookAtLocalTime();
}

}  // namespace jtimer::detail
