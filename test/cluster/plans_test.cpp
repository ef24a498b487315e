// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How the server executes the statements in a table of 100,000 tasks.

#include "cluster/connection.hpp"
#include "cluster/schema.hpp"
#include "cluster/session.hpp"
#include "cluster/statements.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;

struct Fixture : test::Schema {
    Fixture() {
        ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake, owner)"
            " select 'n' || i % 10, i::text, '', 'once', 'once', now(), now(),"
            " case when i % 50 = 0 then now() else now() + interval '1 day' end,"
            " case when i % 1000 = 0 then 1 end from generate_series(1, 100000) i");
        ask("vacuum analyze @.task");
    }

    /// 50,000, nearly all of which have been due for longer than those of `n0` to `n9`.
    void addTasksOfOthers() {
        ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake)"
            " select 'others' || i % 10, i::text, '', 'once', 'once', now(), now(),"
            " now() - interval '1 hour' + (i % 1000 - 10) * interval '1 s' * 4"
            " from generate_series(1, 50000) i");
        ask("vacuum analyze @.task");
    }

    /// The plan, one line for each step.
    std::string plan(const Statement& statement, const Params& params, bool generic,
                     const char* how = "costs off") {
        const Deadline end = Session::deadlineAfter(60'000'000);
        Connection connection({options.conninfo, true, 60'000'000, false}, end);
        connection.command("set",
                           std::string("set plan_cache_mode = ") +
                               (generic ? "force_generic_plan" : "force_custom_plan"),
                           end);
        const Result result =
            connection.execute({"plan", std::string("explain (") + how + ") " +
                                            inSchema(statement.sql, options.schema)},
                               params, end);
        std::string text;
        for (int i = 0; i < result.rows(); ++i) text += result.text(i, 0) + '\n';
        return text;
    }

    void check(const std::string& what, const Statement& statement, const Params& params) {
        for (const bool generic : {false, true}) {
            const std::string text = plan(statement, params, generic);
            BOOST_TEST(text.find("Seq Scan on task") == std::string::npos,
                       what << (generic ? ", generic:\n" : ", custom:\n") << text);
        }
    }
};

/// By the steps of an analyzed plan that read the table.
long rowsRead(const std::string& plan) {
    long rows = 0;
    std::istringstream lines(plan);
    bool ofTask = false;
    const auto numberAfter = [](const std::string& line, const std::string& text) {
        const std::size_t at = line.find(text);
        return at == std::string::npos ? 0 : std::stol(line.substr(at + text.size()));
    };
    for (std::string line; std::getline(lines, line);) {
        if (line.find("(actual rows=") != std::string::npos ||
            line.find("never executed") != std::string::npos)
            ofTask = line.find(" on task") != std::string::npos;
        if (ofTask)
            rows += numberAfter(line, "(actual rows=") + numberAfter(line, "Removed by Filter: ");
    }
    return rows;
}

Params ends(std::size_t count) {
    Rows rows;
    for (std::size_t i = 0; i < count; ++i) {
        rows.begin();
        rows.bytes("n0").bytes(std::to_string(1000 * (i + 1))).number(0).time(0);
        rows.number(0).number(0).time({}).number({}).time({}).number(0).bytes({}).bytes({});
        rows.number(0);
    }
    return Params().arrays(rows);
}

/// Of ends of one-shots that have succeeded.
Params keys(std::size_t count) {
    Rows rows;
    for (std::size_t i = 0; i < count; ++i) {
        rows.begin();
        rows.bytes("n0").bytes(std::to_string(1000 * (i + 1))).number(0);
    }
    return Params().arrays(rows);
}

/// A single one without arrays.
Params tasks(std::size_t count) {
    Rows rows;
    for (std::size_t i = 0; i < count; ++i) {
        rows.begin();
        rows.bytes("n0").bytes(std::to_string(i)).text("once").number({}).bytes({}).bytes({});
        rows.text("once").time({}).number(0).bytes("once");
    }
    return count == 1 ? Params().values(rows) : Params().arrays(rows);
}

/// What a claim by name asks for: one name, or a hundred.
std::vector<std::vector<std::string>> namesToClaim() {
    std::vector<std::string> hundred;
    for (int i = 0; i < 100; ++i) hundred.push_back('n' + std::to_string(i));
    return {{"n1"}, hundred};
}

/// Of a claim within limits: in the node, and in the cluster.
Params limitedClaim(const std::vector<std::string>& names, int limit, bool inCluster) {
    auto params = Params().number(1).texts(names).number(limit).number(1'000'000).number(0);
    params.numbers(std::vector<std::int64_t>(names.size(), limit));
    if (inCluster) params.numbers(std::vector<std::int64_t>(names.size(), 20));
    return params;
}

constexpr History kAnyHistory[] = {History::Off, History::Failures, History::All};

/// What the other calls select by, alone and with a name.
std::vector<Filter> filters() {
    std::vector<Filter> filters(1);
    for (const State state :
         {State::Scheduled, State::Retrying, State::Running, State::Dead, State::Paused})
        filters.emplace_back().state = state;
    filters.emplace_back().runningOn = "w";
    filters.emplace_back().dueBefore = jtimer::Date();
    const std::size_t alone = filters.size();
    for (std::size_t i = 0; i < alone; ++i) filters.emplace_back(filters[i]).name = "n1";
    filters.emplace_back().name = "n1";
    filters.back().idPrefix = "1";
    return filters;
}

Params paramsOf(const Filter& filter) {
    const std::string next(1,
                           static_cast<char>(filter.idPrefix.empty() ? 1 : filter.idPrefix[0] + 1));
    Params params;
    params.text(filter.name).text(filter.idPrefix).text(next).text(filter.runningOn);
    return params.time(0).text("").text("").number(100);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plans, Fixture)

BOOST_AUTO_TEST_CASE(k84_no_statement_reads_the_whole_table) {
    const Micros never = std::numeric_limits<Micros>::min();
    for (const int limit : {1, 10, 1000}) {
        check("claim", statements::claim(),
              Params().number(1).texts({"n1", "n2"}).number(limit).time(never).number(1).number(0));
        check("claim by name", statements::claimByName(),
              Params().number(1).texts({"n1", "n2"}).number(limit).number(1).number(0));
        for (const bool inCluster : {false, true}) {
            check("claim within limits", statements::claimLimited(inCluster),
                  limitedClaim({"n1", "n2"}, limit, inCluster));
        }
    }
    check("lock names", statements::lockNames(), Params().text("s").texts({"n1", "n2"}));
    for (const std::size_t count : {1U, 10U, 100U}) {
        for (const History history : kAnyHistory) {
            check("write ends", statements::writeEnds(true, history), ends(count));
            check("write end in", statements::writeEnds(false, history), ends(count));
        }
        check("delete ends", statements::deleteEnds(), keys(count));
    }
    check("first due", statements::firstDue(), Params().texts({"n1", "n2"}));
    check("lost", statements::recordLost(), Params().numbers({7}).texts({"w"}));
    check("free", statements::freeTasks(), Params().numbers({7}).number(1));
    check("release", statements::release(), Params().number(7).numbers({1, 2}));
    check("orphans", statements::findOrphans(), {});
    check("owns", statements::owns(), Params().text("n1").text("1").number(2));
    check("cancel", statements::cancel(), Params().text("n1").text("1"));
    check("reschedule", statements::reschedule(), Params().text("n1").text("1").time({}).number(0));
    check("find", statements::find(), Params().text("n1").text("1"));
    check("written by", statements::writtenBy(), Params().number(1).text("n1").text("1"));
    for (const std::size_t count : {1U, 10U, 1000U}) {
        for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace})
            check("schedule", statements::schedule(policy, count == 1), tasks(count));
    }
    check("run now", statements::runNow(), Params().text("n1").text("1"));
    for (const Filter& filter : filters()) {
        check("list", statements::list(filter), paramsOf(filter));
        check("revive", statements::revive(filter), paramsOf(filter));
        check("cancel all", statements::cancelAll(filter), paramsOf(filter));
    }
    check("cancel others", statements::cancelOthers(),
          Params().text("n1").texts({"1", "2"}).text("").number(100));
    const auto task = Params().text("n1").text("1");
    check("pause task", statements::pauseTask(), Params(task).text("me").text("why"));
    check("resume task", statements::resumeTask(), task);
    for (const Scope scope : {Scope::Task, Scope::Name, Scope::Node, Scope::Everything}) {
        check("missed in pause", statements::missedInPause(scope),
              Params(task).text("name").text("").text("").number(1000));
    }
    check("skip missed", statements::skipMissed(),
          Params().texts({"n1", "n1"}).texts({"1", "2"}).numbers({1, 2}).numbers({1, 1}));
    check("pauses of", statements::pausesOf(), Params().number(7).texts({"n1", "n2"}));
    check("nodes", statements::nodes(), {});
    check("names", statements::names(), Params().number(10'000));
    check("backlog", statements::backlog(), {});
}

// As an explain that runs it counts them: those that pass a condition and those that do not.
BOOST_AUTO_TEST_CASE(k84_o23_a_list_reads_at_most_ten_rows_for_one_that_it_returns) {
    ask("update @.task set owner = null, wake = 'infinity' where id::int % 1000 = 1");
    ask("update @.task set held = wake, wake = 'infinity' where id::int % 1000 = 2");
    ask("update @.task set attempt = 1 where id::int % 1000 = 3");
    ask("insert into @.node (id, name, lease, lease_until) values (1, 'w', '1 s', now())");
    ask("vacuum analyze @.task");
    for (Filter filter : filters()) {
        for (const Order order : {Order::Key, Order::Due}) {
            const bool waits = filter.dueBefore || filter.state == State::Scheduled;
            if (order == Order::Due && (!waits || filter.name)) continue;
            if (order == Order::Key && filter.dueBefore) continue;
            filter.order = order;
            const std::string text = plan(statements::list(filter), paramsOf(filter), true,
                                          "analyze, costs off, timing off");
            BOOST_TEST(rowsRead(text) <= 10 * 100, text);
        }
    }
}

BOOST_AUTO_TEST_CASE(k84_o38_a_claim_by_name_reads_no_task_of_another_name) {
    addTasksOfOthers();
    for (const auto& names : namesToClaim()) {
        for (const int limit : {1, 10, 1000}) {
            for (const bool generic : {false, true}) {
                auto params = Params().number(1).texts(names).number(limit).number(1'000'000);
                params.number(0);
                const std::string claim = plan(statements::claimByName(), params, generic);
                // By wake, only the oldest of all is looked at.
                const std::string byWake = "using task_wake on task";
                const std::size_t first = claim.find(byWake);
                BOOST_TEST(first != std::string::npos, claim);
                BOOST_TEST(claim.find(byWake, first + 1) == std::string::npos, claim);
                BOOST_TEST(claim.find("using task_name on task") != std::string::npos, claim);
                const std::string firstDue =
                    plan(statements::firstDue(), Params().texts(names), generic);
                BOOST_TEST(firstDue.find("using task_name on task") != std::string::npos, firstDue);
                BOOST_TEST(firstDue.find("task_wake") == std::string::npos, firstDue);
            }
        }
    }
}

// What is due is read by name, what runs by its owner, and nothing by wake.
BOOST_AUTO_TEST_CASE(k84_o31_a_claim_within_limits_reads_no_task_of_another_name) {
    addTasksOfOthers();
    for (const auto& names : namesToClaim()) {
        for (const bool generic : {false, true}) {
            const std::string lock =
                plan(statements::lockNames(), Params().text("s").texts(names), generic);
            BOOST_TEST(lock.find("using task_name on task") != std::string::npos, lock);
            BOOST_TEST(lock.find("task_wake") == std::string::npos, lock);
            for (const int limit : {1, 10, 1000}) {
                for (const bool inCluster : {false, true}) {
                    const std::string claim = plan(statements::claimLimited(inCluster),
                                                   limitedClaim(names, limit, inCluster), generic);
                    BOOST_TEST(claim.find("using task_name on task") != std::string::npos, claim);
                    BOOST_TEST(claim.find("task_wake") == std::string::npos, claim);
                    BOOST_TEST(claim.find("task_key") == std::string::npos, claim);
                    const bool readsRunning = claim.find("task_owner") != std::string::npos;
                    BOOST_TEST(readsRunning == inCluster, claim);
                }
            }
        }
    }
}

// Of 20 tasks that are due, with a limit of 10 and 100 that run: each row is looked at once for the
// shares, once to be locked, and once to be updated.
BOOST_AUTO_TEST_CASE(k84_o31_a_claim_within_limits_reads_few_rows) {
    ask("insert into @.node (id, name, lease, lease_until) values (1, 'w', '1 s', now())");
    for (const bool generic : {false, true}) {
        const std::string text =
            plan(statements::claimLimited(true), limitedClaim({"n1", "n2"}, 10, true), generic,
                 "analyze, costs off, timing off");
        BOOST_TEST(rowsRead(text) <= 100 + 2 * 11 + 3 * 10, text);
    }
}

// To the planner, a name that 3% of the tasks have is that of 3% of those that are due: of 90,
// where it is that of all 3,000.
BOOST_AUTO_TEST_CASE(k84_a_claim_reads_few_of_the_tasks_that_are_due_though_all_are_its_own) {
    ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake)"
        " select 'own', i::text, '', 'once', 'once', now(), now(), now()"
        " from generate_series(1, 3000) i");
    ask("update @.task set wake = now() + (1 + random()) * interval '1 day' where name <> 'own'");
    ask("vacuum full analyze @.task");
    ask("insert into @.node (id, name, lease, lease_until) values (1, 'w', '1 s', now())");
    const std::vector<std::string> own{"own"};
    const auto check = [&](const Statement& statement, const Params& params) {
        for (const bool generic : {false, true}) {
            const std::string text =
                plan(statement, params, generic, "analyze, costs off, timing off");
            BOOST_TEST(rowsRead(text) <= 10 * 100, text);
        }
    };
    const Micros never = std::numeric_limits<Micros>::min();
    check(statements::claim(),
          Params().number(1).texts(own).number(100).time(never).number(1'000'000).number(0));
    check(statements::claimByName(),
          Params().number(1).texts(own).number(100).number(1'000'000).number(0));
    for (const bool inCluster : {false, true})
        check(statements::claimLimited(inCluster), limitedClaim(own, 100, inCluster));
}

// The statistics say so where the table was analyzed while nothing ran. An index by owner then
// seems as good as one by key, but leads to every task whose end is not written yet.
BOOST_AUTO_TEST_CASE(k84_an_end_is_found_by_its_key_also_if_no_task_seems_to_run) {
    ask("update @.task set owner = null");
    ask("vacuum full analyze @.task");
    for (const bool generic : {false, true}) {
        for (const bool skipLocked : {false, true}) {
            for (const History history : kAnyHistory) {
                const std::string text =
                    plan(statements::writeEnds(skipLocked, history), ends(100), generic);
                BOOST_TEST(text.find("task_owner") == std::string::npos, text);
            }
        }
        const std::string deletes = plan(statements::deleteEnds(), keys(100), generic);
        BOOST_TEST(deletes.find("task_owner") == std::string::npos, deletes);
        const auto owns = Params().text("n1").text("1").number(2);
        const std::string text = plan(statements::owns(), owns, generic);
        BOOST_TEST(text.find("task_owner") == std::string::npos, text);
    }
}

BOOST_AUTO_TEST_CASE(o34_past_runs_are_read_and_deleted_by_their_only_index) {
    ask("insert into @.run select i, 'n1', i::text, 'w', 1, now(), now(), now(), 'succeeded'"
        " from generate_series(1, 100000) i");
    ask("vacuum analyze @.run");
    HistoryFilter ofOne;
    ofOne.id = "1";
    for (const bool generic : {false, true}) {
        for (const HistoryFilter& filter : {HistoryFilter(), ofOne}) {
            const auto params = Params().number(90'000).number(100).text("").text("1").text("");
            const std::string text = plan(statements::history(filter), params, generic);
            BOOST_TEST(text.find("run_pkey") != std::string::npos, text);
            BOOST_TEST(text.find("Seq Scan on run") == std::string::npos, text);
        }
        const auto params = Params().number(0).time(0).number(0).number(100);
        const std::string text = plan(statements::prune(), params, generic);
        BOOST_TEST(text.find("Seq Scan on run") == std::string::npos, text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
