// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace jtimer {

namespace detail {
class ZoneFile;
struct ZoneAccess;
}  // namespace detail

/// A time zone: what clocks there show. A value whose copies share its data; any thread may use it.
///
/// \code
/// const jtimer::Zone berlin("Europe/Berlin");
/// berlin.offsetAt(std::chrono::system_clock::now());  // 3600 s in winter, 7200 s in summer
/// \endcode
class JTIMER_API Zone {
  public:
    /// Local time: what the C library says at each call, by the variable TZ or /etc/localtime. The
    /// C library reads these when a program first asks for local time, and again at tzset().
    static Zone local();

    /// A zone of the folder in the variable TZDIR, or of /usr/share/zoneinfo. Its file is read
    /// here, once: a later update of the system's time zones is not noticed. After the last change
    /// in the file, the rule at its end holds. "UTC" needs no file.
    /// \param name such as Europe/Berlin
    /// \throws IllegalArgumentException "Unknown time zone: NAME" if the folder has no such file,
    ///   the name leads out of the folder, or the file is none of a zone or counts leap seconds
    explicit Zone(const std::string& name);

    /// \returns whether the constructor accepts the name. Reads the file, as that does.
    [[nodiscard]] static bool isKnown(const std::string& name);

    /// \returns the name as given; empty for local()
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Local time minus UTC at this time.
    /// \returns nothing if the system does not know, as for local() beyond 2038 where time_t has 32
    ///   bits
    [[nodiscard]] std::optional<std::chrono::seconds> offsetAt(Date time) const;

  private:
    friend struct detail::ZoneAccess;

    Zone() = default;

    std::string name_;
    std::shared_ptr<const detail::ZoneFile> file_;  ///< null: local time
};

}  // namespace jtimer
