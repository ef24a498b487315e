// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "thread/wake_up_lead.hpp"

using jtimer::detail::Nanos;
using jtimer::detail::WakeUpLead;

namespace {

Nanos after(WakeUpLead& lead, Nanos late) {
    lead.learn(late);
    return lead.value();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_lead_rises_by_a_sixteenth_of_what_a_wake_up_takes_longer) {
    WakeUpLead lead;
    BOOST_TEST(lead.value() == 0);
    BOOST_TEST(after(lead, 80'000) == 5'000);
    BOOST_TEST(after(lead, 21'000) == 6'000);
    BOOST_TEST(after(lead, 6'000) == 6'000);
}

BOOST_AUTO_TEST_CASE(a_shorter_wake_up_is_the_lead_at_once) {
    WakeUpLead lead;
    lead.learn(400'000);
    BOOST_TEST(after(lead, 24'999) == 24'999);
    BOOST_TEST(after(lead, 0) == 0);
}

BOOST_AUTO_TEST_CASE(the_lead_is_a_tenth_of_a_millisecond_at_most) {
    WakeUpLead lead;
    for (int i = 0; i < 100; ++i) lead.learn(999'999);
    BOOST_TEST(lead.value() == 100'000);
}

BOOST_AUTO_TEST_CASE(a_thread_that_is_held_up_or_sees_the_clock_set_back_learns_nothing) {
    WakeUpLead lead;
    lead.learn(80'000);
    BOOST_TEST(after(lead, 1'000'000) == 5'000);
    BOOST_TEST(after(lead, -1) == 5'000);
}
