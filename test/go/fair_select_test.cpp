// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/last_turn.hpp"
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <jtimer/go/chan.hpp>
#include <jtimer/go/context.hpp>
#include <jtimer/go/event.hpp>

using jtimer::go::Case;
using jtimer::go::Chan;
using jtimer::go::Channel;
using jtimer::go::Event;
using jtimer::go::select;
using jtimer::go::detail::LastTurn;

namespace {

enum class Kind { Event, Context, Timer, Chan };

/// A source that is always ready: a timer is started again, due at once, when it was received from.
struct Source {
    Kind kind;
    Case channel;
    std::optional<jtimer::go::Timer> timer{};

    // What the model knows.
    std::int64_t when = 0;
    int lastTurn = 0;
};

Channel doneContext() {
    const auto [context, cancel] = withCancel(jtimer::go::background());
    cancel();
    return context.done();
}

/// Its receives are always ready.
Case closedChan() {
    static std::optional<int> value;
    const auto chan = jtimer::go::makeChan<int>();
    chan.close();
    return chan.receiveInto(value);
}

Source makeSource(Kind kind, jtimer::go::Timers& timers, std::int64_t now) {
    if (kind == Kind::Event) {
        const Event event;
        event.set();
        return {kind, event};
    }
    if (kind == Kind::Context) return {kind, doneContext()};
    if (kind == Kind::Chan) return {kind, closedChan()};
    jtimer::go::Timer timer = timers.newTimer(0);
    const Channel channel = timer.C();
    return {kind, channel, std::move(timer), now};
}

/// A66, written down once more in the simplest way.
std::size_t expected(std::vector<Source>& sources, int turn) {
    const auto order = [&sources](std::size_t i) {
        const Source& s = sources[i];
        const int rank = s.kind == Kind::Timer ? 1 : s.kind == Kind::Chan ? 2 : 0;
        return std::tuple(s.lastTurn, rank, s.when, i);
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < sources.size(); ++i) {
        if (order(i) < order(best)) best = i;
    }
    const bool areTimers = std::all_of(sources.begin(), sources.end(),
                                       [](const Source& s) { return s.kind == Kind::Timer; });
    if (!areTimers) sources[best].lastTurn = turn;
    return best;
}

struct Fixture : test::ManualTimers {
    std::vector<Source> sources;

    void make(const std::vector<Kind>& kinds) {
        sources.clear();
        for (const Kind kind : kinds) {
            clock->advance(1);
            sources.push_back(makeSource(kind, timers, now()));
        }
    }
    std::vector<Case> channels() const {
        std::vector<Case> all;
        for (const Source& source : sources) all.push_back(source.channel);
        return all;
    }
    void received(std::size_t index) {
        Source& source = sources[index];
        clock->advance(1);
        if (!source.timer) return;
        source.timer->reset(0);
        source.when = now();
    }
    /// The indices that `count` selects have received.
    std::string indices(int count) {
        std::string text;
        const std::vector<Case> all = channels();
        for (int i = 0; i < count; ++i) {
            const std::size_t index = select(all).index;
            text += std::to_string(index);
            received(index);
        }
        return text;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_fair_select, Fixture)

BOOST_AUTO_TEST_CASE(a66_three_sources_of_any_kinds_in_all_orders_are_chosen_as_it_says) {
    constexpr Kind all[] = {Kind::Event, Kind::Context, Kind::Timer, Kind::Chan};
    for (const Kind a : all) {
        for (const Kind b : all) {
            for (const Kind c : all) {
                make({a, b, c});
                const std::vector<Case> list = channels();
                int wrong = 0;
                for (int turn = 1; turn <= 1000; ++turn) {
                    const std::size_t index = select(list).index;
                    if (index != expected(sources, turn)) ++wrong;
                    received(index);
                }
                BOOST_TEST(wrong == 0);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a66_events_and_contexts_come_first_and_then_each_has_its_turn) {
    make({Kind::Timer, Kind::Event, Kind::Timer, Kind::Context});
    BOOST_TEST(indices(12) == "130213021302");
    make({Kind::Context, Kind::Timer, Kind::Event});
    BOOST_TEST(indices(9) == "021021021");
}

BOOST_AUTO_TEST_CASE(a66_chans_come_last_in_the_order_of_the_list) {
    make({Kind::Chan, Kind::Chan, Kind::Timer, Kind::Event});
    BOOST_TEST(indices(12) == "320132013201");
    make({Kind::Chan, Kind::Timer, Kind::Chan});
    BOOST_TEST(indices(9) == "102102102");
}

BOOST_AUTO_TEST_CASE(a66_to_send_to_a_chan_and_to_receive_from_it_are_two_sources) {
    const auto chan = jtimer::go::makeChan<int>(1'000);
    std::optional<int> received;
    int sent = 0, other = 0;
    for (int i = 0; i < 100; ++i) chan.send(i);
    const std::vector<Case> list{chan.sendFrom(sent), chan.sendFrom(other),
                                 chan.receiveInto(received), chan.receiveInto(received)};
    std::string text;
    for (int i = 0; i < 8; ++i) text += std::to_string(select(list).index);
    BOOST_TEST(text == "02020202");
}

BOOST_AUTO_TEST_CASE(a67_a_chan_that_is_always_full_starves_no_ticker_and_no_shutdown) {
    const auto jobs = jtimer::go::makeChan<int>(1);
    const auto ticker = timers.newTicker(1);
    const Event shutdown;
    std::optional<int> job;
    std::string text;
    for (int i = 0; i < 12; ++i) {
        clock->advance(1);
        if (jobs.len() == 0) jobs.send(i);
        if (i == 6) shutdown.set();
        text += std::to_string(select({jobs.receiveInto(job), ticker.C(), shutdown}).index);
    }
    BOOST_TEST(text == "101010210210");
}

BOOST_AUTO_TEST_CASE(a66_of_timers_never_chosen_the_earliest_comes_first_wherever_it_stands) {
    make({Kind::Timer, Kind::Timer, Kind::Event});
    std::swap(sources[0], sources[1]);
    BOOST_TEST(indices(6) == "210210");
}

BOOST_AUTO_TEST_CASE(a66_a_select_that_finds_one_source_ready_is_not_contested) {
    make({Kind::Event});
    auto timer = timers.newTimer(100);
    const std::vector<Case> list{timer.C(), sources[0].channel};
    for (int i = 0; i < 3; ++i) BOOST_TEST(select(list).index == 1U);
    clock->advance(100);
    BOOST_TEST(select(list).index == 1U);
    BOOST_TEST(select(list).index == 0U);
    BOOST_TEST(select(list).index == 1U);
    timer.reset(0);
    BOOST_TEST(select(list).index == 1U);  // chosen before the timer was
    timer.stop();
    BOOST_TEST(select(list).index == 1U);
    timer.reset(0);
    BOOST_TEST(select(list).index == 0U);
}

BOOST_AUTO_TEST_CASE(a66_a_source_that_stands_twice_is_one_source) {
    make({Kind::Event, Kind::Timer});
    const Case event = sources[0].channel, timer = sources[1].channel;
    BOOST_TEST(select({Channel(), event, event}).index == 1U);
    const std::vector<Case> list{timer, event, timer, event};
    for (const std::size_t index : {1U, 0U, 1U, 0U}) {
        BOOST_TEST(select(list).index == index);
        sources[1].timer->reset(0);
    }
}

BOOST_AUTO_TEST_CASE(a67_a_set_event_starves_no_ticker) {
    const Event event;
    event.set();
    const auto ticker = timers.newTicker(1);
    const std::vector<Channel> list{event, ticker.C()};
    int ticks = 0;
    for (int i = 0; i < 200'000; ++i) {
        if (i % 20'000 == 0) clock->advance(1);
        if (select(list).index == 1) ++ticks;
    }
    BOOST_TEST(ticks == 10);
}

BOOST_AUTO_TEST_CASE(a67_a_done_context_beside_a_ticker_takes_every_second_contested_turn) {
    const Channel done = doneContext();
    const auto ticker = timers.newTicker(1);
    std::string text;
    for (int i = 0; i < 10; ++i) {
        clock->advance(1);
        text += std::to_string(select({ticker.C(), done}).index);
    }
    BOOST_TEST(text == "1010101010");
}

BOOST_AUTO_TEST_CASE(a67_a_shutdown_is_seen_first_whatever_was_received_before) {
    const auto ticker = timers.newTicker(1);
    const Event shutdown;
    const std::vector<Channel> list{ticker.C(), shutdown};
    for (int i = 0; i < 5; ++i) {
        clock->advance(1);
        BOOST_TEST(select(list).index == 0U);
    }
    clock->advance(1);
    shutdown.set();
    BOOST_TEST(select(list).index == 1U);
}

BOOST_AUTO_TEST_CASE(a67_a_time_out_comes_after_all_that_is_ready) {
    make({Kind::Timer, Kind::Event});
    const std::vector<Case> list = channels();
    std::string text;
    for (const int timeout : {0, -1, 1, 0, -1, 1}) {
        text += std::to_string(select(list, timeout).value().index);
        sources[0].timer->reset(0);
    }
    BOOST_TEST(text == "101010");
}

BOOST_AUTO_TEST_CASE(a68_new_sources_do_not_depend_on_the_selects_before) {
    for (int i = 0; i < 3; ++i) {
        make({Kind::Timer, Kind::Event, Kind::Event});
        BOOST_TEST(indices(1 + i).substr(0, 1) == "1");
        make({Kind::Event, Kind::Timer});
        BOOST_TEST(indices(5) == "01010");
    }
}

BOOST_AUTO_TEST_CASE(a68_the_numbers_may_wrap_around) {
    make({Kind::Timer, Kind::Event, Kind::Context});
    LastTurn::last = UINT32_MAX - 4;
    BOOST_TEST(indices(12) == "120120120120");
    BOOST_TEST(LastTurn::last == 8U);  // 0 is no number
}

BOOST_AUTO_TEST_CASE(a66_after_the_end_of_its_timers_a_channel_is_not_ready) {
    make({Kind::Timer, Kind::Event});
    auto over = std::make_unique<jtimer::go::Timers>(test::goOnClock(clock));
    const Channel gone = over->newTimer(0).C();
    over.reset();
    const std::vector<Case> list{gone, sources[1].channel};
    for (int i = 0; i < 3; ++i) BOOST_TEST(select(list).index == 1U);
}

BOOST_AUTO_TEST_CASE(a66_a_forked_child_receives_from_the_event_alone) {
    test::needFork();
    make({Kind::Timer, Kind::Event});
    const std::vector<Case> list = channels();
    BOOST_TEST(select(list).index == 1U);
    BOOST_TEST(test::inForkedChild([&list] {
                   for (int i = 0; i < 3; ++i) {
                       if (select(list, 1000).value().index != 1) return 1;
                   }
                   return 7;
               }) == 7);
    BOOST_TEST(select(list).index == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
