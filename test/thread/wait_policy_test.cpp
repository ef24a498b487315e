// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "thread/wait_policy.hpp"

using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Nanos;
using jtimer::detail::Waiter;
using jtimer::detail::WaitPolicy;

namespace {

/// Says how its clock wakes threads; nobody waits on it.
class Traits final : public Waiter {
  public:
    explicit Traits(bool wakesLate = true, Nanos settlingTime = 1'000'000)
        : wakesLate_(wakesLate), settlingTime_(settlingTime) {}
    void waitUntil(Lock&, Nanos, Nanos) override {}
    void notify() override {}
    bool wakesLate() const noexcept override { return wakesLate_; }
    Nanos settlingTime() const noexcept override { return settlingTime_; }

  private:
    const bool wakesLate_;
    const Nanos settlingTime_;
};

const Traits kReal;
const Traits kManual(false, 0);

void check(const WaitPolicy::Plan& plan, Nanos end, Nanos spinUntil, std::optional<Nanos> slack) {
    BOOST_TEST(plan.end == end);
    BOOST_TEST(plan.spinUntil == spinUntil);
    BOOST_TEST((plan.slack == slack));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_long_wait_ends_by_the_lead_before_its_deadline_and_spins) {
    WaitPolicy policy;
    check(policy.plan(kReal, 100'000, 0, kNever), 100'000, 100'000, 1);
    policy.awakeAfter(80'000);  // a sixteenth of it is the lead
    const WaitPolicy::Plan plan = policy.plan(kReal, 100'000, 0, kNever);
    check(plan, 95'000, 100'000, 1);
    BOOST_TEST(plan.awakeBy == 100'000);
    BOOST_TEST(!plan.isShort);
}

BOOST_AUTO_TEST_CASE(a_wait_under_a_tenth_of_a_millisecond_has_the_usual_slack) {
    WaitPolicy policy;
    policy.awakeAfter(80'000);
    const WaitPolicy::Plan plan = policy.plan(kReal, 99'999, 0, kNever);
    check(plan, 99'999, kNever, {});
    BOOST_TEST(plan.isShort);
}

BOOST_AUTO_TEST_CASE(a_short_wait_after_another_serves_a_deadline_within_50_us) {
    WaitPolicy policy;
    policy.waited(policy.plan(kReal, 10'000, 0, 20'000), 0, false);
    const WaitPolicy::Plan longer = policy.plan(kReal, 20'000, 10'000, 70'000);
    check(longer, 70'000, kNever, {});
    BOOST_TEST(longer.awakeBy == 70'000);
    check(policy.plan(kReal, 20'000, 10'000, 70'001), 20'000, kNever, {});
    check(policy.plan(kReal, 20'000, 10'000, kNever), 20'000, kNever, {});
}

BOOST_AUTO_TEST_CASE(
    a_wait_that_was_notified_or_long_or_without_a_limit_is_followed_by_a_plain_one) {
    for (const int way : {0, 1, 2}) {
        WaitPolicy policy;
        const auto plan = policy.plan(kReal, way == 1 ? 200'000 : 10'000, 0, kNever);
        policy.waited(plan, 0, way == 0);
        if (way == 2) policy.waited();
        check(policy.plan(kReal, 5'020'000, 5'000'000, 5'030'000), 5'020'000, kNever, {});
    }
}

BOOST_AUTO_TEST_CASE(after_two_notifications_within_a_millisecond_a_wait_settles) {
    WaitPolicy policy;
    policy.waited(policy.plan(kReal, 9'000'000, 0, kNever), 0, true);
    const WaitPolicy::Plan settling = policy.plan(kReal, 9'000'000, 999'999, kNever);
    BOOST_TEST(settling.settles);
    check(settling, 1'999'999, kNever, 1);
    BOOST_TEST(settling.awakeBy == 1'999'999);
    BOOST_TEST(policy.plan(kReal, 9'000'000, 0, kNever).settles);  // both at the same time
    policy.waited(settling, 999'999, false);
    BOOST_TEST(!policy.plan(kReal, 9'000'000, 1'999'999, kNever).settles);
}

BOOST_AUTO_TEST_CASE(a_notification_a_millisecond_ago_or_a_deadline_within_one_settles_nothing) {
    WaitPolicy policy;
    policy.waited(policy.plan(kReal, 9'000'000, 0, kNever), 0, true);
    BOOST_TEST(!policy.plan(kReal, 9'000'000, 1'000'000, kNever).settles);
    BOOST_TEST(!policy.plan(kReal, 1'500'000, 500'000, kNever).settles);
    BOOST_TEST(!policy.plan(kReal, 9'000'000, -1, kNever).settles);  // the clock was set back
}

BOOST_AUTO_TEST_CASE(a_chosen_slack_holds_for_every_wait_with_a_deadline_and_none_ends_early) {
    WaitPolicy policy(200'000);
    policy.awakeAfter(80'000);
    check(policy.plan(kReal, 100'000, 0, kNever), 100'000, kNever, 200'000);
    check(policy.plan(kReal, 10'000, 0, kNever), 10'000, kNever, 200'000);
    policy.waited(policy.plan(kReal, 10'000, 0, kNever), 0, false);
    check(policy.plan(kReal, 20'000, 10'000, 30'000), 20'000, kNever, 200'000);
    check(policy.plan(kReal, kNever, 0, kNever), kNever, kNever, {});
}

BOOST_AUTO_TEST_CASE(on_a_clock_that_tests_control_every_wait_ends_at_its_deadline) {
    WaitPolicy policy;
    policy.awakeAfter(80'000);
    policy.waited(policy.plan(kManual, 10'000, 0, kNever), 0, true);
    const WaitPolicy::Plan plan = policy.plan(kManual, 9'000'000, 1, 9'000'001);
    BOOST_TEST(plan.end == 9'000'000);
    BOOST_TEST(!plan.spins());
    BOOST_TEST(!plan.settles);
}

BOOST_AUTO_TEST_CASE(on_a_clock_far_below_0_waits_are_as_long_as_they_are) {
    constexpr Nanos kMin = std::numeric_limits<Nanos>::min() + 1'000'000'000;
    WaitPolicy policy;
    policy.awakeAfter(80'000);
    // Of more than 292 years.
    check(policy.plan(kReal, 2'000'000'000, kMin, kNever), 1'999'995'000, 2'000'000'000, 1);
    check(policy.plan(kReal, kMin + 10'000, kMin, kNever), kMin + 10'000, kNever, {});
    policy.waited(policy.plan(kReal, kMin + 10'000, kMin, kNever), kMin, false);
    // The next deadline is not within 50 us, though the difference does not fit into 64 bits.
    check(policy.plan(kReal, kMin + 20'000, kMin + 10'000, kNever - 60'000), kMin + 20'000, kNever,
          {});
    check(policy.plan(kReal, kMin + 20'000, kMin + 10'000, kMin + 70'000), kMin + 70'000, kNever,
          {});
}

BOOST_AUTO_TEST_CASE(near_the_end_of_time_no_wait_settles_or_gathers_beyond_it) {
    WaitPolicy policy;
    policy.waited(policy.plan(kReal, kNever - 1, kNever - 300'000, kNever), kNever - 300'000, true);
    const WaitPolicy::Plan plan = policy.plan(kReal, kNever - 1, kNever - 200'000, kNever);
    BOOST_TEST(!plan.settles);
    check(plan, kNever - 1, kNever - 1, 1);
    policy.waited(policy.plan(kReal, kNever - 50'000, kNever - 50'001, kNever), 0, false);
    check(policy.plan(kReal, kNever - 20'000, kNever - 50'000, kNever - 10'000), kNever - 20'000,
          kNever, {});
}
