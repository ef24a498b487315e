// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// This program's operators new and delete count, and the first fails when a case says so.
#include <jtimer/detail/block_allocator.hpp>
#include <jtimer/make_task.hpp>

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

using Objects = std::array<void*, 4>;

Objects takeFour() {
    Objects objects{};
    for (void*& object : objects) object = takeFromBlock(kSize);
    return objects;
}

void giveAll(const Objects& objects) {
    for (void* object : objects) giveToBlock(object, kSize);
}

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

std::ptrdiff_t distance(void* from, void* to) {
    return static_cast<char*>(to) - static_cast<char*>(from);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(block_allocator)

BOOST_AUTO_TEST_CASE(four_objects_that_a_thread_takes_one_after_another_lie_side_by_side) {
    onNewThread([] {
        const Count count;
        const Objects first = takeFour();
        const int madeForFirst = count.blocksMade();
        const Objects second = takeFour();
        const int madeForBoth = count.blocksMade();
        BOOST_TEST(madeForFirst == 1);
        BOOST_TEST(madeForBoth == 2);
        for (const Objects& four : {first, second}) {
            BOOST_TEST(distance(four[0], four[1]) == 72);
            BOOST_TEST(distance(four[1], four[2]) == 88);
            BOOST_TEST(distance(four[2], four[3]) == 72);
        }
        giveAll(first);
        giveAll(second);
    });
}

// By another thread, which takes none, so that it has no use for objects to take again.
BOOST_AUTO_TEST_CASE(a_full_block_is_freed_when_its_last_object_is_given_back_in_whatever_order) {
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    do {
        Objects objects{};
        onNewThread([&] { objects = takeFour(); });
        onNewThread([&] {
            const Count count;
            for (std::size_t i = 0; i < 3; ++i) giveToBlock(objects[order[i]], kSize);
            const int beforeTheLast = count.blocksFreed();
            giveToBlock(objects[order[3]], kSize);
            const int withTheLast = count.blocksFreed();
            BOOST_TEST(beforeTheLast == 0);
            BOOST_TEST(withTheLast == 1);
        });
    } while (std::next_permutation(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(a_block_that_is_not_full_is_freed_when_its_thread_has_ended) {
    void* object = nullptr;
    onNewThread([&] { object = takeFromBlock(kSize); });
    std::memset(object, 1, kSize);  // for valgrind to see
    const Count count;
    giveToBlock(object, kSize);
    const int freed = count.blocksFreed();
    BOOST_TEST(freed == 1);
}

BOOST_AUTO_TEST_CASE(a_block_from_which_a_thread_takes_stays_until_it_takes_from_another) {
    onNewThread([] {
        const Objects objects = takeFour();
        int whileOpen = -1;
        onNewThread([&] {
            const Count count;
            giveAll(objects);
            whileOpen = count.blocksFreed();
        });
        const Count count;
        void* const fromAnother = takeFromBlock(kSize);
        const int afterwards = count.blocksFreed();
        BOOST_TEST(whileOpen == 0);
        BOOST_TEST(afterwards == 1);
        giveToBlock(fromAnother, kSize);
    });
}

BOOST_AUTO_TEST_CASE(what_a_thread_gives_back_it_takes_again_the_last_one_first) {
    onNewThread([] {
        const Objects objects = takeFour();
        giveAll(objects);
        const Count count;
        Objects again = takeFour();
        const int blocks = count.blocksMade();
        std::reverse(again.begin(), again.end());
        BOOST_TEST(again == objects, boost::test_tools::per_element());
        BOOST_TEST(blocks == 0);
        giveAll(objects);
    });
}

BOOST_AUTO_TEST_CASE(no_more_than_sixteen_are_kept_to_be_taken_again) {
    onNewThread([] {
        std::array<Objects, 20> blocks{};
        for (Objects& each : blocks) each = takeFour();
        const Count count;
        for (const Objects& each : blocks) giveAll(each);
        const int freed = count.blocksFreed();
        BOOST_TEST(freed == 15);  // but four with what is kept, and the one still open
    });
}

BOOST_AUTO_TEST_CASE(none_of_another_size_than_that_of_the_last_block_are_kept) {
    onNewThread([] {
        const Objects objects = takeFour();
        giveAll(objects);
        const Count count;
        void* const larger = takeFromBlock(2 * kSize);
        const int freed = count.blocksFreed();
        BOOST_TEST(freed == 1);
        void* const inTheSameBlock = takeFromBlock(kSize);
        giveToBlock(inTheSameBlock, kSize);
        void* const next = takeFromBlock(kSize);
        BOOST_TEST(distance(inTheSameBlock, next) == 72);
        giveToBlock(next, kSize);
        giveToBlock(larger, 2 * kSize);
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
        giveToBlock(takeFromBlock(kSize), kSize);
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
        atThreadEnd.begin();  // constructed before the thread's first block, so destroyed after it
        giveToBlock(takeFromBlock(kSize), kSize);
    });
    BOOST_TEST(AtThreadEnd::freedBefore == 1);
    BOOST_TEST(AtThreadEnd::madeAfter == 1);
    BOOST_TEST(AtThreadEnd::freedAfter == 1);
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

// Few sizes, so that many are taken again; all alignments of a size.
BOOST_AUTO_TEST_CASE(objects_that_come_and_go_are_aligned_and_do_not_overlap) {
    int wrong = 0;
    onNewThread([&] {
        const std::array<std::size_t, 6> sizes{1, 16, 71, 72, 73, 256};
        std::mt19937 random(1);
        std::vector<Marked> objects;
        const auto take = [&](int number) {
            const std::size_t size = sizes[random() % sizes.size()];
            auto* const bytes = static_cast<unsigned char*>(takeFromBlock(size));
            objects.push_back({bytes, size, static_cast<unsigned char>(number % 251)});
            std::memset(bytes, objects.back().mark, size);
        };
        const auto giveLast = [&] {
            if (!objects.back().isWhole()) ++wrong;
            giveToBlock(objects.back().bytes, objects.back().size);
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
        void* const object = takeFromBlock(kSize);
        isMemoryOut = true;
        bool isRefused = false;
        try {
            takeFromBlock(256);
        } catch (const std::bad_alloc&) {
            isRefused = true;
        }
        void* const next = takeFromBlock(kSize);
        isMemoryOut = false;
        BOOST_TEST(isRefused);
        BOOST_TEST(distance(object, next) == 72);
        giveToBlock(object, kSize);
        giveToBlock(next, kSize);
    });
}

// Two threads that only take, so that each opens a block for every four objects; and two that only
// give back, and so keep none. The objects of a block are shared between these two.
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
            const std::size_t taker = i / 4 % pairs;
            const std::size_t which = i / (4 * pairs) * 4 + i % 4;
            Word* object = nullptr;
            while ((object = handed[taker][which].load(std::memory_order_acquire)) == nullptr)
                boost::this_thread::yield();
            const Word expected = taker * objects + which;
            for (std::size_t word = 0; word < kSize / sizeof *object; ++word)
                if (std::exchange(object[word], ~expected) != expected) ++wrong;
            giveToBlock(object, kSize);
        }
        freed += count.blocksFreed();
    };
    for (std::size_t number = 0; number < pairs; ++number) {
        group.create_thread([&, number] { take(number); });
        group.create_thread([&, number] { give(number); });
    }
    group.join_all();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(made == 50'000);
    // But the last one of each thread, which may be freed when its thread has ended.
    BOOST_TEST(freed >= 49'998);
    BOOST_TEST(freed <= 50'000);
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

BOOST_AUTO_TEST_CASE(four_callables_are_one_block_except_for_sanitizers) {
    using jtimer::detail::TaskAllocator;
    constexpr bool isSanitized = std::is_same_v<TaskAllocator<int>, std::allocator<int>>;
    onNewThread([] {
        const Count count;
        std::array<std::shared_ptr<jtimer::TimerTask>, 4> tasks;
        for (auto& task : tasks) task = jtimer::makeTask([] {});
        const int blocks = count.blocksMade();
        BOOST_TEST(blocks == (isSanitized ? 4 : 1));
    });
}

BOOST_AUTO_TEST_SUITE_END()
