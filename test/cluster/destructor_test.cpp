// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Destructors beside a handler: a program of its own, because one takes five seconds.

#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"
#include "cluster/worker.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <streambuf>
#include <string>

using namespace jtimer::cluster;

namespace {

constexpr int kTerminated = 42;

/// Takes what is written to std::cerr, by one thread, and tells of each line.
class Cerr : std::streambuf {
  public:
    Cerr() : original_(std::cerr.rdbuf(this)) {}
    Cerr(const Cerr&) = delete;
    Cerr& operator=(const Cerr&) = delete;
    ~Cerr() override { std::cerr.rdbuf(original_); }

    test::Counted lines;
    std::string text;  ///< read after a line, or when nobody writes

  private:
    int overflow(int c) override {
        text += static_cast<char>(c);
        if (c == '\n') lines.add();
        return c;
    }

    std::streambuf* const original_;
};

}  // namespace

/// In its handler. The destructor throws what stop() does, and a destructor must not.
CHILD_PROCESS(destroys_its_scheduler) {
    std::set_terminate([] { std::_Exit(kTerminated); });
    Options options;
    options.conninfo = test::setting("DESTRUCTOR_CONNINFO");
    options.schema = test::setting("DESTRUCTOR_SCHEMA");
    std::optional<Scheduler> scheduler(std::in_place, options);
    scheduler->registerTask("n", [&](Run&) { scheduler.reset(); });
    scheduler->start();
    test::awaitEnd();
}

BOOST_AUTO_TEST_CASE(k64_a_destructor_in_a_handler_ends_the_program_instead_of_waiting_for_itself) {
    test::Schema schema;
    Scheduler(schema.options).schedule("n", "i", 0);
    test::Worker worker("destroys_its_scheduler", {"DESTRUCTOR_CONNINFO=" + schema.options.conninfo,
                                                   "DESTRUCTOR_SCHEMA=" + schema.options.schema});
    while (!worker.isOver()) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
    BOOST_TEST(worker.end() == kTerminated);
}

BOOST_AUTO_TEST_CASE(k64_after_five_seconds_the_destructor_names_the_tasks_that_it_waits_for) {
    test::Schema schema;
    schema.options.name = "one";
    Cerr cerr;
    test::Counted begun;
    std::atomic<bool> finished{false};
    const auto begin = std::chrono::steady_clock::now();
    std::optional<Scheduler> scheduler(std::in_place, schema.options);
    scheduler->registerTask("n", [&](Run& run) {
        begun.add();
        cerr.lines.await(1);
        finished = run.stopRequested();
    });
    scheduler->start();
    scheduler->schedule("n", "i", 0);
    begun.await(1);
    scheduler->schedule("n", "j", 0);
    begun.await(2);
    scheduler.reset();
    BOOST_TEST(finished);
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::seconds(5)));
    BOOST_TEST(cerr.text == "Scheduler \"one\" waits for its tasks: \"n\" \"i\", \"n\" \"j\"\n");
}

BOOST_AUTO_TEST_CASE(o37_after_five_seconds_the_destructor_says_that_it_waits_for_on_run_end) {
    test::Schema schema;
    schema.options.name = "one";
    Cerr cerr;
    test::Counted begun;
    std::atomic<bool> finished{false};
    schema.options.onRunEnd = [&](const RunEnd&) {
        begun.add();
        cerr.lines.await(1);
        finished = true;
    };
    std::optional<Scheduler> scheduler(std::in_place, schema.options);
    scheduler->registerTask("n", [](Run&) {});
    scheduler->start();
    scheduler->schedule("n", "i", 0);
    begun.await(1);
    scheduler.reset();
    BOOST_TEST(finished);
    BOOST_TEST(cerr.text == "Scheduler \"one\" waits for its onRunEnd\n");
}
