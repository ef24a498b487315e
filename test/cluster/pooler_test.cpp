// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A cluster behind pgbouncer in transaction mode, where that is installed.

#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <csignal>
#include <fstream>
#include <libpq-fe.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace jtimer::cluster;

namespace {

/// Where Debian, Fedora and Homebrew have it; it may not be in a user's PATH.
std::string program() {
    for (const char* const folder : {"/usr/sbin", "/usr/bin", "/opt/homebrew/bin"}) {
        const std::string path = std::string(folder) + "/pgbouncer";
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

/// Gives the sessions of the test's server to whoever begins a transaction, two at most.
class Pooler {
  public:
    explicit Pooler(const std::string& path) {
        const std::string& server = test::server().folder();
        folder_ = server + "/pooler";
        if (::mkdir(folder_.c_str(), 0777) != 0 || ::chmod(folder_.c_str(), 0777) != 0)
            throw std::runtime_error(folder_);
        std::ofstream(folder_ + "/ini")
            << "[databases]\npostgres = host=" << server << " user=jtimer\n[pgbouncer]\n"
            << "listen_port = 6432\nunix_socket_dir = " << folder_ << "\nauth_type = any\n"
            << "pool_mode = transaction\ndefault_pool_size = 2\n";
        const std::string configuration = folder_ + "/ini";
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            // It refuses to be root, and may be anyone else.
            if (::getuid() == 0)
                ::execl(path.c_str(), path.c_str(), "-q", "-u", "nobody", configuration.c_str(),
                        nullptr);
            else
                ::execl(path.c_str(), path.c_str(), "-q", configuration.c_str(), nullptr);
            ::_exit(127);
        }
        while (PQping(conninfo().c_str()) != PQPING_OK) {
            if (::waitpid(pid_, nullptr, WNOHANG) != 0)
                throw std::runtime_error("pgbouncer has ended");
            boost::this_thread::sleep_for(boost::chrono::milliseconds(10));
        }
    }
    ~Pooler() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Pooler(const Pooler&) = delete;
    Pooler& operator=(const Pooler&) = delete;

    std::string conninfo() const {
        return "host=" + folder_ + " port=6432 user=jtimer dbname=postgres";
    }

  private:
    std::string folder_;
    pid_t pid_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(k75_a_pooler_in_transaction_mode_is_fine_without_prepared_statements) {
    const std::string path = program();
    if (path.empty()) {
        BOOST_TEST_MESSAGE("pgbouncer is not installed");
        return;
    }
    test::Schema schema;
    const Pooler pooler(path);
    Options options = schema.options;
    options.conninfo = pooler.conninfo();
    options.preparedStatements = false;
    options.notifyConninfo = test::server().conninfo();
    options.pollInterval = std::chrono::hours(1);  // what is claimed was notified, or known
    TaskOptions eager;
    eager.firstBackoff = 0;
    test::Counted runs;
    const auto handle = [&](Run& run) {
        if (run.attempt() == 1 && run.fencingToken() % 3 == 0) throw std::runtime_error("again");
        test::Session session(options.conninfo);
        session("begin");
        run.complete(session.get());
        session("commit");
        runs.add();
    };
    std::vector<NewTask> tasks;
    for (int i = 0; i < 50; ++i)
        tasks.push_back({"n", "all " + std::to_string(i), Schedule::once(0)});
    Scheduler one(options);
    Scheduler other(options);
    for (Scheduler* const node : {&one, &other}) {
        node->registerTask("n", handle, eager);
        node->start();
    }
    Scheduler caller(options);
    BOOST_TEST(caller.scheduleAll(tasks) == tasks.size());
    for (int i = 0; i < 50; ++i) BOOST_TEST(caller.schedule("n", std::to_string(i), 0));
    BOOST_TEST(caller.scheduleCron("n", "cron", "0 0 1 1 *"));
    BOOST_TEST(caller.reschedule("n", "cron", std::chrono::hours(1)));
    runs.await(100);
    for (Scheduler* const node : {&one, &other}) node->stop();
    BOOST_TEST(one.stats().succeeded + other.stats().succeeded == 100U);
    BOOST_TEST(one.stats().notifications + other.stats().notifications >= 1U);
    BOOST_TEST(one.stats().reconnects + other.stats().reconnects == 0U);
    BOOST_TEST(caller.list().size() == 1U);
    BOOST_TEST(caller.cancel("n", "cron"));
    BOOST_TEST(caller.backlog().nodes == 0U);
}
