// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/pages.hpp"
#include "run_schedule/player.hpp"
#include "support/manual_timer.hpp"
#include "tools/entries.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace {

std::string firstFieldOf(const http::Response& response) {
    return response.fields.at(0).first + ": " + response.fields.at(0).second;
}

/// A player of `after 0s a x` on a manual clock, whose command runs on the timer's thread.
struct HeldUpPlayer {
    std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::promise<void> begun, go;
    Ledger ledger;
    Player player{{clock, clock}, ledger, actions(), {}};

    void start() { player.start(test::entriesOf("after 0s a x")); }

    Player::Actions actions() {
        Player::Actions actions;
        actions.launch = [this](const Job&, const Player::Done& done) {
            begun.set_value();
            go.get_future().wait();
            done(true);
        };
        return actions;
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(r32_there_are_two_pages) {
    const Pages pages{[] { return std::string("metrics\n"); }, [] { return std::string(); }};
    for (const char* target : {"/metrics", "/metrics?", "/metrics?name=x"}) {
        const http::Response metrics = pageOf(pages, target);
        BOOST_TEST(metrics.status == 200U);
        BOOST_TEST(metrics.body == "metrics\n");
        BOOST_TEST(metrics.type == "text/plain; version=0.0.4; charset=utf-8");
        BOOST_TEST(firstFieldOf(metrics) == "Cache-Control: no-store");
    }
    for (const char* target : {"/", "", "/metrics/", "/Metrics", "http://a/metrics"}) {
        const http::Response other = pageOf(pages, target);
        BOOST_TEST(other.status == 404U);
        BOOST_TEST(other.body == "no such page: expected /metrics or /healthz\n");
    }
}

BOOST_AUTO_TEST_CASE(r35_health_is_ok_or_says_why_not) {
    std::string ailment;
    const Pages pages{[] { return std::string(); }, [&] { return ailment; }};
    BOOST_TEST(pageOf(pages, "/healthz").status == 200U);
    BOOST_TEST(pageOf(pages, "/healthz").body == "ok\n");
    ailment = "the database has not answered yet";
    BOOST_TEST(pageOf(pages, "/healthz").status == 503U);
    BOOST_TEST(pageOf(pages, "/healthz").body == "the database has not answered yet\n");
}

BOOST_AUTO_TEST_CASE(r35_a_schedule_is_well_while_the_timers_thread_runs_tasks) {
    HeldUpPlayer p;
    BOOST_TEST(p.player.ailment() == "");  // also before the start
    p.start();
    p.begun.get_future().wait();
    const std::string why = "the timer's thread has not run a task for a second";
    // Several that ask do not fill the timer.
    auto other = std::async(std::launch::async, [&] { return p.player.ailment(); });
    BOOST_TEST(p.player.ailment() == why);
    BOOST_TEST(other.get() == why);
    p.go.set_value();
    BOOST_TEST(p.player.ailment() == "");
    BOOST_TEST(p.player.ailment() == "");
    p.player.cancel();
    BOOST_TEST(p.player.ailment() == "the schedule is ending");
    p.player.finish();
}

BOOST_AUTO_TEST_CASE(r35_who_waits_for_a_timer_that_is_cancelled_learns_it_at_once) {
    HeldUpPlayer p;
    p.start();
    p.begun.get_future().wait();
    auto health = std::async(std::launch::async, [&] { return p.player.ailment(); });
    p.player.cancel();
    BOOST_TEST(health.get() == "the schedule is ending");
    p.go.set_value();
    p.player.finish();
}
