// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve.hpp"

#include "../text/parsing.hpp"
#include "console.hpp"
#include "serve_access.hpp"
#include "serve_actions.hpp"
#include "serve_reader.hpp"
#include "serve_site.hpp"
#include "session.hpp"
#include "status.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/stat.h>

namespace cluster_tool {

namespace {

/// How long the end waits for requests in progress.
constexpr std::chrono::milliseconds kEnding(4500);

/// The first line of a file that nobody else may read.
/// \param wrongIn what is wrong with it; empty: nothing
std::string secretIn(const char* option, const std::string& fileName,
                     std::string (*wrongIn)(const std::string&)) {
    const std::string subject = std::string(option) + ": " + inQuotes(fileName) + ' ';
    struct stat status {};
    std::ifstream file(fileName);
    std::string line;
    if (::stat(fileName.c_str(), &status) != 0 || !file)
        throw std::invalid_argument(subject + "cannot be read: " + std::strerror(errno));
    if ((status.st_mode & 077U) != 0) failExpecting(subject + "is for others, too", "mode 0600");
    std::getline(file, line);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (const std::string wrong = wrongIn(line); !wrong.empty())
        throw std::invalid_argument(subject + wrong);
    return line;
}

/// The signals that end the program, blocked for all threads that are started from now on.
class EndSignals {
  public:
    EndSignals() {
        ::sigemptyset(&set_);
        for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&set_, signal);
        ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }

    void await() const {
        int signal = 0;
        ::sigwait(&set_, &signal);
    }

  private:
    sigset_t set_{};
};

http::ServerOptions serverOptions() {
    http::ServerOptions options;
    options.methods = {"GET", "HEAD", "POST"};
    options.body = 16384;
    options.time = std::chrono::seconds(10);
    options.idle = std::chrono::seconds(30);
    // Each uses one connection to the database at most, of four.
    options.threads = 4;
    return options;
}

/// All that serves. The site is there when the address, which it checks, is known.
class Server {
  public:
    explicit Server(const Options& options)
        : actions_(clusterOptions(options)),
          reader_(clusterOptions(options), options.serve.showsPayloads) {
        Site::Settings settings;
        settings.cluster = options.schema;
        settings.showsPayloads = options.serve.showsPayloads;
        Access::Rules& rules = settings.access;
        rules.hosts = options.serve.hosts;
        rules.allowsActions = options.serve.allowsActions;
        rules.token = options.serve.secret.empty()
                          ? randomToken()
                          : secretIn("--secret", options.serve.secret, wrongInSecret);
        if (!options.serve.auth.empty())
            rules.credentials = secretIn("--auth", options.serve.auth, wrongInCredentials);
        settings.act = [this](const http::Request& request, const Instruction& instruction) {
            return act(request, instruction);
        };
        std::promise<std::shared_ptr<Site>> site;
        server_.emplace(
            options.serve.listen,
            [made = site.get_future().share()](const http::Request& request) {
                return made.get()->respond(request);
            },
            serverOptions());
        rules.listen = server_->address();
        site.set_value(std::make_shared<Site>(std::move(settings), reader_));
    }

    const http::Address& address() const { return server_->address(); }

    /// No request that is in progress waits for the next answer of the database.
    void close() { reader_.close(); }

  private:
    page::Done act(const http::Request& request, const Instruction& instruction) {
        const std::string what = http::toText(request.client) + ": " +
                                 page::nameOf(instruction.action) + ' ' +
                                 textOf(instruction.subject) + ": ";
        try {
            const page::Done done = actions_.perform(instruction);
            Console::tell(what + textOf(done));
            return done;
        } catch (const std::exception& e) {
            Console::tell(what + e.what());
            throw;
        }
    }

    Actions actions_;
    Reader reader_;
    std::optional<http::Server> server_;  // last: its threads use the other members
};

}  // namespace

int serve(const Options& options) {
    if (!http::isBuiltIn())
        failExpecting("serve: this program was built without HTTP", "one of `make HTTP=yes`");
    const EndSignals signals;
    std::unique_ptr<Server> server;
    try {
        server = std::make_unique<Server>(options);
    } catch (const std::runtime_error& e) {
        throw std::invalid_argument(std::string("--listen: ") + e.what());
    }
    Console::tell("serving http://" + http::toText(server->address()) + '/');
    signals.await();
    server->close();
    std::promise<void> ended;
    std::future<void> end = ended.get_future();
    std::thread ending([&] {
        server.reset();
        ended.set_value();
    });
    // An action may take longer, of which the database is told, or not.
    if (end.wait_for(kEnding) != std::future_status::ready) std::_Exit(kDone);
    ending.join();
    return kDone;
}

}  // namespace cluster_tool
