// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// This program's operators new and delete count, and the first fails when a case says so.
// A program of its own, for it replaces operator new.
#include <jtimer/detail/block_allocator.hpp>
#include <jtimer/jdk/make_task.hpp>

#include "support/race.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using jtimer::detail::BlockAllocator;
using jtimer::detail::giveToBlock;
using jtimer::detail::takeFromBlock;

namespace {

/// How often the calling thread has called the operators.
thread_local int made = 0;
thread_local int deleted = 0;
thread_local bool isMemoryOut = false;

}  // namespace

void* operator new(std::size_t size) {
    if (isMemoryOut) throw std::bad_alloc();
    ++made;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    ++deleted;
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

// Where malloc aligns to less than 16 bytes, blocks come from these.
void* operator new(std::size_t size, std::align_val_t alignment) {
    if (isMemoryOut) throw std::bad_alloc();
    ++made;
    const auto multipleOf = static_cast<std::size_t>(alignment);
    const std::size_t rounded = (size + multipleOf - 1) / multipleOf * multipleOf;
    if (void* const memory = std::aligned_alloc(multipleOf, rounded)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    operator delete(memory);
}

namespace {

/// A task with two captured words, and its reference count.
constexpr std::size_t kSize = 72;

/// Has `run` run on a thread of its own, which so begins without a block.
template <class Run>
void onNewThread(const Run& run) {
    boost::thread thread(run);
    thread.join();
}

/// How many blocks the calling thread makes and frees from here on.
class Count {
  public:
    int blocksMade() const { return made - madeBefore_; }
    int blocksFreed() const { return deleted - deletedBefore_; }

  private:
    int madeBefore_ = made;
    int deletedBefore_ = deleted;
};

/// The second object of a block lies behind the first one and the second one's header.
bool isBehind(void* first, void* second) {
    return static_cast<char*>(second) - static_cast<char*>(first) == kSize + 8;
}

struct Two {
    void* first;
    void* second;
};

/// Two objects of one block, of a thread that has taken one before.
Two takeTwo() {
    giveToBlock(takeFromBlock(kSize));
    void* const first = takeFromBlock(kSize);
    void* const second = takeFromBlock(kSize);
    BOOST_TEST(isBehind(first, second));
    return {first, second};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(block_allocator)

BOOST_AUTO_TEST_CASE(two_objects_that_a_thread_takes_one_after_another_lie_side_by_side) {
    onNewThread([] {
        const Count count;
        std::array<void*, 7> objects{};
        for (void*& object : objects) object = takeFromBlock(kSize);
        const int blocks = count.blocksMade();
        BOOST_TEST(blocks == 4);  // the first object's own, and three for two
        for (const std::size_t i : {1U, 3U, 5U}) BOOST_TEST(isBehind(objects[i], objects[i + 1]));
        for (void* object : objects) giveToBlock(object);
        const int freed = count.blocksFreed();
        BOOST_TEST(freed == 4);
    });
}

BOOST_AUTO_TEST_CASE(a_block_is_freed_when_both_are_given_back_in_either_order) {
    for (const bool secondFirst : {false, true}) {
        Two two{};
        onNewThread([&] { two = takeTwo(); });
        if (secondFirst) std::swap(two.first, two.second);
        const Count count;
        giveToBlock(two.first);
        const int beforeTheLast = count.blocksFreed();
        giveToBlock(two.second);
        const int withTheLast = count.blocksFreed();
        BOOST_TEST(beforeTheLast == 0);
        BOOST_TEST(withTheLast == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_second_object_that_was_not_taken_is_given_back_when_its_thread_ends) {
    void* object = nullptr;
    onNewThread([&] {
        giveToBlock(takeFromBlock(kSize));
        object = takeFromBlock(kSize);
    });
    std::memset(object, 1, kSize);  // for valgrind to see
    const Count count;
    giveToBlock(object);
    const int freed = count.blocksFreed();
    BOOST_TEST(freed == 1);
}

BOOST_AUTO_TEST_CASE(a_second_object_is_still_taken_when_the_first_one_is_given_back) {
    onNewThread([] {
        giveToBlock(takeFromBlock(kSize));
        void* const first = takeFromBlock(kSize);
        giveToBlock(first);
        const Count count;
        void* const second = takeFromBlock(kSize);
        BOOST_TEST(isBehind(first, second));
        giveToBlock(second);
        const int made = count.blocksMade(), freed = count.blocksFreed();
        BOOST_TEST(made == 0);
        BOOST_TEST(freed == 1);
    });
}

// So no object keeps the place of a larger one, and those of changing sizes keep no places at all.
BOOST_AUTO_TEST_CASE(an_object_of_another_size_than_the_one_before_has_a_block_for_itself) {
    onNewThread([] {
        const Count count;
        std::array<void*, 20> objects{};
        for (std::size_t i = 0; i < 20; ++i) objects[i] = takeFromBlock((i % 2 + 1) * kSize);
        for (void* object : objects) giveToBlock(object);
        const int made = count.blocksMade(), freed = count.blocksFreed();
        BOOST_TEST(made == 20);
        BOOST_TEST(freed == 20);
    });
}

BOOST_AUTO_TEST_CASE(
    the_second_object_stays_for_its_size_until_one_of_another_size_takes_its_place) {
    onNewThread([] {
        giveToBlock(takeFromBlock(kSize));
        void* const first = takeFromBlock(kSize);
        giveToBlock(takeFromBlock(2 * kSize));
        void* const second = takeFromBlock(kSize);
        BOOST_TEST(isBehind(first, second));
        giveToBlock(first);
        giveToBlock(second);

        giveToBlock(takeFromBlock(kSize));  // the next one's second object stays
        giveToBlock(takeFromBlock(2 * kSize));
        const Count count;
        void* const larger = takeFromBlock(2 * kSize);
        const int freed = count.blocksFreed();
        BOOST_TEST(freed == 1);
        giveToBlock(larger);
    });
}

namespace {

/// What a thread has done before and after the destruction of what it takes objects from.
struct AtThreadEnd {
    static inline std::atomic<int> freedBefore{-1};
    static inline std::atomic<int> madeAfter{-1};
    static inline std::atomic<int> freedAfter{-1};

    ~AtThreadEnd() {
        freedBefore = fromTheStart.blocksFreed();
        const Count count;
        giveToBlock(takeFromBlock(kSize));
        giveToBlock(takeFromBlock(kSize));
        madeAfter = count.blocksMade();
        freedAfter = count.blocksFreed();
    }
    void begin() { fromTheStart = Count(); }

    Count fromTheStart;
};

thread_local AtThreadEnd atThreadEnd;

}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_that_ends_keeps_nothing_and_what_it_still_takes_is_freed_at_once) {
    onNewThread([] {
        atThreadEnd.begin();  // constructed before the thread's memory, so destroyed after it
        giveToBlock(takeFromBlock(kSize));
        giveToBlock(takeFromBlock(kSize));
    });
    BOOST_TEST(AtThreadEnd::freedBefore == 2);
    BOOST_TEST(AtThreadEnd::madeAfter == 2);
    BOOST_TEST(AtThreadEnd::freedAfter == 2);
}

namespace {

/// An object of which each byte says which it is.
struct Marked {
    unsigned char* bytes;
    std::size_t size;
    unsigned char mark;

    bool isWhole() const {
        return reinterpret_cast<std::uintptr_t>(bytes) % 8 == 0U &&
               std::all_of(bytes, bytes + size,
                           [this](unsigned char byte) { return byte == mark; });
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(objects_that_come_and_go_are_aligned_and_do_not_overlap) {
    int wrong = 0;
    onNewThread([&] {
        const std::array<std::size_t, 6> sizes{1, 16, 71, 72, 73, 256};
        std::mt19937 random(1);
        std::vector<Marked> objects;
        std::size_t size = 1;
        const auto take = [&](int number) {
            if (random() % 4 == 0) size = sizes[random() % sizes.size()];
            auto* const bytes = static_cast<unsigned char*>(takeFromBlock(size));
            objects.push_back({bytes, size, static_cast<unsigned char>(number % 251)});
            std::memset(bytes, objects.back().mark, size);
        };
        const auto giveLast = [&] {
            if (!objects.back().isWhole()) ++wrong;
            giveToBlock(objects.back().bytes);
            objects.pop_back();
        };
        for (int i = 0; i < 100'000; ++i) {
            if (objects.size() < 100 + random() % 100) {
                take(i);
            } else {
                std::swap(objects[random() % objects.size()], objects.back());
                giveLast();
            }
        }
        while (!objects.empty()) giveLast();
    });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(when_memory_is_out_nothing_has_changed) {
    onNewThread([] {
        giveToBlock(takeFromBlock(kSize));
        void* const first = takeFromBlock(kSize);
        isMemoryOut = true;
        bool isRefused = false;
        try {
            takeFromBlock(256);
        } catch (const std::bad_alloc&) {
            isRefused = true;
        }
        void* const second = takeFromBlock(kSize);
        isMemoryOut = false;
        BOOST_TEST(isRefused);
        BOOST_TEST(isBehind(first, second));
        giveToBlock(first);
        giveToBlock(second);
    });
}

// Two threads that only take, and two that only give back, each one object of a block.
BOOST_AUTO_TEST_CASE(threads_may_give_back_what_others_have_taken) {
    constexpr std::size_t pairs = 2;
    constexpr std::size_t objects = 100'000;  // of each thread that takes
    using Word = std::uint64_t;
    using Handed = std::vector<std::atomic<Word*>>;
    std::array<Handed, pairs> handed{Handed(objects), Handed(objects)};
    std::atomic<std::ptrdiff_t> made{0};
    std::atomic<std::ptrdiff_t> freed{0};
    std::atomic<int> wrong{0};
    boost::thread_group group;
    test::StartingLine start(2 * static_cast<int>(pairs));
    const auto take = [&](std::size_t number) {
        start.await();
        const Count count;
        for (std::size_t i = 0; i < objects; ++i) {
            auto* const object = static_cast<Word*>(takeFromBlock(kSize));
            std::fill_n(object, kSize / sizeof *object, number * objects + i);
            handed[number][i].store(object, std::memory_order_release);
        }
        made += count.blocksMade();
        freed += count.blocksFreed();
    };
    const auto give = [&](std::size_t number) {
        start.await();
        const Count count;
        for (std::size_t i = number; i < pairs * objects; i += pairs) {
            const std::size_t taker = i / 2 % pairs;
            const std::size_t which = i / (2 * pairs) * 2 + i % 2;
            Word* object = nullptr;
            while ((object = handed[taker][which].load(std::memory_order_acquire)) == nullptr)
                boost::this_thread::yield();
            const Word expected = taker * objects + which;
            for (std::size_t word = 0; word < kSize / sizeof *object; ++word)
                if (std::exchange(object[word], ~expected) != expected) ++wrong;
            giveToBlock(object);
        }
        freed += count.blocksFreed();
    };
    for (std::size_t number = 0; number < pairs; ++number) {
        group.create_thread([&, number] { take(number); });
        group.create_thread([&, number] { give(number); });
    }
    group.join_all();
    BOOST_TEST(wrong == 0);
    // Of each thread a block for its first object, and one for two whose second it does not take.
    BOOST_TEST(made == 100'002);
    // The last of these may be freed when its thread has ended.
    BOOST_TEST(freed >= 100'000);
    BOOST_TEST(freed <= 100'002);
}

namespace {

struct Large {
    std::array<std::uint64_t, 40> words;
};
struct alignas(16) Aligned {
    std::uint64_t word;
};

}  // namespace

BOOST_AUTO_TEST_CASE(large_and_over_aligned_objects_have_memory_of_their_own) {
    BlockAllocator<Large> ofLarge;
    BlockAllocator<Aligned> ofAligned;
    const Count count;
    std::array<Large*, 2> large{ofLarge.allocate(1), ofLarge.allocate(1)};
    std::array<Aligned*, 2> aligned{ofAligned.allocate(1), ofAligned.allocate(1)};
    const int allMade = count.blocksMade();
    for (Large* each : large) ofLarge.deallocate(each, 1);
    for (Aligned* each : aligned) ofAligned.deallocate(each, 1);
    const int allFreed = count.blocksFreed();
    BOOST_TEST(allMade == 4);
    BOOST_TEST(allFreed == 4);
}

BOOST_AUTO_TEST_CASE(callables_share_blocks_except_for_sanitizers) {
    using jtimer::detail::TaskAllocator;
    constexpr bool isSanitized = std::is_same_v<TaskAllocator<int>, std::allocator<int>>;
    onNewThread([] {
        const Count count;
        std::array<std::shared_ptr<jtimer::TimerTask>, 5> tasks;
        for (auto& task : tasks) task = jtimer::makeTask([] {});
        const int blocks = count.blocksMade();
        BOOST_TEST(blocks == (isSanitized ? 5 : 3));
    });
}

BOOST_AUTO_TEST_SUITE_END()
