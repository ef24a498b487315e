// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The connection, or the server, breaks at each statement of a caller's write.

#include "cluster/failpoint.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <sys/socket.h>

namespace {

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;

/// Of a write by a new connection, in this order. Without a name: the look at the schema. "*" is
/// the statement itself.
constexpr const char* kStatements[] = {"connect",           "",  "prepare", "begin",
                                       "limit_transaction", "*", "commit"};

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

/// Loses the answer to the first commit, and does something before the next connection.
struct LostAnswer {
    explicit LostAnswer(const std::function<void()>& then) {
        setFailpoint([=, lost = false, done = false](const std::string& statement, bool before,
                                                     int socket) mutable {
            if (!before) return;
            if (!lost && statement == "commit") {
                lost = true;
                ::shutdown(socket, SHUT_RD);
            } else if (lost && !done && statement == "connect") {
                done = true;
                then();
            }
        });
    }
    ~LostAnswer() { setFailpoint({}); }
};

struct Fixture : test::Schema {
    Fixture() : store(options) {}

    void awaitAnswer(const std::string& query, const std::string& answer) const {
        while (ask(query) != answer) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
    }

    /// Commits of the first insertion take so long.
    void delayCommit(const std::string& seconds) const {
        ask("create sequence @.commits");
        ask("create function @.wait() returns trigger language plpgsql as $$ begin "
            "if nextval('@.commits') = 1 then perform pg_sleep(" +
            seconds + "); end if; return null; end $$");
        ask("create constraint trigger wait after insert on @.task deferrable initially deferred "
            "for each row execute function @.wait()");
    }

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

// The commit leaves when the number of the transaction is known, and not before.
BOOST_AUTO_TEST_CASE(k20_what_is_written_and_its_commit_are_two_round_trips) {
    store.connect();
    const NewTask task{"n", "i", Schedule::once(0)};
    store.schedule({task});
    store.cancel("n", "i");
    std::string sent;
    setFailpoint([&](const char* statement, bool before, int) {
        sent += std::string(before ? " " : " /") + statement;
    });
    store.schedule({task});
    store.cancel("n", "i");
    setFailpoint({});
    const std::string first = Connection::kPipelines
                                  ? " begin limit_transaction * /begin /limit_transaction /*"
                                  : " begin /begin * /*";
    const auto with = [](std::string text, const std::string& statement) {
        for (std::size_t at = 0; (at = text.find('*')) != std::string::npos;)
            text.replace(at, 1, statement);
        return text;
    };
    BOOST_TEST(sent == with(first, "schedule_update") + " commit /commit" + with(first, "cancel") +
                           " commit /commit");
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

BOOST_AUTO_TEST_CASE(k20_a_commit_that_is_still_in_progress_is_waited_for) {
    delayCommit("0.3");
    const LostAnswer lost([] {});
    BOOST_TEST(store.schedule({{"n", "i", Schedule::once(0)}}) == 1U);
    BOOST_TEST(ask("select count(*) from @.task") == "1");
    BOOST_TEST(ask("select last_value from @.commits") == "1");
}

BOOST_AUTO_TEST_CASE(k20_a_crash_during_a_commit_undoes_it_and_it_is_repeated) {
    delayCommit("30");
    const LostAnswer lost([this] {
        awaitAnswer("select count(*) from pg_stat_activity where wait_event = 'PgSleep'", "1");
        ask("create table @.later ()");  // so the number of the transaction is not used again
        test::server().restart(test::Server::Stop::Immediate);
    });
    BOOST_TEST(store.schedule({{"n", "i", Schedule::once(0)}}) == 1U);
    BOOST_TEST(ask("select count(*) from @.task") == "1");
    BOOST_TEST(ask("select last_value > 1 from @.commits") == "t");
}

BOOST_AUTO_TEST_CASE(k20_k21_after_a_crash_a_commit_is_recognised_by_its_row_or_not_at_all) {
    const auto crashWhen = [this](const std::string& count) {
        return [this, count] {
            awaitAnswer("select count(*) from @.task", count);
            test::server().restart(test::Server::Stop::Immediate);
        };
    };
    {
        const LostAnswer lost(crashWhen("1"));
        BOOST_TEST(store.schedule({{"n", "i", Schedule::once(0)}}) == 1U);
    }
    const LostAnswer lost(crashWhen("0"));
    BOOST_CHECK_EXCEPTION(
        store.cancel("n", "i"), OutcomeUnknownException, [](const OutcomeUnknownException& e) {
            return e.what() == std::string("The server crashed during the commit, and it "
                                           "is not known whether the transaction was "
                                           "committed");
        });
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(k20_a_commit_of_nothing_needs_no_answer) {
    const LostAnswer lost([] {});
    BOOST_TEST(!store.cancel("n", "i"));
}

BOOST_AUTO_TEST_CASE(k38_a_task_is_scheduled_although_nobody_can_be_notified) {
    std::atomic<bool> broken{false};
    {
        const Once fault("notify", true, [&](int socket) {
            ::shutdown(socket, SHUT_RDWR);
            broken = true;
        });
        Scheduler scheduler(options);
        BOOST_TEST(scheduler.schedule("n", "i", 0));
        while (!broken) boost::this_thread::yield();
        BOOST_TEST(scheduler.schedule("n", "j", 0));
    }
    BOOST_TEST(ask("select count(*) from @.task") == "2");
}

BOOST_AUTO_TEST_CASE(o15_a_pause_holds_although_nobody_can_be_notified) {
    const Once fault("notify", true, [](int socket) { ::shutdown(socket, SHUT_RDWR); });
    Scheduler scheduler(options);
    BOOST_TEST(scheduler.pause(Target::name("n")));
    BOOST_TEST(ask("select count(*) from @.pause") == "1");
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
