// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/thread_end.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>

namespace {

std::atomic<int> calls{0};
std::atomic<int> callsAfterHasCome{0};

void count() noexcept;
using Counted = jtimer::detail::ThreadEnd<count>;

void count() noexcept {
    ++calls;
    if (Counted::hasCome()) ++callsAfterHasCome;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_that_asks_for_it_calls_the_function_once_when_it_ends) {
    boost::thread([] {
        Counted::await();
        Counted::await();
        BOOST_TEST(!Counted::hasCome());
        BOOST_TEST(calls.load() == 0);
    }).join();
    BOOST_TEST(calls.load() == 1);
    BOOST_TEST(callsAfterHasCome.load() == 1);
    BOOST_TEST(!Counted::hasCome());  // on this thread
    boost::thread([] { BOOST_TEST(!Counted::hasCome()); }).join();
    BOOST_TEST(calls.load() == 1);
}
