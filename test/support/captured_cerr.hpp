// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <iostream>
#include <sstream>
#include <string>

namespace test {

/// What is written to std::cerr while this lives, read when nobody writes.
class CapturedCerr {
  public:
    CapturedCerr() : original_(std::cerr.rdbuf(text_.rdbuf())) {}
    CapturedCerr(const CapturedCerr&) = delete;
    CapturedCerr& operator=(const CapturedCerr&) = delete;
    ~CapturedCerr() { std::cerr.rdbuf(original_); }
    std::string text() const { return text_.str(); }

  private:
    std::ostringstream text_;
    std::streambuf* const original_;
};

}  // namespace test
