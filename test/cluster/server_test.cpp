// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/server.hpp"
#include "support/child_process.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

std::string ask(const test::Server& server, const char* query) {
    const Connection connection(PQconnectdb(server.conninfo().c_str()), PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), query),
                                                               PQclear);
    return PQntuples(result.get()) == 1 ? PQgetvalue(result.get(), 0, 0)
                                        : PQerrorMessage(connection.get());
}

CHILD_PROCESS(starts_a_server_and_is_killed) {
    test::print(test::server().folder());
    ::raise(SIGKILL);
}

}  // namespace

BOOST_AUTO_TEST_CASE(k79_a_private_server_answers_and_is_gone_with_its_object) {
    std::string folder;
    {
        const test::Server server;
        folder = server.folder();
        BOOST_TEST(ask(server, "select 6 * 7") == "42");
        BOOST_TEST(ask(server, "show fsync") == "off");
        BOOST_TEST(ask(server, "show listen_addresses") == "");
    }
    BOOST_TEST(::access(folder.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(k79_a_private_server_keeps_what_was_committed_when_it_crashes) {
    test::Server& server = test::server();
    ask(server, "create table kept (n int)");
    server.restart(test::Server::Stop::Immediate);
    BOOST_TEST(ask(server, "select count(*) from kept") == "0");
    server.restart(test::Server::Stop::Fast);
    BOOST_TEST(ask(server, "select count(*) from kept") == "0");
}

BOOST_AUTO_TEST_CASE(k79_a_private_server_ends_with_a_process_that_is_killed) {
    const std::string folder = test::runChild("starts_a_server_and_is_killed").out;
    BOOST_REQUIRE(!folder.empty());
    // The watcher is nobody's child now; it removes the folder last.
    while (::access(folder.c_str(), F_OK) == 0) ::usleep(10'000);
}
