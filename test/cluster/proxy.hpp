// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/loopback.hpp"

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace test {

/// Stands between a node and its server, at a port of 127.0.0.1, and plays failures of the network.
class Proxy {
  public:
    enum class Mode {
        Pass,
        Refuse,    ///< ends all connections, and takes none
        BlackHole  ///< lets nothing through, and says nothing of it
    };

    /// \param target the path of a Unix socket
    explicit Proxy(std::string target) : target_(std::move(target)) {
        ::signal(SIGPIPE, SIG_IGN);
        listen();
        thread_ = boost::thread([this] { run(); });
    }
    ~Proxy() {
        ending_ = true;
        thread_.join();
        closeAll();
        if (listener_ >= 0) ::close(listener_);
    }
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    std::string port() const { return std::to_string(port_); }

    /// Returns when it is so.
    void set(Mode mode) {
        wanted_ = mode;
        while (present_ != mode) boost::this_thread::yield();
    }

  private:
    /// Bytes from one socket to another.
    struct Pipe {
        int from, to;
    };

    void listen() {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        port_ = listenOnLoopback(listener_, port_);
    }

    void run() {
        while (!ending_) {
            const Mode mode = wanted_;
            if (mode == Mode::Refuse && listener_ >= 0) {
                closeAll();
                ::close(std::exchange(listener_, -1));
            }
            if (mode != Mode::Refuse && listener_ < 0) listen();
            present_ = mode;
            if (mode == Mode::Pass) {
                turn();
            } else {
                boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
            }
        }
    }

    void turn() {
        std::vector<pollfd> sockets{{listener_, POLLIN, 0}};
        for (const Pipe& pipe : pipes_) sockets.push_back({pipe.from, POLLIN, 0});
        if (::poll(sockets.data(), sockets.size(), 1) <= 0) return;
        if (sockets[0].revents != 0) accept();
        for (std::size_t i = 1; i < sockets.size(); ++i)
            if (sockets[i].revents != 0) forward({sockets[i].fd, pipes_[i - 1].to});
        pipes_.erase(std::remove_if(pipes_.begin(), pipes_.end(),
                                    [](const Pipe& pipe) { return pipe.from < 0; }),
                     pipes_.end());
    }

    void accept() {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const int server = connectTo(target_, 0);
        if (server < 0) {
            ::close(client);
            return;
        }
        pipes_.push_back({client, server});
        pipes_.push_back({server, client});
    }

    void forward(Pipe pipe) {
        char bytes[65536];
        const ssize_t count = ::recv(pipe.from, bytes, sizeof bytes, 0);
        ssize_t sent = 0;
        while (sent < count) {
            const ssize_t more =
                ::send(pipe.to, bytes + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
            if (more <= 0) break;
            sent += more;
        }
        if (count > 0 && sent == count) return;
        bool open = false;
        for (Pipe& each : pipes_) {
            if (each.from != pipe.from && each.from != pipe.to) continue;
            open = true;
            each.from = -1;
        }
        if (!open) return;
        ::close(pipe.from);
        ::close(pipe.to);
    }

    void closeAll() {
        for (const Pipe& pipe : pipes_) ::close(pipe.from);
        pipes_.clear();
    }

    const std::string target_;
    int listener_ = -1, port_ = 0;
    std::vector<Pipe> pipes_;  ///< two for each connection; the thread's
    std::atomic<Mode> wanted_{Mode::Pass}, present_{Mode::Pass};
    std::atomic<bool> ending_{false};
    boost::thread thread_;
};

}  // namespace test
