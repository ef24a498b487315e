// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/test.hpp"
#include "sync/process_number.hpp"

using jtimer::detail::numberOfThisProcess;

BOOST_AUTO_TEST_CASE(each_fork_counts) {
    test::needFork();
    const std::uint32_t own = numberOfThisProcess();
    BOOST_TEST(own != 0U);
    BOOST_TEST(test::inForkedChild([own] {
                   if (numberOfThisProcess() != own + 1) return 1;
                   return test::inForkedChild(
                       [own] { return numberOfThisProcess() == own + 2 ? 7 : 2; });
               }) == 7);
    BOOST_TEST(numberOfThisProcess() == own);
}
