// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calendar/posix_zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jtimer::detail {

/// Where zone files are: TZDIR, or /usr/share/zoneinfo.
std::string zoneFolder();

/// The offsets of a time zone, as its file has them.
///
/// Setting TZ and asking the C library would be shorter, but TZ belongs to the whole process:
/// another thread would print wrong times meanwhile, and a command would inherit it.
class ZoneFile {
  public:
    /// \returns nothing if there is no such file, it is none of a zone, or counts leap seconds
    static std::optional<ZoneFile> read(const std::string& fileName);

    /// The same of a file with these contents.
    static std::optional<ZoneFile> parse(std::string_view contents);

    /// That of zoneFolder() with this name; UTC without a file.
    /// \returns nothing also if the name leads out of the folder
    static std::optional<ZoneFile> named(const std::string& name);

    /// Local time minus UTC, in seconds, at `instant` (in seconds since 1970).
    std::int64_t offsetAt(std::int64_t instant) const;

  private:
    class Reader;

    ZoneFile() = default;

    std::vector<std::int64_t> changes_;      ///< in ascending order
    std::vector<unsigned char> types_;       ///< after each change
    std::vector<std::int64_t> offsets_;      ///< of each type; that of type 0 holds at first
    std::optional<PosixZone> afterChanges_;  ///< after the last change
};

}  // namespace jtimer::detail
