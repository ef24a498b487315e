// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "http/http.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using http::Address;
using http::Request;
using http::Response;
using http::Server;
using http::ServerOptions;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

const Address kAny{"127.0.0.1", 0};

Response echo(const Request& request) {
    return {200, request.method + ' ' + request.target + ' ' + request.body + '\n'};
}

/// A socket that is connected to a server.
class Client {
  public:
    explicit Client(const Server& server) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(server.address().port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        BOOST_REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { ::close(fd_); }

    /// What could not be sent, because the server has closed the connection, is lost.
    const Client& send(const std::string& text) const {
        static_cast<void>(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL));
        return *this;
    }

    /// Whether exactly this comes next.
    bool next(const std::string& expected) const {
        std::string text(expected.size(), '\0');
        const ssize_t count = ::recv(fd_, text.data(), text.size(), MSG_WAITALL);
        text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        if (text != expected) BOOST_TEST_MESSAGE(text);
        return text == expected;
    }

    std::uint16_t port() const {
        sockaddr_in address{};
        socklen_t size = sizeof(address);
        BOOST_REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        return ntohs(address.sin_port);
    }

    /// All that comes until the server closes the connection.
    std::string rest() const {
        std::string text;
        std::array<char, 4096> buffer{};
        for (;;) {
            const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
            if (count <= 0) return text;
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
    }

  private:
    const int fd_;
};

std::string ask(const Server& server, const std::string& request) {
    return Client(server).send(request).rest();
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\r')); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string refusalOf(const std::string& address) {
    try {
        http::parseAddress(address);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

template <class Call>
std::string failureOf(const Call& call) {
    try {
        call();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

namespace unit_test = boost::unit_test;

BOOST_AUTO_TEST_SUITE(server, *unit_test::precondition([](unit_test::test_unit_id) {
                          boost::test_tools::assertion_result result(http::isBuiltIn());
                          result.message() << "HTTP=no";
                          return result;
                      }))

// Addresses.

BOOST_AUTO_TEST_CASE(r32_an_address_is_a_name_or_a_number_and_a_port) {
    for (const char* text : {"127.0.0.1:9100", "localhost:0", "[::1]:65535", "0.0.0.0:1"})
        BOOST_TEST(http::toText(http::parseAddress(text)) == text);
    BOOST_TEST(http::parseAddress("[::1]:80").host == "::1");
    BOOST_TEST(http::parseAddress("a:80").port == 80);
}

BOOST_AUTO_TEST_CASE(r32_what_is_no_address_is_refused_with_the_rule) {
    const std::string form = ": expected HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100";
    BOOST_TEST(refusalOf("9100") == "\"9100\" has no port" + form);
    BOOST_TEST(refusalOf("") == "\"\" has no port" + form);
    BOOST_TEST(refusalOf(":9100") == "\":9100\" has no host" + form);
    BOOST_TEST(refusalOf("[]:9100") == "\"[]:9100\" has no host" + form);
    for (const std::string text : {"::1:9100", "[localhost]:1", "http://a:1", "[::1:1", "a b:1"})
        BOOST_TEST(refusalOf(text) == '"' + text + "\" is not an address" + form);
    for (const std::string text : {"a:", "a:65536", "a:-1", "a:+1", "a:x", "a:1x", "a:1 "})
        BOOST_TEST(refusalOf(text) == '"' + text + "\" has no valid port: expected 0 to 65535");
}

BOOST_AUTO_TEST_CASE(r32_port_0_is_chosen_and_a_port_in_use_is_refused) {
    const Server server(kAny, echo);
    BOOST_TEST(server.address().host == "127.0.0.1");
    BOOST_TEST(server.address().port != 0);
    const std::string text = http::toText(server.address());
    BOOST_TEST(failureOf([&] { const Server second(server.address(), echo); }) ==
               "cannot listen on " + text + ": Address already in use");
}

BOOST_AUTO_TEST_CASE(r32_a_host_may_be_a_name_or_an_address_of_ipv6) {
    const Server named({"localhost", 0}, echo);
    BOOST_TEST(http::get(named.address(), "/x", seconds(60)).body == "GET /x \n");
    BOOST_TEST(has(ask(named, "GET / HTTP/1.1\r\n\r\n"), "200 OK"));  // by 127.0.0.1
    std::optional<Server> server;
    const std::string failure = failureOf([&] { server.emplace(Address{"::1", 0}, echo); });
    if (!failure.empty()) {
        BOOST_TEST_MESSAGE("not run: " << failure);
        return;
    }
    BOOST_TEST(http::get(server->address(), "/x", seconds(60)).body == "GET /x \n");
}

BOOST_AUTO_TEST_CASE(r32_a_host_that_is_unknown_or_elsewhere_is_refused) {
    const auto failure = [](const std::string& host) {
        return failureOf([&] { const Server server({host, 0}, echo); });
    };
    BOOST_TEST(failure("192.0.2.1") ==
               "cannot listen on 192.0.2.1:0: Cannot assign requested address");
    BOOST_TEST(failure("no host").rfind("cannot listen on no host:0: Host not found", 0) == 0U);
}

// Requests.

BOOST_AUTO_TEST_CASE(r37_each_connection_has_one_response_and_is_closed) {
    const Server server(kAny, [](const Request& request) {
        Response response = echo(request);
        response.fields.emplace_back("Cache-Control", "no-store");
        return response;
    });
    const std::string both = "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\n\r\n";
    BOOST_TEST(ask(server, both) ==
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
               "Cache-Control: no-store\r\nConnection: close\r\nContent-Length: 10\r\n\r\n"
               "GET /a?b \n");
    BOOST_TEST(firstLine(ask(server, "GET / HTTP/1.0\r\n\r\n")) == "HTTP/1.0 200 OK");
}

BOOST_AUTO_TEST_CASE(r37_only_get_is_answered) {
    std::atomic<int> calls{0};
    const Server server(kAny, [&](const Request& request) {
        ++calls;
        return echo(request);
    });
    for (const std::string method : {"HEAD", "POST", "DELETE", "BREW"}) {
        const std::string text =
            ask(server, method + " /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\nab");
        BOOST_TEST(firstLine(text) == "HTTP/1.1 405 Method Not Allowed");
        BOOST_TEST(has(text, "\r\nAllow: GET\r\n"));
    }
    BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(r37_what_is_too_long_or_no_request_is_refused) {
    const Server server(kAny, echo);
    const auto statusOf = [&](const std::string& request) {
        return firstLine(ask(server, request)).substr(9, 3);
    };
    const std::string kib8(8192, 'x');
    BOOST_TEST(statusOf("GET /" + kib8 + " HTTP/1.1\r\n\r\n") == "431");
    BOOST_TEST(statusOf("GET / HTTP/1.1\r\na: " + kib8 + "\r\n\r\n") == "431");
    // Much more than the server reads, or the sockets hold, before it answers.
    BOOST_TEST(statusOf("GET / HTTP/1.1\r\na: " + std::string(1'000'000, 'x')) == "431");
    BOOST_TEST(statusOf("GET /" + kib8.substr(200) + " HTTP/1.1\r\n\r\n") == "200");
    BOOST_TEST(statusOf("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx") == "413");
    BOOST_TEST(
        statusOf("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n") ==
        "413");
    BOOST_TEST(statusOf("\x16\x03\x01 TLS\r\n\r\n") == "400");
    BOOST_TEST(statusOf("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n") == "400");
}

BOOST_AUTO_TEST_CASE(a_server_may_take_other_methods_and_bodies) {
    ServerOptions options;
    options.methods = {"GET", "HEAD", "POST"};
    options.body = 4;
    const Server server(
        kAny,
        [](const Request& request) {
            Response response{303, request.method + ' ' + request.body, "text/html"};
            for (const auto& [name, value] : request.fields)
                response.body += '|' + name + '=' + value;
            return response;
        },
        options);
    const std::string post = "POST / HTTP/1.1\r\nOrigin: null\r\nContent-Length: ";
    const std::string text = ask(server, post + "4\r\n\r\na=bc");
    BOOST_TEST(firstLine(text) == "HTTP/1.1 303 See Other");
    BOOST_TEST(has(text, "\r\nContent-Type: text/html\r\n"));
    BOOST_TEST(has(text, "\r\n\r\nPOST a=bc|Origin=null|Content-Length=4"));
    BOOST_TEST(firstLine(ask(server, post + "5\r\n\r\na=bcd")) == "HTTP/1.1 413 Payload Too Large");
    const std::string head = ask(server, "HEAD / HTTP/1.1\r\n\r\n");
    BOOST_TEST(has(head, "\r\nContent-Length: 5\r\n"));
    BOOST_TEST(head.substr(head.size() - 4) == "\r\n\r\n");
    BOOST_TEST(has(ask(server, "PUT / HTTP/1.1\r\n\r\n"), "\r\nAllow: GET, HEAD, POST\r\n"));
}

BOOST_AUTO_TEST_CASE(o62_a_body_that_does_not_tell_its_size_is_refused) {
    ServerOptions options;
    options.methods = {"GET", "POST"};
    options.body = 16384;
    const Server server(kAny, echo, options);
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    for (const std::string& fields : {chunked + "\r\n1\r\nx\r\n0\r\n\r\n", chunked + "\r\n",
                                      chunked + "Expect: 100-continue\r\n\r\n"})
        BOOST_TEST(firstLine(ask(server, "POST / HTTP/1.1\r\n" + fields)) ==
                   "HTTP/1.1 411 Length Required");
    const std::string body(16384, 'x');
    const auto post = [](std::size_t size) {
        return "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
    };
    BOOST_TEST(has(ask(server, post(16384) + body), "\r\n\r\nPOST / " + body + '\n'));
    BOOST_TEST(firstLine(ask(server, post(16385))) == "HTTP/1.1 413 Payload Too Large");
}

BOOST_AUTO_TEST_CASE(o62_a_connection_stays_for_the_next_request) {
    ServerOptions options;
    options.methods = {"GET", "HEAD", "POST"};
    options.body = 10;
    options.idle = seconds(600);
    options.time = seconds(600);
    const Server server(kAny, echo, options);
    const Client client(server);
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ";
    client.send("GET /a HTTP/1.1\r\n\r\n");
    BOOST_TEST(client.next(head + "8\r\n\r\nGET /a \n"));
    client.send("POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzHEAD /c HTTP/1.1\r\n\r\nGET");
    BOOST_TEST(client.next(head + "12\r\n\r\nPOST /b xyz\n"));
    BOOST_TEST(client.next(head + "9\r\n\r\n"));
    client.send(" /d HTTP/1.1\r\nConnection: close\r\n\r\n");
    const std::string last = client.rest();
    BOOST_TEST(has(last, "\r\nConnection: close\r\n"));
    BOOST_TEST(has(last, "\r\n\r\nGET /d \n"));
    // What cannot be read ends it.
    BOOST_TEST(has(ask(server, "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
                   "400 Bad Request"));
    BOOST_TEST(firstLine(ask(server, "GET / HTTP/1.0\r\n\r\n")) == "HTTP/1.0 200 OK");
}

BOOST_AUTO_TEST_CASE(o62_an_idle_connection_and_a_slow_request_are_cut_off) {
    ServerOptions options;
    options.idle = milliseconds(200);
    options.time = seconds(600);
    {
        const Server server(kAny, echo, options);
        const Client idle(server);
        idle.send("GET /a HTTP/1.1\r\n\r\n");
        BOOST_TEST(has(idle.rest(), "GET /a"));
    }
    options.idle = seconds(600);
    options.time = milliseconds(200);
    const Server server(kAny, echo, options);
    const Client slow(server), silent(server);
    slow.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nHo");
    const std::string text = slow.rest();
    BOOST_TEST(has(text, "GET /a"));
    BOOST_TEST(!has(text, "GET /b"));
    BOOST_TEST(silent.rest() == "");
}

BOOST_AUTO_TEST_CASE(o62_while_many_are_connected_no_connection_stays) {
    ServerOptions options;
    options.idle = seconds(600);
    options.time = seconds(600);
    options.connections = 3;
    const Server server(kAny, echo, options);
    const Client first(server);
    first.send("GET /a HTTP/1.1\r\n\r\n");
    BOOST_TEST(first.next("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                          "Content-Length: 8\r\n\r\nGET /a \n"));
    BOOST_TEST(has(ask(server, "GET /b HTTP/1.1\r\n\r\n"), "\r\nConnection: close\r\n"));
}

BOOST_AUTO_TEST_CASE(o62_a_response_that_the_handler_took_all_the_time_for_arrives) {
    ServerOptions options;
    options.time = milliseconds(50);
    const Server server(
        kAny,
        [&](const Request& request) {
            std::this_thread::sleep_for(2 * options.time);
            return echo(request);
        },
        options);
    BOOST_TEST(has(ask(server, "GET /a HTTP/1.1\r\n\r\n"), "GET /a"));
}

BOOST_AUTO_TEST_CASE(o57_a_request_tells_its_client) {
    const Server server(kAny, [](const Request& request) -> Response {
        return {200, http::toText(request.client) + '\n'};
    });
    const Client client(server);
    const std::string address = "127.0.0.1:" + std::to_string(client.port());
    BOOST_TEST(has(client.send("GET / HTTP/1.1\r\n\r\n").rest(), "\r\n\r\n" + address + '\n'));
}

BOOST_AUTO_TEST_CASE(a_handler_that_throws_is_an_error_of_the_server) {
    const Server server(
        kAny, [](const Request&) -> Response { throw std::runtime_error("password=secret"); });
    const std::string text = ask(server, "GET / HTTP/1.1\r\n\r\n");
    BOOST_TEST(firstLine(text) == "HTTP/1.1 500 Internal Server Error");
    BOOST_TEST(!has(text, "secret"));
}

// Slow clients.

BOOST_AUTO_TEST_CASE(r37_a_slow_client_delays_no_other_and_is_cut_off) {
    ServerOptions options;
    options.time = milliseconds(300);
    const steady_clock::time_point begin = steady_clock::now();
    const Server server(kAny, echo, options);
    const Client silent(server), slow(server), never(server);
    slow.send("GET / HTTP/1.1\r\nHo");
    never.send("GET /never HTTP/1.1\r\n\r\n");  // and does not close
    for (int i = 0; i < 10; ++i) BOOST_TEST(has(ask(server, "GET /a HTTP/1.1\r\n\r\n"), "GET /a"));
    BOOST_TEST(silent.rest() == "");
    BOOST_TEST(slow.rest() == "");
    BOOST_TEST((steady_clock::now() - begin >= options.time));
    BOOST_TEST(has(never.rest(), "GET /never"));
}

BOOST_AUTO_TEST_CASE(r37_a_call_that_waits_delays_no_other) {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    const Server server(kAny, [&](const Request& request) {
        if (request.target == "/slow") gone.wait();
        return echo(request);
    });
    const Client slow(server);
    slow.send("GET /slow HTTP/1.1\r\n\r\n");
    BOOST_TEST(has(ask(server, "GET /a HTTP/1.1\r\n\r\n"), "GET /a"));
    go.set_value();
    BOOST_TEST(has(slow.rest(), "GET /slow"));
}

BOOST_AUTO_TEST_CASE(r37_more_connections_than_allowed_wait) {
    ServerOptions options;
    options.connections = 2;
    options.time = seconds(600);
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    std::atomic<int> calls{0};
    const Server server(
        kAny,
        [&](const Request& request) {
            ++calls;
            gone.wait();
            return echo(request);
        },
        options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Client>(server));
    for (const auto& client : clients) client->send("GET / HTTP/1.1\r\n\r\n");
    while (calls < 2) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(200));  // in which the others would come
    BOOST_TEST(calls == 2);
    go.set_value();
    for (auto& client : clients) {
        BOOST_TEST(has(client->rest(), "200 OK"));
        client.reset();
    }
}

BOOST_AUTO_TEST_CASE(r37_the_end_waits_for_no_client) {
    const steady_clock::time_point begin = steady_clock::now();
    ServerOptions options;
    options.time = seconds(600);
    std::optional<Server> server(std::in_place, kAny, echo, options);
    const Client silent(*server), slow(*server), answered(*server);
    slow.send("GET");
    answered.send("GET /a HTTP/1.1\r\n\r\n");
    BOOST_TEST(has(ask(*server, "GET /b HTTP/1.1\r\n\r\n"), "GET /b"));
    server.reset();
    BOOST_TEST(silent.rest() == "");
    BOOST_TEST(slow.rest() == "");
    BOOST_TEST((steady_clock::now() - begin < options.time));
}

BOOST_AUTO_TEST_CASE(r37_all_descriptors_are_closed_by_exec) {
    std::string inherited;
    const Server server(kAny, [&](const Request& request) {
        for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
            const int fd = std::stoi(each.path().filename());
            const int flags = ::fcntl(fd, F_GETFD);
            std::error_code error;
            const auto link = std::filesystem::read_symlink(each.path(), error).string();
            if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && link.rfind("socket:", 0) == 0)
                inherited += std::to_string(fd) + ' ' + link + '\n';
        }
        return echo(request);
    });
    const Client other(server);
    ask(server, "GET / HTTP/1.1\r\n\r\n");
    BOOST_TEST(inherited == "");
}

// The client.

BOOST_AUTO_TEST_CASE(r33_get_returns_what_the_server_answers) {
    const Server server(kAny, [](const Request&) -> Response { return {503, "why\n"}; });
    const Response response = http::get(server.address(), "/healthz", seconds(60));
    BOOST_TEST(response.status == 503U);
    BOOST_TEST(response.body == "why\n");
    BOOST_TEST(response.type == "text/plain; charset=utf-8");
}

BOOST_AUTO_TEST_CASE(r33_get_fails_without_a_server_and_without_a_response) {
    std::promise<void> go;
    std::optional<Server> server(std::in_place, kAny, [&](const Request& request) {
        go.get_future().wait();
        return echo(request);
    });
    const Address address = server->address();
    const std::string text = http::toText(address);
    BOOST_TEST(failureOf([&] { http::get(address, "/", milliseconds(50)); }) ==
               text + ": no response within 50ms");
    go.set_value();
    server.reset();
    BOOST_TEST(failureOf([&] { http::get(address, "/", seconds(60)); }) ==
               text + ": Connection refused");
    BOOST_TEST(failureOf([&] {
                   http::get({"no host", 1}, "/", seconds(60));
               }).rfind("no host:1: Host not found", 0) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
