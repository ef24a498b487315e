// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/player.hpp"
#include "support/manual_timer.hpp"
#include "tools/entries.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using test::entriesOf;

namespace {

/// Plays a schedule on a manual clock, with commands that end when the test says so, several at
/// once. `log` says what happened when, in milliseconds from the start.
struct SlowPlayer {
    std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    test::Log log{clock};
    std::map<std::string, Player::Done> running;
    std::map<std::string, std::string> commands;  // the last of each name
    Ledger ledger;
    Player player{{clock, clock}, ledger, actions(), {10, false, 5s}};

    Player::Actions actions() {
        Player::Actions actions;
        actions.launch = [this](const Job& job, Player::Done done) {
            log.write(job.entry->name);
            commands[job.entry->name] = job.entry->command;
            running[job.entry->name] = std::move(done);
        };
        actions.signal = [this](const std::string& name, int) { log.write(name + ":signal"); };
        actions.tell = [this](const Event& event) {
            if (event.kind != Event::Kind::Skipped) return;
            log.write(event.task +
                      (event.reason == "the previous run has not ended" ? ":skipped" : ":late"));
        };
        return actions;
    }

    void start(const std::string& text) {
        player.start(entriesOf(text), [this] { log.write("end"); });
        clock->waitUntilIdle();
    }
    void end(const std::string& name, bool succeeded = true) {
        running.at(name)(succeeded);
        clock->waitUntilIdle();
    }
    /// \returns what was added, changed and removed
    std::string replace(const std::string& text) {
        std::string changes;
        player.replace(entriesOf(text), [&changes](const Player::Changes& c) {
            changes = std::to_string(c.added) + ' ' + std::to_string(c.changed) + ' ' +
                      std::to_string(c.removed);
        });
        clock->waitUntilIdle();
        return changes;
    }
    /// Runs, failures, retries and dropped runs of a task, and its greatest lateness.
    std::string counts(const std::string& name) {
        for (const Record& r : ledger.records()) {
            if (r.name != name) continue;
            return std::to_string(r.lateness.count()) + ' ' + std::to_string(r.failures) + ' ' +
                   std::to_string(r.retries) + ' ' + std::to_string(r.skipped) + ' ' +
                   std::to_string(r.lateness.max() / 1ms);
        }
        return "none";
    }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_fixed_delay_counts_from_the_start_of_the_run_that_had_to_wait) {
    SlowPlayer p;
    p.start("every 100ms e x");
    p.clock->advance(250);
    BOOST_TEST(p.log.take() == "e@0");
    p.end("e");
    p.end("e");
    p.clock->advance(200);
    BOOST_TEST(p.log.take() == "e@250 e@350");
    p.end("e");
    p.clock->advance(100);
    BOOST_TEST(p.log.take() == "e@450");
    BOOST_TEST(p.counts("e") == "4 0 0 0 150");
}

BOOST_AUTO_TEST_CASE(a_fixed_rate_catches_up_on_the_runs_that_had_to_wait) {
    SlowPlayer p;
    p.start("rate 100ms r x\nafter 120ms other x");
    p.clock->advance(250);
    p.end("r");
    p.end("r");
    p.end("r");
    p.clock->advance(100);
    BOOST_TEST(p.log.take() == "r@0 other@120 r@250 r@250 r@300");
    BOOST_TEST(p.counts("r") == "4 0 0 0 150");
}

BOOST_AUTO_TEST_CASE(each_line_says_what_happens_to_runs_that_overlap) {
    SlowPlayer p;
    p.start("every 100ms overlap=skip s x\nrate 100ms overlap=kill k x");
    p.clock->advance(100);
    p.end("k", false);
    p.end("s");
    p.clock->advance(100);
    BOOST_TEST(p.log.take() == "s@0 k@0 k:signal@100 s:skipped@100 k@100 s@200 k:signal@200");
    BOOST_TEST(p.counts("s") == "2 0 0 1 0");
    BOOST_TEST(p.counts("k") == "2 1 0 0 0");
}

BOOST_AUTO_TEST_CASE(a_retry_belongs_to_its_run_and_the_end_waits_for_it) {
    SlowPlayer p;
    p.start("after 10ms retry=2/100ms a x");
    p.clock->advance(10);
    p.end("a", false);
    p.clock->advance(100);
    p.end("a", false);
    p.clock->advance(200);
    BOOST_TEST(p.log.take() == "a@10 a@110 a@310");
    p.end("a");
    BOOST_TEST(p.log.take() == "end@310");
    BOOST_TEST(p.counts("a") == "1 0 2 0 0");
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_its_retry_at_the_end_has_failed) {
    SlowPlayer p;
    p.start("after 10ms retry=2/100ms a x\nafter 10ms b x");
    p.clock->advance(10);
    p.end("a", false);
    p.player.cancel();
    p.end("b", false);  // too late for the timer
    p.player.finish();
    BOOST_TEST(p.counts("a") == "1 1 0 0 0");
    BOOST_TEST(p.counts("b") == "1 1 0 0 0");
}

BOOST_AUTO_TEST_CASE(r15_in_a_new_schedule_a_line_with_the_same_name_and_rule_goes_on) {
    SlowPlayer p;
    p.start("rate 100ms same x\nrate 100ms changed x\nrate 100ms removed x");
    for (const char* name : {"same", "changed", "removed"}) p.end(name);
    p.clock->advance(50);
    p.log.take();
    BOOST_TEST(p.replace("rate 50ms changed x\nafter 20ms added x\nrate 100ms same x") == "1 1 1");
    p.clock->advance(50);
    BOOST_TEST(p.log.take() == "changed@50 added@70 same@100");
    for (const char* name : {"same", "changed", "added"}) p.end(name);
    BOOST_TEST(p.log.take() == "changed@100");
    BOOST_TEST(p.counts("removed") == "1 0 0 0 0");
}

BOOST_AUTO_TEST_CASE(r15_a_line_whose_options_or_command_change_keeps_its_place) {
    SlowPlayer p;
    p.start("rate 60s a x\nrate 1m b x\nafter 10ms once x\nrate 1m overlap=skip c x");
    p.clock->advance(20);
    for (const char* name : {"b", "once", "c"}) p.end(name);
    p.log.take();
    // The first two have another command, the third has another option, the last is as it was.
    BOOST_TEST(p.replace("rate 1m a y\nrate 60s  b z\nafter 10ms retry=1 once x\n"
                         "rate 1m overlap=skip c x") == "0 3 0");
    p.clock->advance(59'980);
    BOOST_TEST(p.log.take() == "b@60000 c@60000");
    BOOST_TEST(p.commands["b"] == "z");
    // What waits when its line changes begins with the new command.
    BOOST_TEST(p.replace("rate 1m a last\nrate 1m b z\nafter 10ms retry=1 once x\n"
                         "rate 1m overlap=skip c x") == "0 1 0");
    p.end("a");
    BOOST_TEST(p.log.take() == "a@60000");
    BOOST_TEST(p.commands["a"] == "last");
}

BOOST_AUTO_TEST_CASE(in_a_new_schedule_what_has_run_once_does_not_run_again) {
    SlowPlayer p;
    p.start("after 10ms once x\nat 01:47 UTC alarm x\nrate 1h r x");
    p.clock->advance(30'000);
    p.end("once");
    p.end("alarm");
    p.log.take();
    BOOST_TEST(p.replace("rate 1h r x\nat 01:47 UTC alarm x\nafter 10ms once x") == "0 0 0");
    p.clock->advance(30min);
    BOOST_TEST(p.log.take() == "");
    p.end("r");
    BOOST_TEST(p.replace("after 10ms once x") == "0 0 2");
    BOOST_TEST(p.log.take() == "end@1830000");  // nothing is left
}

BOOST_AUTO_TEST_CASE(a_command_that_runs_while_its_line_changes_ends_before_the_new_one_begins) {
    SlowPlayer p;
    p.start("every 100ms a x");
    p.clock->advance(150);
    BOOST_TEST(p.replace("every 50ms a x") == "0 1 0");
    p.clock->advance(100);
    BOOST_TEST(p.log.take() == "a@0");
    p.end("a");
    p.end("a");
    p.clock->advance(60);
    BOOST_TEST(p.log.take() == "a@250 a@300");
}

BOOST_AUTO_TEST_CASE(a_new_schedule_cancels_what_waits) {
    SlowPlayer p;
    p.start("rate 100ms a x\nafter 1ms retry=1/1s b x");
    p.clock->advance(250);
    p.end("b", false);
    p.log.take();
    BOOST_TEST(p.replace("after 2s c x") == "1 0 2");
    p.end("a");
    p.clock->advance(5000);
    BOOST_TEST(p.log.take() == "c@2250");
    p.end("c");
    BOOST_TEST(p.log.take() == "end@5250");
    BOOST_TEST(p.counts("b") == "1 1 0 0 0");
}
