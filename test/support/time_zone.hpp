// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdlib>
#include <ctime>
#include <string>

namespace test {

/// Null: removes it.
inline void setEnvironment(const char* name, const char* value) {
#if defined(_WIN32)
    _putenv_s(name, value == nullptr ? "" : value);
#else
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
#endif
}

/// Local time is that of `zone` while it lives.
class TimeZone {
  public:
    explicit TimeZone(const char* zone) {
        if (const char* before = std::getenv("TZ")) before_ = before;
        set(zone);
    }
    TimeZone(const TimeZone&) = delete;
    TimeZone& operator=(const TimeZone&) = delete;
    ~TimeZone() { set(before_.empty() ? nullptr : before_.c_str()); }

  private:
    static void set(const char* zone) {
        setEnvironment("TZ", zone);
        tzset();
    }

    std::string before_;
};

/// As a rule of POSIX, which needs no database of time zones: Berlin's.
inline constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

}  // namespace test
