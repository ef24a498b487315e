// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: elsewhere only the threads of the library keep nodes.
//
// A program of its own, for it replaces operator new.
#include "netty/node_blocks.hpp"
#include "netty/node_stock.hpp"
#include "support/child_process.hpp"
#include "support/failing_new.hpp"
#include "support/manual_wheel.hpp"
#include "support/netty_nodes.hpp"
#include "support/test.hpp"
#include "sync/mutex.hpp"

using namespace std::chrono_literals;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::detail::giveNode;
using jtimer::netty::detail::NodeBlocks;
using jtimer::netty::detail::NodeStock;
using jtimer::netty::detail::takeNode;
using test::allocations;
using test::Handle;
using test::livingAllocations;
using test::onAThread;
using test::takeNodes;

namespace {

constexpr std::size_t kBatch = NodeStock::kBatch;

/// Keeps nodes also under AddressSanitizer and Valgrind. Each is an allocation of its own, so that
/// they can be counted.
struct Enabled {
    const bool was = std::exchange(NodeStock::isEnabled, true);
    const bool hadBlocks = std::exchange(NodeBlocks::isEnabled, false);
    ~Enabled() {
        NodeStock::isEnabled = was;
        NodeBlocks::isEnabled = hadBlocks;
    }
};

void give(const std::vector<void*>& nodes) {
    for (void* node : nodes) giveNode(node);
}

struct Fixture : Enabled {
    NodeStock stock;

    ~Fixture() { stock.deleteAll(); }
    /// As a worker's thread: frees nodes, whose batches go to the stock.
    void fill(const std::vector<void*>& nodes) {
        onAThread([&] {
            const NodeStock::Collecting collecting(stock);
            give(nodes);
        });
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(node_stock, Fixture)

BOOST_AUTO_TEST_CASE(a_thread_takes_again_what_it_has_given) {
    onAThread([] {
        const std::vector<void*> nodes = takeNodes(3);
        give(nodes);
        BOOST_TEST(takeNode() == nodes[2]);
        BOOST_TEST(takeNode() == nodes[1]);
        BOOST_TEST(takeNode() == nodes[0]);
        give(nodes);
    });
}

BOOST_AUTO_TEST_CASE(it_keeps_a_batch_at_most_and_nothing_when_it_ends) {
    const long before = livingAllocations();
    onAThread([] {
        const std::vector<void*> nodes = takeNodes(3 * kBatch);
        const long taken = livingAllocations();
        give(nodes);
        BOOST_TEST(livingAllocations() == taken - static_cast<long>(2 * kBatch));
    });
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_CASE(what_a_worker_gives_comes_back_to_producers_in_batches) {
    fill(takeNodes(2 * kBatch + 5));
    BOOST_TEST(stock.batches() == 2U);
    onAThread([&] {
        stock.supply();
        stock.supply();  // has enough
        BOOST_TEST(stock.batches() == 1U);
        const long before = allocations();
        for (std::size_t i = 0; i < kBatch; ++i) NodeBlocks::give(takeNode());
        BOOST_TEST(allocations() == before);
        NodeBlocks::give(takeNode());
        BOOST_TEST(allocations() == before + 1);
    });
}

BOOST_AUTO_TEST_CASE(a_producer_that_has_got_a_batch_keeps_no_more_than_that) {
    fill(takeNodes(kBatch));
    const std::vector<void*> more = takeNodes(2);
    onAThread([&] {
        stock.supply();
        const long before = livingAllocations();
        give(more);
        BOOST_TEST(livingAllocations() == before - 2);
    });
}

BOOST_AUTO_TEST_CASE(a_full_stock_takes_no_more) {
    const long before = livingAllocations();
    fill(takeNodes((NodeStock::kMostBatches + 2) * kBatch));
    BOOST_TEST(stock.batches() == NodeStock::kMostBatches);
    fill(takeNodes(2 * kBatch));
    BOOST_TEST(stock.batches() == NodeStock::kMostBatches);
    BOOST_TEST(livingAllocations() == before + static_cast<long>(NodeStock::kMostBatches * kBatch));
}

BOOST_AUTO_TEST_CASE(an_eighth_of_what_no_producer_needs_is_deleted_at_a_time) {
    fill(takeNodes(20 * kBatch));
    stock.deleteSurplus();  // they have just arrived
    BOOST_TEST(stock.batches() == 20U);
    onAThread([&] { stock.supply(); });
    stock.deleteSurplus();
    BOOST_TEST(stock.batches() == 16U);  // without an eighth of the 19 that were left, rounded up
    stock.deleteSurplus();
    BOOST_TEST(stock.batches() == 14U);
    for (int i = 0; i < 14; ++i) stock.deleteSurplus();
    BOOST_TEST(stock.batches() == 0U);
}

BOOST_AUTO_TEST_CASE(all_can_be_deleted_with_what_the_worker_keeps) {
    const std::vector<void*> nodes = takeNodes(kBatch + 5);
    onAThread([&] {
        const long before = livingAllocations();
        const NodeStock::Collecting collecting(stock);
        give(nodes);
        BOOST_TEST(stock.batches() == 1U);
        stock.deleteAll();
        BOOST_TEST(livingAllocations() == before - static_cast<long>(nodes.size()));
    });
    BOOST_TEST(stock.batches() == 0U);
}

BOOST_AUTO_TEST_CASE(a_worker_does_not_wait_for_a_producer) {
    const std::vector<void*> nodes = takeNodes(kBatch);
    onAThread([&] {
        const long before = livingAllocations();
        const NodeStock::Collecting collecting(stock);
        const Lock lock(stock.mutex());
        give(nodes);
        BOOST_TEST(stock.batches() == 0U);
        BOOST_TEST(livingAllocations() == before - static_cast<long>(kBatch));
    });
}

BOOST_AUTO_TEST_CASE(a_thread_at_its_end_keeps_nothing_any_more) {
    const long before = livingAllocations();
    struct Late {
        void* node = nullptr;
        ~Late() {
            giveNode(node);
            const std::vector<void*> more = takeNodes(2);
            give(more);
        }
    };
    onAThread([] {
        thread_local Late late;
        late.node = takeNode();
        giveNode(takeNode());  // after `late`, so destroyed before it
    });
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_CASE(threads_exchange_nodes) {
    constexpr int rounds = 300;
    Mutex mutex;
    std::array<std::vector<void*>, 2> onTheirWay;
    std::atomic<int> producing{2};
    const auto produce = [&](std::size_t number) {
        for (int i = 0; i < rounds; ++i) {
            std::vector<void*> nodes = takeNodes(100);
            for (void* node : nodes) *static_cast<std::size_t*>(node) = number;
            stock.supply();
            const Lock lock(mutex);
            for (void* node : nodes) onTheirWay[number].push_back(node);
        }
        --producing;
    };
    boost::thread first([&] { produce(0); }), second([&] { produce(1); });
    onAThread([&] {
        const NodeStock::Collecting collecting(stock);
        for (bool isLast = false; !isLast;) {
            isLast = producing == 0;
            Lock lock(mutex);
            const auto arrived = std::exchange(onTheirWay, {});
            lock.unlock();
            for (const std::size_t number : {std::size_t{0}, std::size_t{1}}) {
                for (void* node : arrived[number])
                    BOOST_REQUIRE(*static_cast<std::size_t*>(node) == number);
                give(arrived[number]);
            }
            stock.deleteSurplus();
        }
    });
    first.join();
    second.join();
}

BOOST_AUTO_TEST_SUITE_END()

// In a timer.

BOOST_FIXTURE_TEST_SUITE(nodes_of_a_timer, Enabled)

BOOST_AUTO_TEST_CASE(the_same_memory_serves_one_time_out_after_another) {
    test::ManualWheel wheel;
    const Handle pending = wheel.timer.newTimeout([] {}, 1h);  // so that it is not idle
    const auto round = [&] {
        std::vector<Handle> handles;
        for (std::size_t i = 0; i < 10 * kBatch; ++i)
            handles.push_back(wheel.timer.newTimeout([] {}, 1h));
        for (const Handle& handle : handles) handle->cancel();
        handles.clear();
        wheel.clock->advance(100);
    };
    round();
    const long before = allocations();
    round();
    BOOST_TEST(allocations() - before < static_cast<long>(2 * kBatch));
}

void addAndCancelAMillion() {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    HashedWheelTimer timer(test::wheelOn(clock));
    const auto addAndCancel = [&](int count) {
        for (int i = 0; i < count; ++i) timer.newTimeout([&timer] { timer.start(); }, 1h)->cancel();
        clock->advance(100);
    };
    addAndCancel(1);
    clock->advance(100);
    const long before = livingAllocations();
    for (int i = 0; i < 10; ++i) addAndCancel(100'000);
    clock->advance(100);
    BOOST_TEST(timer.pendingTimeouts() == 0);
    // What this thread keeps, each node in a block of its own at worst, and its last block.
    BOOST_TEST(livingAllocations() - before <= static_cast<long>(kBatch) + 1);
}

BOOST_AUTO_TEST_CASE(an_idle_timer_has_given_back_the_memory_of_a_million_time_outs) {
    onAThread(addAndCancelAMillion);
}

BOOST_AUTO_TEST_CASE(an_idle_timer_has_given_back_the_blocks_of_a_million_time_outs) {
    NodeBlocks::isEnabled = true;
    const std::ptrdiff_t before = NodeBlocks::blocks();
    onAThread(addAndCancelAMillion);
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_CASE(a_handle_that_outlives_its_timer_gives_back_its_memory) {
    const long before = livingAllocations();
    onAThread([] {
        std::vector<Handle> handles;
        {
            test::ManualWheel wheel;
            for (std::size_t i = 0; i < 3 * kBatch; ++i)
                handles.push_back(wheel.timer.newTimeout([] {}, 1h));
            for (std::size_t i = 0; i < kBatch; ++i) handles[i]->cancel();
            wheel.clock->advance(100);
        }
        BOOST_TEST(handles.back()->timer() == nullptr);
    });
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_CASE(a_timer_at_its_end_has_given_back_what_it_keeps) {
    const long before = livingAllocations();
    onAThread([] {
        test::ManualWheel wheel;
        const Handle pending = wheel.timer.newTimeout([] {}, 1h);  // so that it is not idle
        for (std::size_t i = 0; i < 3 * kBatch; ++i) wheel.timer.newTimeout([] {}, 1h)->cancel();
        wheel.clock->advance(100);
    });
    BOOST_TEST(livingAllocations() == before);
}

#if defined(__SANITIZE_ADDRESS__)

CHILD_PROCESS(uses_a_freed_timeout) {
    test::ManualWheel wheel;
    const Handle pending = wheel.timer.newTimeout([] {}, 1h);
    jtimer::netty::Timeout* const freed = wheel.timer.newTimeout([] {}, 0).get();
    wheel.clock->advance(100);
    static_cast<void>(freed->isExpired());
}

BOOST_AUTO_TEST_CASE(address_sanitizer_sees_the_use_of_a_freed_timeout) {
    const std::string report = test::runChild("uses_a_freed_timeout").err;
    BOOST_TEST((report.find("heap-use-after-free") != std::string::npos), report);
}

#endif

BOOST_AUTO_TEST_CASE(a_large_or_over_aligned_callable_is_allocated_on_its_own) {
    struct alignas(64) Aligned {
        char bytes[8] = {};
    };
    struct Large {
        char bytes[1000] = {};
    };
    bool isAligned = false;
    std::size_t size = 0;
    const long before = livingAllocations();
    {
        test::ManualWheel wheel;
        wheel.timer.newTimeout(
            [&isAligned, aligned = Aligned()] {
                isAligned = reinterpret_cast<std::uintptr_t>(&aligned) % alignof(Aligned) == 0;
            },
            0);
        wheel.timer.newTimeout([&size, large = Large()] { size = sizeof(large.bytes); }, 0);
        wheel.clock->advance(100);
    }
    BOOST_TEST(isAligned);
    BOOST_TEST(size == 1000U);
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_SUITE_END()
