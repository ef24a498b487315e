// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Single statements that the server refuses, or that do not reach it, and who goes on then. Most
// are refused by a trigger.

#include "cluster/connection.hpp"
#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/proxy.hpp"
#include "cluster/schema.hpp"
#include "cluster/session.hpp"
#include "cluster/store.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace jtimer::cluster;

namespace {

using detail::Store;

struct Fixture : test::Schema {
    Fixture() {
        options.name = "one";
        ask("create sequence @.tried");
    }
    ~Fixture() { detail::setFailpoint({}); }
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;

    /// \param event "insert on @.task", for example
    /// \param what PL/pgSQL that is done before each; nextval() counts what is rolled back too
    void before(const std::string& event, const std::string& what) const {
        ask("create function @.refuse() returns trigger language plpgsql as $$ begin " + what +
            " return coalesce(new, old); end $$");
        ask("create trigger refuse before " + event + " for each row execute function @.refuse()");
    }

    int tried() const {
        return std::stoi(ask("select case when is_called then last_value else 0 end from @.tried"));
    }
};

std::size_t schedule(Store& store, const std::string& payload = {}) {
    return store.schedule({{"n", "i", Schedule::once(0), payload, IfExists::Update}});
}

/// What a function of the C library writes to the standard error meanwhile.
class CapturedDescriptor {
  public:
    CapturedDescriptor() { ::dup2(::fileno(file_.get()), STDERR_FILENO); }
    ~CapturedDescriptor() {
        ::dup2(saved_, STDERR_FILENO);
        ::close(saved_);
    }
    CapturedDescriptor(const CapturedDescriptor&) = delete;
    CapturedDescriptor& operator=(const CapturedDescriptor&) = delete;

    long size() const { return ::lseek(::fileno(file_.get()), 0, SEEK_END); }

  private:
    std::unique_ptr<std::FILE, decltype(&std::fclose)> file_{std::tmpfile(), std::fclose};
    const int saved_ = ::dup(STDERR_FILENO);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(refusals, Fixture)

BOOST_AUTO_TEST_CASE(k20_a_connection_that_the_server_ends_with_its_answer_is_not_used_again) {
    before("insert on @.task", "if nextval('@.tried') = 1 then"
                               " raise exception 'going down' using errcode = '57P01'; end if;");
    std::atomic<int> connections{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "connect") ++connections;
    });
    Store store(options);
    BOOST_TEST(schedule(store) == 1U);
    BOOST_TEST(connections == 2);
    BOOST_TEST(ask("select count(*) from @.task") == "1");
}

BOOST_AUTO_TEST_CASE(k20_a_statement_that_does_not_leave_in_time_has_no_effect) {
    test::Proxy proxy(test::server().folder() + "/.s.PGSQL.5432");
    const std::string direct = options.conninfo;
    options.conninfo = "host=127.0.0.1 port=" + proxy.port() + " user=jtimer dbname=postgres";
    options.operationTimeout = 3000;
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "schedule_update") proxy.set(test::Proxy::Mode::BlackHole);
    });
    Store store(options);
    BOOST_CHECK_EXCEPTION(schedule(store, std::string(1 << 24, 'x')), DatabaseException,
                          [](const DatabaseException& e) {
                              return e.what() ==
                                     std::string("The database did not take the statement in time");
                          });
    BOOST_TEST(!store.connected());
    options.conninfo = direct;
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(a_rollback_that_fails_ends_the_connection_and_another_is_tried) {
    before("insert on @.task", "raise exception 'not this one';");
    std::atomic<int> connections{0};
    std::atomic<int> rollbacks{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int socket) {
        if (before && statement == "connect") ++connections;
        if (before && statement == "rollback" && ++rollbacks == 1) ::shutdown(socket, SHUT_RDWR);
    });
    Store store(options);
    BOOST_CHECK_EXCEPTION(schedule(store), DatabaseException, [](const DatabaseException& e) {
        return e.what() == std::string("ERROR: not this one") && e.sqlState() == "P0001";
    });
    BOOST_TEST(connections == 2);
    BOOST_TEST(rollbacks == 2);
    BOOST_TEST(store.connected());
}

BOOST_AUTO_TEST_CASE(a_statement_that_is_refused_is_rolled_back_and_the_connection_stays) {
    before("insert on @.task", "raise exception 'not this one';");
    std::atomic<int> connections{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "connect") ++connections;
    });
    Store store(options);
    BOOST_CHECK_THROW(schedule(store), DatabaseException);
    BOOST_TEST(store.connected());
    // That there were several tasks was not why.
    const NewTask one{"n", "i", Schedule::once(0)}, other{"n", "j", Schedule::once(0)};
    BOOST_CHECK_EXCEPTION(
        store.schedule({one, other}), DatabaseException,
        [](const DatabaseException& e) { return e.what() == std::string("ERROR: not this one"); });
    ask("drop trigger refuse on @.task");
    BOOST_TEST(schedule(store) == 1U);
    BOOST_TEST(connections == 1);
}

BOOST_AUTO_TEST_CASE(of_statements_sent_together_those_behind_a_refused_one_are_left_out) {
    const auto end = detail::Session::deadlineAfter(60'000'000);
    for (const bool prepared : {true, false}) {
        detail::Connection connection({options.conninfo, prepared, 60'000'000, false}, end);
        const auto draws = [&](const char* name) {
            return detail::Connection::Call{
                {name, detail::inSchema("select nextval('@.tried')", options.schema)}, {}};
        };
        const detail::Connection::Call zero{{"zero", "select 1 / $1"}, detail::Params().number(0)};
        const int before = tried();
        BOOST_TEST(connection.execute({draws("one"), draws("two")}, end).number(0, 0) ==
                   before + 2);
        BOOST_CHECK_EXCEPTION(connection.execute({draws("one"), zero, draws("two"), zero}, end),
                              DatabaseException, [](const DatabaseException& e) {
                                  return e.what() == std::string("ERROR: division by zero") &&
                                         e.sqlState() == "22012";
                              });
        BOOST_TEST(tried() == before + 3);
        BOOST_TEST(connection.isOpen());
        BOOST_TEST(connection.execute({draws("one")}, end).number(0, 0) == before + 4);
    }
}

BOOST_AUTO_TEST_CASE(k61_the_server_limits_the_transactions_of_a_client_that_is_cut_off) {
    options.operationTimeout = 1234;
    const std::string query = "select current_setting('statement_timeout') || ' ' ||"
                              " current_setting('idle_in_transaction_session_timeout') || ' ' ||"
                              " current_setting('transaction_isolation')";
    for (const bool prepared : {true, false}) {
        options.preparedStatements = prepared;
        detail::Session session(
            options, options.conninfo + " options='-c default_transaction_isolation=serializable'");
        const auto settings = [&] { return session.execute({nullptr, query}, {}).text(0, 0); };
        session.connect();
        BOOST_TEST(session.begin(settings) == "1234ms 1234ms read committed");
        BOOST_TEST(settings() == "1234ms 1234ms read committed");
        session.commit();
        BOOST_TEST(settings() == "0 0 serializable");
    }
}

// Nothing has been sent, so there is nothing to roll back.
BOOST_AUTO_TEST_CASE(a_transaction_that_fails_before_its_first_statement_never_begins) {
    Store store(options);
    store.connect();
    int sent = 0;
    detail::setFailpoint([&](const char*, bool, int) { ++sent; });
    BOOST_CHECK_THROW(store.schedule({{"n", "i", Schedule::cron("* * * * *", "No\xffwhere")}}),
                      jtimer::IllegalArgumentException);
    BOOST_TEST(sent == 0);
    BOOST_TEST(schedule(store) == 1U);
}

BOOST_AUTO_TEST_CASE(what_the_server_warns_of_is_not_printed) {
    before("insert on @.task", "raise warning 'perhaps not this one';");
    const CapturedDescriptor printed;
    Store store(options);
    BOOST_TEST(schedule(store) == 1U);
    BOOST_TEST(printed.size() == 0);
}

BOOST_AUTO_TEST_CASE(k53_a_take_over_that_is_refused_is_told_once_and_tried_again) {
    options.lease = 1000;
    test::CapturedCerr cerr;
    {
        Store store(options);
        const auto dead = store.registerNode({"dead", 1'000'000}).node;
        schedule(store);
        BOOST_REQUIRE(store.claim(dead, {"n"}, 1).tasks.size() == 1U);
    }
    before("delete on @.node", "if old.name = 'dead' then perform nextval('@.tried');"
                               " raise exception 'it is needed'; end if;");
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    while (tried() < 3) boost::this_thread::sleep_for(boost::chrono::milliseconds(10));
    BOOST_TEST(runs.get() == 0);
    ask("drop trigger refuse on @.node");
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().takenOver == 1U);
    BOOST_TEST(scheduler.stats().leasesLost == 0U);
    BOOST_TEST(scheduler.stats().reconnects == 0U);
    BOOST_TEST(cerr.text() == "Node \"one\" cannot take over tasks: ERROR: it is needed\n");
}

BOOST_AUTO_TEST_CASE(o35_a_node_prunes_again_after_a_failure) {
    options.lease = 1000;
    Scheduler scheduler(options);
    scheduler.keepHistory(History::All, 1000);
    ask("insert into @.run select 1, 'n', 'i', 'one', 1, now(), now(), now() - interval '1 h',"
        " 'succeeded'");
    before("update of pruned on @.cluster",
           "if nextval('@.tried') = 1 then"
           " raise exception 'going down' using errcode = '57P01'; end if;");
    scheduler.start();
    while (!scheduler.history().runs.empty())
        boost::this_thread::sleep_for(boost::chrono::milliseconds(10));
    BOOST_TEST(tried() == 2);
    while (scheduler.stats().reconnects == 0) boost::this_thread::yield();
    scheduler.stop();
    BOOST_TEST(scheduler.stats().reconnects == 1U);
}

BOOST_AUTO_TEST_CASE(k58_an_end_stays_if_the_connection_breaks_while_ends_are_written_one_by_one) {
    before("delete on @.task", "if nextval('@.tried') = 1 then raise exception 'not yet'; end if;");
    std::atomic<int> written{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int socket) {
        if (before && statement == "delete_ends" && ++written == 2) ::shutdown(socket, SHUT_RDWR);
    });
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(written == 3);
    BOOST_TEST(runs.get() == 1);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(o42_a_large_end_is_not_blamed_for_a_line_that_was_silent_once) {
    test::Proxy proxy(test::server().folder() + "/.s.PGSQL.5432");
    const std::string direct = options.conninfo;
    options.conninfo = "host=127.0.0.1 port=" + proxy.port() + " user=jtimer dbname=postgres";
    options.operationTimeout = 500;
    options.pollInterval = std::chrono::hours(1);
    std::atomic<int> written{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "write_ends" && ++written == 1)
            proxy.set(test::Proxy::Mode::BlackHole);
        if (before && statement == "connect" && written > 0) proxy.set(test::Proxy::Mode::Pass);
    });
    test::CapturedCerr cerr;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) { run.setPayload(std::string(1 << 20, 'x')); });
    scheduler.start();
    scheduler.scheduleAtFixedRate("n", "i", 0, std::chrono::hours(1));
    while (scheduler.stats().succeeded == 0) boost::this_thread::yield();
    scheduler.stop();
    BOOST_TEST(written >= 2);  // the first may still hold the row
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(cerr.text() == "");
    options.conninfo = direct;
}

BOOST_AUTO_TEST_CASE(k76_a_call_waits_for_a_server_that_only_reads_for_a_while) {
    const auto setReadOnly = [&](const std::string& value) {
        const std::string writes =
            options.conninfo + " options='-c default_transaction_read_only=off'";
        test::ask(writes, "alter system set default_transaction_read_only = " + value);
        test::ask(writes, "select pg_reload_conf()");
    };
    const auto isReadOnly = [&] {
        return test::ask(options.conninfo, "show default_transaction_read_only") == "on";
    };
    std::atomic<int> connections{0};
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "connect" && ++connections == 3) setReadOnly("off");
    });
    setReadOnly("on");
    while (!isReadOnly()) boost::this_thread::yield();
    Scheduler scheduler(options);
    BOOST_TEST(scheduler.schedule("n", "i", 0));
    BOOST_TEST(connections >= 3);
}

BOOST_AUTO_TEST_SUITE_END()
