// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "../http.hpp"

#include "../../system/calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace beast = boost::beast;
namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace http {

namespace {

/// How long no connection is accepted when there are too many of them, or when there is no
/// descriptor or memory for another one.
constexpr milliseconds kPause(50);

/// What a client has at least to take its response.
constexpr milliseconds kWriting(1000);

/// Of a response that get() reads.
constexpr std::uint64_t kLongestBody = 1U << 20U;

std::string textOf(beast::string_view text) { return {text.data(), text.size()}; }

/// What a client gets whose request cannot be read; nothing if there is nobody to tell.
std::optional<unsigned> statusOf(const error_code& error) {
    if (!error) return 200;
    if (error == beast::http::error::header_limit) return 431;
    if (error == beast::http::error::body_limit) return 413;
    const error_code gone(beast::http::error::end_of_stream),
        cut(beast::http::error::partial_message);
    if (error.category() != gone.category() || error == gone || error == cut) return std::nullopt;
    return 400;
}

Response plainly(unsigned status) {
    const auto name = beast::http::obsolete_reason(beast::http::int_to_status(status));
    return {status, textOf(name) + '\n'};
}

/// Answers the requests of one client, and keeps itself alive until then. All its functions run on
/// the strand of the stream.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    /// \param open the number of connections, with this one
    Connection(tcp::socket socket, const ServerOptions& options, const Server::Handler& handler,
               std::atomic<int>& open)
        : options_(options), handler_(handler), open_(open), stream_(std::move(socket)) {
        ++open_;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { --open_; }

    void start() {
        net::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->read(); });
    }

  private:
    using Parser = beast::http::request_parser<beast::http::string_body>;

    void read() {
        constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(std::min(options_.head, kMost)));
        parser_->body_limit(options_.body);
        deadline_ = steady_clock::now() + options_.time;
        stream_.expires_at(deadline_);  // of all that follows
        beast::http::async_read_header(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](error_code error, std::size_t) { self->readBody(error); });
    }

    void readBody(const error_code& error) {
        if (error) return answer(error);
        // Where there may be no body, this one is too long.
        if (options_.body > 0 && parser_->chunked()) return write(plainly(411), false);
        beast::http::async_read(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](error_code end, std::size_t) { self->answer(end); });
    }

    void answer(const error_code& error) {
        const std::optional<unsigned> status = statusOf(error);
        if (!status) return;
        const std::string method = textOf(parser_->get().method_string());
        const std::vector<std::string>& methods = options_.methods;
        Response response;
        if (*status != 400 && *status != 431 &&
            std::find(methods.begin(), methods.end(), method) == methods.end()) {
            response = plainly(405);
            std::string allowed;
            for (const std::string& each : methods) allowed += (allowed.empty() ? "" : ", ") + each;
            response.fields.emplace_back("Allow", allowed);
        } else if (*status != 200) {
            response = plainly(*status);
        } else {
            response = handled(method);
        }
        // While many are connected, none stays.
        const bool stays = *status == 200 && options_.idle.count() > 0 && parser_->keep_alive() &&
                           open_ <= options_.connections / 2;
        write(response, stays);
    }

    Response handled(const std::string& method) {
        try {
            error_code error;
            const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
            Request request{method,
                            textOf(parser_->get().target()),
                            {},
                            std::move(parser_->get().body()),
                            {peer.address().to_string(error), peer.port()}};
            for (const auto& field : parser_->get())
                request.fields.emplace_back(textOf(field.name_string()), textOf(field.value()));
            return handler_(request);
        } catch (const std::exception&) {
            return plainly(500);
        }
    }

    void write(const Response& response, bool stays) {
        message_ = {};
        message_.version(parser_->get().version());
        message_.result(response.status);
        message_.set(beast::http::field::content_type, response.type);
        for (const auto& [name, value] : response.fields) message_.set(name, value);
        message_.body() = response.body;
        message_.keep_alive(stays);
        message_.prepare_payload();
        if (parser_->get().method() == beast::http::verb::head) message_.body().clear();
        // The handler may have taken all the time.
        stream_.expires_at(std::max(deadline_, steady_clock::now() + kWriting));
        beast::http::async_write(stream_, message_,
                                 [self = shared_from_this(), stays](error_code error, std::size_t) {
                                     if (error) return;
                                     if (stays)
                                         self->awaitNext();
                                     else
                                         self->endOutput();
                                 });
    }

    void awaitNext() {
        if (buffer_.size() > 0) return read();
        stream_.expires_after(options_.idle);
        stream_.async_read_some(
            buffer_.prepare(1024),
            [self = shared_from_this()](const error_code& error, std::size_t count) {
                if (error) return;
                self->buffer_.commit(count);
                self->read();
            });
    }

    /// If we closed the connection while the client is sending, it would be reset, and the client
    /// might not see the response.
    void endOutput() {
        error_code error;
        stream_.socket().shutdown(tcp::socket::shutdown_send, error);
        if (!error) discardInput();
    }

    void discardInput() {
        stream_.async_read_some(net::buffer(discarded_),
                                [self = shared_from_this()](error_code error, std::size_t) {
                                    if (!error) self->discardInput();
                                });
    }

    const ServerOptions& options_;
    const Server::Handler& handler_;
    std::atomic<int>& open_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    steady_clock::time_point deadline_;  ///< of the present request
    std::optional<Parser> parser_;
    beast::http::response<beast::http::string_body> message_;
    std::array<char, 1024> discarded_{};
};

tcp::resolver::results_type resolve(net::io_context& context, const Address& address,
                                    tcp::resolver::flags flags, error_code& error) {
    // Without the default flag that hides addresses like those of this computer's interfaces.
    return tcp::resolver(context).resolve(address.host, std::to_string(address.port),
                                          flags | tcp::resolver::numeric_service, error);
}

tcp::endpoint preferred(const tcp::resolver::results_type& found) {
    const auto v4 = std::find_if(found.begin(), found.end(), [](const auto& each) {
        return each.endpoint().protocol() == tcp::v4();
    });
    return (v4 == found.end() ? found.begin() : v4)->endpoint();
}

tcp::acceptor listenOn(net::io_context& context, const Address& address) {
    error_code error;
    const auto found = resolve(context, address, tcp::resolver::passive, error);
    tcp::acceptor acceptor(context);
    if (!error) {
        const tcp::endpoint endpoint = preferred(found);
        acceptor.open(endpoint.protocol(), error);
        if (!error) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
        if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor.native_non_blocking(true, error);
        if (!error) acceptor.bind(endpoint, error);
        if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
    }
    if (error)
        throw std::runtime_error("cannot listen on " + toText(address) + ": " + error.message());
    return acceptor;
}

}  // namespace

class Server::State {
  public:
    State(const Address& address, Handler handler, ServerOptions options)
        : options_(std::move(options)), handler_(std::move(handler)),
          acceptor_(listenOn(context_, address)), address_{address.host,
                                                           acceptor_.local_endpoint().port()},
          pause_(context_) {
        accept();
        for (int i = 0; i < options_.threads; ++i) threads_.list.emplace_back([this] { serve(); });
    }

    const Address& address() const { return address_; }

  private:
    /// Ends before the other members do.
    struct Threads {
        explicit Threads(net::io_context& of) : context(of) {}
        ~Threads() {
            context.stop();
            for (std::thread& each : list) each.join();
        }
        net::io_context& context;
        std::vector<std::thread> list;
    };

    void serve() {
        for (;;) {
            try {
                context_.run();
                return;
            } catch (const std::exception&) {
                // There was no memory for a connection, which is closed.
            }
        }
    }

    // Of these three, one runs at a time: each begins the next one.

    void accept() {
        if (open_ >= options_.connections) return pause();
        acceptor_.async_wait(tcp::acceptor::wait_read, [this](error_code) { take(); });
    }

    void pause() {
        pause_.expires_after(kPause);
        pause_.async_wait([this](error_code) { accept(); });
    }

    /// Asio would set close-on-exec only afterwards, and a command may start in between.
    void take() {
        const int fd = system_calls::acceptOne(acceptor_.native_handle());
        if (fd < 0) return pause();
        error_code error;
        tcp::socket socket(net::make_strand(context_));
        socket.assign(acceptor_.local_endpoint().protocol(), fd, error);
        if (error) {
            ::close(fd);
            return pause();
        }
        try {
            std::make_shared<Connection>(std::move(socket), options_, handler_, open_)->start();
        } catch (const std::exception&) {
            return pause();
        }
        accept();
    }

    const ServerOptions options_;
    const Handler handler_;
    std::atomic<int> open_{0};  ///< connections
    net::io_context context_;
    tcp::acceptor acceptor_;
    const Address address_;
    net::steady_timer pause_;
    Threads threads_{context_};
};

bool isBuiltIn() { return true; }

Server::Server(const Address& address, Handler handler, ServerOptions options)
    : state_(std::make_unique<State>(address, std::move(handler), std::move(options))) {}

Server::~Server() = default;

const Address& Server::address() const { return state_->address(); }

Response get(const Address& address, const std::string& target, milliseconds time) {
    net::io_context context;
    error_code error;
    const auto found = resolve(context, address, {}, error);
    const auto check = [&] {
        if (!error) return;
        throw std::runtime_error(toText(address) + ": " +
                                 (error == beast::error::timeout
                                      ? "no response within " + std::to_string(time.count()) + "ms"
                                      : error.message()));
    };
    check();
    beast::http::request<beast::http::empty_body> request(beast::http::verb::get, target, 11);
    request.set(beast::http::field::host, toText(address));
    beast::http::response_parser<beast::http::string_body> response;
    response.body_limit(kLongestBody);
    beast::flat_buffer buffer;
    beast::tcp_stream stream(context);
    // Runs one operation to its end. The time counts from the first one.
    const auto await = [&](auto begin) {
        context.restart();
        begin([&](error_code result, auto&&...) { error = result; });
        context.run();
        check();
    };
    stream.expires_after(time);
    await([&](auto done) { stream.async_connect(found, done); });
    await([&](auto done) { beast::http::async_write(stream, request, done); });
    await([&](auto done) { beast::http::async_read(stream, buffer, response, done); });
    return {response.get().result_int(), response.get().body(),
            textOf(response.get()[beast::http::field::content_type])};
}

}  // namespace http
