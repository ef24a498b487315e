// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What macOS and OpenBSD get instead of system calls that they lack.
#include "system/calls.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using std::chrono::steady_clock;
namespace portable = system_calls::portable;

namespace {

bool isInherited(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0; }

/// Blocks a signal, which nothing else here sends.
class Blocked {
  public:
    explicit Blocked(int signal) {
        sigemptyset(&signals);
        sigaddset(&signals, signal);
        pthread_sigmask(SIG_BLOCK, &signals, &before_);
    }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    sigset_t signals{};

  private:
    sigset_t before_{};
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_command_inherits_a_pipe_and_what_is_written_can_be_read) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(portable::openPipe(ends) == 0);
    for (const int end : ends) BOOST_TEST(!isInherited(end));
    BOOST_TEST(::write(ends[1], "x", 1) == 1);
    char letter = 0;
    BOOST_TEST(::read(ends[0], &letter, 1) == 1);
    BOOST_TEST(letter == 'x');
    for (const int end : ends) ::close(end);
}

BOOST_AUTO_TEST_CASE(no_command_inherits_a_connection_and_its_calls_do_not_block) {
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(listening, any, size) == 0);
    BOOST_REQUIRE(::listen(listening, 1) == 0);
    BOOST_REQUIRE(::getsockname(listening, any, &size) == 0);
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    BOOST_REQUIRE(::connect(client, any, size) == 0);
    const int fd = portable::acceptOne(listening);
    BOOST_REQUIRE(fd >= 0);
    BOOST_TEST(!isInherited(fd));
    char letter = 0;
    BOOST_TEST(::read(fd, &letter, 1) == -1);
    BOOST_TEST((errno == EAGAIN || errno == EWOULDBLOCK));
    for (const int each : {fd, client, listening}) ::close(each);
}

BOOST_AUTO_TEST_CASE(a_wait_for_signals_returns_one_that_has_come_or_the_end_of_its_time) {
    const Blocked usr1(SIGUSR1);
    for (const auto& limit :
         {std::optional<timespec>(timespec{60, 0}), std::optional<timespec>()}) {
        pthread_kill(pthread_self(), SIGUSR1);
        BOOST_TEST(portable::awaitSignal(usr1.signals, limit) == SIGUSR1);
    }
    const auto begin = steady_clock::now();
    BOOST_TEST(portable::awaitSignal(usr1.signals, timespec{0, 30'000'000}) == -1);
    BOOST_TEST(errno == EAGAIN);
    BOOST_TEST((steady_clock::now() - begin >= std::chrono::milliseconds(30)));
}
