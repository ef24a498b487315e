// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>

namespace test {

/// What is written to std::cerr while this lives. Any thread writes, as to the original.
class CapturedCerr : private std::streambuf {
  public:
    CapturedCerr() : original_(std::cerr.rdbuf(this)) {}
    CapturedCerr(const CapturedCerr&) = delete;
    CapturedCerr& operator=(const CapturedCerr&) = delete;
    ~CapturedCerr() override { std::cerr.rdbuf(original_); }

    std::string text() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return text_;
    }

  private:
    std::streamsize xsputn(const char* from, std::streamsize count) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        text_.append(from, static_cast<std::size_t>(count));
        return count;
    }

    int_type overflow(int_type c) override {
        const char single = traits_type::to_char_type(c);
        return xsputn(&single, 1) == 1 ? c : traits_type::eof();
    }

    mutable std::mutex mutex_;
    std::string text_;
    std::streambuf* const original_;
};

}  // namespace test
