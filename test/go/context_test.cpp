// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <jtimer/go/context.hpp>

#include <system_error>

using namespace std::chrono_literals;
using jtimer::go::background;
using jtimer::go::CancelFunc;
using jtimer::go::Channel;
using jtimer::go::Context;
using jtimer::go::ContextError;
using jtimer::go::select;
using jtimer::go::Timers;
using jtimer::go::withCancel;
using jtimer::go::withDeadline;
using jtimer::go::withDeadlineCause;
using jtimer::go::withTimeout;
using jtimer::go::withTimeoutCause;
using test::millis;

namespace {

const std::error_code kCause = std::make_error_code(std::errc::host_unreachable);
const std::error_code kOther = std::make_error_code(std::errc::broken_pipe);

bool isDone(const Context& context) { return context.done().tryReceive().has_value(); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_context, test::ManualTimers)

BOOST_AUTO_TEST_CASE(c8_a_background_is_never_done) {
    for (const Context& root : {Context(), background(), background(timers)}) {
        BOOST_TEST((root.done() == Channel()));
        BOOST_TEST(!root.err());
        BOOST_TEST(!root.cause());
        BOOST_TEST(!root.deadline());
    }
    CancelFunc()();
    const Context none;
    const Context copied = none;  // NOLINT(performance-unnecessary-copy-initialization)
    BOOST_TEST(!copied.err());
    const auto [ofDefaultTimers, cancel] = withTimeout(background(), 1h);
    BOOST_TEST(!ofDefaultTimers.err());
    cancel();
    BOOST_TEST((ofDefaultTimers.err() == ContextError::Canceled));
}

BOOST_AUTO_TEST_CASE(c8_cancel_ends_a_context_and_its_descendants_but_not_its_parent) {
    const auto parent = withCancel(background());
    const auto child = withCancel(parent.context);
    const auto sibling = withCancel(parent.context);
    const auto grandchild = withCancel(child.context);
    child.cancel();
    BOOST_TEST((child.context.err() == ContextError::Canceled));
    BOOST_TEST((grandchild.context.err() == ContextError::Canceled));
    BOOST_TEST(isDone(grandchild.context));
    BOOST_TEST(!parent.context.err());
    BOOST_TEST(!isDone(sibling.context));
    parent.cancel();
    BOOST_TEST(isDone(sibling.context));
    const auto late = withTimeout(parent.context, 1h);
    BOOST_TEST((late.context.err() == ContextError::Canceled));
    BOOST_TEST(isDone(late.context));
}

BOOST_AUTO_TEST_CASE(c8_the_texts_of_the_errors_are_gos) {
    const auto [ctx, cancel] = withCancel(background(timers));
    const auto late = withTimeout(ctx, 0);
    BOOST_TEST(late.context.err().message() == "context deadline exceeded");
    BOOST_TEST((late.context.err() == std::errc::timed_out));
    cancel();
    BOOST_TEST(ctx.err().message() == "context canceled");
    BOOST_TEST((ctx.err() == std::errc::operation_canceled));
    const std::error_code destroyed = ContextError::TimersDestroyed;
    BOOST_TEST(destroyed.message() == "time: Timers destroyed");
    BOOST_TEST((destroyed != std::errc::operation_canceled));
    BOOST_TEST((destroyed.default_error_condition().category() == destroyed.category()));
    BOOST_TEST(destroyed.category().name() == "context");
    const std::error_code unknown(0, destroyed.category());
    BOOST_TEST(unknown.message() == "unknown error");
    BOOST_TEST((unknown.default_error_condition().category() == unknown.category()));
}

BOOST_AUTO_TEST_CASE(c8_the_first_cause_stays) {
    const auto parent = withCancel(background());
    const auto child = withCancel(parent.context);
    parent.cancel(std::make_error_code(std::errc::io_error));
    parent.cancel();
    child.cancel();
    BOOST_TEST((child.context.err() == ContextError::Canceled));
    BOOST_TEST((child.context.cause() == std::errc::io_error));
    const auto other = withCancel(background());
    other.cancel();
    BOOST_TEST((other.context.cause() == ContextError::Canceled));
    const auto withoutCause = withCancel(background());
    withoutCause.cancel(std::error_code());
    BOOST_TEST((withoutCause.context.cause() == ContextError::Canceled));
}

BOOST_AUTO_TEST_CASE(c9_a_deadline_ends_a_context_at_its_time) {
    const auto [ctx, cancel] = withTimeout(background(timers), 30);
    const auto ticker = timers.newTicker(20);
    BOOST_TEST(millis(ctx.deadline()) == 30);
    inFunctionThread([&, waited = ctx] {
        while (select({ticker.C(), waited.done()}).index == 0) write("tick");
        write(waited.err().message());
    });
    clock->advance(29);
    BOOST_TEST(!ctx.err());
    clock->advance(100);
    BOOST_TEST(take() == "tick@20 context deadline exceeded@30");
    cancel();
    BOOST_TEST((ctx.cause() == ContextError::DeadlineExceeded));
}

BOOST_AUTO_TEST_CASE(c9_the_deadline_of_a_child_is_never_later_than_its_parents) {
    const auto parent = withTimeout(background(timers), 50);
    const auto later = withTimeout(parent.context, 60);
    const auto latest = withDeadline(parent.context, test::kStart + 70ms);
    const auto earlier = withDeadline(parent.context, test::kStart + 40ms);
    const auto none = withCancel(later.context);
    BOOST_TEST(millis(later.context.deadline()) == 50);
    BOOST_TEST(millis(latest.context.deadline()) == 50);
    BOOST_TEST(millis(earlier.context.deadline()) == 40);
    BOOST_TEST(millis(none.context.deadline()) == 50);
    BOOST_TEST(timers.stats().pending == 2U);
    clock->advance(40);
    BOOST_TEST((earlier.context.err() == ContextError::DeadlineExceeded));
    BOOST_TEST(!parent.context.err());
    clock->advance(10);
    BOOST_TEST((none.context.err() == ContextError::DeadlineExceeded));
}

BOOST_AUTO_TEST_CASE(c10_a_context_that_is_done_or_has_no_handles_keeps_no_timer) {
    const auto parent = withCancel(background(timers));
    {
        const auto dropped = withTimeout(parent.context, 1h);
        BOOST_TEST(timers.stats().pending == 1U);
    }
    BOOST_TEST(timers.stats().pending == 0U);
    const auto child = withTimeout(parent.context, 1h);
    parent.cancel();
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(c10_a_channel_keeps_its_context_and_a_child_its_ancestors) {
    const Channel done = withTimeout(background(timers), 10).context.done();
    const Context child = withCancel(withTimeout(background(timers), 20).context).context;
    clock->advance(10);
    BOOST_TEST(done.tryReceive().has_value());
    BOOST_TEST(!child.err());
    clock->advance(10);
    BOOST_TEST((child.err() == ContextError::DeadlineExceeded));
}

BOOST_AUTO_TEST_CASE(c10_a_chain_of_contexts_of_any_depth_is_cancelled_and_destroyed) {
    auto top = withCancel(background());
    Context last = top.context;
    for (int i = 0; i < 200'000; ++i) last = withCancel(last).context;
    top.cancel();
    BOOST_TEST(isDone(last));
}

BOOST_AUTO_TEST_CASE(c11_the_end_of_its_timers_cancels_a_context_with_a_deadline) {
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    const Context root = background(*other);
    const auto parent = withTimeout(root, 1h);
    const auto child = withCancel(parent.context);
    other.reset();
    BOOST_TEST((child.context.err() == ContextError::Canceled));
    BOOST_TEST((child.context.cause() == ContextError::TimersDestroyed));
    BOOST_CHECK_THROW(static_cast<void>(withTimeout(root, 1h)), jtimer::go::TimersDestroyed);
}

BOOST_AUTO_TEST_CASE(c11_in_a_forked_child_a_cancel_does_nothing_and_no_context_has_children) {
    test::needFork();
    const auto parent = withCancel(background());
    BOOST_TEST(test::inForkedChild([&] {
                   parent.cancel();
                   if (parent.context.err()) return 1;
                   try {
                       static_cast<void>(withCancel(parent.context));
                   } catch (const jtimer::go::TimersDestroyed&) {
                       return 7;
                   }
                   return 2;
               }) == 7);
}

BOOST_AUTO_TEST_CASE(c10_cancelling_expiring_and_dropping_race) {
    Timers real;
    std::optional<jtimer::go::CancellableContext> parent;
    const auto renew = [&](int) { parent = withTimeout(background(real), 50us); };
    renew(0);
    test::race(1500,
               {[&](int) { parent->cancel(); },
                [&](int i) {
                    for (int n = 0; n < 3; ++n) {
                        const auto child =
                            withTimeout(parent->context, std::chrono::microseconds(20 * (i % 4)));
                        if (n == 1) child.cancel();
                        if (n == 2) child.context.done().receive();
                    }
                },
                [&](int) { select({withCancel(parent->context).context.done()}); }},
               renew);
    parent.reset();
    real.check();
    BOOST_TEST(real.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(a74_a_deadline_gives_its_cause_to_the_context_that_it_ends_and_below) {
    const auto ofSpan = withTimeoutCause(background(timers), 30, kCause);
    const auto ofDate = withDeadlineCause(background(timers), test::kStart + 40ms, kOther);
    const auto below = withCancel(ofSpan.context);
    BOOST_TEST((ofDate.context.deadline() == test::kStart + 40ms));
    BOOST_TEST(!ofSpan.context.cause());
    clock->advance(30);
    for (const Context& context : {ofSpan.context, below.context}) {
        BOOST_TEST((context.err() == ContextError::DeadlineExceeded));
        BOOST_TEST((context.cause() == kCause));
    }
    BOOST_TEST(!ofDate.context.err());
    clock->advance(10);
    BOOST_TEST((ofDate.context.err() == ContextError::DeadlineExceeded));
    BOOST_TEST((ofDate.context.cause() == kOther));
}

BOOST_AUTO_TEST_CASE(a74_the_cause_is_not_that_of_a_deadline_that_was_not_first) {
    const auto parent = withTimeoutCause(background(timers), 20, kOther);
    const auto later = withTimeoutCause(parent.context, 30, kCause);
    const auto same = withTimeoutCause(parent.context, 20, kCause);
    const auto earlier = withTimeoutCause(parent.context, 10, kCause);
    clock->advance(20);
    BOOST_TEST((later.context.cause() == kOther));
    BOOST_TEST((same.context.cause() == kOther));
    BOOST_TEST((earlier.context.cause() == kCause));
    BOOST_TEST((parent.context.cause() == kOther));
}

BOOST_AUTO_TEST_CASE(a74_a_cancel_before_the_deadline_has_a_cause_of_its_own) {
    const auto plain = withTimeoutCause(background(timers), 20, kCause);
    const auto caused = withTimeoutCause(background(timers), 20, kCause);
    const auto parent = withCancel(background(timers));
    const auto child = withTimeoutCause(parent.context, 20, kCause);
    plain.cancel();
    caused.cancel(kOther);
    parent.cancel(kOther);
    clock->advance(20);
    BOOST_TEST((plain.context.cause() == ContextError::Canceled));
    BOOST_TEST((caused.context.cause() == kOther));
    BOOST_TEST((child.context.cause() == kOther));
    for (const Context& context : {plain.context, caused.context, child.context})
        BOOST_TEST((context.err() == ContextError::Canceled));
}

BOOST_AUTO_TEST_CASE(a74_without_an_error_the_cause_is_that_the_deadline_is_exceeded) {
    const auto child = withTimeoutCause(background(timers), 10, {});
    clock->advance(10);
    BOOST_TEST((child.context.cause() == ContextError::DeadlineExceeded));
}

BOOST_AUTO_TEST_CASE(a74_a_deadline_in_the_past_ends_the_context_at_once_with_the_cause) {
    for (const int timeout : {0, -10}) {
        const auto child = withTimeoutCause(background(timers), timeout, kCause);
        BOOST_TEST(isDone(child.context));
        BOOST_TEST((child.context.err() == ContextError::DeadlineExceeded));
        BOOST_TEST((child.context.cause() == kCause));
    }
    const auto past = withDeadlineCause(background(timers), test::kStart - 1h, kCause);
    BOOST_TEST((past.context.cause() == kCause));
}

BOOST_AUTO_TEST_SUITE_END()
