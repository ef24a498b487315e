// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The server crashes just before or just after each statement that a node sends: claims, ends,
// renewals, a take-over and the rest. When it is back, everything is finished, and every effect is
// there once.

#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/store.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace jtimer::cluster;

namespace {

constexpr int kOneShots = 4;

/// The n-th time that a statement leaves for the server, or that its answer has arrived. Statements
/// that are not prepared have no name, so there are many of that.
struct Point {
    std::string statement;
    bool before;
    int occurrence;
};

/// Counts the points that this process passes, and calls a function at one of them. Construct it
/// before every Scheduler and Store, and destroy it after them.
class Points {
  public:
    explicit Points(const Point& wanted = {}, std::function<void()> then = {}) {
        jtimer::cluster::detail::setFailpoint([this, wanted, then](const std::string& name,
                                                                   bool before, int) {
            boost::unique_lock<boost::mutex> lock(mutex_);
            const int count = ++counts_[name][before ? 0 : 1];
            if (name != wanted.statement || before != wanted.before || count != wanted.occurrence)
                return;
            passed_ = true;
            lock.unlock();
            then();
        });
    }
    ~Points() { jtimer::cluster::detail::setFailpoint({}); }
    Points(const Points&) = delete;
    Points& operator=(const Points&) = delete;

    bool passed() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return passed_;
    }

    /// Each statement at its first occurrence, and those without a name at more.
    std::vector<Point> all() const {
        constexpr int kUnnamed = 12;
        std::vector<Point> points;
        for (const auto& [statement, counts] : counts_) {
            for (const bool before : {true, false}) {
                const int most =
                    std::min(counts.at(before ? 0 : 1), statement.empty() ? kUnnamed : 1);
                for (int i = 1; i <= most; ++i) points.push_back({statement, before, i});
            }
        }
        return points;
    }

  private:
    mutable boost::mutex mutex_;  ///< guards the following
    std::map<std::string, std::map<int, int>> counts_;
    bool passed_ = false;
};

/// A schema with a table of effects, and a dead node that has one of the tasks.
struct Fixture : test::Schema {
    Fixture() {
        options.lease = 1000;
        options.pollInterval = 100;
        options.name = "one";
        ask("create table @.effect (id text, due timestamptz, token bigint)");
        Scheduler scheduler(options);
        // Has been due longest, and no node runs it: so nodes also claim by name.
        scheduler.schedule("nobody's", "repeats", jtimer::Date());
        for (int i = 0; i < kOneShots; ++i) scheduler.schedule("n", std::to_string(i), 0);
        detail::Store store(options);
        const detail::NodeNumber dead = store.registerNode({"dead", 1'000'000}).node;
        BOOST_REQUIRE(store.claim(dead, {"n"}, 1).tasks.size() == 1U);
        scheduler.schedule("limited", "limited", 0);
        scheduler.scheduleAtFixedRate("n", "repeats", 0, 50);
    }

    void runOneShots() {
        workUntil(
            [this] { return ask("select count(*) from @.task where id <> 'repeats'") == "0"; });
    }

    /// A node that stops while the server is away may leave a task claimed. Another one takes it
    /// over.
    void runRepeatingAgain() {
        const std::string newer = "select count(*) > " + countOf("@.effect where id = 'repeats'") +
                                  " from @.effect where id = 'repeats'";
        workUntil([this, newer] { return ask(newer) == "t"; });
    }

    /// Each effect is committed together with the end of its run.
    void workUntil(const std::function<bool()>& done) {
        Scheduler scheduler(options);
        TaskOptions tireless;
        tireless.maxAttempts = 1000;
        tireless.firstBackoff = 20;
        const Handler handler = [this](Run& run) {
            test::Session sql;
            sql("begin");
            sql("insert into \"" + options.schema + "\".effect select id, due, token from \"" +
                    options.schema + "\".task where name = $1 and id = $2",
                {run.name(), run.id()});
            run.complete(sql.get());
            sql("commit");
        };
        scheduler.registerTask("n", handler, tireless);
        tireless.clusterConcurrency = 1;
        scheduler.registerTask("limited", handler, tireless);
        while (!started(scheduler)) continue;
        while (!done()) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
        scheduler.stop();
    }

    static bool started(Scheduler& scheduler) {
        try {
            scheduler.start();
            return true;
        } catch (const DatabaseException&) {
            return false;  // the crash was there
        }
    }

    std::string countOf(const std::string& rows) const {
        return ask("select count(*) from " + rows);
    }

    void check(const std::string& where) const {
        BOOST_TEST(countOf("@.effect where id <> 'repeats'") == std::to_string(kOneShots + 1),
                   where);
        BOOST_TEST(countOf("(select from @.effect group by id, due having count(*) > 1) twice") ==
                       "0",
                   where);
        BOOST_TEST(countOf("(select from @.effect group by token having count(*) > 1) twice") ==
                       "0",
                   where);
        BOOST_TEST(countOf("@.effect a join @.effect b using (id) where a.due < b.due and "
                           "a.token > b.token") == "0",
                   where);
        BOOST_TEST(countOf("@.effect where id = 'repeats'") != "0", where);
        BOOST_TEST(countOf("@.task where id = 'repeats' and owner is null") == "2", where);
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(k83_the_server_may_crash_at_any_statement) {
    std::vector<Point> points;
    {
        Fixture calm;
        const Points passed;
        calm.runOneShots();
        calm.check("calm");
        points = passed.all();
        for (const char* const expected : {"claim_by_name", "lock_names", "claim_in_cluster"}) {
            const auto isIt = [&](const Point& point) { return point.statement == expected; };
            BOOST_TEST(std::any_of(points.begin(), points.end(), isIt), expected);
        }
    }
    BOOST_TEST(points.size() > 20U);
    for (const Point& point : points) {
        const test::CapturedCerr cerr;  // the node says that the database is gone, and back
        const std::string where = (point.before ? "before " : "after ") + point.statement + " " +
                                  std::to_string(point.occurrence);
        Fixture crashed;
        {
            const Points crash(point,
                               [] { test::server().restart(test::Server::Stop::Immediate); });
            crashed.runOneShots();
            BOOST_TEST((crash.passed() || point.statement.empty()), where);
        }
        crashed.runRepeatingAgain();
        crashed.check(where);
    }
}
