// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

// Worker processes that run tasks, and what befalls them and the server, at random.

#include "cluster/fixture.hpp"
#include "cluster/stress_node.hpp"
#include "cluster/stress_operators.hpp"
#include "cluster/worker.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test::stress {

/// Starts the node with this name.
using StartNode = std::function<Worker(const std::string& name)>;

inline std::vector<std::string> nodeNames(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back("worker " + std::to_string(i));
    return names;
}

class Stress {
  public:
    struct Kill {
        std::string node;
        std::int64_t at;
    };
    struct Outage {
        std::int64_t begin, end;
    };

    /// \param seed repeats what it draws
    Stress(unsigned seed, int nodes, StartNode startNode)
        : random_(seed), names_(nodeNames(nodes)), startNode_(std::move(startNode)) {
        // Without the case before. The schema jtimer is this user's, so its tables come first.
        sql()("set client_min_messages = error");
        sql()("drop schema if exists jtimer cascade");
        sql()("drop schema public cascade");
        sql()("create schema public");
        sql()("create table effect (name text, id text, due bigint, token bigint, attempt int, "
              "pid int, at timestamptz default clock_timestamp())");
        sql()("create table given (name text, id text)");
        sql()("create table gone (name text, started timestamptz, at timestamptz default "
              "clock_timestamp())");
        sql()("create table deleted (name text, id text, token bigint, by text)");
    }

    Session& sql() {
        if (!session_) session_.emplace();
        return *session_;
    }

    /// Once there is a schema: notes which rows of its tables go, and by whom.
    void watch() {
        sql()("create function public.note_node() returns trigger language plpgsql as $$ begin "
              "insert into public.gone (name, started) values (old.name, old.started); "
              "return old; end $$");
        sql()("create trigger note after delete on jtimer.node for each row execute function "
              "public.note_node()");
        sql()("create function public.note_task() returns trigger language plpgsql as $$ begin "
              "insert into public.deleted values (old.name, old.id, old.token, "
              "current_setting('application_name')); return old; end $$");
        sql()("create trigger note after delete on jtimer.task for each row execute function "
              "public.note_task()");
    }

    /// And when no node could renew for a while: all leases began anew then.
    void watchGaps() {
        sql()("create table public.gap (resumed timestamptz)");
        sql()("create function public.note_gap() returns trigger language plpgsql as $$ begin "
              "insert into public.gap values (new.resumed); return new; end $$");
        sql()("create trigger note after update of resumed on jtimer.cluster for each row "
              "when (new.resumed <> old.resumed) execute function public.note_gap()");
    }

    void startNodes() {
        for (const std::string& name : names_) workers_.push_back(startNode_(name));
    }

    /// One fault.
    void trouble() {
        const std::size_t victim = below(workers_.size());
        const std::size_t kind = below(20);
        if (kind < 9) {
            kill(victim);
        } else if (kind < 13) {
            Worker& worker = workers_[victim];
            say("stop", worker.pid());
            worker.signal(SIGSTOP);
            sleepFor(std::chrono::milliseconds(kLease / 2 + below(2 * kLease)));
            worker.signal(SIGCONT);
            ++stops;
        } else if (kind < 18) {
            say("terminate backends", 0);
            terminateBackends();
            ++terminations;
        } else {
            const bool crash = kind == 18;
            say(crash ? "crash server" : "restart server", 0);
            const std::int64_t begin = nowMicros();
            session_.reset();
            server_.stop(crash ? Server::Stop::Immediate : Server::Stop::Fast);
            sleepFor(std::chrono::milliseconds(below(1500)));
            server_.start();
            outages.push_back({begin, nowMicros()});
        }
        for (const Worker& worker : workers_)
            BOOST_TEST(!worker.isOver(), "worker " << worker.pid() << " has ended by itself");
    }

    void kill(std::size_t victim) {
        Worker& worker = workers_[victim];
        say("kill", worker.pid());
        kills.push_back({names_[victim], nowMicros()});
        worker.signal(SIGKILL);
        worker.end();
        worker = startNode_(names_[victim]);
    }

    /// Gracefully ends a node, and starts another.
    void replace(std::size_t victim) {
        BOOST_TEST(workers_[victim].end() == 0);
        workers_[victim] = startNode_(names_[victim]);
    }

    void endNodes() {
        for (Worker& worker : workers_) BOOST_TEST(worker.end() == 0);
        workers_.clear();
    }

    /// Until the answer is this, for two minutes at most.
    void await(const std::string& query, const std::string& answer,
               const std::function<void()>& meanwhile = {}) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
        std::string last;
        while ((last = sql()(query)) != answer) {
            if (std::chrono::steady_clock::now() > deadline) {
                BOOST_ERROR(query << ": " << last << " instead of " << answer);
                return;
            }
            if (meanwhile) meanwhile();
            sleepFor(std::chrono::milliseconds(50));
        }
    }

    /// The query, which must name its columns, finds nothing.
    void expectNone(const std::string& what, const std::string& query) {
        const std::string found = sql()("select min(found::text) from (" + query + ") found");
        BOOST_TEST(found.empty(), what << ": " << found);
    }

    std::string count(const std::string& from) { return sql()("select count(*) from " + from); }

    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }

    const std::vector<std::string>& names() const { return names_; }
    const std::string& conninfo() const { return server_.conninfo(); }

    std::vector<Kill> kills;
    std::vector<Outage> outages;
    int stops = 0, terminations = 0;

  private:
    static void say(const char* what, pid_t pid) {
        BOOST_TEST_MESSAGE(what << (pid == 0 ? "" : " " + std::to_string(pid)));
    }

    void terminateBackends() {
        sql()("select pg_terminate_backend(pid) from pg_stat_activity where "
              "application_name in ('jtimer', 'operator') and random() < 0.3");
    }

    Server& server_ = server();
    std::optional<Session> session_;
    std::mt19937 random_;
    const std::vector<std::string> names_;
    const StartNode startNode_;
    std::vector<Worker> workers_;
};

/// Calls a function again and again on a thread of its own, for as long as this lives.
class OnThread {
  public:
    explicit OnThread(std::function<void()> function)
        : thread_([this, function = std::move(function)] {
              while (!ends_) function();
          }) {}
    ~OnThread() {
        ends_ = true;
        thread_.join();
    }
    OnThread(const OnThread&) = delete;
    OnThread& operator=(const OnThread&) = delete;

  private:
    std::atomic<bool> ends_{false};
    boost::thread thread_;
};

}  // namespace test::stress
