// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/detail/compiler.hpp>

#include "support/test.hpp"

namespace detail = jtimer::detail;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

/// The ends of the range, their roots, and what is next to each.
std::vector<std::int64_t> edges() {
    std::vector<std::int64_t> found;
    for (const std::int64_t each : {std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{1} << 32,
                                    std::int64_t{3'037'000'499}, kMost / 3, kMost / 2, kMost}) {
        for (const std::int64_t step : {-2, -1, 0, 1, 2}) {
            if (step > 0 && each > kMost - step) continue;
            found.push_back(each + step);
            found.push_back(-(each + step));
        }
    }
    for (const std::int64_t step : {0, 1, 2, 3}) found.push_back(kLeast + step);
    return found;
}

using Operation = bool (*)(std::int64_t, std::int64_t, std::int64_t*);

/// The result, or nothing if it is beyond 64 bits.
std::optional<std::int64_t> resultOf(Operation overflows, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (overflows(a, b, &result)) return std::nullopt;
    return result;
}

void checkSame(Operation operation, Operation portable) {
    for (const std::int64_t a : edges()) {
        for (const std::int64_t b : edges()) {
            BOOST_TEST_CONTEXT(a << ", " << b)
            BOOST_TEST((resultOf(operation, a, b) == resultOf(portable, a, b)));
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(arithmetic_overflows_in_standard_cpp_as_by_the_compiler) {
    checkSame(detail::addOverflows, detail::portable::addOverflows);
    checkSame(detail::subtractOverflows, detail::portable::subtractOverflows);
    checkSame(detail::multiplyOverflows, detail::portable::multiplyOverflows);
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_range_are_results_and_what_is_beyond_is_none) {
    using detail::portable::addOverflows;
    using detail::portable::multiplyOverflows;
    using detail::portable::subtractOverflows;
    BOOST_TEST((resultOf(addOverflows, kMost - 1, 1) == kMost));
    BOOST_TEST((resultOf(addOverflows, kMost, 1) == std::nullopt));
    BOOST_TEST((resultOf(addOverflows, kLeast, -1) == std::nullopt));
    BOOST_TEST((resultOf(subtractOverflows, -1, kMost) == kLeast));
    BOOST_TEST((resultOf(subtractOverflows, 0, kLeast) == std::nullopt));
    BOOST_TEST((resultOf(multiplyOverflows, kLeast / 2, 2) == kLeast));
    BOOST_TEST((resultOf(multiplyOverflows, kLeast, -1) == std::nullopt));
    BOOST_TEST((resultOf(multiplyOverflows, -1, kLeast) == std::nullopt));
    BOOST_TEST((resultOf(multiplyOverflows, 3'037'000'500, 3'037'000'500) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(the_highest_and_the_lowest_bit_are_found_in_standard_cpp_too) {
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t one = std::uint64_t{1} << bit;
        for (const std::uint64_t bits : {one, one | 1, one | one >> 1, one | one >> 31}) {
            BOOST_TEST(detail::portable::highestBit(bits) == bit);
            BOOST_TEST(detail::highestBit(bits) == bit);
        }
        for (const std::uint64_t bits : {one, one | std::uint64_t{1} << 63, one << 1 | one}) {
            BOOST_TEST(detail::portable::lowestBit(bits) == bit);
            BOOST_TEST(detail::lowestBit(bits) == bit);
        }
    }
}
