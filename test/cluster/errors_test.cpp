// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What handlers throw, and what becomes of it in databases of any encoding.

#include "cluster/fixture.hpp"
#include "cluster/reports.hpp"
#include "cluster/schema.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>

using namespace jtimer::cluster;

namespace {

const std::string kUmlaut = "\xc3\xa4";
const std::string kEuro = "\xe2\x82\xac";

TaskOptions attempts(int most) {
    TaskOptions options;
    options.maxAttempts = most;
    return options;
}

std::string messageOf(const std::string& text) {
    return detail::messageOf(std::make_exception_ptr(std::runtime_error(text)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(k41_an_error_is_cut_at_2000_bytes_and_made_valid) {
    std::string umlauts;
    for (int i = 0; i < 1000; ++i) umlauts += kUmlaut;
    const std::string even = messageOf("\xff\x80" + umlauts);
    BOOST_TEST(even.size() == 2000U);
    BOOST_TEST(even.substr(0, 4) == "??" + kUmlaut);
    // The last character does not fit, and is left out as a whole.
    const std::string odd = messageOf("a" + umlauts);
    BOOST_TEST(odd.size() == 1999U);
    BOOST_TEST(odd.substr(1997) == kUmlaut);
}

BOOST_AUTO_TEST_CASE(k41_k50_what_is_printed_of_a_death_is_the_error_that_is_stored) {
    test::Schema schema;
    test::Counted failures;
    schema.options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) {
        failures.add();
    };
    const test::CapturedCerr printed;
    Scheduler scheduler(schema.options);
    scheduler.registerTask(
        "n", [](Run&) { throw std::runtime_error("\xff" + std::string(1 << 20, 'x')); },
        attempts(1));
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    failures.await(1);
    scheduler.stop();
    const std::string error = "?" + std::string(1999, 'x');
    BOOST_TEST(scheduler.find("n", "i").value().lastError == error);
    BOOST_TEST(printed.text() == "Task \"n\" \"i\" is dead after 1 attempt: " + error + "\n");
}

BOOST_AUTO_TEST_CASE(k50_the_death_of_a_cron_task_whose_zone_is_forgotten_is_told) {
    test::Schema schema;
    test::Counted runs;
    const test::CapturedCerr printed;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.scheduleCron("n", "i", "* * * * *");
    schema.ask("update @.task set due = @.now(), wake = @.now(), zone = 'Gone/Away'");
    scheduler.start();
    runs.await(1);
    scheduler.stop();
    const TaskInfo task = scheduler.find("n", "i").value();
    BOOST_TEST((task.state == State::Dead));
    BOOST_TEST(scheduler.stats().died == 1U);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(printed.text() ==
               "Task \"n\" \"i\" is dead after 1 attempt: " + task.lastError + "\n");
}

BOOST_AUTO_TEST_CASE(k41_names_and_errors_are_kept_in_a_database_of_any_encoding) {
    struct {
        const char* encoding;
        std::string error, stored;
    } const cases[] = {{"SQL_ASCII", kUmlaut + kEuro, kUmlaut + kEuro},
                       {"LATIN1", kUmlaut, kUmlaut},
                       {"LATIN1", kEuro + " " + kUmlaut, "??? ??"}};
    test::Session session;
    for (const auto& each : cases) {
        BOOST_TEST_CONTEXT(each.encoding << ": " << each.error) {
            session(std::string("create database other template template0 locale 'C' encoding '") +
                    each.encoding + "'");
            {
                Options options;
                options.conninfo = test::server().conninfo() + " dbname=other";
                migrate(options);
                test::Counted failures;
                options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) {
                    failures.add();
                };
                Scheduler scheduler(options);
                const auto fail = [&](Run&) { throw std::runtime_error(each.error); };
                scheduler.registerTask(kUmlaut, fail, attempts(2));
                scheduler.start();
                BOOST_TEST(scheduler.schedule(kUmlaut, kUmlaut, 0));
                failures.await(1);
                scheduler.stop();
                BOOST_TEST(scheduler.find(kUmlaut, kUmlaut).value().lastError == each.stored);
            }
            session("drop database other");
        }
    }
}

BOOST_AUTO_TEST_CASE(k41_a_handler_that_ends_its_thread_fails_and_holds_up_nothing) {
    test::Schema schema;
    test::Counted runs;
    {
        Scheduler scheduler(schema.options);
        scheduler.registerTask("n", [&](Run& run) {
            runs.add();
            if (run.attempt() == 1) pthread_exit(nullptr);
        });
        scheduler.start();
        for (int i = 0; i < 20; ++i)
            scheduler.schedule({"n", std::to_string(i), Schedule::once(0)});
        runs.await(20);
        scheduler.stop();
        BOOST_TEST(scheduler.stats().failed == 20U);
        BOOST_TEST(scheduler.find("n", "7").value().lastError == "The handler ended its thread.");
    }
    BOOST_TEST(runs.get() == 20);
}

BOOST_AUTO_TEST_CASE(k41_an_uncaught_exception_handler_that_ends_its_thread_holds_up_nothing) {
    test::Schema schema;
    test::Counted reports;
    schema.options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        reports.add();
        pthread_exit(nullptr);
    };
    Scheduler scheduler(schema.options);
    scheduler.registerTask(
        "n", [](Run&) { throw std::runtime_error("broken"); }, attempts(1));
    scheduler.start();
    scheduler.schedule("n", "1", 0);
    scheduler.schedule("n", "2", 0);
    reports.await(2);
    while (scheduler.stats().failed < 2) boost::this_thread::yield();
    scheduler.stop();
    BOOST_TEST((scheduler.find("n", "1").value().state == State::Dead));
    BOOST_TEST((scheduler.find("n", "2").value().state == State::Dead));
}
