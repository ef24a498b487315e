// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Five worker processes run 2,000 one-shots and 20 repeating tasks, while this process kills them,
// stops them beyond their lease, ends their connections and restarts the server, at random. Each
// effect is a row, written in complete()'s transaction. STRESS_DURATION in seconds, STRESS_SEED.
#include "cluster/fixture.hpp"
#include "cluster/worker.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace std::chrono_literals;

namespace {

constexpr int kWorkers = 5;
constexpr int kOneShots = 2000;
constexpr int kRepeating = 20;
constexpr int kLease = 1000;

using Clock = std::chrono::steady_clock;

void sleepFor(std::chrono::milliseconds time) {
    boost::this_thread::sleep_for(boost::chrono::milliseconds(time.count()));
}

Options workerOptions(const std::string& conninfo) {
    Options options;
    options.conninfo = conninfo;
    options.lease = kLease;
    options.pollInterval = 500;
    options.operationTimeout = 3000;
    options.concurrency = 8;
    return options;
}

/// The effect and the end of the run, together. A resource that knows tokens is in the same table:
/// its key is refused with a token that is not the highest.
void takeEffect(Run& run) {
    thread_local std::optional<test::Session> session;
    try {
        if (!session.has_value()) session.emplace(test::setting("STRESS_CONNINFO"));
        test::Session& sql = *session;
        sql("begin");
        sql("insert into effect (name, id, due, token, attempt, pid) values ($1, $2, $3, $4, $5, "
            "$6)",
            {run.name(), run.id(),
             std::to_string(run.scheduledExecutionTime().time_since_epoch() / 1us),
             std::to_string(run.fencingToken()), std::to_string(run.attempt()),
             std::to_string(::getpid())});
        if (run.fencingToken() % 3 == 0) sleepFor(20ms);
        run.complete(sql.get());
        sql("commit");
    } catch (...) {
        session.reset();  // which rolls back
        throw;
    }
}

/// A long run starts so many processes that their numbers come again.
std::string nodeName(pid_t pid, const std::string& number) {
    return "worker " + std::to_string(pid) + "." + number;
}

CHILD_PROCESS(stress_worker) {
    Options options = workerOptions(test::setting("STRESS_CONNINFO"));
    options.name = nodeName(::getpid(), test::setting("STRESS_NUMBER"));
    Scheduler scheduler(options);
    TaskOptions tireless;
    tireless.maxAttempts = 1'000'000;
    tireless.maxCrashes = 1'000'000;
    tireless.firstBackoff = 50;
    tireless.maxBackoff = 500;
    scheduler.registerTask(
        "once",
        [](Run& run) {
            const std::int64_t token = run.fencingToken();
            if (token % 5 == 0) sleepFor(std::chrono::milliseconds(token % 300));
            if (token % 11 == 0) throw std::runtime_error("now and then");
            takeEffect(run);
        },
        tireless);
    scheduler.registerTask("repeat", takeEffect, tireless);
    for (;;) {
        try {
            scheduler.start();
            break;
        } catch (const DatabaseException&) {
            sleepFor(50ms);  // the server is just being restarted
        }
    }
    test::awaitEnd();
    scheduler.stop();
}

class Stress {
  public:
    Stress() {
        test::Session sql;
        sql("create table effect (name text, id text, due bigint, token bigint, attempt int, "
            "pid int, at timestamptz default clock_timestamp())");
        migrate(workerOptions(server_.conninfo()));
        sql("create table public.gone (name text, at timestamptz default clock_timestamp())");
        sql("create function public.note() returns trigger language plpgsql as $$ begin "
            "insert into public.gone (name) values (old.name); return old; end $$");
        sql("create trigger note after delete on jtimer.node for each row execute function "
            "public.note()");
        for (int i = 0; i < kWorkers; ++i) workers_.push_back(newWorker());
    }

    /// As every replica may make the same calls, an unknown outcome is no trouble.
    void schedule(const std::vector<NewTask>& tasks) {
        for (;;) {
            try {
                scheduler_.scheduleAll(tasks);
                return;
            } catch (const DatabaseException&) {
                continue;
            }
        }
    }

    void trouble() {
        const std::size_t victim = below(workers_.size());
        const std::size_t kind = below(20);
        if (kind < 9) {
            kill(victim);
        } else if (kind < 13) {
            test::Worker& worker = workers_[victim];
            say("stop", worker.pid());
            worker.signal(SIGSTOP);
            sleepFor(std::chrono::milliseconds(kLease / 2 + below(2 * kLease)));
            worker.signal(SIGCONT);
        } else if (kind < 18) {
            say("terminate backends", 0);
            terminateBackends();
        } else {
            const bool crash = kind == 18;
            say(crash ? "crash server" : "restart server", 0);
            const auto begin = Clock::now();
            server_.stop(crash ? test::Server::Stop::Immediate : test::Server::Stop::Fast);
            sleepFor(std::chrono::milliseconds(below(1500)));
            server_.start();
            outages_.push_back({begin, Clock::now()});
        }
        for (const test::Worker& worker : workers_)
            BOOST_TEST(!worker.isOver(), "worker " << worker.pid() << " has ended by itself");
    }

    /// And until the last that was killed has been declared dead.
    void awaitOneShots() {
        const auto deadline = Clock::now() + 120s;
        while (Clock::now() < deadline &&
               (effects("once") != std::to_string(kOneShots) ||
                test::Session()("select count(*) from jtimer.node") != std::to_string(kWorkers)))
            sleepFor(50ms);
    }

    void endWorkers() {
        for (test::Worker& worker : workers_) BOOST_TEST(worker.end() == 0);
        workers_.clear();
    }

    void check() {
        test::Session sql;
        BOOST_TEST(sql("select count(*) from effect where name = 'once'") ==
                   std::to_string(kOneShots));
        BOOST_TEST(sql("select count(*) from (select from effect where name = 'once' group by id "
                       "having count(*) > 1) twice") == "0");
        BOOST_TEST(
            sql("select count(*) from (select from effect where name = 'repeat' group by id, "
                "due having count(*) > 1) twice") == "0");
        BOOST_TEST(sql("select count(distinct id) from effect where name = 'repeat'") ==
                   std::to_string(kRepeating));
        BOOST_TEST(sql("select count(*) from effect a join effect b using (name, id) "
                       "where a.due < b.due and a.token > b.token") == "0");
        BOOST_TEST(sql("select count(*) from (select token from effect group by token "
                       "having count(*) > 1) twice") == "0");
        BOOST_TEST(sql("select count(*) from jtimer.task where name = 'once'") == "0");
        BOOST_TEST(sql("select count(*) from jtimer.task where owner is not null") == "0");
        BOOST_TEST(sql("select count(*) from jtimer.node") == "0");
        BOOST_TEST_MESSAGE(kills_.size() << " kills, " << outages_.size() << " restarts, effects: "
                                         << effects("once") << " and " << effects("repeat"));
        checkTakeOvers(sql);
    }

    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }

    const unsigned seed = static_cast<unsigned>(
        std::stoul(test::setting("STRESS_SEED", std::to_string(std::random_device{}()).c_str())));

  private:
    struct Kill {
        std::string node;
        Clock::time_point at;
        double epoch;
    };
    struct Outage {
        Clock::time_point begin, end;
    };

    test::Worker newWorker() {
        const std::string number = std::to_string(++started_);
        test::Worker worker("stress_worker",
                            {"STRESS_CONNINFO=" + server_.conninfo(), "STRESS_NUMBER=" + number,
                             "TSAN_OPTIONS=halt_on_error=1"});
        nodes_[worker.pid()] = nodeName(worker.pid(), number);
        return worker;
    }

    static void say(const char* what, pid_t pid) {
        BOOST_TEST_MESSAGE(what << (pid == 0 ? "" : " " + std::to_string(pid)));
    }

    void kill(std::size_t victim) {
        test::Worker& worker = workers_[victim];
        say("kill", worker.pid());
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        worker.signal(SIGKILL);
        kills_.push_back(
            {nodes_.at(worker.pid()), Clock::now(),
             static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)});
        worker.end();
        worker = newWorker();
    }

    void terminateBackends() {
        test::Session sql;
        sql("select pg_terminate_backend(pid) from pg_stat_activity where "
            "application_name = 'jtimer' and random() < 0.3");
    }

    std::string effects(const std::string& name) {
        return test::Session()("select count(*) from effect where name = $1", {name});
    }

    /// After each kill, the node is declared dead within lease + 0.5 s, unless the server was away
    /// meanwhile. A node that was killed before it had a row has none to take over.
    void checkTakeOvers(test::Session& sql) {
        int checked = 0;
        for (const Kill& kill : kills_) {
            bool disturbed = false;
            for (const Outage& outage : outages_)
                disturbed |=
                    outage.begin - 100ms < kill.at + 1500ms && kill.at < outage.end + 1000ms;
            const std::string after =
                sql("select extract(epoch from max(at)) - $2::float8 from gone where name = $1",
                    {kill.node, std::to_string(kill.epoch)});
            if (disturbed || after.empty()) continue;
            ++checked;
            BOOST_TEST(std::stod(after) <= kLease / 1000.0 + 0.5,
                       kill.node << " was declared dead after " << after << " s");
        }
        BOOST_TEST_MESSAGE(checked << " take-overs were measured");
    }

    test::Server& server_ = test::server();
    std::mt19937 random_{seed};
    std::vector<test::Worker> workers_;
    int started_ = 0;
    std::map<pid_t, std::string> nodes_;  ///< the name of the last worker with that number
    std::vector<Kill> kills_;
    std::vector<Outage> outages_;
    Scheduler scheduler_{workerOptions(server_.conninfo())};
};

}  // namespace

BOOST_AUTO_TEST_CASE(k1_to_k6_nothing_is_lost_and_nothing_effective_twice) {
    const std::chrono::seconds duration(std::stoi(test::setting("STRESS_DURATION", "20")));
    Stress stress;
    BOOST_TEST_MESSAGE("STRESS_SEED=" << stress.seed);
    BOOST_TEST_CONTEXT("STRESS_SEED=" << stress.seed) {
        const auto begin = Clock::now();
        std::vector<NewTask> repeating;
        for (int i = 0; i < kRepeating; ++i)
            repeating.push_back({"repeat",
                                 std::to_string(i),
                                 i % 2 == 0 ? Schedule::fixedRate(0, 400 + 10 * i)
                                            : Schedule::fixedDelay(0, 300 + 10 * i),
                                 {}});
        stress.schedule(repeating);
        int scheduled = 0;
        while (Clock::now() < begin + duration || scheduled < kOneShots) {
            // In step with the time, so that there is always something to do.
            const double part = std::min(1.0, std::chrono::duration<double>(Clock::now() - begin) /
                                                      std::chrono::duration<double>(duration) +
                                                  0.05);
            std::vector<NewTask> tasks;
            while (scheduled < static_cast<int>(part * kOneShots))
                tasks.push_back({"once",
                                 std::to_string(scheduled++),
                                 Schedule::once(static_cast<int>(stress.below(500))),
                                 {}});
            if (!tasks.empty()) stress.schedule(tasks);
            sleepFor(std::chrono::milliseconds(stress.below(600)));
            if (Clock::now() < begin + duration) stress.trouble();
        }
        stress.awaitOneShots();
        stress.endWorkers();
        stress.check();
    }
}
