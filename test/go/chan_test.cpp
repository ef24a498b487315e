// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/go/chan.hpp>

#include <numeric>

using jtimer::IllegalStateException;
using jtimer::go::Chan;
using jtimer::go::makeChan;
using test::stateError;

namespace {

/// All that is inside, by try calls.
std::string drain(const Chan<int>& c) {
    std::string text;
    while (const auto value = c.tryReceive()) text += std::to_string(*value) + ' ';
    return text;
}

std::string text(const std::optional<int>& value) {
    return value ? std::to_string(*value) : "nothing";
}

bool trySend(const Chan<int>& c, int value) { return c.trySend(std::move(value)); }

/// Uses its Chan in every function that the Chan calls: under a lock, that would deadlock.
class Meddler {
  public:
    explicit Meddler(Chan<Meddler> uses) : chan_(std::move(uses)) {}
    Meddler(Meddler&& other) noexcept : chan_(other.chan_) { meddle(); }
    Meddler& operator=(Meddler&& other) noexcept {
        chan_ = other.chan_;
        meddle();
        return *this;
    }
    ~Meddler() { meddle(); }

  private:
    void meddle() const noexcept {
        if (chan_.isClosed()) return;
        Chan<Meddler>(chan_).tryReceive();
    }
    Chan<Meddler> chan_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_chan, test::ManualTimers)

BOOST_AUTO_TEST_CASE(a69_values_arrive_once_in_the_order_of_the_sends) {
    const auto c = makeChan<int>(3);
    for (const int value : {1, 2, 3}) c.send(value);
    BOOST_TEST(c.len() == 3U);
    BOOST_TEST(c.cap() == 3U);
    BOOST_TEST(text(c.receive()) == "1");
    c.send(4);
    BOOST_TEST(text(c.receiveFor(0)) == "2");
    BOOST_TEST(drain(c) == "3 4 ");
    BOOST_TEST(c.len() == 0U);
    BOOST_TEST(text(c.tryReceive()) == "nothing");
}

BOOST_AUTO_TEST_CASE(a69_a_send_waits_while_as_many_values_as_the_capacity_are_inside) {
    const auto c = makeChan<int>(2);
    inFunctionThread([&] {
        for (int i = 1; i <= 5; ++i) {
            c.send(i);
            write("sent" + std::to_string(i));
        }
    });
    BOOST_TEST(take() == "sent1@0 sent2@0");
    BOOST_TEST(!trySend(c, 6));
    for (int i = 1; i <= 5; ++i) {
        BOOST_TEST(c.len() == 2U);
        BOOST_TEST(text(c.receive()) == std::to_string(i));
        clock->waitUntilIdle();
        BOOST_TEST(take() == (i <= 3 ? "sent" + std::to_string(i + 2) + "@0" : ""));
        if (i >= 4) c.send(i + 2);
    }
    BOOST_TEST(drain(c) == "6 7 ");
}

BOOST_AUTO_TEST_CASE(a69_with_capacity_0_a_send_waits_until_a_receive_takes_the_value) {
    const auto c = makeChan<int>();
    BOOST_TEST(c.cap() == 0U);
    BOOST_TEST(!trySend(c, 1));
    inFunctionThread([&] {
        c.send(2);
        write("sent");
    });
    BOOST_TEST(c.len() == 0U);
    BOOST_TEST(!trySend(c, 3));
    clock->advance(10);
    BOOST_TEST(take() == "");
    BOOST_TEST(text(c.receive()) == "2");
    clock->waitUntilIdle();
    BOOST_TEST(take() == "sent@10");
    BOOST_TEST(text(c.tryReceive()) == "nothing");
}

BOOST_AUTO_TEST_CASE(a69_a_value_goes_to_the_receive_that_blocked_first) {
    for (const std::size_t capacity : {0U, 2U}) {
        const auto c = makeChan<int>(capacity);
        for (const std::string name : {"a", "b", "c"})
            inFunctionThread([&, name] { write(name + text(c.receive())); });
        for (const int value : {1, 2, 3}) {
            c.send(value);
            clock->waitUntilIdle();
        }
        BOOST_TEST(take() == "a1@0 b2@0 c3@0");
        BOOST_TEST(c.len() == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a69_sends_are_served_in_the_order_in_which_they_blocked) {
    for (const std::size_t capacity : {0U, 1U, 2U}) {
        const auto c = makeChan<int>(capacity);
        for (int i = 1; i <= 5; ++i) inFunctionThread([&, i] { c.send(i); });
        for (int i = 1; i <= 5; ++i) BOOST_TEST(text(c.receive()) == std::to_string(i));
        BOOST_TEST(text(c.tryReceive()) == "nothing");
    }
}

BOOST_AUTO_TEST_CASE(a69_after_close_receives_empty_it_and_then_return_nothing) {
    const auto c = makeChan<int>(2);
    c.send(1);
    c.send(2);
    BOOST_TEST(!c.isClosed());
    c.close();
    BOOST_TEST(c.isClosed());
    BOOST_TEST(c.len() == 2U);
    BOOST_TEST(text(c.receive()) == "1");
    BOOST_TEST(text(c.receiveFor(1000)) == "2");
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(text(c.receive()) == "nothing");
        BOOST_TEST(text(c.receiveFor(1000)) == "nothing");
        BOOST_TEST(text(c.tryReceive()) == "nothing");
    }
}

BOOST_AUTO_TEST_CASE(a69_close_ends_the_receives_that_wait) {
    for (const std::size_t capacity : {0U, 2U}) {
        const auto c = makeChan<int>(capacity);
        for (int i = 0; i < 3; ++i) inFunctionThread([&] { write(text(c.receive())); });
        c.close();
        clock->waitUntilIdle();
        BOOST_TEST(take() == "nothing@0 nothing@0 nothing@0");
    }
}

BOOST_AUTO_TEST_CASE(a69_a_loop_ends_when_the_chan_is_closed_and_empty) {
    const auto c = makeChan<std::string>(1);
    inFunctionThread([&] {
        for (auto& word : c) write(std::move(word));
        write("end");
    });
    c.send("one");
    c.send("two");
    c.close();
    clock->waitUntilIdle();
    BOOST_TEST(take() == "one@0 two@0 end@0");
}

BOOST_AUTO_TEST_CASE(a69_an_iterator_is_an_input_iterator) {
    const auto c = makeChan<int>(10);
    for (int i = 1; i <= 4; ++i) c.send(i);
    c.close();
    Chan<int>::iterator it = c.begin();
    BOOST_TEST((it != c.end()));
    BOOST_TEST(*it++ == 1);
    BOOST_TEST(*it == 2);
    BOOST_TEST(*it.operator->() == 2);
    BOOST_TEST((std::vector<int>(it, c.end()) == std::vector<int>{2, 3, 4}));
    BOOST_TEST((c.begin() == c.end()));
    BOOST_TEST((Chan<int>::iterator() == c.end()));
}

BOOST_AUTO_TEST_CASE(a70_a_send_on_a_closed_chan_throws_with_gos_text) {
    for (const std::size_t capacity : {0U, 1U}) {
        const auto c = makeChan<std::string>(capacity);
        c.close();
        CHECK_THROWS(c.send("x"), IllegalStateException, "send on closed channel");
        std::string value = "kept";
        CHECK_THROWS(c.trySend(std::move(value)), IllegalStateException, "send on closed channel");
        BOOST_TEST(value == "kept");  // NOLINT(bugprone-use-after-move): that is the point
        CHECK_THROWS(c.close(), IllegalStateException, "close of closed channel");
    }
}

BOOST_AUTO_TEST_CASE(a70_close_ends_the_sends_that_wait_with_gos_text) {
    for (const std::size_t capacity : {0U, 1U}) {
        const auto c = makeChan<int>(capacity);
        if (capacity != 0) c.send(0);
        for (int i = 0; i < 3; ++i)
            inFunctionThread([&] { write(stateError([&] { c.send(1); })); });
        BOOST_TEST(take() == "");
        c.close();
        clock->waitUntilIdle();
        const std::string each = "send on closed channel@0";
        BOOST_TEST(take() == each + ' ' + each + ' ' + each);
        BOOST_TEST(drain(c) == (capacity == 0 ? "" : "0 "));
    }
}

BOOST_AUTO_TEST_CASE(a70_a_nil_chan_refuses_what_would_block) {
    const Chan<int> nil;
    BOOST_TEST(!nil);
    BOOST_TEST(!trySend(nil, 1));
    BOOST_TEST(text(nil.tryReceive()) == "nothing");
    BOOST_TEST(stateError([&] { nil.send(1); }) == "time: send on a nil Chan");
    const std::string receives = "time: receive on a nil Channel";
    BOOST_TEST(stateError([&] { nil.receive(); }) == receives);
    BOOST_TEST(stateError([&] { nil.receiveFor(0); }) == receives);
    BOOST_TEST(stateError([&] { nil.begin(); }) == receives);
    BOOST_TEST(stateError([&] { nil.close(); }) == "close of nil channel");
    BOOST_TEST(!nil.isClosed());
    BOOST_TEST(nil.len() + nil.cap() == 0U);
}

BOOST_AUTO_TEST_CASE(a69_copies_of_a_handle_are_the_same_chan) {
    auto c = makeChan<int>(1);
    const Chan<int> copy = c;
    Chan<int> assigned;
    BOOST_TEST((assigned == Chan<int>()));
    BOOST_TEST((assigned != c));
    assigned = c;
    assigned = *&assigned;
    BOOST_TEST((assigned == c));
    BOOST_TEST((copy == c));
    BOOST_TEST((copy != makeChan<int>(1)));
    const Chan<int> moved = std::move(c);
    BOOST_TEST(!c);  // NOLINT(bugprone-use-after-move): that is the point
    copy.send(1);
    BOOST_TEST(text(moved.receive()) == "1");
}

BOOST_AUTO_TEST_CASE(a69_try_send_moves_from_its_value_only_if_it_is_sent) {
    const auto c = makeChan<std::unique_ptr<int>>(1);
    auto first = std::make_unique<int>(1), second = std::make_unique<int>(2);
    BOOST_TEST(c.trySend(std::move(first)));
    BOOST_TEST(!c.trySend(std::move(second)));
    // NOLINTBEGIN(bugprone-use-after-move): that is the point
    BOOST_TEST((first == nullptr));
    BOOST_TEST(*second == 2);
    // NOLINTEND(bugprone-use-after-move)
    BOOST_TEST(**c.receive() == 1);
    int sum = 0;
    BOOST_TEST(c.trySend(std::move(second)));
    c.close();
    for (auto& each : c) sum += *each;
    BOOST_TEST(sum == 2);
}

BOOST_AUTO_TEST_CASE(a69_try_send_goes_to_a_receive_that_waits) {
    const auto c = makeChan<int>();
    inFunctionThread([&] { write(text(c.receive())); });
    BOOST_TEST(trySend(c, 1));
    BOOST_TEST(!trySend(c, 2));
    clock->waitUntilIdle();
    BOOST_TEST(take() == "1@0");
}

BOOST_AUTO_TEST_CASE(a72_values_that_nobody_receives_are_destroyed_with_the_last_handle) {
    const auto shared = std::make_shared<int>(1);
    auto c = makeChan<std::shared_ptr<int>>(100'000);
    for (int i = 0; i < 100'000; ++i) c.send(shared);
    c.receive();
    BOOST_TEST(shared.use_count() == 100'000);
    auto copy = c;
    c = {};
    BOOST_TEST(shared.use_count() == 100'000);
    copy = {};
    BOOST_TEST(shared.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a72_a_value_may_use_its_chan_wherever_it_is_moved_or_destroyed) {
    const auto c = makeChan<Meddler>(4);
    const auto full = makeChan<Meddler>();
    for (int i = 0; i < 10; ++i) {
        c.send(Meddler(c));
        Meddler lent(c);
        BOOST_TEST(!full.trySend(std::move(lent)));
        c.tryReceive();
        c.receiveFor(0);
    }
    inFunctionThread([&] { full.send(Meddler(full)); });
    full.receive();
    clock->waitUntilIdle();
    c.close();
    full.close();
}

BOOST_AUTO_TEST_CASE(a69_a_pipeline_of_gos_prime_sieve_finds_the_primes) {
    const auto source = makeChan<int>();
    timers.afterFunc(0, [source] {
        for (int i = 2; stateError([&] { source.send(i); }).empty(); ++i) {
        }
    });
    std::vector<Chan<int>> stages{source};
    std::vector<int> primes;
    while (primes.size() < 10) {
        const Chan<int> in = stages.back();
        const int prime = in.receive().value();
        primes.push_back(prime);
        const auto out = makeChan<int>();
        timers.afterFunc(0, [in, out, prime] {
            stateError([&] {
                for (const int i : in) {
                    if (i % prime != 0) out.send(i);
                }
            });
        });
        stages.push_back(out);
        clock->waitUntilIdle();
    }
    BOOST_TEST(std::accumulate(primes.begin(), primes.end(), 0) == 129);
    for (const auto& each : stages) each.close();
    clock->waitUntilIdle();
}

BOOST_AUTO_TEST_SUITE_END()
