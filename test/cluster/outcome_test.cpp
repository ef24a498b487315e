// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The connection, or the server, breaks at each statement of a caller's write.

#include "cluster/failpoint.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/schedule.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <sys/socket.h>

namespace {

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;

/// Of a write by a new connection, in this order. Without a name: the look at the schema. "*" is
/// the statement itself.
constexpr const char* kStatements[] = {"connect", "", "begin", "prepare", "*", "commit"};

/// Does something once, the first time that a statement is about to leave or has been answered.
struct Once {
    Once(const std::string& statement, bool before, const std::function<void(int socket)>& what) {
        setFailpoint([=, done = false](const char* each, bool isBefore, int socket) mutable {
            if (done || each != statement || isBefore != before) return;
            done = true;
            what(socket);
        });
    }
    ~Once() { setFailpoint({}); }
};

struct Fixture : test::Schema {
    Fixture() : store(options) {}

    /// Schedules, cancels and schedules again with a failure in each; exactly the last is left.
    void writeWith(const std::string& statement, bool before,
                   const std::function<void(int socket)>& what) {
        const NewTask task{"n", "i", Schedule::once(std::chrono::hours(1)), {}, IfExists::Keep};
        {
            store.disconnect();
            const Once once(statement == "*" ? "schedule_keep" : statement, before, what);
            BOOST_TEST(store.schedule({task}) == 1U, statement << before);
        }
        BOOST_TEST(store.schedule({task}) == 0U);
        {
            store.disconnect();
            const Once once(statement == "*" ? "cancel" : statement, before, what);
            BOOST_TEST(store.cancel("n", "i"), statement << before);
        }
        BOOST_TEST(!store.cancel("n", "i"));
    }

    Store store;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(outcome, Fixture)

BOOST_AUTO_TEST_CASE(k20_a_connection_that_breaks_at_any_statement_leaves_one_effect) {
    for (const char* statement : kStatements) {
        for (const bool before : {true, false}) {
            writeWith(statement, before, [](int socket) { ::shutdown(socket, SHUT_RDWR); });
        }
    }
}

BOOST_AUTO_TEST_CASE(k83_o20_to_o22_a_connection_that_breaks_leaves_one_effect_of_an_operator) {
    const auto breaks = [](int socket) { ::shutdown(socket, SHUT_RDWR); };
    Filter ofName;
    ofName.name = "n";
    for (const char* const statement : {"begin", "*", "commit"}) {
        for (const bool before : {true, false}) {
            const auto once = [&](const char* own) {
                store.find("n", "1");  // there is a connection
                return Once(*statement == '*' ? own : statement, before, breaks);
            };
            for (const char* const id : {"1", "2", "3"})
                store.schedule({{"n", id, Schedule::once(std::chrono::hours(1))}});
            {
                const Once fault = once("run_now");
                BOOST_TEST(store.runNow("n", "1"), statement << before);
            }
            BOOST_TEST(ask("select count(*) from @.task where wake <= @.now()") == "1");
            ask("update @.task set wake = 'infinity'");
            {
                const Once fault = once("");
                BOOST_TEST(store.revive({}) == 3U, statement << before);
            }
            BOOST_TEST(ask("select count(*) from @.task where wake <= @.now()") == "3");
            {
                const Once fault = once("");
                BOOST_TEST(store.cancelOthers("n", {"1", "2"}) == 1U, statement << before);
            }
            {
                const Once fault = once("");
                BOOST_TEST(store.cancelAll(ofName) == 2U, statement << before);
            }
            BOOST_TEST(ask("select count(*) from @.task") == "0");
        }
    }
}

BOOST_AUTO_TEST_CASE(k83_o12_o15_o18_a_connection_that_breaks_leaves_one_pause_or_none) {
    const auto breaks = [](int socket) { ::shutdown(socket, SHUT_RDWR); };
    const NewTask task{"n", "i", Schedule::fixedRate(0, std::chrono::hours(1))};
    const auto state = [&] {
        return ask("select (select count(*) from @.pause) || ' ' || pauses || ' ' ||"
                   " (select pauses from @.node) || (select held is not null from @.task) || ' ' ||"
                   " (select missed_runs from @.task) from @.cluster");
    };
    store.registerNode({"w", 30'000'000});
    int number = 0;
    const auto check = [&](const Target& target, const char* statement, bool before) {
        const bool ofTask =
            std::string(statement) == "pause_task" || std::string(statement) == "resume_task";
        const auto at = [&] { return std::to_string(number) + ' ' + std::to_string(number); };
        ask("delete from @.task");
        store.schedule({task});
        store.advance(5'400'000'000);
        {
            const Once fault(statement, before, breaks);
            BOOST_TEST(store.pause(target, "me", "why"), statement << before);
        }
        if (!ofTask) ++number;
        BOOST_TEST(state() == (ofTask ? "0 " + at() + "true 0" : "1 " + at() + "false 0"));
        {
            const Once fault(statement, before, breaks);
            BOOST_TEST(store.resume(target, MissedInPause::Skip), statement << before);
        }
        if (!ofTask) ++number;
        BOOST_TEST(state() == "0 " + at() + "false 2", statement << before);
    };
    for (const bool before : {true, false}) {
        for (const char* const statement : {"pause_task", "resume_task"})
            check(Target::task("n", "i"), statement, before);
        for (const char* const statement :
             {"", "begin", "raise_pauses", "write_pause", "delete_pause", "commit"})
            check(Target::name("n"), statement, before);
    }
}

BOOST_AUTO_TEST_CASE(k20_a_lost_answer_to_any_statement_leaves_one_effect) {
    for (const char* statement : kStatements) {
        writeWith(statement, true, [](int socket) { ::shutdown(socket, SHUT_RD); });
    }
}

BOOST_AUTO_TEST_CASE(k20_a_session_that_is_ended_at_any_statement_leaves_one_effect) {
    for (const char* statement : kStatements) {
        for (const bool before : {true, false}) {
            writeWith(statement, before, [this](int) {
                ask("select pg_terminate_backend(pid) from pg_stat_activity "
                    "where application_name = 'jtimer'");
            });
        }
    }
}

BOOST_AUTO_TEST_CASE(k20_a_server_that_restarts_at_any_statement_leaves_one_effect) {
    for (const char* statement : {"", "begin", "*", "commit"}) {
        writeWith(statement, true, [](int) { test::server().restart(test::Server::Stop::Fast); });
        writeWith(statement, true,
                  [](int) { test::server().restart(test::Server::Stop::Immediate); });
    }
}

BOOST_AUTO_TEST_CASE(k20_a_crash_of_the_server_resets_the_time_of_its_statistics) {
    const std::string query = "select stats_reset from pg_stat_bgwriter";
    const std::string before = ask(query);
    test::server().restart(test::Server::Stop::Fast);
    BOOST_TEST(ask(query) == before);
    test::server().restart(test::Server::Stop::Immediate);
    BOOST_TEST(ask(query) != before);
}

BOOST_AUTO_TEST_SUITE_END()
