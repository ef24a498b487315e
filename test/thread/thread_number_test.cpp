// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "thread/thread_number.hpp"

using jtimer::detail::numberedThreads;
using jtimer::detail::numberOfThisThread;

namespace {

struct One;
struct Other;

}  // namespace

BOOST_AUTO_TEST_CASE(threads_are_numbered_in_the_order_in_which_they_first_ask_in_each_room) {
    for (std::size_t expected = 0; expected < 5; ++expected) {
        boost::thread([expected] {
            BOOST_TEST(numberOfThisThread<One>() == expected);
            BOOST_TEST(numberOfThisThread<One>() == expected);
            if (expected % 2 == 0) BOOST_TEST(numberOfThisThread<Other>() == expected / 2);
        }).join();
        BOOST_TEST(numberedThreads<One>() == expected + 1);
        BOOST_TEST(numberedThreads<Other>() == expected / 2 + 1);
    }
}
