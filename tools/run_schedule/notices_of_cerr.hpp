// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "output.hpp"

#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>

/// While it lives, what the libraries print to std::cerr does not arrive there: each line is a
/// notice. To be constructed before other threads print, and destroyed after that.
class NoticesOfCerr final : private std::streambuf {
  public:
    explicit NoticesOfCerr(Say say);
    NoticesOfCerr(const NoticesOfCerr&) = delete;
    NoticesOfCerr& operator=(const NoticesOfCerr&) = delete;
    ~NoticesOfCerr() override;

  private:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type c) override;
    void add(std::string_view text);

    const Say say_;
    std::streambuf* const before_;
    std::mutex mutex_;
    std::string line_;  ///< guarded by mutex_: the last one, which has no end yet
};
