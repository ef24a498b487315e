// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

/// Ends a model's step by an exception that names the place and the condition. Models are used with
/// Boost.Test and without.
#define MODEL_REQUIRE(condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            throw std::logic_error(std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " +   \
                                   #condition);                                                    \
    } while (false)

namespace test {

/// Where a model's choices come from: a seed, or the bytes of a fuzzer, which change one choice at
/// a time and see what that leads to.
class Choices {
  public:
    /// Never ends.
    explicit Choices(unsigned seed) : isRandom_(true), random_(seed) {}
    /// Ends with the bytes. What is chosen after that is 0.
    Choices(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}

    bool ended() const { return !isRandom_ && data_ == end_; }

    /// A number of `bits` bits, from as few bytes as hold it.
    std::uint64_t bits(int bits) {
        if (isRandom_) return random_() >> (64 - bits);
        std::uint64_t number = 0;
        for (int read = 0; read < bits && data_ != end_; read += 8) number = number << 8 | *data_++;
        return bits == 64 ? number : number & ((std::uint64_t{1} << bits) - 1);
    }

    /// A number from 0 to n - 1.
    template <class Number>
    Number below(Number n) {
        const auto limit = static_cast<std::uint64_t>(n);
        if (isRandom_) return static_cast<Number>(random_() % limit);
        return static_cast<Number>(bits(limit <= 256 ? 8 : limit <= 65'536 ? 16 : 64) % limit);
    }

    bool oneIn(int n) { return below(n) == 0; }

    /// The bytes that are left, as text.
    std::string text() {
        const std::string text(data_, end_);
        data_ = end_;
        return text;
    }

  private:
    const std::uint8_t* data_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    bool isRandom_ = false;
    std::mt19937_64 random_;
};

}  // namespace test
