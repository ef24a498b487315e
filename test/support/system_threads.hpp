// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <limits>
#include <pthread.h>
#include <string>

namespace test {

/// As tools such as `top -H` show it.
inline std::string currentThreadName() {
    std::array<char, 64> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return name.data();
}

/// Of this process.
inline std::ptrdiff_t numberOfThreads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// What the system gives new threads by default, absurd for a while.
class NoMoreThreads {
  public:
    NoMoreThreads() {
        pthread_getattr_default_np(&usual_);
        pthread_attr_t absurd;
        pthread_attr_init(&absurd);
        pthread_attr_setstacksize(&absurd, std::numeric_limits<std::size_t>::max() / 8 * 7);
        pthread_setattr_default_np(&absurd);
        pthread_attr_destroy(&absurd);
    }
    ~NoMoreThreads() {
        pthread_setattr_default_np(&usual_);
        pthread_attr_destroy(&usual_);
    }

  private:
    pthread_attr_t usual_{};
};

}  // namespace test
