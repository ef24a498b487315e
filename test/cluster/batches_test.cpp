// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How many tasks a claim asks for, and how many ends are written together.

#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/throttle.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using namespace jtimer::cluster;

namespace {

constexpr std::size_t kMegabyte = 1'048'576;

/// Runs each task on the thread that claims, so that every claim finds all slots idle.
void runInline(const std::function<void()>& run) { run(); }

/// Has the server take longer than operationTimeout for some statements, and remember how many
/// tasks each has changed, also where a transaction was not committed: sequences forget nothing.
struct Stalling : test::Schema {
    Stalling() {
        options.operationTimeout = 1'500;
        options.executor = runInline;
        ask("create sequence @.calls");
        for (int i = 1; i <= 30; ++i) ask("create sequence @.size" + std::to_string(i));
    }

    std::vector<int> sizes(int from, int to) const {
        std::vector<int> found;
        for (int i = from; i <= to; ++i)
            found.push_back(std::stoi(ask("select last_value from @.size" + std::to_string(i))));
        return found;
    }
};

std::vector<NewTask> tasks(int count, std::size_t payloadSize = 0) {
    std::vector<NewTask> tasks;
    for (int i = 0; i < count; ++i)
        tasks.push_back({"n", std::to_string(i), Schedule::once(0), std::string(payloadSize, 'x')});
    return tasks;
}

}  // namespace

BOOST_AUTO_TEST_CASE(o41_a_claim_that_times_out_halves_the_next_and_a_quick_one_doubles_it) {
    const test::CapturedCerr cerr;
    Stalling schema;
    schema.options.concurrency = 4;
    // The first two claims take too long, after they have locked their tasks.
    schema.ask("create function @.stall() returns trigger language plpgsql as $$ declare n bigint; "
               "begin select count(*) into n from changed where owner is not null; "
               "if n = 0 then return null; end if; "
               "perform setval('@.size' || nextval('@.calls'), n); "
               "if currval('@.calls') <= 2 then perform pg_sleep(3); end if; return null; end $$");
    schema.ask("create trigger stall after update on @.task referencing new table as changed "
               "for each statement execute function @.stall()");
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        BOOST_TEST(run.attempt() == 1);
        runs.add();
    });
    scheduler.scheduleAll(tasks(20));
    scheduler.start();
    runs.await(20);
    scheduler.stop();
    BOOST_TEST(schema.sizes(1, 6) == std::vector<int>({4, 2, 1, 2, 4, 4}),
               boost::test_tools::per_element());
    BOOST_TEST(runs.get() == 20);
}

BOOST_AUTO_TEST_CASE(o42_ends_that_time_out_are_halved_and_quick_ones_are_doubled) {
    const test::CapturedCerr cerr;
    test::Recorder recorder;
    Stalling schema;
    schema.options.concurrency = 12;
    schema.ask("create function @.stall() returns trigger language plpgsql as $$ begin "
               "if nextval('@.calls') in (2, 3) then perform pg_sleep(5); end if; return null; "
               "end $$");
    // Before the rows are locked.
    schema.ask("create trigger stall before delete on @.task for each statement "
               "execute function @.stall()");
    schema.ask("create function @.note() returns trigger language plpgsql as $$ declare n bigint; "
               "begin select count(*) into n from changed; "
               "if n > 0 then perform setval('@.size' || currval('@.calls'), n); end if; "
               "return null; end $$");
    schema.ask("create trigger note after delete on @.task referencing old table as changed "
               "for each statement execute function @.note()");
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    recorder.hold("delete_ends");
    scheduler.schedule("n", "first", 0);
    recorder.await("delete_ends", 1);
    scheduler.scheduleAll(tasks(12));
    runs.await(13);
    while (scheduler.stats().running != 0) boost::this_thread::yield();
    recorder.release();
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 13U);
    BOOST_TEST(scheduler.stats().fenced == 0U);
    // 12 and then 6 timed out.
    BOOST_TEST(schema.sizes(4, 6) == std::vector<int>({3, 6, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o42_ends_share_a_write_up_to_a_thousand) {
    test::Recorder recorder;
    test::Schema schema;
    schema.options.executor = runInline;
    schema.options.concurrency = 1000;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    recorder.hold("delete_ends");
    scheduler.schedule("n", "first", 0);
    recorder.await("delete_ends", 1);
    scheduler.scheduleAll(tasks(1001));
    runs.await(1002);
    while (scheduler.stats().running != 0) boost::this_thread::yield();
    recorder.release();
    scheduler.stop();
    BOOST_TEST(recorder.count("delete_ends") == 3U);
    BOOST_TEST(scheduler.stats().succeeded == 1002U);
}

BOOST_AUTO_TEST_CASE(o42_ends_share_a_write_up_to_4_mib_of_payloads) {
    test::Recorder recorder;
    test::Schema schema;
    schema.options.executor = runInline;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        run.setPayload(std::string(run.id() == "first" ? 0 : kMegabyte, 'y'));
        run.again(3'600'000);
        runs.add();
    });
    scheduler.start();
    recorder.hold("write_ends");
    scheduler.schedule("n", "first", 0);
    recorder.await("write_ends", 1);
    scheduler.scheduleAll(tasks(10));
    runs.await(11);
    while (scheduler.stats().running != 0) boost::this_thread::yield();
    recorder.release();
    scheduler.stop();
    BOOST_TEST(recorder.count("write_ends") == 4U);  // of 1, 4, 4 and 2
    BOOST_TEST(scheduler.stats().succeeded == 11U);
    BOOST_TEST(schema.ask("select count(*) from @.task where length(payload) = 1048576") == "10");
}

// Ten of the payloads, and ten of the new ones, take twice as long as a statement may.
BOOST_AUTO_TEST_CASE(o41_o42_over_a_slow_line_all_tasks_run_and_all_ends_are_written) {
    const test::CapturedCerr cerr;
    test::Schema schema;
    Scheduler(schema.options).scheduleAll(tasks(20, kMegabyte / 8));
    const test::Throttle line(test::server().folder(), kMegabyte);
    Options slow = schema.options;
    slow.conninfo = line.conninfo();
    slow.operationTimeout = 700;
    test::Counted runs;
    Scheduler scheduler(slow);
    scheduler.registerTask("n", [&](Run& run) {
        run.setPayload(std::string(kMegabyte / 8, 'y'));
        run.again(3'600'000);
        runs.add();
    });
    scheduler.start();
    runs.await(20);
    scheduler.stop();
    BOOST_TEST(runs.get() == 20);
    BOOST_TEST(scheduler.stats().succeeded == 20U);
    BOOST_TEST(schema.ask("select count(*) from @.task where payload like 'y%'") == "20");
    BOOST_TEST(cerr.text().find("bytes do not pass") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(o42_a_payload_that_does_not_pass_is_named_once_and_holds_up_no_other_end) {
    const test::CapturedCerr cerr;
    test::Recorder recorder;
    test::Schema schema;
    Scheduler local(schema.options);
    test::Throttle line(test::server().folder(), kMegabyte / 4);
    Options slow = schema.options;
    slow.conninfo = line.conninfo();
    slow.operationTimeout = 500;
    slow.name = "one";
    Scheduler scheduler(slow);
    scheduler.registerTask("n", [&](Run& run) {
        if (run.id() == "large") {
            run.setPayload(std::string(kMegabyte, 'y'));
            run.again(3'600'000);
        } else {
            recorder.await("write_ends", 3);  // alone, the large one has failed twice
        }
    });
    scheduler.start();
    local.scheduleAll({{"n", "large", Schedule::once(0)}, {"n", "small", Schedule::once(0)}});
    while (local.find("n", "small").has_value())
        boost::this_thread::sleep_for(boost::chrono::milliseconds(20));
    line.setRate(100 * kMegabyte);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 2U);
    const std::string text = cerr.text();
    const std::size_t at =
        text.find("Node \"one\": 1048576 bytes do not pass within operationTimeout "
                  "(500 ms): the end of task \"n\" \"large\"\n");
    BOOST_TEST(at != std::string::npos, text);
    BOOST_TEST(text.rfind("bytes do not pass") < at + 30, text);
}

BOOST_AUTO_TEST_CASE(o41_a_task_that_does_not_pass_is_named_once) {
    const test::CapturedCerr cerr;
    test::Recorder recorder;
    test::Schema schema;
    Scheduler(schema.options).scheduleAll(tasks(2, kMegabyte / 2));
    test::Throttle line(test::server().folder(), kMegabyte / 4);
    Options slow = schema.options;
    slow.conninfo = line.conninfo();
    slow.operationTimeout = 500;
    slow.name = "one";
    test::Counted runs;
    Scheduler scheduler(slow);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    recorder.await("claim", 5);  // of 10, 5, 2, 1 and again
    line.setRate(100 * kMegabyte);
    runs.await(2);
    scheduler.stop();
    const std::string text = cerr.text();
    const std::string line1 = "Node \"one\": 524288 bytes do not pass within operationTimeout "
                              "(500 ms): task \"n\" \"";
    BOOST_TEST(text.find(line1) != std::string::npos, text);
    BOOST_TEST(text.find(line1) == text.rfind(line1), text);
}

BOOST_AUTO_TEST_CASE(o42_scheduleAll_says_that_it_is_one_transaction_if_it_times_out) {
    test::Schema schema;
    schema.ask("create function @.stall() returns trigger language plpgsql as $$ begin "
               "perform pg_sleep(10); return null; end $$");
    schema.ask("create trigger stall before insert on @.task for each statement "
               "execute function @.stall()");
    schema.options.operationTimeout = 300;
    Scheduler scheduler(schema.options);
    const auto notSplit = [](const std::string& tasks) {
        return [tasks](const DatabaseException& e) {
            const std::string what = e.what();
            const std::string end =
                "; scheduleAll writes its 3 tasks, with 30 bytes of payloads, in "
                "one transaction, which is not split";
            const bool said = what.size() > end.size() &&
                              what.compare(what.size() - end.size(), end.size(), end) == 0;
            return tasks == "three" ? said : what.find("scheduleAll") == std::string::npos;
        };
    };
    BOOST_CHECK_EXCEPTION(scheduler.scheduleAll(tasks(3, 10)), DatabaseException,
                          notSplit("three"));
    BOOST_CHECK_EXCEPTION(scheduler.schedule("n", "i", 0), DatabaseException, notSplit("one"));
    schema.options.conninfo = "host=/nowhere";
    Scheduler nowhere(schema.options);
    BOOST_CHECK_EXCEPTION(nowhere.scheduleAll(tasks(3, 10)), DatabaseException, notSplit("none"));
}
