// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Outages of a real server, each longer than two leases, with two live nodes that run a task each
// and one that has died with its own.

#include "cluster/fixture.hpp"
#include "cluster/proxy.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/store.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

namespace {

using namespace jtimer::cluster;

template <class Condition>
void waitUntil(const Condition& condition) {
    while (!condition()) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
}

/// A schema, and a proxy through which the nodes reach it.
struct Fixture : test::Schema {
    Fixture() {
        direct = options.conninfo;
        options.conninfo = "host=127.0.0.1 port=" + proxy.port() + " user=jtimer dbname=postgres";
        options.lease = 1000;
        options.pollInterval = 100;
        options.concurrency = 1;
        // How long after the outage a node's row was deleted.
        ask("create table @.gone (name text, late interval)");
        ask("create function @.note() returns trigger language plpgsql as $$ begin"
            " insert into @.gone select old.name, clock_timestamp() - resumed from @.cluster"
            " where resumed > '-infinity'; return old; end $$");
        ask("create trigger note after delete on @.node for each row execute function @.note()");
    }

    std::string ask(const std::string& sql) const {
        std::string text = sql;
        for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;)
            text.replace(at, 1, '"' + options.schema + '"');
        return test::ask(direct, text);
    }

    /// Two live nodes and a dead one see the outage.
    void play(const std::function<void()>& begins, const std::function<void()>& ends) {
        const test::CapturedCerr cerr;
        test::Counted begun, released, over;
        Scheduler one(options), other(options);
        for (Scheduler* const node : {&one, &other}) {
            node->registerTask("long", [&](Run&) {
                begun.add();
                released.await(1);
                over.add();
            });
            node->registerTask("dies", [&](Run& run) {
                BOOST_TEST(run.attempt() == 2);
                over.add();
            });
            node->start();
        }
        Options direct_ = options;
        direct_.conninfo = direct;
        {
            Scheduler planner(direct_);
            planner.schedule("long", "1", 0);
            planner.schedule("long", "2", 0);
        }
        begun.await(2);
        {
            detail::Store store(direct_);
            store.schedule({{"dies", "1", Schedule::once(0), {}}});
            const detail::NodeNumber dead = store.registerNode({"dead", 1'000'000}).node;
            BOOST_REQUIRE(store.claim(dead, {"dies"}, 1).tasks.size() == 1U);
        }
        begins();
        boost::this_thread::sleep_for(boost::chrono::milliseconds(2500));
        ends();
        waitUntil([&] { return one.stats().takenOver + other.stats().takenOver != 0; });
        BOOST_TEST(ask("select string_agg(name || (late >= '1 s' and late < '1.5 s'), ' ')"
                       " from @.gone") == "deadtrue");
        BOOST_TEST(ask("select string_agg(concat_ws(' ', name, id, attempt, crashes), ', '"
                       " order by name, id) from @.task") == "dies 1 1 1, long 1 1 0, long 2 1 0");
        released.add();
        over.await(3);
        one.stop();
        other.stop();
        Stats sum = one.stats();
        const Stats more = other.stats();
        BOOST_TEST(begun.get() == 2);
        BOOST_TEST(sum.takenOver + more.takenOver == 1U);
        BOOST_TEST(sum.leasesLost + more.leasesLost == 0U);
        BOOST_TEST(sum.fenced + more.fenced == 0U);
        BOOST_TEST(sum.succeeded + more.succeeded == 3U);
        BOOST_TEST(ask("select count(*) from @.node") == "0");
    }

    std::string direct;
    test::Proxy proxy{test::server().folder() + "/.s.PGSQL.5432"};
};

/// The server's first process and all that it has made.
std::vector<pid_t> processesOf(const test::Server& server) {
    pid_t first = 0;
    std::ifstream(server.folder() + "/data/postmaster.pid") >> first;
    std::vector<pid_t> processes{first};
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        pid_t pid = 0, parent = 0;
        std::string name, state;
        if (stat >> pid >> name >> state >> parent && parent == first) processes.push_back(pid);
    }
    return processes;
}

void signalAll(const std::vector<pid_t>& processes, int signal) {
    for (const pid_t each : processes) ::kill(each, signal);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(outage, Fixture)

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_connections_are_refused) {
    play([&] { proxy.set(test::Proxy::Mode::Refuse); },
         [&] { proxy.set(test::Proxy::Mode::Pass); });
}

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_a_black_hole) {
    play([&] { proxy.set(test::Proxy::Mode::BlackHole); },
         [&] { proxy.set(test::Proxy::Mode::Pass); });
}

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_a_frozen_server) {
    std::vector<pid_t> processes;
    play(
        [&] {
            processes = processesOf(test::server());
            signalAll(processes, SIGSTOP);
        },
        [&] { signalAll(processes, SIGCONT); });
}

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_a_server_that_is_read_only_for_a_while) {
    const auto set = [&](const std::string& value) {
        test::Session session(direct);
        session("set default_transaction_read_only = off");
        session("alter system set default_transaction_read_only = " + value);
        session("select pg_reload_conf()");
    };
    play([&] { set("on"); }, [&] { set("off"); });
}

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_no_free_connection) {
    std::vector<std::unique_ptr<test::Session>> sessions;
    play(
        [&] {
            proxy.set(test::Proxy::Mode::Refuse);
            try {
                while (true) sessions.push_back(std::make_unique<test::Session>(direct));
            } catch (const std::runtime_error&) {
                // That was the last one. One of the nodes' may have ended meanwhile.
            }
            waitUntil([&] {
                try {
                    sessions.push_back(std::make_unique<test::Session>(direct));
                    return false;
                } catch (const std::runtime_error&) {
                    return (*sessions[0])("select count(*) from pg_stat_activity"
                                          " where client_addr is not null or"
                                          " backend_type = 'client backend'") ==
                           std::to_string(sessions.size());
                }
            });
            proxy.set(test::Proxy::Mode::Pass);
        },
        [&] { sessions.clear(); });
}

BOOST_AUTO_TEST_CASE(o5_o6_o7_o8_a_server_that_crashes_and_is_started_again) {
    play([&] { test::server().stop(test::Server::Stop::Immediate); },
         [&] { test::server().start(); });
}

BOOST_AUTO_TEST_SUITE_END()
