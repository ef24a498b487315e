// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::detail {

/// A time zone. Copies share its data; any thread may use it.
///
/// Setting TZ and asking the C library would be shorter, but TZ belongs to the whole process:
/// another thread would print wrong times meanwhile, and a command would inherit it.
class Zone {
  public:
    /// Local time.
    Zone() = default;

    /// A zone of /usr/share/zoneinfo, or of the folder in the environment variable TZDIR. UTC is
    /// always known.
    /// \throws IllegalArgumentException "Unknown time zone: NAME" if there is none
    static Zone named(const std::string& name);

    /// The zone of the file that the environment variable TZ names; nothing if it names none.
    static std::optional<Zone> ofEnvironment();

    /// Whether named() knows it.
    static bool isKnown(const std::string& name);

    /// As given to named(); empty: local time.
    const std::string& name() const { return name_; }

    /// Local time minus UTC, in seconds, at `moment` (in seconds since 1970); nothing if the system
    /// does not know, as after 2038 with a 32-bit time_t.
    std::optional<std::int64_t> offsetAt(std::int64_t moment) const;

    /// The moments at which clocks show `local` (in seconds, as if it were UTC), in their order:
    /// two where clocks are set back, none where they skip it.
    std::vector<std::int64_t> momentsOf(std::int64_t local) const;

    /// The moment at which clocks show `local` (in seconds, as if it were UTC). A time that they
    /// skip means that much later; of a time that they show twice, the second is meant.
    std::optional<std::int64_t> momentOf(std::int64_t local) const;

  private:
    struct Data;
    class Reader;

    static std::optional<Data> find(const std::string& name);

    std::string name_;
    std::shared_ptr<const Data> data_;  ///< null: local time
};

/// Where zone files are: TZDIR, or /usr/share/zoneinfo.
std::string zoneFolder();

/// \returns false if TZ is one that the C library would take for UTC without a word, such as a
///   misspelt name, or any name where there is no database of time zones
bool isLocalZoneKnown();

/// Local time minus UTC, as the C library knows it, or rereadLocalTime(); otherwise as
/// Zone::offsetAt().
std::optional<std::int64_t> localOffsetAt(std::int64_t moment);

/// If TZ is not set and /etc/localtime is another file than at the last call, has the C library
/// read it again.
/// \returns how often that has been so. Any thread may call this.
std::uint64_t lookAtLocalTime();

/// Reads the file of local time again, whether or not it has changed: the one that TZ names, which
/// the C library reads only once, or /etc/localtime. Any thread may call this.
void rereadLocalTime();

}  // namespace jtimer::detail
