// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/growing_array.hpp"
#include "support/abilities.hpp"
#include "support/test.hpp"

#include <fstream>
#if defined(JTIMER_MOVES_PAGES)
#include <sys/mman.h>
#endif

namespace {

struct Pair {
    std::int64_t number;
    std::int64_t negated;
};

using Array = jtimer::detail::GrowingArray<Pair>;

void fill(Array& array, std::size_t from) {
    for (std::size_t i = from; i < array.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        array[i] = {number, -number};
    }
}

/// The first of `size` elements that fill() has not put there; `size` if there is none.
std::size_t firstWrong(const Array& array, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const auto number = static_cast<std::int64_t>(i);
        if (array[i].number != number || array[i].negated != -number) return i;
    }
    return size;
}

#if defined(JTIMER_MOVES_PAGES)
/// Whether the mapping that has this address bears the flag of MADV_HUGEPAGE, "hg".
bool isAdvisedHuge(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool isInside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream range(line);
        if (range >> std::hex >> begin >> dash >> end && dash == '-')
            isInside = begin <= wanted && wanted < end;
        if (isInside && line.rfind("VmFlags:", 0) == 0)
            return (line + ' ').find(" hg ") != std::string::npos;
    }
    throw std::logic_error("no flags of a mapping with that address in /proc/self/smaps");
}

/// A kernel that is built without huge pages refuses the advice, and an emulator may not pass it
/// on.
void needHugePages() {
    const std::size_t size = 4096;
    void* const page = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    BOOST_REQUIRE(page != MAP_FAILED);
    const bool isTaken = madvise(page, size, MADV_HUGEPAGE) == 0 && isAdvisedHuge(page);
    munmap(page, size);
    if (!isTaken) test::skipCase("advice on huge pages");
}
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(growing_array)

BOOST_AUTO_TEST_CASE(a_new_array_has_no_room_and_no_memory) {
    const Array array;
    BOOST_TEST(array.size() == 0U);
    BOOST_TEST(array.data() == nullptr);
}

// From 160 bytes to 64 MiB: across the size from which on it has pages of its own.
BOOST_AUTO_TEST_CASE(the_elements_survive_each_growth) {
    Array array;
    std::vector<std::size_t> sizes;
    for (std::size_t size = 10; size <= 4'194'304; size = array.nextSize()) {
        const std::size_t before = array.size();
        array.grow(size);
        sizes.push_back(array.size());
        BOOST_TEST(firstWrong(array, before) == before);
        fill(array, before);
    }
    BOOST_TEST(firstWrong(array, array.size()) == array.size());
    const std::vector<std::size_t> expected{10,     40,      160,     640,       2560,     10'240,
                                            40'960, 163'840, 655'360, 1'310'720, 2'621'440};
    BOOST_TEST(sizes == expected, boost::test_tools::per_element());
}

#if defined(JTIMER_MOVES_PAGES)
BOOST_AUTO_TEST_CASE(a_large_array_asks_for_huge_pages_and_keeps_the_advice_when_it_grows) {
    needHugePages();
    Array array;
    array.grow(100'000);
    BOOST_TEST(!isAdvisedHuge(array.data()));
    array.grow(400'000);
    BOOST_TEST(isAdvisedHuge(array.data()));
    array.grow(800'000);
    BOOST_TEST(isAdvisedHuge(array.data() + 799'999));
}
#endif

BOOST_AUTO_TEST_CASE(an_array_begins_at_a_cache_line_whatever_its_size) {
    for (std::size_t size = 1; size < 100'000; size = size * 3 + 1) {
        Array array;
        array.grow(size);
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a_size_that_no_memory_has_throws_and_changes_nothing) {
    std::vector<std::size_t> tooMany{PTRDIFF_MAX / sizeof(Pair) + 1};
#if defined(JTIMER_MOVES_PAGES) && SIZE_MAX > UINT32_MAX
    // The system refuses this one. A sanitizer would end the program, and a 64-bit system may have
    // as much for a 32-bit program.
    tooMany.push_back(PTRDIFF_MAX / sizeof(Pair));
#endif
    for (const std::size_t size : {std::size_t{100}, std::size_t{100'000}}) {
        for (const std::size_t wanted : tooMany) {
            Array array;
            array.grow(size);
            fill(array, 0);
            const Pair* const data = array.data();
            BOOST_CHECK_THROW(array.grow(wanted), std::bad_alloc);
            BOOST_TEST(array.size() == size);
            BOOST_TEST(array.data() == data);
            BOOST_TEST(firstWrong(array, size) == size);
        }
    }
}

BOOST_AUTO_TEST_CASE(moving_takes_all_elements_and_leaves_an_empty_array) {
    Array array;
    array.grow(50'000);
    fill(array, 0);
    const Array moved = std::move(array);
    BOOST_TEST(firstWrong(moved, 50'000) == 50'000U);
    BOOST_TEST(array.size() == 0U);
    BOOST_TEST(array.data() == nullptr);
    array.grow(10);
    BOOST_TEST(array.size() == 10U);
}

BOOST_AUTO_TEST_SUITE_END()
