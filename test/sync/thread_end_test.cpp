// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/test.hpp"
#include "sync/thread_end.hpp"

#include <jtimer/detail/own_thread_end.hpp>

using jtimer::detail::OwnThreadEnd;
using jtimer::detail::ThreadEnd;

namespace {

std::atomic<int> calls{0};
std::atomic<int> callsAfterHasCome{0};
std::vector<int> order;

void count() noexcept {
    ++calls;
    if (ThreadEnd::hasCome()) ++callsAfterHasCome;
    order.push_back(1);
}
thread_local ThreadEnd::Call counted{count};

void addTwo() noexcept { order.push_back(2); }
thread_local ThreadEnd::Call two{addTwo};

struct Fresh {
    Fresh() { calls = callsAfterHasCome = 0; }
    ~Fresh() { order.clear(); }
};

}  // namespace

#if defined(_WIN32)
BOOST_AUTO_TEST_CASE(for_another_thread_the_end_has_come_from_the_beginning) {
    BOOST_TEST(ThreadEnd::hasCome());
}
#else
BOOST_FIXTURE_TEST_CASE(a_thread_that_asks_for_it_calls_the_function_once_when_it_ends, Fresh) {
    boost::thread([] {
        ThreadEnd::await(counted);
        ThreadEnd::await(counted);
        BOOST_TEST(!ThreadEnd::hasCome());
        BOOST_TEST(calls.load() == 0);
    }).join();
    BOOST_TEST(calls.load() == 1);
    BOOST_TEST(callsAfterHasCome.load() == 1);
    BOOST_TEST(!ThreadEnd::hasCome());  // on this thread
    boost::thread([] { BOOST_TEST(!ThreadEnd::hasCome()); }).join();
    BOOST_TEST(calls.load() == 1);
}

BOOST_FIXTURE_TEST_CASE(what_was_asked_for_last_is_called_first, Fresh) {
    boost::thread([] {
        ThreadEnd::await(counted);
        ThreadEnd::await(two);
        ThreadEnd::await(counted);
    }).join();
    BOOST_TEST((order == std::vector<int>{2, 1}));
}
#endif

BOOST_FIXTURE_TEST_CASE(a_thread_of_the_library_calls_them_before_any_thread_local_destructor,
                        Fresh) {
#if defined(_WIN32)
    test::skipCase("thread_local objects that outlive their memory");
#endif
    boost::thread([] {
        struct Last {
            ~Last() { order.push_back(3); }
        };
        {
            const OwnThreadEnd end;
            thread_local const Last last;
            static_cast<void>(&last);
            ThreadEnd::await(counted);
            ThreadEnd::await(two);
            BOOST_TEST(!ThreadEnd::hasCome());
        }
        BOOST_TEST(ThreadEnd::hasCome());
        BOOST_TEST((order == std::vector<int>{2, 1}));
    }).join();
    BOOST_TEST((order == std::vector<int>{2, 1, 3}));
    BOOST_TEST(calls.load() == 1);
}
