// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A process with a node is killed, or loses a connection, just before or just after each statement
// that it sends. Whatever it leaves behind, another node finishes: every effect is there once.
#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"
#include "cluster/worker.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <set>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace jtimer::cluster;

namespace {

constexpr int kOneShots = 4;
constexpr int kLimitedOneShots = 2;

/// Of tasks whose runs are limited in the cluster, beside those of a name.
std::string limitedName(const std::string& name) { return name + ", limited"; }

Options nodeOptions(const std::string& conninfo, const std::string& schema) {
    Options options;
    options.conninfo = conninfo;
    options.schema = schema;
    options.lease = 1000;
    options.pollInterval = 100;
    return options;
}

/// Two of the tasks use complete(), which must be effective once; the others at least once.
void handle(Run& run, const std::string& conninfo) {
    test::Session sql(conninfo);
    sql("begin");
    sql("insert into public.effect (name, id, due, token) values ($1, $2, $3, $4)",
        {run.name(), run.id(),
         std::to_string(run.scheduledExecutionTime().time_since_epoch().count()),
         std::to_string(run.fencingToken())});
    if (run.id() != "plain") run.complete(sql.get());
    sql("commit");
}

void registerBoth(Scheduler& scheduler, const std::string& name, const std::string& conninfo) {
    const Handler handler = [conninfo](Run& run) { handle(run, conninfo); };
    TaskOptions oneByOne;
    oneByOne.clusterConcurrency = 1;
    scheduler.registerTask(name, handler);
    scheduler.registerTask(limitedName(name), handler, oneByOne);
}

CHILD_PROCESS(faulty_node) {
    const std::string conninfo = test::setting("FAULTS_CONNINFO");
    const std::string wanted = test::setting("FAULTS_STATEMENT");
    const bool before = test::setting("FAULTS_WHEN") == "before";
    const bool kills = test::setting("FAULTS_HOW") == "kill";
    static std::atomic<int> left{0};
    left = std::stoi(test::setting("FAULTS_COUNT", "1"));
    static boost::mutex mutex;
    static std::set<std::string> names;
    detail::setFailpoint([=](const char* name, bool isBefore, int socket) {
        const std::string statement = *name == '\0' ? "unprepared" : name;
        if (wanted.empty()) {
            const boost::lock_guard<boost::mutex> lock(mutex);
            if (names.insert(statement).second) test::print(statement + "\n");
            return;
        }
        if (statement != wanted || isBefore != before || --left != 0) return;
        if (kills) ::kill(::getpid(), SIGKILL);
        ::shutdown(socket, SHUT_RDWR);
    });
    Options options = nodeOptions(conninfo, test::setting("FAULTS_SCHEMA"));
    Scheduler scheduler(options);
    registerBoth(scheduler, test::setting("FAULTS_NAME"), conninfo);
    for (;;) {
        try {
            scheduler.start();
            break;
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the fault was there
        }
    }
    if (wanted.empty()) {
        boost::this_thread::sleep_for(boost::chrono::milliseconds(1500));
    } else {
        test::awaitEnd();
    }
    scheduler.stop();
}

std::vector<NewTask> tasksOf(const std::string& name) {
    std::vector<NewTask> tasks;
    for (int i = 0; i < kOneShots; ++i)
        tasks.push_back({name, std::to_string(i), Schedule::once(0), {}});
    for (int i = 0; i < kLimitedOneShots; ++i)
        tasks.push_back({limitedName(name), std::to_string(i), Schedule::once(0), {}});
    tasks.push_back({name, "plain", Schedule::once(0), {}});
    tasks.push_back({name, "repeat", Schedule::fixedRate(0, 200), {}});
    return tasks;
}

/// The statements that a node sends while it runs such tasks.
std::vector<std::string> statementsOf(const std::string& schema) {
    for (const auto& entry : {"FAULTS_CONNINFO=" + test::server().conninfo(),
                              "FAULTS_SCHEMA=" + schema, std::string("FAULTS_NAME=all")}) {
        const std::size_t equals = entry.find('=');
        ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
    std::istringstream lines(test::runChild("faulty_node").out);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
}

void eachStatement(const std::string& how, int count, History history) {
    const test::Schema schema;
    test::Session sql;
    sql("drop table if exists public.effect");
    sql("create table public.effect (name text, id text, due bigint, token bigint)");
    Options options = nodeOptions(test::server().conninfo(), schema.options.schema);
    Scheduler scheduler(options);
    scheduler.keepHistory(history);
    scheduler.scheduleAll(tasksOf("all"));
    // Has been due longest, and no node runs it: so nodes also claim by name.
    scheduler.schedule("nobody's", "repeat", jtimer::Date());
    const std::vector<std::string> statements = statementsOf(schema.options.schema);
    BOOST_TEST(std::count(statements.begin(), statements.end(), "lock_names") == 1);
    BOOST_TEST(std::count(statements.begin(), statements.end(), "claim_in_cluster") == 1);
    BOOST_TEST(std::count(statements.begin(), statements.end(), "delete_ends") ==
               (history == History::Off ? 1 : 0));
    BOOST_TEST(statements.size() > 7);

    std::vector<test::Worker> workers;
    std::vector<std::string> names;
    for (const std::string& statement : statements) {
        for (const char* const when : {"before", "after"}) {
            const std::string name = std::string(when) + " " + statement;
            names.push_back(name);
            scheduler.scheduleAll(tasksOf(name));
            workers.emplace_back(
                "faulty_node",
                std::vector<std::string>{"FAULTS_CONNINFO=" + test::server().conninfo(),
                                         "FAULTS_SCHEMA=" + schema.options.schema,
                                         "FAULTS_NAME=" + name, "FAULTS_STATEMENT=" + statement,
                                         std::string("FAULTS_WHEN=") + when, "FAULTS_HOW=" + how,
                                         "FAULTS_COUNT=" + std::to_string(count)});
        }
    }
    boost::this_thread::sleep_for(boost::chrono::milliseconds(3000));
    for (test::Worker& worker : workers) {
        const int code = worker.end();
        BOOST_TEST((code == 0 || (how == "kill" && code == -SIGKILL)));
    }
    for (const std::string& name : names) registerBoth(scheduler, name, test::server().conninfo());
    scheduler.start();
    constexpr std::size_t kEach = kOneShots + kLimitedOneShots + 1;
    const std::string expected = std::to_string(names.size() * kEach);
    const auto done = [&] {
        return sql("select count(distinct (name, id)) from public.effect "
                   "where name not like 'all%' and id <> 'repeat'");
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (done() != expected && std::chrono::steady_clock::now() < deadline)
        boost::this_thread::sleep_for(boost::chrono::milliseconds(20));
    BOOST_TEST(done() == expected);
    scheduler.stop();
    BOOST_TEST(sql("select count(*) from (select from public.effect where id <> 'plain' "
                   "group by name, id, due having count(*) > 1) twice") == "0");
    BOOST_TEST(sql("select count(*) from public.effect a join public.effect b using (name, id) "
                   "where a.due < b.due and a.token > b.token") == "0");
    BOOST_TEST(schema.ask("select count(*) from @.task where id <> 'repeat'") == "0");
    BOOST_TEST(schema.ask("select count(*) from @.task where owner is not null") == "0");
    // A past run is there if and only if its end is; a take-over ends runs, too, and a handler
    // whose lease was lost may have failed.
    const std::string oneShots = std::to_string((names.size() + 1) * kEach);
    BOOST_TEST(
        schema.ask("select count(*) from @.run where outcome = 'succeeded' and id <> 'repeat'") ==
        (history == History::All ? oneShots : "0"));
    BOOST_TEST(schema.ask("select count(*) from @.run where finished < started or"
                          " outcome not in ('succeeded', 'retrying', 'lost', 'gave up') or"
                          " (outcome = 'gave up' and id <> 'repeat')") == "0");
    // A dead node's row is gone: its lease has expired, or there was no task to be freed.
    BOOST_TEST(schema.ask("select count(*) from @.task where wake = 'infinity'") == "0");
}

}  // namespace

BOOST_AUTO_TEST_CASE(k83_a_process_may_be_killed_at_any_statement) {
    eachStatement("kill", 1, History::Off);
}
BOOST_AUTO_TEST_CASE(k83_a_process_may_be_killed_when_a_statement_comes_again) {
    eachStatement("kill", 3, History::All);
}
BOOST_AUTO_TEST_CASE(k83_a_connection_may_break_at_any_statement) {
    eachStatement("break", 1, History::Off);
}
BOOST_AUTO_TEST_CASE(k83_a_connection_may_break_when_a_statement_comes_again) {
    eachStatement("break", 3, History::All);
}
