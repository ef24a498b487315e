// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A destructor that waits for a handler: a program of its own, because it takes five seconds.

#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <iostream>
#include <optional>
#include <streambuf>
#include <string>

using namespace jtimer::cluster;

namespace {

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
    scheduler.reset();
    BOOST_TEST(finished);
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::seconds(5)));
    BOOST_TEST(cerr.text == "Scheduler \"one\" waits for its tasks: \"n\" \"i\"\n");
}
